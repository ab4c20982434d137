// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/local/pings.hpp"

#include <algorithm>

namespace farlink::ingress {

Bytes Pings::begin(const bus::PingRequest &request, TimePoint now) {
    if (open_.size() == kMost) open_.erase(open_.begin());
    const std::uint64_t number = next_++;
    const std::uint32_t bytes = std::max(request.payload_bytes, kLeastBytes);
    open_.emplace(number, Open{request.id, bytes, now});
    return payload_of(number, bytes);
}

std::optional<bus::PingReply> Pings::handle_answer(ByteView payload, TimePoint now) {
    if (payload.size() < kLeastBytes) return std::nullopt;
    const auto number = load_be<std::uint64_t>(payload.data() + sizeof run_);
    const auto found = open_.find(number);
    if (found == open_.end() ||
        !std::ranges::equal(payload, payload_of(number, found->second.payload_bytes)))
        return std::nullopt;
    const Open open = found->second;
    open_.erase(found);
    return bus::PingReply{.id = open.id, .error = {}, .taken = now - open.sent};
}

Bytes Pings::payload_of(std::uint64_t number, std::uint32_t bytes) const {
    Bytes payload(bytes);
    store_be(payload.data(), run_);
    store_be(payload.data() + sizeof run_, number);
    for (std::size_t at = kLeastBytes; at < bytes; ++at)
        payload[at] = static_cast<std::uint8_t>(at + number);
    return payload;
}

}  // namespace farlink::ingress
