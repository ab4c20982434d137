// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v7/bundle.hpp"

#include "common/bp/v7/parse.hpp"

namespace farlink::bp::v7 {
namespace {

/// The part of `bundle` that begins at `offset` of the application data unit.
Bundle part_of(const Bundle &bundle, std::uint64_t offset, std::uint64_t total, ByteView payload) {
    Bundle part = bundle;
    part.flags |= kIsFragment;
    part.fragment_offset = offset;
    part.total_adu_length = total;
    part.blocks.back().data.assign(payload.begin(), payload.end());
    return part;
}

}  // namespace

PrimaryFields Bundle::primary() const {
    return {flags,           crc_type,         destination.view(),
            source.view(),   report_to.view(), creation_time_ms,
            sequence,        lifetime_ms,      fragment_offset,
            total_adu_length};
}

Result<Bundle, ParseError> decode(ByteView octets) {
    const auto view = parse_whole(octets);
    if (!view) return fail(view.error());
    Bundle bundle;
    bundle.flags = view->flags;
    bundle.destination = Eid(view->destination);
    bundle.source = Eid(view->source);
    bundle.report_to = Eid(view->report_to);
    bundle.creation_time_ms = view->creation_time;
    bundle.sequence = view->sequence;
    bundle.lifetime_ms = view->lifetime_ms;
    bundle.fragment_offset = view->fragment_offset;
    bundle.total_adu_length = view->total_adu_length;

    codec::CborReader primary(octets.subspan(1));
    std::uint64_t raw = 0;
    if (!primary.array(raw) || !primary.uint(raw) || !primary.uint(raw) || !primary.uint(raw) ||
        !to_crc_type(raw, bundle.crc_type))
        return fail(ParseError::kBadCbor);
    codec::CborReader reader(octets.subspan(view->primary_end));
    for (Block block; block.head.type != kPayloadBlock;) {
        if (const Check read = read_block(reader, block); !read) return fail(read.error());
        const BlockHead &head = block.head;
        bundle.blocks.push_back({head.type, head.number, head.flags, head.crc_type,
                                 Bytes(block.data.begin(), block.data.end())});
    }
    return bundle;
}

Bytes encode(const Bundle &bundle) {
    Builder builder(bundle.primary());
    for (const CanonicalBlock &block : bundle.blocks)
        if (block.type != kPayloadBlock)
            builder.add_block(block.type, block.number, block.flags, block.crc_type, block.data);
    const CanonicalBlock &payload = bundle.payload();
    return std::move(builder).finish(payload.data, payload.crc_type, payload.flags);
}

std::optional<std::pair<Bundle, Bundle>> fragment(const Bundle &bundle, std::uint64_t split_at) {
    const ByteView payload = bundle.payload().data;
    if ((bundle.flags & kMustNotFragment) != 0 || split_at == 0 || split_at >= payload.size())
        return std::nullopt;
    const bool again = (bundle.flags & kIsFragment) != 0;
    const std::uint64_t offset = again ? bundle.fragment_offset : 0;
    const std::uint64_t total = again ? bundle.total_adu_length : payload.size();
    const auto at = static_cast<std::size_t>(split_at);
    // The first fragment gets all extension blocks; the second gets those that must be replicated,
    // and those that describe it as a bundle of its own.
    Bundle first = part_of(bundle, offset, total, payload.first(at));
    Bundle second = part_of(bundle, offset + split_at, total, payload.subspan(at));
    std::erase_if(second.blocks, [](const CanonicalBlock &block) {
        const bool everywhere = (block.flags & kReplicateBlock) != 0 ||
                                block.type == kPreviousNodeBlock || block.type == kBundleAgeBlock ||
                                block.type == kHopCountBlock;
        return block.type != kPayloadBlock && !everywhere;
    });
    return std::pair(std::move(first), std::move(second));
}

}  // namespace farlink::bp::v7
