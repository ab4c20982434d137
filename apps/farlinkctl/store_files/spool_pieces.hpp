// SPDX-License-Identifier: Apache-2.0
// Which octets of a bundle too large for memory its pieces have, as their labels describe them.
// Owned by whoever reads the records; one thread.
// The pieces may come in any order.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <string>

#include "module/storage/core/state/label_content.hpp"

namespace farlink::ctl {

class SpoolPieces {
public:
    /// False when the piece, of so many octets, does not fit to its bundle or overlaps another one.
    /// A second copy changes nothing: a compaction that was interrupted leaves both.
    [[nodiscard]] bool add(const storage::PieceLabel &piece, std::uint64_t bytes) {
        if (!storage::lies_inside(piece, bytes)) return false;
        if (bundle_bytes_ == 0) bundle_bytes_ = piece.bundle_bytes;
        if (piece.bundle_bytes != bundle_bytes_) return false;
        const auto next = sizes_.lower_bound(piece.offset);
        if (next != sizes_.end() && next->first == piece.offset) return next->second == bytes;
        if (next != sizes_.end() && next->first - piece.offset < bytes) return false;
        if (next != sizes_.begin()) {
            const auto &[offset, size] = *std::prev(next);
            if (piece.offset - offset < size) return false;
        }
        sizes_.emplace(piece.offset, bytes);
        here_ += bytes;
        return true;
    }
    [[nodiscard]] bool complete() const { return bundle_bytes_ != 0 && here_ == bundle_bytes_; }
    [[nodiscard]] std::uint64_t bundle_bytes() const { return bundle_bytes_; }

    /// For people: "bytes 0 to 999, bytes 5000 to 5999"; empty when there are all.
    [[nodiscard]] std::string missing() const {
        std::string text;
        std::uint64_t end = 0;
        const auto note = [&](std::uint64_t until) {
            if (until > end)
                text += (text.empty() ? "bytes " : ", bytes ") + std::to_string(end) + " to " +
                        std::to_string(until - 1);
        };
        for (const auto &[offset, size] : sizes_) {
            note(offset);
            end = offset + size;
        }
        note(bundle_bytes_);
        return text;
    }

private:
    std::uint64_t bundle_bytes_ = 0;
    std::uint64_t here_ = 0;
    std::map<std::uint64_t, std::uint64_t> sizes_;  ///< by offset
};

}  // namespace farlink::ctl
