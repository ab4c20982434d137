// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/content/bundle_template.hpp"

#include <algorithm>

#include "common/base/invariant.hpp"
#include "common/bp/eid/eid_cbor.hpp"
#include "common/codec/cbor.hpp"
#include "common/codec/sdnv.hpp"

namespace farlink::traffic {
namespace {

// RFC 9171 section 4.2.3 and RFC 5050 section 4.2: the bundle must not be fragmented.
constexpr std::uint64_t kMustNotFragment = 0x04;
// RFC 5050 section 4.2: singleton destination, normal priority.
constexpr std::uint64_t kFlagsV6 = 0x10 | 0x80;
constexpr std::uint64_t kCustodyFlagV6 = 0x08;
// RFC 5050 section 4.3: last block.
constexpr std::uint64_t kLastBlockV6 = 0x08;
constexpr std::uint8_t kCrc32c = 2;
constexpr std::uint8_t kBlockPayload = 1;
constexpr std::uint8_t kBlockHopCount = 10;
constexpr std::uint8_t kBlockCustodyV6 = 10;
// Extended class of service (block 19), to be in every fragment: two octets, critical, ordinal 0.
constexpr std::array<std::uint8_t, 5> kCriticalBlockV6{19, 0x01, 2, 0x01, 0};
// A CRC-32C item of value zero, as checksums are computed over it.
constexpr std::array<std::uint8_t, 5> kZeroCrcItem{0x44, 0, 0, 0, 0};

std::uint8_t *write_array(std::uint8_t *to, std::uint64_t items) {
    return codec::write_cbor_head(to, codec::CborMajor::kArray, items);
}

std::uint8_t *write_number(std::uint8_t *to, std::uint64_t value) {
    return codec::write_cbor_uint(to, value);
}

std::uint8_t *write_string_head(std::uint8_t *to, std::uint64_t size) {
    return codec::write_cbor_head(to, codec::CborMajor::kBytes, size);
}

std::uint8_t *write_zero_crc(std::uint8_t *to) {
    return std::copy(kZeroCrcItem.begin(), kZeroCrcItem.end(), to);
}

std::uint8_t *write_sdnv(std::uint8_t *to, std::uint64_t value) {
    return to + codec::encode_sdnv(value, to);
}

std::uint64_t since_epoch_ns(std::uint64_t unix_ns) {
    constexpr std::uint64_t kEpochNs = kDtnEpochUnixSeconds * 1'000'000'000;
    return std::max(unix_ns, kEpochNs) - kEpochNs;
}

/// CRC-32C of the first `size` octets of the pattern, then of the zeroed CRC item. The pattern
/// repeats, so the checksum of twice as much of it is that of two halves.
std::uint32_t crc_of_tail(const Pattern &pattern, std::uint64_t size) {
    std::uint32_t crc = 0;
    std::uint64_t unit_bytes = Pattern::kStretch;
    std::uint32_t unit = codec::crc32c(pattern.stretch());
    for (std::uint64_t units = size / Pattern::kStretch; units > 0; units /= 2) {
        const codec::Crc32cShift shift(unit_bytes);
        if (units % 2 != 0) crc = shift.combine(crc, unit);
        unit = shift.combine(unit, unit);
        unit_bytes *= 2;
    }
    crc = codec::crc32c_extend(crc, pattern.stretch().first(size % Pattern::kStretch));
    return codec::crc32c_extend(crc, kZeroCrcItem);
}

}  // namespace

std::uint64_t creation_time_s(std::uint64_t sent_unix_ns) {
    return since_epoch_ns(sent_unix_ns) / 1'000'000'000;
}

std::string_view to_string(TemplateError error) {
    switch (error) {
        case TemplateError::kNotIpn:
            return "source and destination must be ipn endpoints";
        case TemplateError::kUnknownVersion:
            return "the bundle protocol version must be 6 or 7";
        case TemplateError::kPayloadTooSmall:
            return "the bundle size must be at least 48 bytes, the size of the payload header";
        case TemplateError::kPayloadTooLarge:
            return "the bundle size must be at most 1099511627776 bytes";
        case TemplateError::kBadHopLimit:
            return "the hop limit must be 1 to 255";
        case TemplateError::kBadLifetime:
            return "the lifetime must be 1 to 18446744073709551 seconds";
        case TemplateError::kNoCustody:
            return "custody requires bundle protocol version 6";
        case TemplateError::kNoCritical:
            return "critical bundles require bundle protocol version 6";
    }
    return "unknown";
}

Result<BundleTemplate, TemplateError> BundleTemplate::make(const BundleOptions &options,
                                                           const Pattern &pattern) {
    if (options.source.scheme != bp::EidScheme::kIpn ||
        options.destination.scheme != bp::EidScheme::kIpn)
        return fail(TemplateError::kNotIpn);
    if (options.version != 6 && options.version != 7) return fail(TemplateError::kUnknownVersion);
    if (options.payload_bytes < PayloadHeader::kBytes) return fail(TemplateError::kPayloadTooSmall);
    if (options.payload_bytes > kMaxPayloadBytes) return fail(TemplateError::kPayloadTooLarge);
    if (options.hop_limit == 0) return fail(TemplateError::kBadHopLimit);
    if (options.lifetime_s == 0 || options.lifetime_s > ~std::uint64_t{0} / 1000)
        return fail(TemplateError::kBadLifetime);
    if (options.custody != Custody::kNone && options.version != 6)
        return fail(TemplateError::kNoCustody);
    if (options.critical && options.version != 6) return fail(TemplateError::kNoCritical);
    return BundleTemplate(options, pattern);
}

BundleTemplate::BundleTemplate(const BundleOptions &options, const Pattern &pattern)
    : version_(options.version),
      payload_bytes_(options.payload_bytes),
      tail_shift_(tail_bytes() + kZeroCrcItem.size()) {
    if (version_ == 7)
        prepare_v7(options, pattern);
    else
        prepare_v6(options);
}

void BundleTemplate::Part::end_at(const std::uint8_t *end) {
    size = static_cast<std::size_t>(end - octets.data());
    FARLINK_INVARIANT(size <= kRoom);
}

std::size_t BundleTemplate::head(const PayloadHeader &header, std::uint8_t *out) {
    const std::uint8_t *end = version_ == 7 ? head_v7(header, out) : head_v6(header, out);
    return static_cast<std::size_t>(end - out);
}

std::uint8_t *BundleTemplate::head_v7(const PayloadHeader &header, std::uint8_t *out) {
    std::uint8_t *const time = before_.copy_to(out);
    std::uint8_t *at = write_number(time, since_epoch_ns(header.sent_unix_ns) / 1'000'000);
    at = write_number(at, header.sequence);
    std::uint8_t *const primary_end = at + crc_in_after_;
    std::uint8_t *const payload = after_.copy_to(at);
    store_be(primary_end - 4, codec::crc32c_extend(before_crc_, {time, primary_end}));

    header.write(payload);
    const ByteView header_octets{payload, PayloadHeader::kBytes};
    payload_crc_ =
        tail_shift_.combine(codec::crc32c_extend(block_head_crc_, header_octets), tail_crc_);
    return payload + PayloadHeader::kBytes;
}

std::uint8_t *BundleTemplate::head_v6(const PayloadHeader &header, std::uint8_t *out) {
    const std::uint64_t time_s = creation_time_s(header.sent_unix_ns);
    const std::size_t timestamp_bytes =
        codec::sdnv_size(time_s) + codec::sdnv_size(header.sequence);
    *out++ = 6;
    out = write_sdnv(out, flags_);
    out = write_sdnv(out, counted_bytes_ + timestamp_bytes);
    out = before_.copy_to(out);
    out = write_sdnv(write_sdnv(out, time_s), header.sequence);
    out = after_.copy_to(out);
    if (critical_) out = std::ranges::copy(kCriticalBlockV6, out).out;
    if (custodian_.size > 0) out = write_cteb(header.sequence, out);
    out = payload_block_.copy_to(out);
    header.write(out);
    return out + PayloadHeader::kBytes;
}

// The first id of a long run may be large; the sum does not wrap.
std::uint8_t *BundleTemplate::write_cteb(std::uint64_t sequence, std::uint8_t *to) const {
    const std::uint64_t id = std::max(sequence, first_custody_id_ + sequence);
    *to++ = kBlockCustodyV6;
    *to++ = 0;  // no flags
    to = write_sdnv(to, codec::sdnv_size(id) + custodian_.size);
    return custodian_.copy_to(write_sdnv(to, id));
}

std::size_t BundleTemplate::trailer(std::uint8_t *out) const {
    if (version_ != 7) return 0;
    out[0] = kZeroCrcItem[0];
    store_be(out + 1, payload_crc_);
    out[5] = codec::kCborBreak;
    return kMaxTrailerBytes;
}

void BundleTemplate::prepare_v7(const BundleOptions &options, const Pattern &pattern) {
    // Primary block (RFC 9171 section 4.3.1) up to its creation time.
    std::uint8_t *at = before_.octets.data();
    *at++ = codec::kCborIndefiniteArray;
    const std::uint8_t *const primary = at;
    at = write_array(at, 9);
    at = write_number(at, 7);
    at = write_number(at, options.may_fragment ? 0 : kMustNotFragment);
    at = write_number(at, kCrc32c);
    at = bp::write_eid(at, options.destination);
    at = bp::write_eid(at, options.source);
    at = bp::write_eid(at, bp::EidView{});  // report-to dtn:none
    at = write_array(at, 2);
    before_.end_at(at);
    before_crc_ = codec::crc32c({primary, at});

    at = write_number(after_.octets.data(), options.lifetime_s * 1000);
    at = write_zero_crc(at);
    crc_in_after_ = static_cast<std::size_t>(at - after_.octets.data());

    // Hop count block: number 2, no flags, no CRC (RFC 9171 sections 4.3.2 and 4.4.3).
    at = write_array(at, 5);
    at = write_number(at, kBlockHopCount);
    at = write_number(at, 2);
    at = write_number(at, 0);
    at = write_number(at, 0);
    at = write_string_head(at, 2 + codec::cbor_head_size(options.hop_limit));
    at = write_array(at, 2);
    at = write_number(write_number(at, options.hop_limit), 0);

    // Payload block up to its data: number 1, no flags.
    const std::uint8_t *const payload_block = at;
    at = write_array(at, 6);
    at = write_number(at, kBlockPayload);
    at = write_number(at, 1);
    at = write_number(at, 0);
    at = write_number(at, kCrc32c);
    at = write_string_head(at, options.payload_bytes);
    after_.end_at(at);
    block_head_crc_ = codec::crc32c({payload_block, at});
    tail_crc_ = crc_of_tail(pattern, tail_bytes());
}

void BundleTemplate::prepare_v6(const BundleOptions &options) {
    const bool custody = options.custody != Custody::kNone;
    flags_ =
        kFlagsV6 | (custody ? kCustodyFlagV6 : 0) | (options.may_fragment ? 0 : kMustNotFragment);
    critical_ = options.critical;
    // Endpoints by their numbers (CBHE, RFC 6260 section 2.2): no report-to.
    const bp::EidView custodian = custody ? bp::ipn_eid(options.source.node, 0) : bp::EidView{};
    std::uint8_t *at = before_.octets.data();
    for (const bp::EidView &eid : {options.destination, options.source, bp::EidView{}, custodian})
        at = write_sdnv(write_sdnv(at, eid.node), eid.service);
    before_.end_at(at);

    at = write_sdnv(after_.octets.data(), options.lifetime_s);
    at = write_sdnv(at, 0);  // no dictionary
    after_.end_at(at);
    counted_bytes_ = before_.size + after_.size;

    if (options.custody == Custody::kAggregates) {
        const std::string text = bp::to_string(custodian);
        custodian_.end_at(std::ranges::copy(text, custodian_.octets.data()).out);
        first_custody_id_ = options.first_custody_id;
    }
    // Payload block (RFC 5050 section 4.5.3) up to its data.
    at = payload_block_.octets.data();
    *at++ = kBlockPayload;
    at = write_sdnv(at, kLastBlockV6);
    at = write_sdnv(at, options.payload_bytes);
    payload_block_.end_at(at);
}

}  // namespace farlink::traffic
