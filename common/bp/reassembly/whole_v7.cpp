// SPDX-License-Identifier: Apache-2.0
#include "common/bp/reassembly/whole_v7.hpp"

#include "common/bp/base/slices.hpp"
#include "common/bp/fragmentation/fragment_v7.hpp"
#include "common/bp/fragmentation/primary_parts_v7.hpp"
#include "common/bp/v7/block_numbers.hpp"

namespace farlink::bp::v7 {
namespace {

std::uint8_t *write_primary(std::uint8_t *to, const PrimaryParts &parts) {
    constexpr std::uint64_t kItems = 8;
    std::uint8_t *const begin = to + 1;  // behind the begin of the bundle
    return write_crc(begin, write_primary_parts(to, parts, parts.flags & ~kIsFragment, kItems),
                     parts.crc_type);
}

/// RFC 9171 section 4.1 requires a unique number of each block; fragments of some routers lack
/// them (ION 4.1).
std::uint8_t *write_blocks(std::uint8_t *to, ByteView blocks) {
    BlockNumbers numbers;
    codec::CborReader used(blocks);
    for (Block block; !used.done() && read_block(used, block).has_value();)
        (void)numbers.insert(block.head.number);
    codec::CborReader reader(blocks);
    for (Block block; !reader.done() && read_block(reader, block).has_value();) {
        const BlockHead &head = block.head;
        to = head.number != 0 ? put(to, block.octets)
                              : write_block(to, head.type, numbers.take_lowest(), head.flags,
                                            head.crc_type, block.data);
    }
    return to;
}

/// What numbers for blocks that had none take beyond.
constexpr std::size_t kNumbersGrowth = kMostUnnumbered * codec::kMaxCborHeadBytes;

}  // namespace

bool write_whole(const WholeOctets &first, std::uint64_t length, JoinedBundle &joined) {
    PrimaryParts parts;
    codec::CborReader reader(first.payload_head());
    BlockHead payload;
    if (!read_primary_parts(first.primary(), parts) || !read_block_head(reader, payload))
        return false;
    // The block loses two numbers, and the length of the payload may grow.
    joined.head.resize(first.head.size() + codec::kMaxCborHeadBytes + kNumbersGrowth);
    std::uint8_t *const begin = joined.head.data();
    std::uint8_t *to = write_blocks(write_primary(begin, parts), first.blocks());
    std::uint8_t *const payload_head = to;
    to = write_payload_head(to, payload, length);
    joined.tail.resize(payload_tail_size(payload));
    write_payload_tail(joined.tail.data(), payload, {payload_head, to}, joined.payload, 0, length);
    joined.head.resize(static_cast<std::size_t>(to - begin));
    return true;
}

}  // namespace farlink::bp::v7
