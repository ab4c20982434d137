// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v6/forwarding_editor.hpp"

#include "common/bp/base/slices.hpp"
#include "common/bp/v6/block.hpp"
#include "common/bp/v6/parse.hpp"
#include "common/bp/v6/primary.hpp"

namespace farlink::bp::v6 {
namespace {

/// Whether a block is discarded: previous hop blocks (RFC 6259 section 3.2), and unknown blocks
/// with the flag "discard block if it can't be processed" (RFC 5050 section 5.6 step 3).
bool is_dropped(const BlockHead &head) {
    if (head.type == kPreviousHopBlock) return true;
    return !is_known_block(head.type) && (head.flags & kDiscardBlockIfUnprocessable) != 0;
}

/// Copies a block; an unknown one is marked as forwarded unprocessed (RFC 5050 section 5.6 step 3).
/// All seven flags of RFC 5050 lie in the last octet of the field, so no length changes.
std::uint8_t *copy_marked(std::uint8_t *to, const Block &block) {
    std::uint8_t *const end = put(to, block.octets);
    if (!is_known_block(block.head.type)) to[block.head.flags_last] |= kForwardedUnprocessed;
    return end;
}

bool belongs_before_payload(std::uint8_t type) {
    return type == kBundleAgeBlock || type == kCustodyTransferBlock;
}

void set_last(std::uint8_t &flags_octet, bool last) {
    constexpr auto kLast = static_cast<std::uint8_t>(kLastBlock);
    flags_octet = static_cast<std::uint8_t>((flags_octet & ~kLast) | (last ? kLast : 0));
}

void append_marked(Bytes &to, const Block &block, bool last) {
    const std::size_t begin = to.size();
    to.resize(begin + block.octets.size());
    copy_marked(&to[begin], block);
    set_last(to[begin + block.head.flags_last], last);
}

}  // namespace

Bytes make_previous_hop(const EidView &local_node) {
    const std::string uri = to_string(local_node);
    const std::size_t colon = uri.find(':');
    Bytes data;
    for (const std::string_view part :
         {std::string_view(uri).substr(0, colon), std::string_view(uri).substr(colon + 1)}) {
        append(data, as_bytes(part));
        data.push_back(0);
    }
    Bytes block{kPreviousHopBlock, static_cast<std::uint8_t>(kDiscardBlockIfUnprocessable)};
    codec::append_sdnv(block, data.size());
    append(block, data);
    return block;
}

Result<std::size_t, ParseError> render(const BundleHead &head, std::uint64_t residence_ms,
                                       ByteView previous_hop, MutableBytes out) {
    std::uint8_t *to = put(out.data(), head.octets.first(head.primary_end));
    to = put(to, previous_hop);
    SdnvReader reader(head.octets.subspan(head.primary_end));
    for (Block block; !reader.left().empty();) {
        if (const Check read = read_block(reader, block); !read) return fail(read.error());
        if (is_dropped(block.head)) continue;
        to = block.head.type == kBundleAgeBlock ? write_older(to, block, residence_ms)
                                                : copy_marked(to, block);
    }
    return static_cast<std::size_t>(to - out.data());
}

Bytes apply_trailing_blocks(ByteView bundle) {
    const auto view = parse_whole(bundle);
    if (!view || !view->trailing_blocks) return {bundle.begin(), bundle.end()};
    const auto payload_end = static_cast<std::size_t>(view->payload_offset + view->payload_length);
    Block payload;
    SdnvReader at_payload(bundle.subspan(view->head_end));
    if (!read_block(at_payload, payload)) return {bundle.begin(), bundle.end()};

    // A bundle age block moves before the payload, since render() updates it there at each hop; a
    // custody transfer block likewise, for the next custodian.
    std::vector<Block> moved;
    std::vector<Block> kept;
    SdnvReader trailing(bundle.subspan(payload_end));
    for (Block block; read_block(trailing, block);)
        if (!is_dropped(block.head))
            (belongs_before_payload(block.head.type) ? moved : kept).push_back(block);

    Bytes edited(bundle.begin(), bundle.begin() + view->head_end);
    for (const Block &block : moved) append_marked(edited, block, false);
    append_marked(edited, payload, kept.empty());
    for (const Block &block : kept) append_marked(edited, block, &block == &kept.back());
    return edited;
}

}  // namespace farlink::bp::v6
