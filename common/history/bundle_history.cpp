// SPDX-License-Identifier: Apache-2.0
#include "common/history/bundle_history.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "common/bp/eid/eid_cbor.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v7/block.hpp"
#include "common/codec/cbor.hpp"

namespace farlink::history {
namespace {

BundleFacts facts_of(const bp::BundleView &view) {
    BundleFacts facts{.source = view.source,
                      .destination = view.destination,
                      .creation_time = view.creation_time,
                      .sequence = view.sequence,
                      .version = view.version,
                      .is_fragment = view.is_fragment,
                      .has_hops = view.has_hop_count};
    if (view.is_fragment) {
        facts.fragment_offset = view.fragment_offset;
        facts.fragment_length = view.payload_length;
    }
    if (view.has_hop_count)
        facts.hops = static_cast<std::uint8_t>(
            std::min<std::uint32_t>(view.hop_count, std::numeric_limits<std::uint8_t>::max()));
    return facts;
}

/// Of a creation timestamp: the head of its array, and two numbers at most.
constexpr std::uint8_t kArrayOfTwo = 0x82;
constexpr std::size_t kMostTimestampBytes = 1 + 2 * codec::kMaxCborHeadBytes;

/// A CBOR number at `at`, which moves behind it; there are octets for the longest one.
inline std::optional<std::uint64_t> take_number(const std::uint8_t *&at) {
    constexpr std::uint8_t kLeastLong = 24;
    constexpr std::uint8_t kMostLong = 27;
    const std::uint8_t first = *at++;
    if (first < kLeastLong) return first;
    if (first > kMostLong) return std::nullopt;
    const std::size_t width = std::size_t{1} << (first - kLeastLong);
    const std::uint64_t number = load_be<std::uint64_t>(at) >> (64 - 8 * width);
    at += width;
    return number;
}

bool read_timestamp(codec::CborReader &reader, std::uint64_t &time, std::uint64_t &sequence) {
    std::uint64_t items = 0;
    return reader.head(codec::CborMajor::kArray, items) && items == 2 && reader.uint(time) &&
           reader.uint(sequence);
}

/// The usual primary block, whose CRC was checked before. Returns where its creation timestamp
/// begins; 0: it is another one.
std::size_t read_usual(ByteView bundle, BundleFacts &facts) {
    codec::CborReader reader(bundle);
    std::uint64_t items = 0;
    std::uint64_t version = 0;
    std::uint64_t flags = 0;
    std::uint64_t crc_type = 0;
    bp::EidView report_to;
    if (!reader.octet(codec::kCborIndefiniteArray) ||
        !reader.head(codec::CborMajor::kArray, items) || !reader.uint(version) ||
        !reader.uint(flags) || !reader.uint(crc_type) || (flags & bp::v7::kIsFragment) != 0)
        return 0;
    if (!bp::read_eid(reader, facts.destination) || !bp::read_eid(reader, facts.source) ||
        !bp::read_eid(reader, report_to))
        return 0;
    const auto timestamp_at = static_cast<std::size_t>(reader.at() - bundle.data());
    return read_timestamp(reader, facts.creation_time, facts.sequence) ? timestamp_at : 0;
}

}  // namespace

BundleHistory::BundleHistory(std::unique_ptr<HistoryBlocks> blocks) : blocks_(std::move(blocks)) {
    if (blocks_ != nullptr) writer_ = std::make_unique<HistoryWriter>(*blocks_);
}

void BundleHistory::add(const bp::BundleView &view, const Passage &passage) {
    if (writer_ != nullptr) writer_->add(facts_of(view), passage);
}

void BundleHistory::add(std::span<const ByteView> slices, std::uint8_t version,
                        const Passage &passage) {
    if (writer_ != nullptr && !slices.empty()) (void)add_whole(slices, version, passage);
}

/// Returns what a next bundle with the same endpoints and flags begins with; empty: none does.
ByteView BundleHistory::add_whole(std::span<const ByteView> slices, std::uint8_t version,
                                  const Passage &passage) {
    BundleFacts facts;
    const std::size_t usual = version == bp::kBpVersion6 ? 0 : read_usual(slices.front(), facts);
    if (usual > 0) {
        writer_->add(facts, passage);
        return slices.front().first(usual);
    }
    if (const auto view = bp::parse_again(slices)) writer_->add(facts_of(*view), passage);
    return {};
}

/// A bundle that begins with the same octets as the one before; false: it does not.
bool BundleHistory::add_similar(ByteView bundle, ByteView beginning, std::uint64_t size) {
    if (beginning.empty() || bundle.size() < beginning.size() + kMostTimestampBytes ||
        std::memcmp(bundle.data(), beginning.data(), beginning.size()) != 0)
        return false;
    const std::uint8_t *at = bundle.data() + beginning.size();
    if (*at++ != kArrayOfTwo) return false;
    const auto time = take_number(at);
    const auto sequence = take_number(at);
    return time && sequence && writer_->add_again(*time, *sequence, size);
}

void BundleHistory::add_head(ByteView head, std::uint64_t payload_length, const Passage &passage) {
    if (writer_ == nullptr) return;
    auto view = bp::parse_primary(head);
    if (!view) return;
    view->payload_length = payload_length;
    writer_->add(facts_of(*view), passage);
}

void BundleHistory::add_batch(const Batch &batch, Passage passage) {
    if (writer_ == nullptr) return;
    passage.link = batch.link;
    passage.sender = batch.sender;
    ByteView beginning;
    for (const BatchedBundle &bundle : batch.bundles) {
        const auto slices = batch.slices_of(bundle);
        if (add_similar(slices.front(), beginning, bundle.size)) continue;
        passage.size = bundle.size;
        beginning = add_whole(slices, bundle.version, passage);
    }
}

}  // namespace farlink::history
