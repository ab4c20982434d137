// SPDX-License-Identifier: Apache-2.0
#include "common/bp/fragmentation/primary_parts_v7.hpp"

#include "common/bp/base/slices.hpp"
#include "common/bp/eid/eid_cbor.hpp"

namespace farlink::bp::v7 {

using codec::CborReader;

// parse() has accepted the block, so that every read succeeds.
bool read_primary_parts(ByteView primary, PrimaryParts &parts) {
    CborReader reader(primary);
    std::uint64_t count = 0;
    std::uint64_t version = 0;
    std::uint64_t crc_type = 0;
    if (!reader.octet(codec::kCborIndefiniteArray) || !reader.array(count) ||
        !reader.uint(version) || !reader.uint(parts.flags) || !reader.uint(crc_type) ||
        !to_crc_type(crc_type, parts.crc_type))
        return false;
    const std::uint8_t *const begin = reader.at();
    EidView eid;
    for (int i = 0; i < 3; ++i)
        if (!read_eid(reader, eid)) return false;
    std::uint64_t number = 0;
    if (!reader.array(count) || !reader.uint(number) || !reader.uint(number)) return false;
    if (count == CborReader::kIndefinite && !reader.octet(codec::kCborBreak)) return false;
    if (!reader.uint(number)) return false;
    parts.kept = {begin, reader.at()};
    return true;
}

std::uint8_t *write_primary_parts(std::uint8_t *to, const PrimaryParts &parts, std::uint64_t flags,
                                  std::uint64_t items) {
    constexpr std::uint64_t kVersion = 7;
    *to++ = codec::kCborIndefiniteArray;
    to = codec::write_cbor_head(to, codec::CborMajor::kArray,
                                items + (parts.crc_type == CrcType::kNone ? 0 : 1));
    to = codec::write_cbor_uint(to, kVersion);
    to = codec::write_cbor_uint(to, flags);
    to = codec::write_cbor_uint(to, static_cast<std::uint64_t>(parts.crc_type));
    return put(to, parts.kept);
}

}  // namespace farlink::bp::v7
