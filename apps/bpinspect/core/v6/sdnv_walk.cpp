// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/core/v6/sdnv_walk.hpp"

#include <algorithm>

#include "common/codec/sdnv.hpp"

namespace farlink::inspect {

void SdnvWalk::fault(std::uint64_t size, std::string what) {
    if (failed_) return;
    failed_ = true;
    deviations_.add({at(), size}, section_, std::move(what));
}

std::optional<std::uint64_t> SdnvWalk::sdnv(std::string name, Field &to) {
    if (failed_) return std::nullopt;
    const auto value = codec::decode_sdnv(window_.octets.subspan(at_));
    if (!value) {
        if (value.error() == codec::SdnvError::kTruncated)
            fault(left(), "the octets end inside the " + name);
        else
            fault(std::min<std::uint64_t>(left(), codec::kMaxSdnvBytes),
                  "the " + name + " exceeds 64 bits");
        return std::nullopt;
    }
    if (value->size > codec::sdnv_size(value->value))
        deviations_.advise({at(), value->size}, "RFC 6256 section 2",
                           "the " + name + " has leading zeros");
    to.fields.push_back({std::move(name), {at(), value->size}, value->value, {}, {}});
    at_ += value->size;
    return value->value;
}

std::optional<std::uint8_t> SdnvWalk::octet(std::string name, Field &to) {
    if (failed_) return std::nullopt;
    if (left() == 0) {
        fault(0, "the octets end before the " + name);
        return std::nullopt;
    }
    const std::uint8_t value = next_octet();
    to.fields.push_back({std::move(name), {at(), 1}, std::uint64_t{value}, {}, {}});
    ++at_;
    return value;
}

Window SdnvWalk::octets(std::uint64_t size, std::string_view name) {
    const std::uint64_t got = failed_ ? 0 : std::min(size, left());
    const Window part{window_.octets.subspan(at_, got), at()};
    if (got < size) fault(left(), "the octets end inside the " + std::string(name));
    at_ += got;
    return part;
}

void SdnvWalk::finish(std::string_view what) {
    if (!failed_ && left() != 0) fault(left(), std::string(what));
}

}  // namespace farlink::inspect
