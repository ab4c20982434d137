// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/core/stream.hpp"

namespace farlink::bptunnel {

bool Stream::take(std::uint64_t offset, ByteView octets) {
    const std::uint64_t end = offset + octets.size();
    if (end < offset || end > granted_ || (end_ && end > *end_)) return false;
    if (end <= received_) return true;
    if (offset <= received_) {
        append(ready_, octets.subspan(static_cast<std::size_t>(received_ - offset)));
        received_ = end;
        join();
        return true;
    }
    const auto found = pieces_.find(offset);
    if (found != pieces_.end() && found->second.size() >= octets.size()) return true;
    // Pieces may overlap, but not so much that they take more than the window.
    pieces_bytes_ += octets.size();
    if (pieces_bytes_ > window_ || pieces_.size() >= kMostPieces) return false;
    Bytes &piece = pieces_[offset];
    pieces_bytes_ -= piece.size();
    piece.assign(octets.begin(), octets.end());
    return true;
}

void Stream::join() {
    while (!pieces_.empty() && pieces_.begin()->first <= received_) {
        const auto first = pieces_.begin();
        const std::uint64_t end = first->first + first->second.size();
        if (end > received_) {
            append(ready_, ByteView(first->second)
                               .subspan(static_cast<std::size_t>(received_ - first->first)));
            received_ = end;
        }
        pieces_bytes_ -= first->second.size();
        pieces_.erase(first);
    }
}

bool Stream::take_end(std::uint64_t offset) {
    if (end_) return *end_ == offset;
    std::uint64_t highest = received_;
    for (const auto &[begin, piece] : pieces_) highest = std::max(highest, begin + piece.size());
    if (offset < highest || offset > granted_) return false;
    end_ = offset;
    return true;
}

std::optional<std::uint64_t> Stream::used(std::size_t bytes) {
    used_ += bytes;
    const std::uint64_t credit = used_ + window_;
    if (end_ || credit - granted_ < window_ / 2) return std::nullopt;
    granted_ = credit;
    return granted_;
}

}  // namespace farlink::bptunnel
