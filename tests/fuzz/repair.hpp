// SPDX-License-Identifier: Apache-2.0
// Gives a mutated BPv7 bundle the checksums that its octets call for; without that, hardly any
// mutation would get past the first CRC.
// Plain functions for fuzz targets; one thread.
#pragma once

#include "common/bp/v7/block.hpp"

namespace farlink::fuzz {

/// Steps over one item, its content included; false when there is none.
inline bool skip_item(codec::CborReader &reader, int depth = 0) {
    using codec::CborMajor;
    if (reader.done() || depth > 8) return false;
    const auto major = static_cast<CborMajor>(*reader.at() >> 5);
    std::uint64_t count = 0;
    ByteView string;
    if (major == CborMajor::kBytes || major == CborMajor::kText)
        return reader.string(major, string);
    if (major != CborMajor::kArray) return reader.head(major, count);
    if (!reader.array(count)) return false;
    for (std::uint64_t i = 0; i < count; ++i) {
        if (count == codec::CborReader::kIndefinite && !reader.done() &&
            *reader.at() == codec::kCborBreak)
            return reader.octet(codec::kCborBreak);
        if (!skip_item(reader, depth + 1)) return false;
    }
    return true;
}

/// Repairs the block that begins at reader.at(): its CRC type stands behind `before` items, its CRC
/// behind `between` more.
inline bool repair_block(codec::CborReader &reader, Bytes &bundle, int before, int between) {
    const std::uint8_t *const begin = reader.at();
    std::uint64_t count = 0;
    std::uint64_t raw = 0;
    bp::v7::CrcType type{};
    if (!reader.array(count)) return false;
    for (int i = 0; i < before; ++i)
        if (!skip_item(reader)) return false;
    if (!reader.uint(raw) || !bp::v7::to_crc_type(raw, type)) return false;
    for (int i = 0; i < between; ++i)
        if (!skip_item(reader)) return false;
    const bool indefinite = count == codec::CborReader::kIndefinite;
    const std::uint8_t *crc = nullptr;
    if (!bp::v7::read_block_end(reader, type, indefinite, crc)) return false;
    if (crc == nullptr) return true;
    bp::v7::BlockCrc computed(type);
    computed.add({begin, crc});
    const std::uint32_t value = computed.finish(indefinite);
    std::uint8_t *const to = bundle.data() + (crc - bundle.data());
    if (type == bp::v7::CrcType::kCrc16)
        store_be(to, static_cast<std::uint16_t>(value));
    else
        store_be(to, value);
    return true;
}

/// Repairs the blocks in front of the first one that cannot be read.
inline void repair_checksums(Bytes &bundle) {
    codec::CborReader reader(bundle);
    if (!reader.octet(codec::kCborIndefiniteArray)) return;
    // RFC 9171 section 4.3.1: with the fragment flag two more items stand before the CRC.
    codec::CborReader peek = reader;
    std::uint64_t ignored = 0;
    std::uint64_t flags = 0;
    if (!peek.array(ignored) || !skip_item(peek) || !peek.uint(flags)) return;
    const int between = (flags & bp::v7::kIsFragment) != 0 ? 7 : 5;
    if (!repair_block(reader, bundle, 2, between)) return;
    while (repair_block(reader, bundle, 3, 1)) {
    }
}

}  // namespace farlink::fuzz
