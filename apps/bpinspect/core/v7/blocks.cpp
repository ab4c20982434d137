// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/core/v7/blocks.hpp"

#include <algorithm>

#include "apps/bpinspect/core/names.hpp"

namespace farlink::inspect {
namespace {

using codec::CborMajor;

constexpr std::string_view kCanonical = "RFC 9171 section 4.3.2";
constexpr std::string_view kBlocks = "RFC 9171 section 4.1";
constexpr std::size_t kPreview7 = 64;

const CborItem *read_data(ItemList &list, Deviations &deviations) {
    const CborItem *const data = list.require("block-type-specific data");
    if (data == nullptr) return nullptr;
    if (data->is(CborMajor::kBytes) && !data->indefinite) return data;
    if (data->head_size != 0)
        deviations.add(data->octets, kCanonical,
                       "the data are " + kind_of(*data) + ", not a byte string of definite length");
    return nullptr;
}

void judge_numbers(std::span<const Block7> blocks, Deviations &deviations) {
    std::set<std::uint64_t> seen;
    for (const Block7 &block : blocks) {
        if (!block.readable) continue;
        const bool payload = block.type == bp::v7::kPayloadBlock;
        if (payload != (block.number == 1))
            deviations.add(
                block.field.octets, kBlocks,
                payload ? "the payload block has number " + std::to_string(block.number) + ", not 1"
                        : "number 1 is reserved for the payload block");
        else if (block.number == 0)
            deviations.add(block.field.octets, kBlocks,
                           "number 0 is reserved for the primary block");
        else if (!seen.insert(block.number).second)
            deviations.add(block.field.octets, kBlocks,
                           "number " + std::to_string(block.number) + " is used twice");
    }
}

void judge_payload(std::span<const Block7> blocks, const CborItem &bundle, Deviations &deviations) {
    const auto is_payload = [](const Block7 &block) {
        return block.readable && block.type == bp::v7::kPayloadBlock;
    };
    const auto count = std::ranges::count_if(blocks, is_payload);
    if (count > 1) deviations.add(bundle.octets, kBlocks, "more than one payload block");
    if (!bundle.whole) return;
    if (count == 0)
        deviations.add(bundle.octets, kBlocks, "no payload block");
    else if (!is_payload(blocks.back()))
        deviations.add(blocks.back().field.octets, kBlocks, "a block follows the payload block");
}

void judge_once(std::span<const Block7> blocks, Deviations &deviations) {
    struct Once {
        std::uint64_t type;
        const char *section;
    };
    static constexpr Once kOnce[] = {{bp::v7::kPreviousNodeBlock, "RFC 9171 section 4.4.1"},
                                     {bp::v7::kBundleAgeBlock, "RFC 9171 section 4.4.2"},
                                     {bp::v7::kHopCountBlock, "RFC 9171 section 4.4.3"}};
    for (const Once &once : kOnce) {
        bool seen = false;
        for (const Block7 &block : blocks) {
            if (!block.readable || block.type != once.type) continue;
            if (seen)
                deviations.add(block.field.octets, once.section,
                               "more than one block for " + block_name7(once.type));
            seen = true;
        }
    }
}

/// RFC 9171 section 4.2.4.
void judge_block_flags(const Block7 &block, const Primary7 &primary, Deviations &deviations) {
    constexpr std::string_view kFlags = "RFC 9171 section 4.2.4";
    if ((block.flags & bp::v7::kReportIfUnprocessable) != 0 &&
        (primary.is_admin_record() || primary.is_anonymous()))
        deviations.add(
            block.field.octets, kFlags,
            "a status report is requested in a bundle that must not request status reports");
    if (unnamed_bits(block.flags, kBlockFlags7) != 0)
        deviations.advise(block.field.octets, kFlags, "reserved or unassigned flags are set");
}

/// RFC 9171 section 4.3.1: a fragment lies inside of its application data unit.
void judge_fragment7(const Block7 &payload, const Primary7 &primary, Deviations &deviations) {
    if (!primary.is_fragment() || !primary.fragment_offset || !primary.total_adu_length) return;
    const std::uint64_t offset = *primary.fragment_offset;
    const std::uint64_t total = *primary.total_adu_length;
    if (offset > total || payload.data->argument > total - offset)
        deviations.add(primary.octets, "RFC 9171 section 4.3.1",
                       "the fragment extends beyond the end of its application data unit");
}

}  // namespace

Block7 read_block7(const CborItem &item, Deviations &deviations) {
    Block7 block;
    block.item = &item;
    block.field = {"block", item.octets, {}, {}, {}};
    if (!expect_array(item, "block", kCanonical, deviations)) return block;
    ItemList list(item, kCanonical, deviations);
    const auto type = list.uint("block type", block.field);
    if (!type) return block;
    block.type = *type;
    block.field.name = block_name7(*type);
    block.field.fields.back().meaning = block.field.name;
    if (!block.field.name.starts_with("block ")) block.field.name += " block";
    const auto number = list.uint("block number", block.field);
    const auto flags = list.uint("flags", block.field);
    if (flags) block.field.fields.back().meaning = names_of_bits(*flags, kBlockFlags7);
    const auto crc_type = read_crc_type(list, block.field, deviations);
    block.number = number.value_or(0);
    block.flags = flags.value_or(0);
    block.crc_type = crc_type.value_or(0);
    block.data = read_data(list, deviations);
    if (block.data == nullptr) return block;
    if (block.crc_type != 0) block.crc = list.require("CRC");
    list.finish();
    block.readable = number.has_value();
    return block;
}

Protected7 read_targets(std::span<const Block7> blocks) {
    Protected7 targets;
    Deviations ignored;
    for (const Block7 &block : blocks) {
        const bool integrity = block.type == bp::v7::kIntegrityBlock;
        if (!block.readable || (!integrity && block.type != bp::v7::kConfidentialityBlock))
            continue;
        const CborItem list =
            read_cbor(block.data->content, block.data->content_range().at, ignored);
        for (const CborItem &target : list.items)
            if (target.is_uint())
                (integrity ? targets.is_signed : targets.is_encrypted).insert(target.argument);
    }
    return targets;
}

Field data_field7(const Block7 &block, std::span<const Block7> blocks, const Protected7 &targets,
                  const Primary7 &primary, Deviations &deviations) {
    Field field{"data", block.data->octets, {}, {}, {}};
    field.meaning = std::to_string(block.data->content.size()) + " octets";
    // RFC 9172 section 3.8: only its security acceptor can read an encrypted block.
    if (targets.is_encrypted.contains(block.number)) {
        field.meaning += ", encrypted";
        return field;
    }
    if (!block.data->whole) return field;
    if (block.type == bp::v7::kPayloadBlock) {
        judge_fragment7(block, primary, deviations);
        if (!primary.is_admin_record() && is_printable(block.data->content))
            field.value = printable(as_text(block.data->content), kPreview7);
        return field;
    }
    if (block.type == bp::v7::kIntegrityBlock || block.type == bp::v7::kConfidentialityBlock)
        add_security7(block, blocks, field, deviations);
    else
        add_extension7(block, field, deviations);
    return field;
}

void judge_blocks7(std::span<const Block7> blocks, const CborItem &bundle, const Primary7 &primary,
                   const Protected7 &targets, Deviations &deviations) {
    judge_payload(blocks, bundle, deviations);
    judge_numbers(blocks, deviations);
    judge_once(blocks, deviations);
    for (const Block7 &block : blocks) judge_block_flags(block, primary, deviations);
    if (primary.crc_type == std::uint64_t{0} && !targets.is_signed.contains(0))
        deviations.add(primary.octets, "RFC 9171 section 4.3.1",
                       "neither a CRC nor a block integrity block protects the primary block");
    const bool has_age = std::ranges::any_of(blocks, [](const Block7 &block) {
        return block.readable && block.type == bp::v7::kBundleAgeBlock;
    });
    if (primary.timestamp && primary.timestamp->time_ms == 0 && !has_age && bundle.whole)
        deviations.add(primary.octets, "RFC 9171 section 4.4.2",
                       "the creation time is 0 and there is no bundle age block");
}

}  // namespace farlink::inspect
