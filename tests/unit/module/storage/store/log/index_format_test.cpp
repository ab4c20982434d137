// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/index_format.hpp"

#include <gtest/gtest.h>

#include <string>

#include "common/base/random.hpp"
#include "tests/support/heap_bytes.hpp"

namespace farlink::test::index_format_test {
namespace {

using storage::FileHeader;
using storage::IndexBuilder;

FileHeader header_of_file(FileNumber file) {
    FileHeader header;
    header.node = NodeNumber{10};
    header.file = file;
    header.key.fill(3);
    header.mark = storage::mark_of(header.key, file);
    return header;
}

bool equal(const RecordHead &one, const RecordHead &other) {
    return one.arrival == other.arrival && one.expiry == other.expiry &&
           one.received == other.received && one.identity == other.identity &&
           one.size == other.size && one.priority == other.priority &&
           one.requests == other.requests;
}

/// Records of every shape, some behind a gap, and what is expected to come back.
struct Sample {
    explicit Sample(std::uint64_t seed, int count) {
        Random random(seed);
        RecordLocation at{storage::make_record_number(7, 1), storage::kDataStart};
        for (int i = 0; i < count; ++i) {
            RecordHead head;
            head.arrival = random.next() >> random.below(64);
            head.expiry = random.chance(1, 3) ? kDtnNever : random.next() >> random.below(64);
            head.received = random.next() >> random.below(64);
            head.identity = {random.next(), random.next()};
            head.size = random.next() >> (18 + random.below(40));
            head.priority = static_cast<Priority>(random.below(kPriorityCount));
            head.requests = static_cast<std::uint8_t>(random.next());
            if (random.chance(1, 4)) {
                at.number += random.below(1000);
                at.offset += random.below(1000) * 8;
            }
            heads.push_back(head);
            places.push_back(at);
            labels.push_back(std::string(random.below(5), 'a'));
            index.add(head, at, as_bytes(labels.back()));
            at.number += 1;
            at.offset += record_bytes(labels.back().size(), head.size);
            erased.push_back(random.next());
        }
        index.add_erasures(erased);
        octets = index.finish(header_of_file(7), at.offset + 8);
    }
    IndexBuilder index;
    std::vector<RecordHead> heads;
    std::vector<RecordLocation> places;
    std::vector<std::string> labels;
    std::vector<RecordNumber> erased;
    Bytes octets;
};

TEST(IndexFormat, WhatIsWrittenIsRead) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const Sample sample(seed, static_cast<int>(seed));
        const auto scan = storage::decode_index(sample.octets);
        ASSERT_TRUE(scan.has_value()) << seed;
        EXPECT_EQ(scan->header.mark, header_of_file(7).mark);
        EXPECT_EQ(scan->erasures, sample.erased);
        EXPECT_TRUE(scan->intact);
        ASSERT_EQ(scan->records.size(), sample.heads.size());
        for (std::size_t i = 0; i < sample.heads.size(); ++i) {
            EXPECT_TRUE(equal(scan->records[i].head, sample.heads[i])) << seed << ' ' << i;
            EXPECT_EQ(scan->records[i].at.number, sample.places[i].number);
            EXPECT_EQ(scan->records[i].at.offset, sample.places[i].offset);
            EXPECT_EQ(as_text(scan->label_of(scan->records[i])), sample.labels[i]);
        }
    }
}

TEST(IndexFormat, AnIndexOfNothing) {
    const IndexBuilder none;
    const auto scan = storage::decode_index(none.finish(header_of_file(1), storage::kDataStart));
    ASSERT_TRUE(scan.has_value());
    EXPECT_TRUE(scan->records.empty());
    EXPECT_FALSE(scan->intact);
}

TEST(IndexFormat, ABuilderIsUsedAgain) {
    Sample sample(5, 20);
    sample.index.clear();
    EXPECT_EQ(sample.index.finish(header_of_file(1), 4096),
              IndexBuilder().finish(header_of_file(1), 4096));
}

TEST(IndexFormat, NeighboursAreSmall) {
    IndexBuilder index;
    RecordLocation at{storage::make_record_number(1, 1), storage::kDataStart};
    constexpr std::size_t kCount = 1000;
    for (std::uint64_t i = 0; i < kCount; ++i) {
        RecordHead head;
        head.arrival = 1'000'000 + i;
        head.received = 800'000'000'000 + i / 500;
        head.expiry = head.received + 3'600'000;
        head.size = 1000;
        head.identity = {i * 0x9e3779b97f4a7c15U, i * 0xbf58476d1ce4e5b9U};
        index.add(head, at, as_bytes("seventeen octets."));
        at = {at.number + 1, at.offset + record_bytes(17, head.size)};
    }
    EXPECT_LE(index.finish(header_of_file(1), at.offset).size(), 200 + kCount * 24);
}

// As fragments have: together with what the core has of an incomplete set, less than 300 octets.
TEST(IndexFormat, RecordsWithLabelsOfTheirOwnTakeLessThan120OctetsEach) {
    constexpr std::size_t kCount = 100'000;
    constexpr std::size_t kLabelBytes = 66;
    Random random(4);
    Bytes label(kLabelBytes);
    RecordLocation at{storage::make_record_number(1, 1), storage::kDataStart};
    const std::size_t before = heap_bytes();
    IndexBuilder index;
    for (std::uint64_t i = 0; i < kCount; ++i) {
        RecordHead head;
        head.arrival = 1'000'000 + i;
        head.identity = {random.next(), random.next()};
        head.size = 110;
        store_be(&label[25], random.next());
        index.add(head, at, label);
        at = {at.number + 1, at.offset + record_bytes(kLabelBytes, head.size)};
    }
    EXPECT_LT((heap_bytes() - before) / kCount, 120U);
    const auto scan = storage::decode_index(index.finish(header_of_file(1), at.offset));
    ASSERT_TRUE(scan.has_value());
    ASSERT_EQ(scan->records.size(), kCount);
    EXPECT_EQ(as_text(scan->label_of(scan->records.back())), as_text(label));
}

TEST(IndexFormat, AFlippedBitOrAMissingOctetAnywhereIsSeen) {
    const Sample sample(9, 12);
    for (std::size_t at = 0; at < sample.octets.size(); ++at) {
        Bytes spoilt = sample.octets;
        spoilt[at] ^= static_cast<std::uint8_t>(1U << (at % 8));
        EXPECT_FALSE(storage::decode_index(spoilt).has_value()) << at;
        EXPECT_FALSE(storage::decode_index(ByteView(sample.octets).first(at)).has_value()) << at;
    }
    Bytes longer = sample.octets;
    longer.push_back(0);
    EXPECT_FALSE(storage::decode_index(longer).has_value());
}

}  // namespace
}  // namespace farlink::test::index_format_test
