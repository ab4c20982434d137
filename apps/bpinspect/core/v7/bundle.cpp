// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "apps/bpinspect/core/v7/blocks.hpp"
#include "apps/bpinspect/core/walkers.hpp"
#include "common/bp/v7/block.hpp"

namespace farlink::inspect {
namespace {

constexpr std::string_view kBundle7 = "RFC 9171 section 4.1";

void summarize7(const Primary7 &primary, std::span<const Block7> blocks, Inspection &summary) {
    for (const Block7 &block : blocks) summary.block_names.push_back(block.field.name);
    if (primary.destination) summary.destination = primary.destination->to_string();
    if (!primary.source || !primary.timestamp) return;
    bp::BundleId id{*primary.source, primary.timestamp->time_ms, primary.timestamp->sequence, {}};
    if (primary.is_fragment() && primary.fragment_offset)
        for (const Block7 &block : blocks)
            if (block.readable && block.type == bp::v7::kPayloadBlock)
                id.fragment = bp::FragmentExtent{*primary.fragment_offset, block.data->argument};
    summary.id = std::move(id);
}

void finish_block(Block7 &block, std::span<const Block7> blocks, const Protected7 &targets,
                  const Primary7 &primary, const Window &window, Walk &walk) {
    if (block.data != nullptr) {
        Field data = data_field7(block, blocks, targets, primary, walk.deviations);
        const bool record = block.type == bp::v7::kPayloadBlock && primary.is_admin_record() &&
                            !primary.is_fragment() && block.data->whole &&
                            !targets.is_encrypted.contains(block.number);
        if (record) add_record7({block.data->content, block.data->content_range().at}, data, walk);
        block.field.fields.push_back(std::move(data));
    }
    if (block.crc != nullptr)
        block.field.fields.push_back(
            crc_field(*block.crc, *block.item, block.crc_type, window, walk.deviations));
}

void judge_frame(const CborItem &bundle, const Window &window, Deviations &deviations) {
    if (!bundle.indefinite)
        deviations.add({bundle.octets.at, bundle.head_size}, kBundle7,
                       "the bundle is not an array of indefinite length");
    const OctetRange all{window.base, window.octets.size()};
    if (bundle.whole && bundle.octets.end() < all.end())
        deviations.add(range_between(bundle.octets.end(), all.end()), kBundle7,
                       "octets follow the end of the bundle");
}

}  // namespace

Field bundle_field7(const Window &window, Walk &walk) {
    const CborItem bundle = read_cbor(window.octets, window.base, walk.deviations);
    Field field{"bundle", bundle.octets, {}, "BPv7", {}};
    if (!expect_array(bundle, "bundle", kBundle7, walk.deviations)) return field;
    judge_frame(bundle, window, walk.deviations);
    if (bundle.items.empty()) {
        if (bundle.whole)
            walk.deviations.add(bundle.octets, kBundle7, "the primary block is missing");
        return field;
    }
    Primary7 primary;
    field.fields.push_back(primary_field7(bundle.items.front(), window, walk.deviations, primary));
    std::vector<Block7> blocks;
    for (const CborItem &item : std::span(bundle.items).subspan(1))
        blocks.push_back(read_block7(item, walk.deviations));
    const Protected7 targets = read_targets(blocks);
    if (walk.depth == 0) summarize7(primary, blocks, walk.summary);
    for (Block7 &block : blocks) finish_block(block, blocks, targets, primary, window, walk);
    judge_blocks7(blocks, bundle, primary, targets, walk.deviations);
    for (Block7 &block : blocks) field.fields.push_back(std::move(block.field));
    return field;
}

}  // namespace farlink::inspect
