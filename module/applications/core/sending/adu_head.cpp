// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/sending/adu_head.hpp"

#include <array>

#include "common/bp/base/bundle_view.hpp"
#include "common/bp/v6/builder.hpp"
#include "common/bp/v6/primary.hpp"

namespace farlink::applications {
namespace {

constexpr std::uint8_t kFiveItems = 0x85;
constexpr std::uint8_t kSixItems = 0x86;
/// A BPv6 block with an age of 0, in every fragment.
constexpr std::array<std::uint8_t, 4> kAgeBlockV6{bp::v6::kBundleAgeBlock, bp::v6::kReplicateBlock,
                                                  1, 0};

/// Appends the hop count block.
void add_hop_count(Bytes &to, std::uint8_t limit, std::uint64_t number, bp::v7::CrcType crc) {
    std::uint8_t data[1 + 2 * codec::kMaxCborHeadBytes] = {0x82};
    std::uint8_t *const end = codec::write_cbor_uint(codec::write_cbor_uint(data + 1, limit), 0);
    const std::size_t begin = to.size();
    to.resize(begin + bp::v7::kBlockOverhead + sizeof data);
    const std::uint8_t *const behind =
        bp::v7::write_block(&to[begin], bp::v7::kHopCountBlock, number, 0, crc, {data, end});
    to.resize(static_cast<std::size_t>(behind - to.data()));
}

/// RFC 9171 section 4.4.2: without a clock the bundle must have a bundle age block.
void add_age(Bytes &to, std::uint64_t number, bp::v7::CrcType crc) {
    std::uint8_t data[codec::kMaxCborHeadBytes];
    std::uint8_t *const end = codec::write_cbor_uint(data, 0);
    const std::size_t begin = to.size();
    to.resize(begin + bp::v7::kBlockOverhead + sizeof data);
    const std::uint8_t *const behind = bp::v7::write_block(
        &to[begin], bp::v7::kBundleAgeBlock, number, bp::v7::kReplicateBlock, crc, {data, end});
    to.resize(static_cast<std::size_t>(behind - to.data()));
}

std::size_t write_head_v7(const AduFields &fields, Bytes &head) {
    const bp::v7::CrcType crc = fields.crc_type;
    head.resize(1 + bp::v7::primary_bound(fields.primary));
    head[0] = codec::kCborIndefiniteArray;
    head.resize(1 + bp::v7::encode_primary(fields.primary, MutableBytes(head).subspan(1)));
    std::uint64_t number = 2;
    if (fields.primary.creation_time_ms == 0) add_age(head, number++, crc);
    if (fields.hop_limit > 0) add_hop_count(head, fields.hop_limit, number, crc);
    const std::size_t payload_block = head.size();
    head.push_back(crc == bp::v7::CrcType::kNone ? kFiveItems : kSixItems);
    for (const auto item : {bp::v7::kPayloadBlock, std::uint64_t{1}, std::uint64_t{0}})
        head.push_back(static_cast<std::uint8_t>(item));
    head.push_back(static_cast<std::uint8_t>(crc));
    codec::append_cbor_head(head, codec::CborMajor::kBytes, fields.payload_bytes);
    return payload_block;
}

bp::v6::PrimaryFields primary_v6(const AduFields &fields) {
    const bp::v7::PrimaryFields &from = fields.primary;
    bp::v6::PrimaryFields primary;
    // Both versions request reports by the same bits.
    primary.flags = bp::v6::kSingletonDestination |
                    bp::v6::priority_flags(fields.priority.value_or(Priority::kNormal)) |
                    (from.flags & bp::v6::kReportFlags);
    primary.destination = from.destination;
    primary.source = from.source;
    primary.report_to = from.report_to;
    primary.creation_time_s = from.creation_time_ms / bp::v6::kMsPerSecond;
    primary.sequence = from.sequence;
    primary.lifetime_s = from.lifetime_ms / bp::v6::kMsPerSecond;
    return primary;
}

std::size_t write_head_v6(const AduFields &fields, Bytes &head) {
    const bp::v6::PrimaryFields primary = primary_v6(fields);
    head.resize(bp::v6::primary_bound(primary));
    head.resize(bp::v6::encode_primary(primary, head));
    // Without a clock the age counts, as in BPv7.
    if (primary.creation_time_s == 0) append(head, kAgeBlockV6);
    const std::size_t payload_block = head.size();
    head.push_back(bp::v6::kPayloadBlock);
    codec::append_sdnv(head, bp::v6::kLastBlock);
    codec::append_sdnv(head, fields.payload_bytes);
    return payload_block;
}

}  // namespace

std::size_t write_head(const AduFields &fields, Bytes &head) {
    return fields.version == bp::kBpVersion6 ? write_head_v6(fields, head)
                                             : write_head_v7(fields, head);
}

}  // namespace farlink::applications
