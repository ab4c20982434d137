// SPDX-License-Identifier: Apache-2.0
#include "apps/traffic/stcp_deframer.hpp"

#include <algorithm>

namespace farlink::traffic {

StcpDeframer::StcpDeframer(std::size_t read_bytes)
    : read_bytes_(read_bytes),
      capacity_(4 * read_bytes),
      buffer_(std::make_unique_for_overwrite<std::uint8_t[]>(capacity_)) {}

MutableBytes StcpDeframer::space() {
    if (unfinished_bytes() <= kCheapMove) {
        if (taken_ > 0) move_to_front(capacity_);
    } else if (capacity_ - filled_ < read_bytes_) {
        // Doubling follows what has really come, so a false length reserves nothing.
        const bool crowded = unfinished_bytes() > capacity_ / 2;
        move_to_front(crowded ? 2 * capacity_ : capacity_);
    }
    return {buffer_.get() + filled_, std::min(read_bytes_, capacity_ - filled_)};
}

std::optional<ByteView> StcpDeframer::next() {
    while (unfinished_bytes() >= kLengthBytes) {
        const std::size_t length = load_be<std::uint32_t>(buffer_.get() + taken_);
        if (unfinished_bytes() - kLengthBytes < length) return {};
        const ByteView bundle{buffer_.get() + taken_ + kLengthBytes, length};
        taken_ += kLengthBytes + length;
        if (length > 0) return bundle;
        ++keep_alives_;
    }
    return {};
}

void StcpDeframer::move_to_front(std::size_t capacity) {
    const std::size_t rest = unfinished_bytes();
    if (capacity == capacity_) {
        std::memmove(buffer_.get(), buffer_.get() + taken_, rest);
    } else {
        auto larger = std::make_unique_for_overwrite<std::uint8_t[]>(capacity);
        std::memcpy(larger.get(), buffer_.get() + taken_, rest);
        buffer_ = std::move(larger);
        capacity_ = capacity;
    }
    taken_ = 0;
    filled_ = rest;
}

}  // namespace farlink::traffic
