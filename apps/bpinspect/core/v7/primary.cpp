// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/core/v7/primary.hpp"

#include "apps/bpinspect/core/names.hpp"
#include "common/bp/eid/reserved.hpp"

namespace farlink::inspect {
namespace {

using bp::v7::CrcType;
using codec::CborMajor;

constexpr std::string_view kPrimary7 = "RFC 9171 section 4.3.1";
constexpr std::string_view kFlags7 = "RFC 9171 section 4.2.3";
constexpr std::string_view kCrcSection = "RFC 9171 section 4.2.1";
constexpr std::uint64_t kVersion = 7;

/// RFC 9171 section 4.2.3.
void judge_flags7(const Primary7 &primary, OctetRange at, Deviations &deviations) {
    const bool reports = (primary.flags & bp::v7::kReportFlags) != 0;
    const bool whole = (primary.flags & bp::v7::kMustNotFragment) != 0;
    if (primary.is_admin_record() && reports)
        deviations.add(at, kFlags7, "an administrative record requests status reports");
    if (primary.is_anonymous() && reports)
        deviations.add(at, kFlags7, "a bundle without a source requests status reports");
    if (primary.is_anonymous() && !whole)
        deviations.add(at, kFlags7, "a bundle without a source may be fragmented");
    if (primary.is_fragment() && whole)
        deviations.add(at, kFlags7, "a fragment has the flag \"must not be fragmented\"");
    if (unnamed_bits(primary.flags, kBundleFlags7) != 0)
        deviations.advise(at, kFlags7, "reserved or unassigned flags are set");
}

void judge_source(const Primary7 &primary, OctetRange at, Deviations &deviations) {
    if (!primary.source) return;
    const bp::EidView source = primary.source->view();
    if (source.scheme == bp::EidScheme::kDtn) {
        const std::size_t demux = source.name.find('/', 2);
        if (demux != std::string_view::npos && source.name.substr(demux + 1).starts_with('~'))
            deviations.add(at, "RFC 9171 section 4.2.5.2",
                           "the source is a group, not a single node");
    }
    if (bp::is_local_node(source))
        deviations.advise(at, "RFC 9758 section 3.4.2",
                          "a bundle from the local node must not leave it");
}

void judge_destination(const Primary7 &primary, OctetRange at, Deviations &deviations) {
    if (primary.destination && bp::is_local_node(primary.destination->view()))
        deviations.advise(at, "RFC 9758 section 3.4.2",
                          "a bundle for the local node must not leave it");
}

void read_fragment(ItemList &list, Field &field, Primary7 &primary) {
    if (!primary.is_fragment()) return;
    primary.fragment_offset = list.uint("fragment offset", field);
    primary.total_adu_length = list.uint("total application data unit length", field);
}

/// The fields up to the lifetime; false where one is missing.
bool read_fixed(ItemList &list, Field &field, Primary7 &primary, Deviations &deviations) {
    const auto version = list.uint("version", field);
    if (version && *version != kVersion)
        deviations.add(field.fields.back().octets, kPrimary7,
                       "version " + std::to_string(*version) + ", not 7");
    const auto flags = list.uint("flags", field);
    if (!flags) return false;
    primary.flags = *flags;
    Field flags_field = std::move(field.fields.back());
    flags_field.meaning = names_of_bits(*flags, kBundleFlags7);
    field.fields.back() = flags_field;
    primary.crc_type = read_crc_type(list, field, deviations);
    const auto endpoint = [&](const char *name, std::optional<bp::Eid> &to) {
        const CborItem *const item = list.require(name);
        if (item != nullptr) field.fields.push_back(endpoint_field(name, *item, deviations, &to));
        return item != nullptr;
    };
    std::optional<bp::Eid> report_to;
    if (!endpoint("destination", primary.destination)) return false;
    judge_destination(primary, field.fields.back().octets, deviations);
    if (!endpoint("source", primary.source)) return false;
    judge_source(primary, field.fields.back().octets, deviations);
    if (!endpoint("report-to", report_to)) return false;
    judge_flags7(primary, flags_field.octets, deviations);
    const CborItem *const timestamp = list.require("creation timestamp");
    if (timestamp == nullptr) return false;
    field.fields.push_back(
        timestamp_field("creation timestamp", *timestamp, deviations, primary.timestamp));
    const auto lifetime = list.uint("lifetime", field);
    if (lifetime) field.fields.back().meaning = duration_of_ms(*lifetime);
    return lifetime.has_value();
}

}  // namespace

bool Primary7::is_fragment() const {
    return (flags & bp::v7::kIsFragment) != 0;
}

bool Primary7::is_admin_record() const {
    return (flags & bp::v7::kIsAdminRecord) != 0;
}

std::optional<std::uint64_t> read_crc_type(ItemList &list, Field &block, Deviations &deviations) {
    static constexpr const char *kNames[] = {"none", "CRC-16/X.25", "CRC-32C"};
    const auto type = list.uint("CRC type", block);
    if (!type) return type;
    Field &field = block.fields.back();
    if (*type < std::size(kNames))
        field.meaning = kNames[*type];
    else
        deviations.add(field.octets, kCrcSection,
                       "CRC type " + std::to_string(*type) + " is unknown");
    return type;
}

Field crc_field(const CborItem &crc, const CborItem &block, std::uint64_t crc_type,
                const Window &window, Deviations &deviations) {
    Field field = item_field("CRC", crc);
    const auto type = static_cast<CrcType>(crc_type);
    if (crc_type > 2 || !crc.whole) return field;
    if (!crc.is_string(CborMajor::kBytes) || crc.content.size() != bp::v7::crc_size(type)) {
        deviations.add(crc.octets, kCrcSection,
                       "the CRC is not a byte string of " + std::to_string(bp::v7::crc_size(type)) +
                           " octets");
        return field;
    }
    // It covers the block with its own octets as zeros, a break included.
    if (!block.whole || &crc != &block.items.back()) return field;
    const ByteView before =
        window.at(range_between(block.octets.at, crc.octets.at + crc.head_size));
    const std::uint32_t computed = bp::v7::block_crc(type, block.indefinite, before);
    field.meaning = "matches";
    if (computed != bp::v7::load_crc(type, crc.content.data())) {
        std::uint8_t octets[4];
        store_be(octets, computed);
        const std::string right = hex_text(ByteView(octets).last(crc.content.size()), 4);
        field.meaning = "should be " + right;
        deviations.add(crc.octets, kCrcSection, "the CRC does not match: computed " + right);
    }
    return field;
}

Field primary_field7(const CborItem &block, const Window &window, Deviations &deviations,
                     Primary7 &primary) {
    Field field{"primary block", block.octets, {}, {}, {}};
    primary.octets = block.octets;
    if (!expect_array(block, "primary block", kPrimary7, deviations)) return field;
    ItemList list(block, kPrimary7, deviations);
    if (!read_fixed(list, field, primary, deviations)) return field;
    read_fragment(list, field, primary);
    if (primary.crc_type.value_or(0) != 0)
        if (const CborItem *const crc = list.require("CRC"))
            field.fields.push_back(crc_field(*crc, block, *primary.crc_type, window, deviations));
    list.finish();
    return field;
}

}  // namespace farlink::inspect
