// SPDX-License-Identifier: Apache-2.0
// Renders a bundle that is too large for memory piece by piece: every piece refers to the pattern.
// Owned by the generator; one thread.
// The template and the pattern outlive it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "apps/shared/traffic/content/bundle_template.hpp"
#include "apps/shared/traffic/content/payload.hpp"
#include "common/buffer/bundle_piece.hpp"
#include "common/buffer/tx_bundle.hpp"

namespace farlink::traffic {

class BundlePieces {
public:
    /// Larger bundles are sent in pieces where the link takes them.
    static constexpr std::uint64_t kAbove = 2 * kPieceBytes;

    BundlePieces(BundleTemplate &bundles, const Pattern &pattern);

    /// Pieces of each bundle of the run: the pattern's, and the trailer.
    [[nodiscard]] std::uint64_t per_bundle() const { return per_bundle_; }
    /// The bundle for `header`; its pieces have tokens from `first_token` on.
    void begin(const PayloadHeader &header, std::uint64_t first_token);
    /// Size of that bundle, bytes.
    [[nodiscard]] std::uint64_t bundle_bytes() const { return bundle_bytes_; }
    /// Pieces of it are left.
    [[nodiscard]] bool under_way() const { return left_ > 0; }
    /// The next one. Its head, and the list of its slices, are valid until the next call.
    [[nodiscard]] TxBundle next();
    /// The session has ended: the rest of the bundle is not sent.
    void break_off() { left_ = 0; }

private:
    void set_slices(TxBundle &piece, std::uint64_t bytes);

    BundleTemplate &bundles_;
    ByteView stretch_;
    std::uint64_t tail_bytes_;
    std::uint64_t trailer_bytes_;
    std::uint64_t per_bundle_;
    std::uint64_t bundle_bytes_ = 0;
    std::uint64_t left_ = 0;  ///< octets
    std::uint64_t token_ = 0;
    std::size_t head_bytes_ = 0;
    std::array<std::uint8_t, BundleTemplate::kHeadRoom> head_{};
    std::array<std::uint8_t, BundleTemplate::kMaxTrailerBytes> trailer_{};
    std::vector<ByteView> slices_;
};

}  // namespace farlink::traffic
