// SPDX-License-Identifier: Apache-2.0
// Where a bundle ends in the octets of a block: DTN bundles delimit themselves, by CBOR (BPv7,
// RFC 9171 section 4.1) or by the lengths of their blocks (BPv6, RFC 5050 section 4.5).
// Borrows the octets; reads heads only, and steps over payloads. Any thread.
// It does not validate bundles; the host does.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "common/base/bytes.hpp"

namespace farlink::cla::ltp {

/// Reads along a chain of slices.
class ChainReader {
public:
    explicit ChainReader(std::span<const ByteView> slices) : slices_(slices) {}

    [[nodiscard]] bool octet(std::uint8_t &value);
    [[nodiscard]] bool skip(std::uint64_t size);
    /// A number as in RFC 6256.
    [[nodiscard]] bool sdnv(std::uint64_t &value);
    /// Octets that were read or stepped over.
    [[nodiscard]] std::uint64_t position() const { return position_; }

private:
    std::span<const ByteView> slices_;
    std::size_t at_ = 0;  ///< in slices_.front()
    std::uint64_t position_ = 0;
};

/// Steps over the bundle at the reader; false: there is no bundle, or its end is missing.
[[nodiscard]] bool skip_bundle(ChainReader &reader);

}  // namespace farlink::cla::ltp
