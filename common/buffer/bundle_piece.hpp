// SPDX-License-Identifier: Apache-2.0
// A piece of a bundle that is too large for memory: it is written to disk while it arrives, and
// read while it leaves, piece by piece in the order of its octets.
// A value; any thread.
#pragma once

#include <cstdint>

namespace farlink {

/// Of a bundle that travels in pieces, octets [offset, offset + the size of this piece).
struct BundlePiece {
    /// By which the owner of the batch distinguishes the bundle from others; 0: a whole bundle.
    std::uint64_t spool = 0;
    std::uint64_t offset = 0;
    /// Octets of the bundle that follow this piece; 0: it is the last one.
    std::uint64_t left = 0;

    /// Of a bundle that is still arriving, by a layer that does not announce its length.
    static constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

    /// Between egress and ingress: a session sends one bundle at a time, and receives one at a time
    /// in each channel, so its pieces need no other number, and of their offset only whether it is
    /// 0.
    [[nodiscard]] static constexpr BundlePiece of_session(bool is_further, std::uint64_t left,
                                                          std::uint32_t channel = 0) {
        return {std::uint64_t{1} + channel, is_further ? std::uint64_t{1} : 0, left};
    }
    /// Of a piece that of_session() has made.
    [[nodiscard]] constexpr std::uint32_t channel() const {
        return static_cast<std::uint32_t>(spool - 1);
    }

    [[nodiscard]] bool present() const { return spool != 0; }
    [[nodiscard]] bool first() const { return offset == 0; }
    [[nodiscard]] bool last() const { return left == 0; }

    bool operator==(const BundlePiece &) const = default;
};

/// A bundle above the limit for memory travels in pieces of this size; the first one is as large as
/// the limit.
inline constexpr std::uint64_t kPieceBytes = 4 * 1024 * 1024;

}  // namespace farlink
