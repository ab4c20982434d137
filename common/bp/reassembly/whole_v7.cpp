// SPDX-License-Identifier: Apache-2.0
#include "common/bp/reassembly/whole_v7.hpp"

#include "common/bp/fragmentation/fragment_v7.hpp"
#include "common/bp/fragmentation/primary_parts_v7.hpp"
#include "common/bp/slices.hpp"

namespace farlink::bp::v7 {
namespace {

std::uint8_t *write_primary(std::uint8_t *to, const PrimaryParts &parts) {
    constexpr std::uint64_t kItems = 8;
    std::uint8_t *const begin = to + 1;  // behind the begin of the bundle
    return write_crc(begin, write_primary_parts(to, parts, parts.flags & ~kIsFragment, kItems),
                     parts.crc_type);
}

}  // namespace

bool write_whole(const WholeOctets &first, std::uint64_t length, JoinedBundle &joined) {
    PrimaryParts parts;
    codec::CborReader reader(first.payload_head());
    BlockHead payload;
    if (!read_primary_parts(first.primary(), parts) || !read_block_head(reader, payload))
        return false;
    // The block loses two numbers, and the length of the payload may grow.
    joined.head.resize(first.head.size() + codec::kMaxCborHeadBytes);
    std::uint8_t *const begin = joined.head.data();
    std::uint8_t *to = put(write_primary(begin, parts), first.blocks());
    std::uint8_t *const payload_head = to;
    to = write_payload_head(to, payload, length);
    joined.tail.resize(payload_tail_size(payload));
    write_payload_tail(joined.tail.data(), payload, {payload_head, to}, joined.payload, 0, length);
    joined.head.resize(static_cast<std::size_t>(to - begin));
    return true;
}

}  // namespace farlink::bp::v7
