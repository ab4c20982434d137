// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v7/parse.hpp"

#include <limits>

#include "common/bp/base/report_requests.hpp"
#include "common/bp/base/slices.hpp"
#include "common/bp/eid/eid_cbor.hpp"
#include "common/bp/eid/reserved.hpp"
#include "common/bp/v7/block.hpp"
#include "common/bp/v7/block_numbers.hpp"
#include "common/bp/v7/extension_data.hpp"
#include "common/bp/v7/security_targets.hpp"

namespace farlink::bp::v7 {
namespace {

using codec::CborReader;

constexpr std::uint64_t kVersion = 7;

auto fault_of_eid(const CborReader &reader) {
    return fail(reader.fault() == CborReader::Fault::kTruncated ? ParseError::kTruncated
                                                                : ParseError::kBadEid);
}

/// RFC 9171 section 4.2.3: combinations of flags that are not allowed.
Check check_flags(const BundleView &view) {
    const bool reports = (view.flags & kReportFlags) != 0;
    if (view.is_admin_record && reports) return fail(ParseError::kBadFlags);
    if (view.source.is_null() && (reports || !view.must_not_fragment))
        return fail(ParseError::kBadFlags);
    if (view.is_fragment && view.must_not_fragment) return fail(ParseError::kBadFlags);
    return {};
}

bool read_timestamp(CborReader &reader, BundleView &view) {
    std::uint64_t count = 0;
    if (!reader.array(count) || !reader.uint(view.creation_time) || !reader.uint(view.sequence))
        return false;
    return count == CborReader::kIndefinite ? reader.octet(codec::kCborBreak) : count == 2;
}

/// The extension blocks that parse() reads, kept until all security blocks are read: a later BCB
/// may show that one of them is encrypted.
struct KnownBlock {
    ByteView data;
    std::uint64_t number = 0;
    bool present = false;
};
struct Extensions {
    BlockNumbers numbers;
    std::size_t unnumbered = 0;
    KnownBlock previous_node;
    KnownBlock age;
    KnownBlock hop_count;
    bool has_integrity = false;
    bool has_confidentiality = false;
};

/// RFC 9171 section 4.2.4.
void note_unknown(UnknownBlocks &unknown, std::uint64_t flags) {
    unknown.present = true;
    unknown.report |= (flags & kReportIfUnprocessable) != 0;
    unknown.delete_bundle |= (flags & kDeleteBundleIfUnprocessable) != 0;
    unknown.discard |= (flags & kDiscardBlockIfUnprocessable) != 0;
}

/// RFC 9171 section 4.1: 0 is the number of the primary block and 1 that of the payload block. ION
/// 4.1 leaves 0 in all extension blocks of fragments, so 0 is accepted there only.
bool note_number(std::uint64_t number, Extensions &extensions, BundleView &view) {
    if (number == 0 && view.is_fragment) {
        view.has_unnumbered = true;
        return ++extensions.unnumbered <= kMostUnnumbered;
    }
    return number >= 2 && extensions.numbers.insert(number);
}

Check note_extension(const BlockHead &head, ByteView data, Extensions &extensions,
                     BundleView &view) {
    if (!note_number(head.number, extensions, view)) return fail(ParseError::kBadBlockNumber);
    const auto once = [&](KnownBlock &block) {
        if (block.present) return Check{fail(ParseError::kDuplicateBlock)};
        block = {data, head.number, true};
        return Check{};
    };
    switch (head.type) {
        case kPreviousNodeBlock:
            return once(extensions.previous_node);
        case kBundleAgeBlock:
            return once(extensions.age);
        case kHopCountBlock:
            return once(extensions.hop_count);
        case kConfidentialityBlock:
            extensions.has_confidentiality = true;
            return {};
        case kIntegrityBlock:
            extensions.has_integrity = true;
            return {};
        default:
            note_unknown(view.unknown, head.flags);
            return {};
    }
}

/// RFC 9171 section 4.4.1. A signed block stays when the bundle is forwarded, so it may name an
/// earlier node.
Check read_previous_node(const Extensions &extensions, ByteView blocks, BundleView &view) {
    const KnownBlock &block = extensions.previous_node;
    CborReader reader(block.data);
    EidView node;
    if (!read_eid(reader, node) || !reader.done()) return fail(ParseError::kBadBlockData);
    const bool is_signed = extensions.has_integrity && block.number != 0 &&
                           is_security_target(blocks, kIntegrityBlock, block.number);
    if (!is_signed) view.previous_node = node.node_number();
    return {};
}

/// Reads the data of known blocks, unless they are encrypted (RFC 9172 section 3.8): only the
/// security acceptor can read those; they count as absent here.
Check read_known(const Extensions &extensions, ByteView blocks, BundleView &view) {
    const auto readable = [&](const KnownBlock &block) {
        return block.present && !(extensions.has_confidentiality &&
                                  is_security_target(blocks, kConfidentialityBlock, block.number));
    };
    if (view.primary_without_crc && extensions.has_integrity)
        view.primary_signed = is_security_target(blocks, kIntegrityBlock, 0);
    view.lacks_age = view.creation_time == 0 && !extensions.age.present;
    if (readable(extensions.previous_node))
        if (const Check read = read_previous_node(extensions, blocks, view); !read) return read;
    if (readable(extensions.age)) {
        if (!read_bundle_age(extensions.age.data, view.age_ms))
            return fail(ParseError::kBadBlockData);
        view.has_age = true;
    }
    if (readable(extensions.hop_count)) {
        HopCount hops;
        if (!read_hop_count(extensions.hop_count.data, hops))
            return fail(ParseError::kBadBlockData);
        if (hops.count > hops.limit) return fail(ParseError::kHopLimitExceeded);
        view.hop_limit = static_cast<std::uint32_t>(hops.limit);
        view.hop_count = static_cast<std::uint32_t>(hops.count);
        view.has_hop_count = true;
    }
    return {};
}

/// Reads the blocks before the payload block and the payload block's own head, which is returned.
Check read_blocks(CborReader &reader, const std::uint8_t *bundle, BundleView &view,
                  BlockHead &payload) {
    const std::uint8_t *const first = reader.at();
    Extensions extensions;
    for (;;) {
        const std::uint8_t *const begin = reader.at();
        // RFC 9171 section 4.1: the array may not end before the payload block.
        if (!reader.done() && *begin == codec::kCborBreak) return fail(ParseError::kNoPayload);
        BlockHead head;
        if (const Check read = read_block_head(reader, head); !read) return read;
        if (head.type == kPayloadBlock) {
            if (head.number != 1) return fail(ParseError::kBadBlockNumber);
            view.head_end = static_cast<std::uint32_t>(begin - bundle);
            view.payload_offset = static_cast<std::uint64_t>(reader.at() - bundle);
            view.payload_length = head.data_size;
            payload = head;
            return read_known(extensions, {first, begin}, view);
        }
        if (head.data_size > reader.left()) return fail(ParseError::kTruncated);
        const ByteView data{reader.at(), static_cast<std::size_t>(head.data_size)};
        reader.skip(data.size());
        if (const Check end = close_block(reader, begin, head.crc_type, head.indefinite); !end)
            return end;
        if (const Check ok = note_extension(head, data, extensions, view); !ok) return ok;
    }
}

/// The CRC of a payload block at [from, crc_at) of the bundle.
std::uint32_t payload_crc(std::span<const ByteView> slices, std::uint64_t from,
                          std::uint64_t crc_at, const BlockHead &payload) {
    if (slices.size() == 1)
        return block_crc(payload.crc_type, payload.indefinite,
                         slices[0].subspan(from, crc_at - from));
    BlockCrc computed(payload.crc_type);
    for_each_piece(slices, from, crc_at, [&](ByteView piece) { computed.add(piece); });
    return computed.finish(payload.indefinite);
}

/// Checks the octets behind the payload's data, in whichever slice they are: the block's CRC and
/// break, the break of the bundle, and the end.
Check check_payload(std::span<const ByteView> slices, PayloadCrc wanted, const BundleView &view,
                    const BlockHead &payload) {
    if (view.payload_length > view.size - view.payload_offset) return fail(ParseError::kTruncated);
    const std::uint64_t data_end = view.payload_offset + view.payload_length;
    std::uint8_t joined[codec::kMaxCborHeadBytes + 8];  // more than a CRC and two breaks
    const ByteView tail = peek(slices, data_end, joined);
    CborReader reader(tail);
    const std::uint8_t *crc = nullptr;
    if (const Check end = read_block_end(reader, payload.crc_type, payload.indefinite, crc); !end)
        return end;
    if (crc != nullptr && wanted == PayloadCrc::kVerify) {
        const auto crc_at = data_end + static_cast<std::uint64_t>(crc - tail.data());
        if (payload_crc(slices, view.head_end, crc_at, payload) != load_crc(payload.crc_type, crc))
            return fail(ParseError::kCrcMismatch);
    }
    // RFC 9171 section 4.1: the payload block is the last one.
    if (!reader.octet(codec::kCborBreak))
        return fail(reader.done() ? ParseError::kTruncated : ParseError::kNoPayload);
    if (!reader.done()) return fail(ParseError::kTrailingOctets);
    return {};
}

}  // namespace

Result<void, ParseError> read_primary(CborReader &reader, BundleView &view) {
    const std::uint8_t *const begin = reader.at();
    std::uint64_t count = 0;
    std::uint64_t version = 0;
    std::uint64_t raw_crc_type = 0;
    CrcType crc_type{};
    if (!reader.array(count) || !reader.uint(version)) return fault_of(reader);
    if (version != kVersion) return fail(ParseError::kUnknownVersion);
    if (!reader.uint(view.flags) || !reader.uint(raw_crc_type)) return fault_of(reader);
    if (!to_crc_type(raw_crc_type, crc_type)) return fail(ParseError::kBadCrcType);
    view.is_fragment = (view.flags & kIsFragment) != 0;
    view.is_admin_record = (view.flags & kIsAdminRecord) != 0;
    view.must_not_fragment = (view.flags & kMustNotFragment) != 0;
    view.requests = report_requests(view.flags);
    view.primary_without_crc = crc_type == CrcType::kNone;

    const bool indefinite = count == CborReader::kIndefinite;
    const unsigned expected = 8 + (crc_type == CrcType::kNone ? 0 : 1) + (view.is_fragment ? 2 : 0);
    if (!indefinite && count != expected) return fail(ParseError::kBadItemCount);
    if (!read_eid(reader, view.destination) || !read_eid(reader, view.source) ||
        !read_eid(reader, view.report_to))
        return fault_of_eid(reader);
    if (leads_nowhere(view.source)) view.source = {};
    if (!read_timestamp(reader, view) || !reader.uint(view.lifetime_ms)) return fault_of(reader);
    if (view.is_fragment &&
        (!reader.uint(view.fragment_offset) || !reader.uint(view.total_adu_length)))
        return fault_of(reader);
    if (const Check end = close_block(reader, begin, crc_type, indefinite); !end) return end;
    return check_flags(view);
}

Result<void, ParseError> parse(std::span<const ByteView> slices, PayloadCrc payload_crc,
                               BundleView &view) {
    // Offsets into the head are 32 bits wide.
    const ByteView head = slices[0].first(
        std::min<std::size_t>(slices[0].size(), std::numeric_limits<std::uint32_t>::max()));
    view.version = kVersion;
    CborReader reader(head);
    // RFC 9171 section 4.1: the bundle is an indefinite-length array; other forms are refused.
    if (!reader.octet(codec::kCborIndefiniteArray)) return fail(ParseError::kUnknownVersion);
    if (const Check primary = read_primary(reader, view); !primary) return primary;
    view.primary_end = static_cast<std::uint32_t>(reader.at() - head.data());
    BlockHead payload;
    if (const Check blocks = read_blocks(reader, head.data(), view, payload); !blocks)
        return blocks;
    // RFC 9171 section 4.3.1: a fragment lies inside of its application data unit.
    if (view.is_fragment && (view.fragment_offset > view.total_adu_length ||
                             view.payload_length > view.total_adu_length - view.fragment_offset))
        return fail(ParseError::kBadFragment);
    if (payload_crc == PayloadCrc::kLater) return {};
    return check_payload(slices, payload_crc, view, payload);
}

Result<BundleView, ParseError> parse_whole(ByteView bundle) {
    if (bundle.empty()) return fail(ParseError::kEmpty);
    BundleView view;
    view.size = bundle.size();
    if (const Check parsed = parse({&bundle, 1}, PayloadCrc::kVerify, view); !parsed)
        return fail(parsed.error());
    return view;
}

}  // namespace farlink::bp::v7
