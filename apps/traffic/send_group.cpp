// SPDX-License-Identifier: Apache-2.0
#include "apps/traffic/send_group.hpp"

#include <algorithm>

namespace farlink::traffic {

SendGroup::SendGroup(BundleTemplate &bundles, const Pattern &pattern)
    : bundles_(bundles),
      pattern_(pattern),
      tail_bytes_(bundles.tail_bytes()),
      refer_(tail_bytes_ >= kReferBytes),
      needed_(kLengthBytes + BundleTemplate::kHeadRoom + BundleTemplate::kMaxTrailerBytes +
              (refer_ ? 0 : tail_bytes_)),
      arena_(kFullBytes + needed_) {}

void SendGroup::add(const PayloadHeader &header) {
    std::uint8_t *const frame = arena_.data() + used_;
    std::uint8_t *at = frame + kLengthBytes;
    at += bundles_.head(header, at);
    if (refer_) {
        used_ = static_cast<std::size_t>(at - arena_.data());
        refer_to_pattern();
    } else {
        std::memcpy(at, pattern_.stretch().data(), tail_bytes_);
        at += tail_bytes_;
    }
    at += bundles_.trailer(at);
    used_ = static_cast<std::size_t>(at - arena_.data());
    const std::uint64_t referred = refer_ ? tail_bytes_ : 0;
    const std::uint64_t frame_bytes = static_cast<std::uint64_t>(at - frame) + referred;
    store_be(frame, static_cast<std::uint32_t>(frame_bytes - kLengthBytes));
    bytes_ += frame_bytes;
}

void SendGroup::refer_to_pattern() {
    close_piece();
    for (std::uint64_t rest = tail_bytes_; rest > 0;) {
        const std::size_t size = std::min<std::uint64_t>(rest, Pattern::kStretch);
        // The kernel only reads; iovec has no const.
        auto *octets = const_cast<std::uint8_t *>(pattern_.stretch().data());
        pieces_.push_back({octets, size});
        rest -= size;
    }
}

void SendGroup::close_piece() {
    if (used_ > piece_begin_)
        pieces_.push_back({arena_.data() + piece_begin_, used_ - piece_begin_});
    piece_begin_ = used_;
}

std::span<iovec> SendGroup::pieces() {
    close_piece();
    return pieces_;
}

void SendGroup::clear() {
    pieces_.clear();
    used_ = piece_begin_ = 0;
    bytes_ = 0;
}

}  // namespace farlink::traffic
