// SPDX-License-Identifier: Apache-2.0
// The abstract security block (RFC 9172 section 3.6): what a BIB and a BCB have as their data.
// Reading borrows the octets; a block that is read again keeps its memory.
// Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/bp/bpsec/block/fault.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::bp::bpsec {

/// What is read of one block at most; more is hostile.
inline constexpr std::size_t kMostTargets = 64;
inline constexpr std::size_t kMostItems = 32;  ///< parameters, or results of one target

/// Security context ids (RFC 9173 section 5.1).
inline constexpr std::uint64_t kHmacSha2 = 1;
inline constexpr std::uint64_t kAesGcm = 2;

/// A parameter or a result.
struct SecurityItem {
    std::uint64_t id = 0;
    ByteView value;  ///< one CBOR item, as it stands in the block
};

struct SecurityTarget {
    std::uint64_t number = 0;  ///< of the block; 0: the primary block
    std::vector<SecurityItem> results;
};

struct SecurityBlock {
    std::uint64_t context = 0;
    EidView source;
    std::vector<SecurityItem> parameters;
    std::vector<SecurityTarget> targets;

    /// The place of a target in `targets`, or their count.
    [[nodiscard]] std::size_t index_of(std::uint64_t number) const;
    [[nodiscard]] bool has_target(std::uint64_t number) const {
        return index_of(number) != targets.size();
    }
};

/// Reads the data of a BIB or a BCB. Any encoding of its CBOR is accepted, reserved context flags
/// are ignored; ids and values are not judged, since each context has its own.
[[nodiscard]] Verdict read_security_block(ByteView data, SecurityBlock &block);

/// Appends the data of a block: deterministic CBOR, the context flag for parameters where there are
/// any. Values are written as they are.
void write_security_block(const SecurityBlock &block, Bytes &to);

}  // namespace farlink::bp::bpsec
