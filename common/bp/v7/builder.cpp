// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v7/builder.hpp"

#include <algorithm>

#include "common/base/invariant.hpp"
#include "common/bp/eid/eid_cbor.hpp"

namespace farlink::bp::v7 {
namespace {

// The version, the array heads and the CRC of a primary block, with room to spare.
constexpr std::size_t kPrimaryOverhead = 16;
constexpr std::size_t kPrimaryIntegers = 6;

}  // namespace

std::size_t primary_bound(const PrimaryFields &fields) {
    return kPrimaryOverhead + kPrimaryIntegers * codec::kMaxCborHeadBytes +
           eid_bound(fields.destination) + eid_bound(fields.source) + eid_bound(fields.report_to);
}

std::size_t encode_primary(const PrimaryFields &fields, MutableBytes out) {
    FARLINK_INVARIANT(out.size() >= primary_bound(fields));
    const bool fragment = (fields.flags & kIsFragment) != 0;
    const int items = 8 + (fields.crc_type == CrcType::kNone ? 0 : 1) + (fragment ? 2 : 0);
    std::uint8_t *const begin = out.data();
    std::uint8_t *to = begin;
    *to++ = static_cast<std::uint8_t>(0x80 | items);
    *to++ = 7;
    to = codec::write_cbor_uint(to, fields.flags);
    *to++ = static_cast<std::uint8_t>(fields.crc_type);
    to = write_eid(to, fields.destination);
    to = write_eid(to, fields.source);
    to = write_eid(to, fields.report_to);
    *to++ = 0x82;
    to = codec::write_cbor_uint(to, fields.creation_time_ms);
    to = codec::write_cbor_uint(to, fields.sequence);
    to = codec::write_cbor_uint(to, fields.lifetime_ms);
    if (fragment) {
        to = codec::write_cbor_uint(to, fields.fragment_offset);
        to = codec::write_cbor_uint(to, fields.total_adu_length);
    }
    return static_cast<std::size_t>(write_crc(begin, to, fields.crc_type) - begin);
}

Builder::Builder(const PrimaryFields &primary) : octets_(1 + primary_bound(primary)) {
    octets_[0] = codec::kCborIndefiniteArray;
    octets_.resize(1 + encode_primary(primary, MutableBytes(octets_).subspan(1)));
}

void Builder::add_block(std::uint64_t type, std::uint64_t flags, CrcType crc_type, ByteView data) {
    add_block(type, next_number_, flags, crc_type, data);
}

void Builder::add_block(std::uint64_t type, std::uint64_t number, std::uint64_t flags,
                        CrcType crc_type, ByteView data) {
    const std::size_t begin = octets_.size();
    octets_.resize(begin + kBlockOverhead + data.size());
    const std::uint8_t *const end =
        write_block(&octets_[begin], type, number, flags, crc_type, data);
    octets_.resize(static_cast<std::size_t>(end - octets_.data()));
    next_number_ = std::max(next_number_, number + 1);
}

void Builder::add_hop_count(std::uint8_t limit, std::uint64_t count) {
    std::uint8_t data[1 + 2 * codec::kMaxCborHeadBytes] = {0x82};
    const std::uint8_t *const end =
        codec::write_cbor_uint(codec::write_cbor_uint(data + 1, limit), count);
    add_block(kHopCountBlock, 0, CrcType::kCrc32c, {data, end});
}

void Builder::add_bundle_age(std::uint64_t age_ms) {
    std::uint8_t data[codec::kMaxCborHeadBytes];
    add_block(kBundleAgeBlock, kReplicateBlock, CrcType::kCrc32c,
              {data, codec::write_cbor_uint(data, age_ms)});
}

Bytes Builder::finish(ByteView payload, CrcType crc_type, std::uint64_t flags) && {
    add_block(kPayloadBlock, 1, flags, crc_type, payload);
    octets_.push_back(codec::kCborBreak);
    return std::move(octets_);
}

}  // namespace farlink::bp::v7
