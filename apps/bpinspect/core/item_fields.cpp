// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/core/item_fields.hpp"

#include "apps/bpinspect/core/octet_text.hpp"

namespace farlink::inspect {

using codec::CborMajor;

const CborItem *ItemList::require(std::string_view name) {
    const CborItem *const item = next();
    if (item == nullptr && array_.whole)
        deviations_.add(array_.octets, section_, "the " + std::string(name) + " is missing");
    return item;
}

std::optional<std::uint64_t> ItemList::uint(std::string name, Field &to) {
    const CborItem *const item = require(name);
    if (item == nullptr) return std::nullopt;
    const auto value = uint_of(*item, name, section_, deviations_);
    to.fields.push_back(item_field(std::move(name), *item));
    return value;
}

void ItemList::finish() {
    if (at_ >= array_.items.size()) return;
    const std::uint64_t from = array_.items[at_].octets.at;
    deviations_.add(
        range_between(from, array_.items.back().octets.end()), section_,
        std::to_string(array_.items.size()) + " items instead of " + std::to_string(at_));
}

bool expect_array(const CborItem &item, std::string_view name, std::string_view section,
                  Deviations &deviations) {
    if (item.is_array()) return true;
    // Where the octets end, no kind is to be blamed.
    if (item.head_size != 0)
        deviations.add(item.octets, section,
                       "the " + std::string(name) + " is " + kind_of(item) + ", not an array");
    return false;
}

Field item_field(std::string name, const CborItem &item) {
    Field field{std::move(name), item.octets, {}, {}, {}};
    if (item.head_size == 0) return field;
    if (item.is_uint())
        field.value = item.argument;
    else if (item.is(CborMajor::kSimple) && (item.argument == 20 || item.argument == 21))
        field.value = item.argument == 21;
    else
        field.value = cbor_text(item);
    return field;
}

std::optional<std::uint64_t> uint_of(const CborItem &item, std::string_view name,
                                     std::string_view section, Deviations &deviations) {
    if (item.is_uint() && item.whole) return item.argument;
    if (item.whole)
        deviations.add(
            item.octets, section,
            "the " + std::string(name) + " is " + kind_of(item) + ", not an unsigned integer");
    return std::nullopt;
}

Field timestamp_field(std::string name, const CborItem &item, Deviations &deviations,
                      std::optional<Timestamp> &timestamp) {
    constexpr std::string_view kSection = "RFC 9171 section 4.2.7";
    Field field{std::move(name), item.octets, {}, {}, {}};
    if (!expect_array(item, "creation timestamp", kSection, deviations)) return field;
    ItemList list(item, kSection, deviations);
    const auto time = list.uint("creation time", field);
    if (time) field.fields.back().meaning = *time == 0 ? "no clock" : utc_of_ms(*time);
    const auto sequence = list.uint("sequence number", field);
    list.finish();
    if (time && sequence) timestamp = Timestamp{*time, *sequence};
    return field;
}

}  // namespace farlink::inspect
