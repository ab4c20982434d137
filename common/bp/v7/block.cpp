// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v7/block.hpp"

#include "common/bp/base/slices.hpp"

namespace farlink::bp::v7 {

std::uint8_t *write_crc(std::uint8_t *begin, std::uint8_t *to, CrcType type) {
    if (type == CrcType::kNone) return to;
    to = codec::write_cbor_head(to, codec::CborMajor::kBytes, crc_size(type));
    const std::uint32_t value = block_crc(type, false, {begin, to});
    if (type == CrcType::kCrc16)
        store_be(to, static_cast<std::uint16_t>(value));
    else
        store_be(to, value);
    return to + crc_size(type);
}

std::uint8_t *write_block(std::uint8_t *to, std::uint64_t type, std::uint64_t number,
                          std::uint64_t flags, CrcType crc_type, ByteView data) {
    std::uint8_t *const begin = to;
    *to++ = crc_type == CrcType::kNone ? 0x85 : 0x86;
    to = codec::write_cbor_uint(to, type);
    to = codec::write_cbor_uint(to, number);
    to = codec::write_cbor_uint(to, flags);
    *to++ = static_cast<std::uint8_t>(crc_type);
    to = codec::write_cbor_head(to, codec::CborMajor::kBytes, data.size());
    return write_crc(begin, put(to, data), crc_type);
}

}  // namespace farlink::bp::v7
