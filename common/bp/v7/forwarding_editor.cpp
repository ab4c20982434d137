// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v7/forwarding_editor.hpp"

#include <limits>
#include <optional>

#include "common/bp/base/slices.hpp"
#include "common/bp/eid/eid_cbor.hpp"
#include "common/bp/v7/block_numbers.hpp"
#include "common/bp/v7/extension_data.hpp"
#include "common/bp/v7/security_targets.hpp"

namespace farlink::bp::v7 {
namespace {

using codec::CborReader;

// Numbers 2 to 23 take one octet, so their blocks have one size.
constexpr std::uint64_t kFirstNumber = 2;
constexpr std::uint64_t kShortNumbers = 22;

/// The result of one pass over the extension blocks before they are written.
struct Survey {
    BlockNumbers numbers;
    bool has_security = false;
    bool has_hop_count = false;
    bool keeps_previous_node = false;  ///< BPSec protects it, so it stays
};

Check survey_blocks(ByteView blocks, Survey &survey) {
    CborReader reader(blocks);
    std::optional<std::uint64_t> previous_node;
    for (Block block; !reader.done();) {
        if (const Check read = read_block(reader, block); !read) return read;
        const std::uint64_t type = block.head.type;
        survey.has_security |= type == kIntegrityBlock || type == kConfidentialityBlock;
        survey.has_hop_count |= type == kHopCountBlock;
        if (type == kPreviousNodeBlock)
            previous_node = block.head.number;  // it is removed, so its number is free
        else
            (void)survey.numbers.insert(block.head.number);
    }
    if (previous_node && survey.has_security && is_protected(blocks, *previous_node))
        survey.keeps_previous_node = true;
    return {};
}

std::uint8_t *write_previous_node(std::uint8_t *to, std::uint64_t number, ByteView previous_nodes) {
    const ByteView first = previous_nodes.first(previous_nodes.size() / kShortNumbers);
    if (number - kFirstNumber < kShortNumbers)
        return put(to,
                   previous_nodes.subspan((number - kFirstNumber) * first.size(), first.size()));
    CborReader reader(first);
    Block block;
    if (!read_block(reader, block)) return to;
    return write_block(to, kPreviousNodeBlock, number, 0, CrcType::kCrc32c, block.data);
}

/// RFC 9171 section 4.4.2: the bundle age grows by the time that the bundle was at this node.
std::uint8_t *write_older(std::uint8_t *to, const Block &block, std::uint64_t residence_ms) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t age_ms = 0;
    if (!read_bundle_age(block.data, age_ms)) return put(to, block.octets);
    age_ms = age_ms > kMost - residence_ms ? kMost : age_ms + residence_ms;
    std::uint8_t data[codec::kMaxCborHeadBytes];
    const BlockHead &head = block.head;
    return write_block(to, head.type, head.number, head.flags, head.crc_type,
                       {data, codec::write_cbor_uint(data, age_ms)});
}

/// RFC 9171 section 4.4.3: increments the hop count; null when it exceeds the hop limit.
std::uint8_t *write_next_hop(std::uint8_t *to, const Block &block) {
    HopCount hops;
    if (!read_hop_count(block.data, hops)) return put(to, block.octets);
    if (hops.count >= hops.limit) return nullptr;
    std::uint8_t data[1 + 2 * codec::kMaxCborHeadBytes] = {0x82};
    std::uint8_t *const end =
        codec::write_cbor_uint(codec::write_cbor_uint(data + 1, hops.limit), hops.count + 1);
    const BlockHead &head = block.head;
    return write_block(to, head.type, head.number, head.flags, head.crc_type, {data, end});
}

/// A new hop count block, whose count includes this hop.
std::uint8_t *write_first_hop(std::uint8_t *to, std::uint64_t number, std::uint8_t limit) {
    std::uint8_t data[1 + 2 * codec::kMaxCborHeadBytes] = {0x82};
    std::uint8_t *const end = codec::write_cbor_uint(codec::write_cbor_uint(data + 1, limit), 1);
    return write_block(to, kHopCountBlock, number, 0, CrcType::kCrc32c, {data, end});
}

/// RFC 9171 section 4.1 requires a unique number of each block; fragments of some routers lack
/// them. BPSec refers to blocks by number, so in bundles with security blocks the numbers stay.
bool give_number(BlockHead &head, Survey &survey) {
    if (head.number != 0 || head.type == kPreviousNodeBlock || survey.has_security) return false;
    head.number = survey.numbers.take_lowest();
    return head.number != 0;
}

std::uint8_t *write_again(std::uint8_t *to, const Block &block) {
    const BlockHead &head = block.head;
    return write_block(to, head.type, head.number, head.flags, head.crc_type, block.data);
}

/// RFC 9171 section 5.6 step 4: an unknown block with "discard block if it can't be processed".
bool is_discarded(const BlockHead &head) {
    switch (head.type) {
        case kPreviousNodeBlock:
        case kBundleAgeBlock:
        case kHopCountBlock:
        case kIntegrityBlock:
        case kConfidentialityBlock:
            return false;
        default:
            return (head.flags & kDiscardBlockIfUnprocessable) != 0;
    }
}

}  // namespace

Bytes make_previous_nodes(const EidView &local_node) {
    Bytes eid(eid_bound(local_node));
    eid.resize(static_cast<std::size_t>(write_eid(eid.data(), local_node) - eid.data()));
    Bytes blocks;
    for (std::uint64_t number = kFirstNumber; number < kFirstNumber + kShortNumbers; ++number) {
        Bytes block(kBlockOverhead + eid.size());
        std::uint8_t *const end =
            write_block(block.data(), kPreviousNodeBlock, number, 0, CrcType::kCrc32c, eid);
        append(blocks, {block.data(), end});
    }
    return blocks;
}

Result<std::size_t, ParseError> render(const BundleHead &head, std::uint64_t residence_ms,
                                       ByteView previous_nodes, MutableBytes out) {
    const ByteView blocks = head.octets.subspan(head.primary_end);
    Survey survey;
    if (const Check read = survey_blocks(blocks, survey); !read) return fail(read.error());

    std::uint8_t *to = put(out.data(), head.octets.first(head.primary_end));
    // RFC 9171 section 4.4.1 recommends the block and does not require it; it is omitted when no
    // block number is free.
    if (!survey.keeps_previous_node) {
        const std::uint64_t number = survey.numbers.take_lowest();
        if (number != 0) to = write_previous_node(to, number, previous_nodes);
    }
    if (head.hop_limit > 0 && !survey.has_hop_count)
        if (const std::uint64_t number = survey.numbers.take_lowest(); number != 0)
            to = write_first_hop(to, number, head.hop_limit);
    CborReader reader(blocks);
    for (Block block; !reader.done();) {
        if (const Check read = read_block(reader, block); !read) return fail(read.error());
        if (is_discarded(block.head)) continue;
        const bool untouched = survey.has_security && is_protected(blocks, block.head.number);
        const bool numbered = give_number(block.head, survey);
        if (untouched) {
            to = put(to, block.octets);
        } else if (block.head.type == kBundleAgeBlock) {
            to = write_older(to, block, residence_ms);
        } else if (block.head.type == kHopCountBlock) {
            to = write_next_hop(to, block);
            if (to == nullptr) return fail(ParseError::kHopLimitExceeded);
        } else if (block.head.type != kPreviousNodeBlock) {
            to = numbered ? write_again(to, block) : put(to, block.octets);
        }
    }
    return static_cast<std::size_t>(to - out.data());
}

}  // namespace farlink::bp::v7
