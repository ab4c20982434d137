// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v6/custody.hpp"

#include "common/base/invariant.hpp"
#include "common/bp/base/slices.hpp"
#include "common/bp/v6/admin_record_codec.hpp"
#include "common/bp/v6/builder.hpp"
#include "common/bp/v6/primary.hpp"

namespace farlink::bp::v6 {
namespace {

/// An upper bound of the growth of the primary block's length, the custodian and dictionary
/// offsets, and of the type, flags, data length and custody id of a CTEB.
constexpr std::size_t kLongerFields = 64;
/// "ipn", ":" or terminators, and the digits of three numbers of 64 bits at most.
constexpr std::size_t kLongestIpn = 48;

/// Names another custodian in `raw`; `rebuilt` holds the dictionary where one is needed.
void name_custodian(RawPrimary &raw, const EidView &custodian, Dictionary &rebuilt) {
    std::uint64_t *const pair = raw.fields + kCustodian;
    if (raw.dictionary.empty() && to_cbhe(custodian, pair)) return;
    const bool compressed = raw.dictionary.empty();
    rebuilt = Dictionary(raw.dictionary);
    if (compressed)
        for (const std::size_t at : {kDestination, kSource, kReportTo})
            rebuilt.refer(ipn_eid(raw.fields[at], raw.fields[at + 1]), raw.fields + at);
    rebuilt.refer(custodian, pair);
    raw.dictionary = rebuilt.octets();
    raw.fields[kDictionaryLength] = raw.dictionary.size();
}

std::uint8_t *write_primary(const RawPrimary &raw, std::uint8_t *to) {
    const bool fragment = (raw.flags & kIsFragment) != 0;
    std::size_t length = raw.dictionary.size();
    for (const std::uint64_t field : raw.fields) length += codec::sdnv_size(field);
    if (fragment)
        length += codec::sdnv_size(raw.fragment_offset) + codec::sdnv_size(raw.total_adu_length);
    *to++ = kVersion;
    to += codec::encode_sdnv(raw.flags, to);
    to += codec::encode_sdnv(length, to);
    for (const std::uint64_t field : raw.fields) to += codec::encode_sdnv(field, to);
    to = put(to, raw.dictionary);
    if (!fragment) return to;
    to += codec::encode_sdnv(raw.fragment_offset, to);
    return to + codec::encode_sdnv(raw.total_adu_length, to);
}

/// No flags: a node that does not support the block forwards it, and the custodian of a fragment
/// adds one to the fragment.
std::uint8_t *write_cteb(const EidView &custodian, std::uint64_t custody_id, std::uint8_t *to) {
    const std::string creator = to_string(custodian);
    *to++ = kCustodyTransferBlock;
    *to++ = 0;
    to += codec::encode_sdnv(codec::sdnv_size(custody_id) + creator.size(), to);
    to += codec::encode_sdnv(custody_id, to);
    return put(to, as_bytes(creator));
}

}  // namespace

bool wants_custody(const BundleView &view) {
    return view.version == kVersion && view.custody_requested && !view.is_admin_record &&
           (view.flags & kSingletonDestination) != 0 && !view.source.is_null();
}

std::optional<std::uint64_t> custody_id_of(const BundleView &view, ByteView head) {
    SdnvReader reader(head.subspan(view.primary_end));
    for (Block block; !reader.left().empty() && read_block(reader, block);) {
        if (block.head.type != kCustodyTransferBlock) continue;
        const auto cteb = decode_cteb(block.data());
        if (cteb && !view.custodian.is_null() && cteb->creator.view() == view.custodian)
            return cteb->custody_id;
    }
    return std::nullopt;
}

std::size_t custody_head_bound(std::size_t head_bytes, const EidView &custodian) {
    // Its text is in the CTEB, and in the dictionary if there is one; a dictionary that replaces
    // CBHE contains the text of the other endpoints, too.
    std::uint64_t pair[2];
    const std::size_t others = to_cbhe(custodian, pair) ? 0 : 3 * kLongestIpn;
    return head_bytes + kLongerFields + 2 * (kLongestIpn + custodian.name.size()) + others;
}

std::size_t write_custody_head(ByteView head, const EidView &custodian,
                               std::optional<std::uint64_t> custody_id, MutableBytes out) {
    FARLINK_INVARIANT(out.size() >= custody_head_bound(head.size(), custodian));
    SdnvReader reader(head);
    RawPrimary raw;
    const Check primary = read_raw_primary(reader, raw);
    FARLINK_INVARIANT(primary.has_value());
    Dictionary rebuilt;
    name_custodian(raw, custodian, rebuilt);
    std::uint8_t *to = write_primary(raw, out.data());
    for (Block block; !reader.left().empty();) {
        const Check read = read_block(reader, block);
        FARLINK_INVARIANT(read.has_value());
        if (block.head.type != kCustodyTransferBlock) {
            to = put(to, block.octets);
        } else if (custody_id) {
            to = write_cteb(custodian, *custody_id, to);
            custody_id.reset();
        }
    }
    if (custody_id) to = write_cteb(custodian, *custody_id, to);
    return static_cast<std::size_t>(to - out.data());
}

}  // namespace farlink::bp::v6
