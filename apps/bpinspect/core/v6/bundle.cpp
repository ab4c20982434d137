// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "apps/bpinspect/core/octet_text.hpp"
#include "apps/bpinspect/core/v6/blocks.hpp"
#include "apps/bpinspect/core/walkers.hpp"
#include "common/bp/v6/block.hpp"

namespace farlink::inspect {
namespace {

constexpr std::string_view kBundle6 = "RFC 5050 section 4";
constexpr std::string_view kCopies6 = "RFC 5050 section 4.3";
constexpr std::size_t kPreview6 = 64;

void judge_fragment6(const Block6 &payload, const Primary6 &primary, Deviations &deviations) {
    if (!primary.fragment_offset || !primary.total_adu_length) return;
    const std::uint64_t total = *primary.total_adu_length;
    if (*primary.fragment_offset > total || payload.data_size > total - *primary.fragment_offset)
        deviations.add(primary.octets, "RFC 5050 section 5.8",
                       "the fragment extends beyond the end of its application data unit");
}

void add_data6(Block6 &block, const Primary6 &primary, Walk &walk) {
    Field data{"data", {block.data.base, block.data.octets.size()}, {}, {}, {}};
    data.meaning = std::to_string(block.data.octets.size()) + " octets";
    const bool payload = block.type == bp::v6::kPayloadBlock;
    if (payload) judge_fragment6(block, primary, walk.deviations);
    if (block.whole && !payload) add_extension6(block, primary, data, walk.deviations);
    if (block.whole && payload && primary.is_admin_record() && !primary.is_fragment())
        add_record6(block.data, data, walk);
    else if (payload && is_printable(block.data.octets))
        data.value = printable(as_text(block.data.octets), kPreview6);
    block.field.fields.push_back(std::move(data));
}

void summarize6(const Primary6 &primary, const std::vector<Block6> &blocks, Inspection &summary) {
    for (const Block6 &block : blocks) summary.block_names.push_back(block.field.name);
    summary.destination = primary.destination;
    if (!primary.source || !primary.creation_time_s || !primary.sequence) return;
    bp::BundleId id{*primary.source, *primary.creation_time_s, *primary.sequence, {}};
    if (primary.is_fragment() && primary.fragment_offset)
        for (const Block6 &block : blocks)
            if (block.type == bp::v6::kPayloadBlock)
                id.fragment = bp::FragmentExtent{*primary.fragment_offset, block.data_size};
    summary.id = std::move(id);
}

/// RFC 5050 sections 4 and 4.3: the payload block once, and no copies behind it.
void judge_blocks6(const std::vector<Block6> &blocks, OctetRange bundle, bool whole,
                   Deviations &deviations) {
    bool payload = false;
    for (const Block6 &block : blocks) {
        if (block.type == bp::v6::kPayloadBlock) {
            if (payload)
                deviations.add(block.field.octets, kBundle6, "more than one payload block");
            payload = true;
        } else if (payload && (block.flags & bp::v6::kReplicateBlock) != 0) {
            deviations.add(block.field.octets, kCopies6,
                           "a block after the payload block has the flag \"in every fragment\"");
        }
    }
    if (whole && !payload) deviations.add(bundle, kBundle6, "no payload block");
}

}  // namespace

Field bundle_field6(const Window &window, Walk &walk) {
    SdnvWalk sdnvs(window, kBundle6, walk.deviations);
    Field field{"bundle", {window.base, 0}, {}, "BPv6", {}};
    Primary6 primary;
    field.fields.push_back(primary_field6(sdnvs, window, walk.deviations, primary));
    std::vector<Block6> blocks;
    bool last = false;
    while (!last && !sdnvs.failed()) {
        // A bundle ends with the block that is marked as its last.
        blocks.push_back(read_block6(sdnvs, primary, walk.deviations));
        last = blocks.back().whole && (blocks.back().flags & bp::v6::kLastBlock) != 0;
    }
    field.octets = range_between(window.base, sdnvs.at());
    sdnvs.finish("octets follow the end of the bundle");
    if (walk.depth == 0) summarize6(primary, blocks, walk.summary);
    judge_blocks6(blocks, field.octets, last, walk.deviations);
    for (Block6 &block : blocks) {
        if (block.data.octets.data() != nullptr) add_data6(block, primary, walk);
        field.fields.push_back(std::move(block.field));
    }
    return field;
}

}  // namespace farlink::inspect
