// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/local/pings.hpp"

#include <algorithm>

namespace farlink::ingress {

Bytes Pings::begin(const bus::PingRequest &request, TimePoint now) {
    if (open_.size() == kMost) (void)open_.take(*open_.first());
    const std::uint64_t number = next_++;
    const std::uint32_t bytes = std::max(request.payload_bytes, kLeastBytes);
    open_.add(number, {request.id, bytes}, now);
    return payload_of(number, bytes);
}

std::optional<bus::PingReply> Pings::handle_answer(ByteView payload, TimePoint now) {
    if (payload.size() < kLeastBytes) return std::nullopt;
    const auto number = load_be<std::uint64_t>(payload.data() + sizeof run_);
    const auto *const request = open_.find(number);
    if (request == nullptr ||
        !std::ranges::equal(payload, payload_of(number, request->note.payload_bytes)))
        return std::nullopt;
    const bus::PingReply reply{.id = request->note.id, .error = {}, .taken = now - request->sent};
    (void)open_.take(number);
    return reply;
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
