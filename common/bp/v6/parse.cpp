// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v6/parse.hpp"

#include <limits>

#include "common/bp/base/slices.hpp"
#include "common/bp/v6/block.hpp"
#include "common/bp/v6/extended_class.hpp"
#include "common/bp/v6/primary.hpp"

namespace farlink::bp::v6 {
namespace {

/// RFC 5050 section 4.3.
void note_unknown(UnknownBlocks &unknown, std::uint64_t flags) {
    unknown.present = true;
    unknown.report |= (flags & kReportIfUnprocessable) != 0;
    unknown.delete_bundle |= (flags & kDeleteBundleIfUnprocessable) != 0;
    unknown.discard |= (flags & kDiscardBlockIfUnprocessable) != 0;
}

Check note_extension(const Block &block, BundleView &view) {
    if (block.head.type == kPayloadBlock) return fail(ParseError::kDuplicateBlock);
    if (block.head.type == kBundleAgeBlock) {
        std::uint64_t age_us = 0;
        if (view.has_age) return fail(ParseError::kDuplicateBlock);
        if (!read_bundle_age(block.data(), age_us)) return fail(ParseError::kBadBlockData);
        view.age_ms = age_us / kMicrosecondsPerMs;
        view.has_age = true;
    }
    if (block.head.type == kExtendedClassBlock) {
        const auto service = decode_extended_class(block.data());
        if (view.has_extended_class) return fail(ParseError::kDuplicateBlock);
        if (!service) return fail(service.error());
        view.has_extended_class = true;
        view.critical = service->critical;
        view.ordinal = service->ordinal;
    }
    if (!is_known_block(block.head.type)) note_unknown(view.unknown, block.head.flags);
    return {};
}

/// Reads the blocks before the payload block and the payload block's own head, which is returned.
Check read_blocks(SdnvReader &reader, const std::uint8_t *bundle, BundleView &view,
                  BlockHead &payload) {
    for (;;) {
        const std::uint8_t *const begin = reader.left().data();
        if (!reader.left().empty() && *begin == kPayloadBlock) {
            if (const Check head = read_block_head(reader, payload); !head) return head;
            view.head_end = static_cast<std::uint32_t>(begin - bundle);
            view.payload_offset = static_cast<std::uint64_t>(reader.left().data() - bundle);
            view.payload_length = payload.data_size;
            return {};
        }
        Block block;
        if (const Check read = read_block(reader, block); !read) return read;
        // RFC 5050 section 4.3: the last block ends the bundle, so there is no payload.
        if ((block.head.flags & kLastBlock) != 0) return fail(ParseError::kNoPayload);
        if (const Check noted = note_extension(block, view); !noted) return noted;
    }
}

/// RFC 5050 section 4: blocks may follow the payload, the last one is marked.
Check read_trailing(std::span<const ByteView> slices, std::uint64_t from, BundleView &view) {
    view.trailing_blocks = true;
    ByteView octets;
    std::size_t pieces = 0;
    for_each_piece(slices, from, view.size, [&](ByteView piece) {
        octets = piece;
        ++pieces;
    });
    if (pieces == 0) return fail(ParseError::kTruncated);
    if (pieces > 1) return fail(ParseError::kHeadNotContiguous);
    SdnvReader reader(octets);
    for (;;) {
        Block block;
        if (const Check read = read_block(reader, block); !read) return read;
        if (const Check noted = note_extension(block, view); !noted) return noted;
        if ((block.head.flags & kLastBlock) != 0) break;
    }
    return reader.left().empty() ? Check{} : Check{fail(ParseError::kTrailingOctets)};
}

}  // namespace

Result<void, ParseError> parse_head(ByteView head, BundleView &view, BlockHead &payload) {
    // Offsets into the head are 32 bits wide.
    head =
        head.first(std::min<std::size_t>(head.size(), std::numeric_limits<std::uint32_t>::max()));
    view.version = kVersion;
    SdnvReader reader(head);
    if (const Check primary = read_primary(reader, view); !primary) return primary;
    view.primary_end = static_cast<std::uint32_t>(head.size() - reader.left().size());
    if (const Check blocks = read_blocks(reader, head.data(), view, payload); !blocks)
        return blocks;
    if (view.is_fragment && (view.fragment_offset > view.total_adu_length ||
                             view.payload_length > view.total_adu_length - view.fragment_offset))
        return fail(ParseError::kBadFragment);
    return {};
}

Result<void, ParseError> parse(std::span<const ByteView> slices, BundleView &view) {
    BlockHead payload;
    if (const Check head = parse_head(slices[0], view, payload); !head) return head;
    if (view.payload_length > view.size - view.payload_offset) return fail(ParseError::kTruncated);
    const std::uint64_t end = view.payload_offset + view.payload_length;
    if ((payload.flags & kLastBlock) == 0) return read_trailing(slices, end, view);
    return end == view.size ? Check{} : Check{fail(ParseError::kTrailingOctets)};
}

Result<BundleView, ParseError> parse_whole(ByteView bundle) {
    if (bundle.empty()) return fail(ParseError::kEmpty);
    if (bundle[0] != kBpVersion6) return fail(ParseError::kUnknownVersion);
    BundleView view;
    view.size = bundle.size();
    if (const Check parsed = parse({&bundle, 1}, view); !parsed) return fail(parsed.error());
    return view;
}

}  // namespace farlink::bp::v6
