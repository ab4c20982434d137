// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v6/bundle.hpp"

#include <algorithm>

#include "common/base/invariant.hpp"
#include "common/bp/v6/parse.hpp"
#include "common/bp/v6/primary.hpp"

namespace farlink::bp::v6 {
namespace {

enum class Part { kFirst, kLast };

/// RFC 5050 section 5.8: blocks before the payload belong to the first fragment, blocks behind it
/// to the last, and blocks that must be replicated to both; so do previous hop and bundle age,
/// since each fragment is forwarded and expires as a bundle of its own.
Bundle part_of(const Bundle &bundle, Part part, std::uint64_t offset, std::uint64_t total,
               ByteView payload) {
    Bundle result = bundle;
    result.flags |= kIsFragment;
    result.fragment_offset = offset;
    result.total_adu_length = total;
    result.blocks.clear();
    const std::size_t payload_index = bundle.payload_index();
    for (std::size_t i = 0; i < bundle.blocks.size(); ++i) {
        const bool here = part == Part::kFirst ? i < payload_index : i > payload_index;
        const std::uint8_t type = bundle.blocks[i].type;
        const bool everywhere = (bundle.blocks[i].flags & kReplicateBlock) != 0 ||
                                type == kPreviousHopBlock || type == kBundleAgeBlock;
        if (here || everywhere || i == payload_index) result.blocks.push_back(bundle.blocks[i]);
        if (i == payload_index) result.blocks.back().data.assign(payload.begin(), payload.end());
    }
    return result;
}

Bytes encode_primary(const Bundle &bundle) {
    Bytes body;
    for (const std::uint64_t value : bundle.endpoints) codec::append_sdnv(body, value);
    codec::append_sdnv(body, bundle.creation_time_s);
    codec::append_sdnv(body, bundle.sequence);
    codec::append_sdnv(body, bundle.lifetime_s);
    codec::append_sdnv(body, bundle.dictionary.size());
    append(body, bundle.dictionary);
    if ((bundle.flags & kIsFragment) != 0) {
        codec::append_sdnv(body, bundle.fragment_offset);
        codec::append_sdnv(body, bundle.total_adu_length);
    }
    Bytes primary{kVersion};
    codec::append_sdnv(primary, bundle.flags);
    codec::append_sdnv(primary, body.size());
    append(primary, body);
    return primary;
}

}  // namespace

Eid Bundle::endpoint(std::size_t index) const {
    EidView eid;
    return read_endpoint(dictionary, &endpoints[2 * index], eid) ? Eid(eid) : Eid();
}

void Bundle::set_custodian(const EidView &custodian) {
    std::uint64_t *const pair = &endpoints[kCustodian];
    if (dictionary.empty() && to_cbhe(custodian, pair)) return;
    // A custodian without CBHE numbers requires a dictionary for all endpoints.
    Dictionary rebuilt(dictionary);
    if (dictionary.empty())
        for (std::size_t i = 0; i < 3; ++i)
            rebuilt.refer(ipn_eid(endpoints[2 * i], endpoints[2 * i + 1]), &endpoints[2 * i]);
    rebuilt.refer(custodian, pair);
    dictionary = rebuilt.octets();
}

std::size_t Bundle::payload_index() const {
    const auto payload = std::ranges::find(blocks, kPayloadBlock, &CanonicalBlock::type);
    FARLINK_INVARIANT(payload != blocks.end());
    return static_cast<std::size_t>(payload - blocks.begin());
}

Result<Bundle, ParseError> decode(ByteView octets) {
    if (const auto view = parse_whole(octets); !view) return fail(view.error());
    SdnvReader reader(octets);
    RawPrimary raw;
    if (const Check read = read_raw_primary(reader, raw); !read) return fail(read.error());
    Bundle bundle;
    bundle.flags = raw.flags;
    std::copy_n(raw.fields, bundle.endpoints.size(), bundle.endpoints.begin());
    bundle.dictionary.assign(raw.dictionary.begin(), raw.dictionary.end());
    bundle.creation_time_s = raw.fields[kCreationTime];
    bundle.sequence = raw.fields[kSequence];
    bundle.lifetime_s = raw.fields[kLifetime];
    bundle.fragment_offset = raw.fragment_offset;
    bundle.total_adu_length = raw.total_adu_length;
    for (Block block; !reader.left().empty();) {
        if (const Check read = read_block(reader, block); !read) return fail(read.error());
        const ByteView references = block.octets.subspan(
            block.head.flags_last + 1, block.head.length_at - block.head.flags_last - 1);
        const ByteView data = block.data();
        bundle.blocks.push_back({block.head.type, block.head.flags,
                                 Bytes(references.begin(), references.end()),
                                 Bytes(data.begin(), data.end())});
    }
    return bundle;
}

Bytes encode(const Bundle &bundle) {
    Builder builder(encode_primary(bundle));
    for (const CanonicalBlock &block : bundle.blocks)
        builder.add_block(block.type, block.flags, block.data, block.references);
    return std::move(builder).finish();
}

std::optional<std::pair<Bundle, Bundle>> fragment(const Bundle &bundle, std::uint64_t split_at) {
    const ByteView payload = bundle.payload().data;
    if ((bundle.flags & kMustNotFragment) != 0 || split_at == 0 || split_at >= payload.size())
        return std::nullopt;
    const bool again = (bundle.flags & kIsFragment) != 0;
    const std::uint64_t offset = again ? bundle.fragment_offset : 0;
    const std::uint64_t total = again ? bundle.total_adu_length : payload.size();
    const auto at = static_cast<std::size_t>(split_at);
    return std::pair(part_of(bundle, Part::kFirst, offset, total, payload.first(at)),
                     part_of(bundle, Part::kLast, offset + split_at, total, payload.subspan(at)));
}

}  // namespace farlink::bp::v6
