// SPDX-License-Identifier: Apache-2.0
// Octets in and out: a bundle of several slices is read without joining them.
// Views borrow; plain functions.
// Any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "common/base/bytes.hpp"

namespace farlink::bp {

/// Writes `octets` at `to`; returns their end.
inline std::uint8_t *put(std::uint8_t *to, ByteView octets) {
    return std::copy(octets.begin(), octets.end(), to);
}

[[nodiscard]] inline std::uint64_t total_size(std::span<const ByteView> slices) {
    std::uint64_t size = 0;
    for (const ByteView slice : slices) size += slice.size();
    return size;
}

/// Calls `visit(ByteView)` for the pieces of octets [from, to), in order.
template <class Visit>
void for_each_piece(std::span<const ByteView> slices, std::uint64_t from, std::uint64_t to,
                    Visit visit) {
    for (const ByteView slice : slices) {
        if (from >= to) return;
        if (from < slice.size()) {
            const auto piece = slice.subspan(
                from, static_cast<std::size_t>(std::min<std::uint64_t>(to, slice.size()) - from));
            visit(piece);
            from = 0;
        } else {
            from -= slice.size();
        }
        to -= std::min<std::uint64_t>(to, slice.size());
    }
}

/// Octets from `offset` on (which is not beyond the end), at most buffer.size() of them: as they
/// lie, or joined in `buffer`.
[[nodiscard]] inline ByteView peek(std::span<const ByteView> slices, std::uint64_t offset,
                                   MutableBytes buffer) {
    if (slices.size() == 1) {
        const ByteView rest = slices[0].subspan(offset);
        return rest.first(std::min(rest.size(), buffer.size()));
    }
    std::size_t joined = 0;
    ByteView whole;
    for_each_piece(slices, offset, offset + buffer.size(), [&](ByteView piece) {
        if (joined == 0) whole = piece;
        std::ranges::copy(piece, buffer.begin() + static_cast<std::ptrdiff_t>(joined));
        joined += piece.size();
    });
    return whole.size() == joined ? whole : ByteView(buffer.first(joined));
}

}  // namespace farlink::bp
