// SPDX-License-Identifier: Apache-2.0
#include "common/bp/fragmentation/fragment_v6.hpp"

#include "common/bp/base/slices.hpp"
#include "common/bp/fragmentation/primary_parts_v6.hpp"

namespace farlink::bp::v6 {
namespace {

/// Previous hop and age describe each fragment, since each is forwarded and expires as a bundle of
/// its own.
bool is_in_every_fragment(const BlockHead &head) {
    return (head.flags & kReplicateBlock) != 0 || head.type == kPreviousHopBlock ||
           head.type == kBundleAgeBlock;
}

std::uint8_t *put_sdnv(std::uint8_t *to, std::uint64_t value) {
    return to + codec::encode_sdnv(value, to);
}

void set_last(std::uint8_t &flags_octet, bool last) {
    constexpr auto kLast = static_cast<std::uint8_t>(kLastBlock);
    flags_octet = static_cast<std::uint8_t>((flags_octet & ~kLast) | (last ? kLast : 0));
}

std::uint8_t *write_primary(std::uint8_t *to, ByteView primary, const FragmentPlace &place) {
    PrimaryParts parts;
    if (!read_primary_parts(primary, parts)) return to;
    to = write_primary_begin(to, parts.flags | kIsFragment,
                             parts.kept.size() + codec::sdnv_size(place.offset) +
                                 codec::sdnv_size(place.total_adu_length));
    to = put(to, parts.kept);
    to = put_sdnv(to, place.offset);
    return put_sdnv(to, place.total_adu_length);
}

}  // namespace

std::uint8_t *write_fragment_blocks(std::uint8_t *to, ByteView head, std::uint32_t primary_end,
                                    const FragmentPlace &place) {
    to = write_primary(to, head.first(primary_end), place);
    const ByteView blocks = head.subspan(primary_end);
    if (place.first) return put(to, blocks);
    SdnvReader reader(blocks);
    for (Block block; !reader.left().empty() && read_block(reader, block).has_value();)
        if (is_in_every_fragment(block.head)) to = put(to, block.octets);
    return to;
}

std::size_t payload_head_size(ByteView payload_head, std::uint64_t length) {
    return payload_head.size() + codec::sdnv_size(length);
}

std::uint8_t *write_payload_head(std::uint8_t *to, ByteView payload_head, std::uint64_t length,
                                 bool is_last) {
    SdnvReader reader(payload_head);
    BlockHead head;
    if (!read_block_head(reader, head)) return to;
    std::uint8_t *const begin = to;
    to = put(to, payload_head.first(head.length_at));
    set_last(begin[head.flags_last], is_last);
    return put_sdnv(to, length);
}

std::uint8_t *write_replicated(std::uint8_t *to, ByteView trailing) {
    std::uint8_t *last_flags = nullptr;
    SdnvReader reader(trailing);
    for (Block block; !reader.left().empty() && read_block(reader, block).has_value();) {
        if (!is_in_every_fragment(block.head)) continue;
        last_flags = to + block.head.flags_last;
        to = put(to, block.octets);
        set_last(*last_flags, false);
    }
    if (last_flags != nullptr) set_last(*last_flags, true);
    return to;
}

}  // namespace farlink::bp::v6
