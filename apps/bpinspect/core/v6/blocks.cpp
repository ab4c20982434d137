// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/core/v6/blocks.hpp"

#include <algorithm>

#include "apps/bpinspect/core/names.hpp"

namespace farlink::inspect {
namespace {

constexpr std::string_view kBlock = "RFC 5050 section 4.5.2";
constexpr std::string_view kBlockFlags6Section = "RFC 5050 section 4.3";

void read_references(SdnvWalk &walk, const Primary6 &primary, Field &field,
                     Deviations &deviations) {
    const auto count = walk.sdnv("endpoint reference count", field);
    for (std::uint64_t i = 0; count && i < *count && !walk.failed(); ++i) {
        Field reference{"endpoint reference", {walk.at(), 0}, {}, {}, {}};
        const auto scheme = walk.sdnv("scheme offset", reference);
        const auto ssp = walk.sdnv("scheme-specific part offset", reference);
        if (!scheme || !ssp) return;
        reference.octets = range_between(reference.octets.at, walk.at());
        const auto eid = endpoint6(primary.dictionary, *scheme, *ssp, reference.octets, deviations);
        if (eid) reference.value = eid->to_string();
        field.fields.push_back(std::move(reference));
    }
}

void judge_block(const Block6 &block, const Primary6 &primary, Deviations &deviations) {
    if (primary.is_admin_record() && (block.flags & bp::v6::kReportIfUnprocessable) != 0)
        deviations.add(
            block.field.octets, kBlockFlags6Section,
            "a status report is requested in a bundle that must not request status reports");
    if (unnamed_bits(block.flags, kBlockFlags6) != 0)
        deviations.advise(block.field.octets, kBlockFlags6Section, "unknown flags are set");
    if (block.type == bp::v6::kPayloadBlock && (block.flags & bp::v6::kHasEidReferences) != 0)
        deviations.add(block.field.octets, "RFC 5050 section 4.5.3",
                       "the payload block has endpoint references");
}

}  // namespace

Block6 read_block6(SdnvWalk &walk, const Primary6 &primary, Deviations &deviations) {
    Block6 block;
    block.field = {"block", {walk.at(), 0}, {}, {}, {}};
    const auto close = [&] {
        block.field.octets = range_between(block.field.octets.at, walk.at());
        judge_block(block, primary, deviations);
        return std::move(block);
    };
    const auto type = walk.octet("block type", block.field);
    if (!type) return block;
    block.type = *type;
    block.field.name = block_name6(*type);
    block.field.fields.back().meaning = block.field.name;
    if (!block.field.name.starts_with("block ")) block.field.name += " block";
    const auto flags = walk.sdnv("flags", block.field);
    if (!flags) return close();
    block.flags = *flags;
    block.field.fields.back().meaning = names_of_bits(*flags, kBlockFlags6);
    if ((*flags & bp::v6::kHasEidReferences) != 0)
        read_references(walk, primary, block.field, deviations);
    const auto length = walk.sdnv("block length", block.field);
    if (!length) return close();
    block.data_size = *length;
    block.data = walk.octets(*length, block.field.name);
    block.whole = !walk.failed();
    return close();
}

}  // namespace farlink::inspect
