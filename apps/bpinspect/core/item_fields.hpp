// SPDX-License-Identifier: Apache-2.0
// CBOR items as named fields, and notes where an item is not of the kind that the standard
// requires. Plain functions, and a walk over an array that belongs to the function that made it.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "apps/bpinspect/core/cbor_tree.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::inspect {

/// What is taken apart, and where it lies in the input: a bundle in another one begins at `base`.
struct Window {
    ByteView octets;
    std::uint64_t base = 0;

    [[nodiscard]] ByteView at(OctetRange range) const {
        return octets.subspan(range.at - base, range.size);
    }
};

/// The items of an array, one after the other, as the fields that `section` defines.
class ItemList {
public:
    ItemList(const CborItem &array, std::string_view section, Deviations &deviations)
        : array_(array), section_(section), deviations_(deviations) {}

    /// Null where there is no further one.
    [[nodiscard]] const CborItem *next() {
        return at_ < array_.items.size() ? &array_.items[at_++] : nullptr;
    }
    /// The same for a field that must be there; its absence is noted, unless the octets end there.
    [[nodiscard]] const CborItem *require(std::string_view name);
    /// An unsigned integer; the field is appended to `to`.
    std::optional<std::uint64_t> uint(std::string name, Field &to);
    /// Notes further items.
    void finish();

private:
    const CborItem &array_;
    std::string_view section_;
    Deviations &deviations_;
    std::size_t at_ = 0;
};

/// Whether `item` is an array; notes it where not.
bool expect_array(const CborItem &item, std::string_view name, std::string_view section,
                  Deviations &deviations);

/// Any item as a field.
[[nodiscard]] Field item_field(std::string name, const CborItem &item);
/// Its number; empty, and noted, where the item is no unsigned integer.
std::optional<std::uint64_t> uint_of(const CborItem &item, std::string_view name,
                                     std::string_view section, Deviations &deviations);

/// An endpoint id (RFC 9171 section 4.2.5.1, RFC 9758), and the endpoint where it denotes one.
[[nodiscard]] Field endpoint_field(std::string name, const CborItem &item, Deviations &deviations,
                                   std::optional<bp::Eid> *endpoint = nullptr);

/// A creation timestamp (RFC 9171 section 4.2.7).
struct Timestamp {
    std::uint64_t time_ms = 0;
    std::uint64_t sequence = 0;
};
[[nodiscard]] Field timestamp_field(std::string name, const CborItem &item, Deviations &deviations,
                                    std::optional<Timestamp> &timestamp);

}  // namespace farlink::inspect
