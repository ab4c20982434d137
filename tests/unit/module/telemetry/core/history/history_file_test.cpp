// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history/history_file.hpp"

#include <gtest/gtest.h>

#include "common/codec/crc.hpp"

namespace farlink::telemetry::history_file_test {
namespace {

constexpr DtnTime kBegin = 800'000'000'000;

Bytes three_blocks() {
    Bytes content;
    for (const char *text : {"one", "two", "three"})
        append_block(content, {BlockType::kEvents, kBegin, kBegin + 5, as_bytes(text)});
    return content;
}

struct Scan {
    std::vector<std::string> payloads;
    std::size_t damages = 0;
};

Scan scan(ByteView content) {
    Scan result;
    result.damages = scan_blocks(content, [&](const HistoryBlock &block) {
        EXPECT_EQ(block.from, kBegin);
        EXPECT_EQ(block.to, kBegin + 5);
        result.payloads.emplace_back(as_text(block.payload));
    });
    return result;
}

TEST(HistoryFile, ANameHasKindNumberAndBegin) {
    const HistoryFile file{HistoryKind::kCoarseRates, 42, kBegin};
    EXPECT_EQ(file_name(file), "rates60-00000042-000800000000000.fhist");
    EXPECT_EQ(parse_file_name(file_name(file)), file);
    for (const char *other :
         {"", "lock", "totals.json", "rates60-00000042-000800000000000.fhist.new",
          "rates61-00000042-000800000000000.fhist", "events-0000004x-000800000000000.fhist",
          "events-00000042_000800000000000.fhist"})
        EXPECT_FALSE(parse_file_name(other)) << other;
}

TEST(HistoryFile, AHeaderIsReadBackAndEachDamageIsFound) {
    const HistoryHeader header{kHistoryVersion, HistoryKind::kFineRates, kBegin, NodeNumber{10}};
    const Bytes octets = encode_header(header);
    ASSERT_EQ(octets.size(), kHistoryHeaderBytes);
    const auto read = decode_header(octets);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->kind, header.kind);
    EXPECT_EQ(read->begin, kBegin);
    EXPECT_EQ(read->node, NodeNumber{10});
    for (std::size_t at = 0; at < octets.size(); ++at) {
        Bytes damaged = octets;
        damaged[at] ^= 0x40;
        EXPECT_EQ(decode_header(damaged).error(), HeaderError::kDamaged) << at;
        EXPECT_EQ(decode_header(ByteView(octets).first(at)).error(), HeaderError::kDamaged);
    }
}

TEST(HistoryFile, ANewerVersionIsNotTakenForDamage) {
    Bytes octets = encode_header({kHistoryVersion + 1, HistoryKind::kEvents, kBegin, {}});
    octets.resize(20);
    octets[17] = 0xff;  // what a newer version may do
    EXPECT_EQ(decode_header(octets).error(), HeaderError::kNewer);
}

TEST(HistoryFile, BlocksAreReadBack) {
    const Scan result = scan(three_blocks());
    EXPECT_EQ(result.payloads, (std::vector<std::string>{"one", "two", "three"}));
    EXPECT_EQ(result.damages, 0U);
    EXPECT_EQ(scan({}).damages, 0U);
}

TEST(HistoryFile, ADamagedBlockIsSkippedAndCountedOnce) {
    const Bytes content = three_blocks();
    const std::size_t second = kBlockHeadBytes + 3;
    for (std::size_t at = second; at < second + kBlockHeadBytes + 3; ++at) {
        Bytes damaged = content;
        damaged[at] ^= 0x01;
        const Scan result = scan(damaged);
        EXPECT_EQ(result.payloads, (std::vector<std::string>{"one", "three"})) << at;
        EXPECT_EQ(result.damages, 1U) << at;
    }
}

TEST(HistoryFile, ACutBlockLosesOnlyItselfAlsoWhenOthersFollow) {
    const Bytes content = three_blocks();
    const std::size_t second = kBlockHeadBytes + 3;
    for (std::size_t cut = second + 1; cut < 2 * second; ++cut) {
        Bytes octets(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(cut));
        EXPECT_EQ(scan(octets).payloads, std::vector<std::string>{"one"});
        EXPECT_EQ(scan(octets).damages, 1U);
        append_block(octets, {BlockType::kEvents, kBegin, kBegin + 5, as_bytes("later")});
        EXPECT_EQ(scan(octets).payloads, (std::vector<std::string>{"one", "later"})) << cut;
    }
}

}  // namespace
}  // namespace farlink::telemetry::history_file_test
