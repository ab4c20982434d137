// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/primary_crc.hpp"

#include "common/base/invariant.hpp"
#include "common/bp/bpsec/block/cbor_items.hpp"

namespace farlink::bp::bpsec {
namespace {

using codec::CborMajor;
using codec::CborReader;

/// The places of the CRC type and of the CRC among the fields (RFC 9171 section 4.3.1).
constexpr std::uint64_t kCrcTypeField = 2;

bool is_shortest(CborReader &reader, unsigned depth) {
    if (reader.done() || depth > kDeepestItem) return false;
    const auto major = static_cast<CborMajor>(*reader.at() >> 5);
    const std::size_t before = reader.left();
    std::uint64_t argument = 0;
    if (!reader.head(major, argument)) return false;
    if (before - reader.left() != codec::cbor_head_size(argument)) return false;
    if (major == CborMajor::kBytes || major == CborMajor::kText) {
        if (argument > reader.left()) return false;
        reader.skip(static_cast<std::size_t>(argument));
    } else if (major == CborMajor::kArray) {
        for (std::uint64_t i = 0; i < argument; ++i)
            if (!is_shortest(reader, depth + 1)) return false;
    } else if (major > CborMajor::kText) {
        return false;
    }
    return true;
}

}  // namespace

v7::CrcType primary_crc_type(ByteView primary) {
    CborReader reader(primary);
    std::uint64_t field = 0;
    v7::CrcType type = v7::CrcType::kNone;
    const bool read = reader.array(field) && reader.uint(field) && reader.uint(field) &&
                      reader.uint(field) && v7::to_crc_type(field, type);
    return read ? type : v7::CrcType::kNone;
}

bool is_deterministic_array(ByteView item) {
    CborReader reader(item);
    return is_shortest(reader, 0) && reader.done();
}

Bytes with_crc_type(ByteView primary, v7::CrcType type) {
    Bytes canonical;
    FARLINK_INVARIANT(write_deterministic(primary, canonical));
    CborReader reader(canonical);
    std::uint64_t fields = 0;
    FARLINK_INVARIANT(reader.array(fields));
    if (primary_crc_type(canonical) != v7::CrcType::kNone) --fields;
    Bytes result;
    codec::append_cbor_head(result, CborMajor::kArray,
                            fields + (type == v7::CrcType::kNone ? 0 : 1));
    for (std::uint64_t i = 0; i < fields; ++i) {
        ByteView field;
        FARLINK_INVARIANT(read_item(reader, field));
        if (i == kCrcTypeField)
            result.push_back(static_cast<std::uint8_t>(type));
        else
            append(result, field);
    }
    const std::size_t size = result.size();
    result.resize(size + 5);
    const std::uint8_t *const end = v7::write_crc(result.data(), result.data() + size, type);
    result.resize(static_cast<std::size_t>(end - result.data()));
    return result;
}

}  // namespace farlink::bp::bpsec
