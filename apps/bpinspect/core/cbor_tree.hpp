// SPDX-License-Identifier: Apache-2.0
// CBOR octets as a tree of items with their ranges (RFC 8949), as far as they can be read.
// A tree borrows the octets; values, any thread.
// Tolerant where the codec of the data path is strict: every item up to the first fault is kept.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/bpinspect/core/inspection.hpp"
#include "common/base/bytes.hpp"
#include "common/codec/cbor.hpp"

namespace farlink::inspect {

struct CborItem {
    codec::CborMajor major = codec::CborMajor::kUnsigned;
    std::uint64_t argument = 0;  ///< value, octets, or items
    OctetRange octets;           ///< all of it, a break included
    std::uint64_t head_size = 0;
    ByteView content{};  ///< of a string of definite length, as far as there are octets
    bool indefinite = false;
    bool whole = true;  ///< false: the octets end inside of it, or something in it cannot be read
    std::vector<CborItem> items{};  ///< of an array, map or tag; pieces of an indefinite string

    [[nodiscard]] bool is(codec::CborMajor wanted) const { return major == wanted; }
    [[nodiscard]] bool is_uint() const { return is(codec::CborMajor::kUnsigned); }
    [[nodiscard]] bool is_array() const { return is(codec::CborMajor::kArray); }
    /// A string that stands in one piece.
    [[nodiscard]] bool is_string(codec::CborMajor wanted) const {
        return is(wanted) && !indefinite && whole;
    }
    [[nodiscard]] OctetRange content_range() const {
        return {octets.at + head_size, content.size()};
    }
};

/// Reads one item from the front of `octets`, whose first octet is number `base` of the input.
/// Heads that are longer than necessary, octets that are missing and other faults are noted.
[[nodiscard]] CborItem read_cbor(ByteView octets, std::uint64_t base, Deviations &deviations);

/// Notes octets that follow `item`, the only one that may stand in `content`.
void note_trailing(const CborItem &item, OctetRange content, std::string_view section,
                   Deviations &deviations);

/// For people: "17", "h'0a0b'", "[1, 2]"; long ones are shortened.
[[nodiscard]] std::string cbor_text(const CborItem &item);
/// "an array of 3 items".
[[nodiscard]] std::string kind_of(const CborItem &item);

}  // namespace farlink::inspect
