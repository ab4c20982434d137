// SPDX-License-Identifier: Apache-2.0
// Finds where a bundle ends in a block of several, since nothing but the bundles themselves tells.
// Plain functions on borrowed octets.
// Any thread. It walks over lengths only; whether the bundle is good is not its business.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/base/bytes.hpp"

namespace farlink::cla::ltp {

/// Octets in a chain of slices, read from front to back.
class ChainCursor {
public:
    explicit ChainCursor(std::span<const ByteView> slices) : slices_(slices) { settle(); }

    [[nodiscard]] bool done() const { return slices_.empty(); }
    /// Octets before the cursor.
    [[nodiscard]] std::uint64_t position() const { return position_; }
    [[nodiscard]] std::optional<std::uint8_t> peek() const;
    [[nodiscard]] std::optional<std::uint8_t> next();
    /// False when there are fewer; the cursor is then at the end.
    [[nodiscard]] bool skip(std::uint64_t bytes);
    /// RFC 5050 section 4.1.
    [[nodiscard]] std::optional<std::uint64_t> sdnv();

private:
    void settle();

    std::span<const ByteView> slices_;
    std::size_t offset_ = 0;  ///< in the first slice
    std::uint64_t position_ = 0;
};

/// Moves the cursor behind the bundle that it is in front of, of version 6 (RFC 5050 section 4) or
/// 7 (RFC 9171 section 4); false when none is there or it is cut off.
[[nodiscard]] bool skip_bundle(ChainCursor &cursor);

}  // namespace farlink::cla::ltp
