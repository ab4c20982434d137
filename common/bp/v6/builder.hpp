// SPDX-License-Identifier: Apache-2.0
// Makes BPv6 bundles (RFC 5050 section 4.5), compressed (CBHE, RFC 6260) where the endpoints allow.
// A Builder belongs to the function that makes a bundle.
// One thread.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/bp/v6/block.hpp"

namespace farlink::bp::v6 {

/// The primary block's content. A fragment has kIsFragment in its flags.
struct PrimaryFields {
    std::uint64_t flags = kSingletonDestination;
    EidView destination;
    EidView source;
    EidView report_to;
    EidView custodian;
    std::uint64_t creation_time_s = 0;
    std::uint64_t sequence = 0;
    std::uint64_t lifetime_s = 0;
    std::uint64_t fragment_offset = 0;
    std::uint64_t total_adu_length = 0;
};

[[nodiscard]] constexpr std::uint64_t priority_flags(Priority priority) {
    return static_cast<std::uint64_t>(priority) << kPriorityShift;
}

/// An upper bound of what encode_primary() writes, in bytes.
[[nodiscard]] std::size_t primary_bound(const PrimaryFields &fields);

/// Writes the primary block, version included, to `out` (at least primary_bound() bytes) and
/// returns its size. Nothing is allocated when all endpoints are ipn or null.
std::size_t encode_primary(const PrimaryFields &fields, MutableBytes out);

/// The strings that a primary block's endpoints refer to (RFC 5050 section 4.4).
class Dictionary {
public:
    Dictionary() = default;
    /// Starts with a dictionary from the wire, whose last string may lack a terminator.
    explicit Dictionary(ByteView octets);

    /// The offset of `text`, which is added when it is new.
    std::uint64_t offset_of(std::string_view text);
    /// The offsets of an endpoint's scheme and of its scheme-specific part.
    void refer(const EidView &eid, std::uint64_t *pair);
    [[nodiscard]] const Bytes &octets() const { return octets_; }

private:
    Bytes octets_;
};

/// A pair of CBHE numbers (RFC 6260 section 2.2); false when the endpoint has none.
[[nodiscard]] bool to_cbhe(const EidView &eid, std::uint64_t *pair);

class Builder {
public:
    explicit Builder(const PrimaryFields &primary);
    /// Begins with a primary block that is encoded already.
    explicit Builder(Bytes primary) : octets_(std::move(primary)) {}

    /// Adds a block, the payload block like any other; `references` is the encoded list of
    /// endpoint references of a block with kHasEidReferences. The last block added is the last.
    void add_block(std::uint8_t type, std::uint64_t flags, ByteView data, ByteView references = {});

    [[nodiscard]] Bytes finish() &&;

private:
    Bytes octets_;
    std::size_t last_flags_ = 0;  ///< octet that holds the last block's low flags
};

}  // namespace farlink::bp::v6
