// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/core/names.hpp"
#include "apps/bpinspect/core/v7/blocks.hpp"

namespace farlink::inspect {
namespace {

/// RFC 9171 section 4.4.1.
void add_previous_node(const CborItem &item, Field &data, Deviations &deviations) {
    data.fields.push_back(endpoint_field("node id", item, deviations));
}

/// RFC 9171 section 4.4.2.
void add_age(const CborItem &item, Field &data, Deviations &deviations) {
    const auto age = uint_of(item, "age", "RFC 9171 section 4.4.2", deviations);
    data.fields.push_back(item_field("age", item));
    if (age) data.fields.back().meaning = duration_of_ms(*age);
}

/// RFC 9171 section 4.4.3.
void add_hop_count(const CborItem &item, Field &data, Deviations &deviations) {
    constexpr std::string_view kSection = "RFC 9171 section 4.4.3";
    if (!expect_array(item, "hop count", kSection, deviations)) return;
    ItemList list(item, kSection, deviations);
    const auto limit = list.uint("hop limit", data);
    const auto count = list.uint("hop count", data);
    list.finish();
    if (limit && (*limit < 1 || *limit > 255))
        deviations.add(item.octets, kSection, "the hop limit is not from 1 to 255");
    if (limit && count && *count > *limit)
        deviations.add(item.octets, kSection, "the hop count exceeds the hop limit");
}

}  // namespace

bool add_extension7(const Block7 &block, Field &data, Deviations &deviations) {
    const char *section = "RFC 9171 section 4.4.1";
    auto add = add_previous_node;
    if (block.type == bp::v7::kBundleAgeBlock) {
        section = "RFC 9171 section 4.4.2";
        add = add_age;
    } else if (block.type == bp::v7::kHopCountBlock) {
        section = "RFC 9171 section 4.4.3";
        add = add_hop_count;
    } else if (block.type != bp::v7::kPreviousNodeBlock) {
        return false;
    }
    const OctetRange content = block.data->content_range();
    const CborItem item = read_cbor(block.data->content, content.at, deviations);
    if (item.head_size != 0) add(item, data, deviations);
    note_trailing(item, content, section, deviations);
    return true;
}

}  // namespace farlink::inspect
