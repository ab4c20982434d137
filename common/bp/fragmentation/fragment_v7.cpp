// SPDX-License-Identifier: Apache-2.0
#include "common/bp/fragmentation/fragment_v7.hpp"

#include "common/bp/base/slices.hpp"
#include "common/bp/fragmentation/primary_parts_v7.hpp"
#include "common/bp/fragmentation/replication_v7.hpp"

namespace farlink::bp::v7 {
namespace {

using codec::CborReader;

std::uint8_t *write_primary(std::uint8_t *to, const PrimaryParts &parts,
                            const FragmentPlace &place) {
    constexpr std::uint64_t kItems = 10;
    std::uint8_t *const begin = to + 1;  // behind the begin of the bundle
    to = write_primary_parts(to, parts, parts.flags | kIsFragment, kItems);
    to = codec::write_cbor_uint(to, place.offset);
    to = codec::write_cbor_uint(to, place.total_adu_length);
    return write_crc(begin, to, parts.crc_type);
}

}  // namespace

std::uint8_t *write_fragment_blocks(std::uint8_t *to, ByteView head, std::uint32_t primary_end,
                                    const FragmentPlace &place) {
    PrimaryParts parts;
    if (!read_primary_parts(head.first(primary_end), parts)) return to;
    to = write_primary(to, parts, place);
    const ByteView blocks = head.subspan(primary_end);
    if (place.first) return put(to, blocks);
    const Replication replication(blocks);
    CborReader reader(blocks);
    for (Block block; !reader.done() && read_block(reader, block).has_value();)
        if (replication.is_in_every_fragment(block.head)) to = put(to, block.octets);
    return to;
}

std::size_t payload_head_size(const BlockHead &payload, std::uint64_t length) {
    constexpr std::size_t kFixed = 4;  // the array, type, number, CRC type
    return kFixed + codec::cbor_head_size(payload.flags) + codec::cbor_head_size(length);
}

std::uint8_t *write_payload_head(std::uint8_t *to, const BlockHead &payload, std::uint64_t length) {
    *to++ = payload.crc_type == CrcType::kNone ? 0x85 : 0x86;
    to = codec::write_cbor_uint(to, kPayloadBlock);
    to = codec::write_cbor_uint(to, kPayloadBlock);  // its number is that of its type
    to = codec::write_cbor_uint(to, payload.flags);
    to = codec::write_cbor_uint(to, static_cast<std::uint64_t>(payload.crc_type));
    return codec::write_cbor_head(to, codec::CborMajor::kBytes, length);
}

std::size_t payload_tail_size(const BlockHead &payload) {
    const std::size_t crc = crc_size(payload.crc_type);
    return (crc == 0 ? 0 : 1 + crc) + 1;
}

std::uint8_t *write_payload_tail(std::uint8_t *to, const BlockHead &payload, ByteView payload_head,
                                 std::span<const ByteView> slices, std::uint64_t from,
                                 std::uint64_t end) {
    if (payload.crc_type != CrcType::kNone) {
        std::uint8_t *const begin = to;
        to = codec::write_cbor_head(to, codec::CborMajor::kBytes, crc_size(payload.crc_type));
        BlockCrc crc(payload.crc_type);
        crc.add(payload_head);
        for_each_piece(slices, from, end, [&](ByteView piece) { crc.add(piece); });
        crc.add({begin, to});
        const std::uint32_t value = crc.finish(false);
        if (payload.crc_type == CrcType::kCrc16)
            store_be(to, static_cast<std::uint16_t>(value));
        else
            store_be(to, value);
        to += crc_size(payload.crc_type);
    }
    *to++ = codec::kCborBreak;
    return to;
}

}  // namespace farlink::bp::v7
