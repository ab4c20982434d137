// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/segment_writer.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/ltp_pair.hpp"

namespace farlink::cla::ltp::segment_writer_test {
namespace {

/// A keyed sum, which shows what is covered.
class SumAuthenticator final : public Authenticator {
public:
    explicit SumAuthenticator(std::uint8_t key) : key_(key) {}
    [[nodiscard]] ByteView header_value() const override { return kHeader; }
    [[nodiscard]] std::size_t value_bytes() const override { return 4; }
    void sign(std::span<const ByteView> segment, MutableBytes value) override {
        store_be(value.data(), sum(segment));
    }

private:
    static constexpr std::uint8_t kHeader[] = {192, 0x24};
    [[nodiscard]] std::uint32_t sum(std::span<const ByteView> segment) const {
        std::uint32_t sum = key_;
        for (const ByteView piece : segment)
            for (const std::uint8_t octet : piece) sum = sum * 31 + octet;
        return sum;
    }
    std::uint8_t key_;
};

Bytes written(const OutBatch &batch, std::size_t index = 0) {
    Bytes octets;
    for (const ByteView piece : batch.pieces_of(batch.segments()[index])) append(octets, piece);
    EXPECT_EQ(octets.size(), batch.segments()[index].size);
    return octets;
}

TEST(LtpSegmentWriter, AReportHasAsManyClaimsAsFit) {
    IntervalPool pool;
    IntervalList received;
    for (std::uint64_t at = 0; at < 100; ++at)
        ASSERT_TRUE(received.add(pool, at * 1000, at * 1000 + 500));
    OutBatch batch;
    SegmentWriter writer(batch, nullptr);
    ControlSegment control;
    control.type = SegmentType::kReport;
    control.originator = 1;
    control.session = 2;
    control.report = {9, 8, 99'500, 0, 0, {}};
    writer.report(control, received, pool, 128);
    const Bytes octets = written(batch);
    const auto segment = decode_segment(octets);
    ASSERT_TRUE(segment.has_value());
    EXPECT_LE(octets.size(), 128U + 4);
    EXPECT_GT(segment->report.claim_count, 20U);
    EXPECT_LT(segment->report.claim_count, 100U);
    ClaimReader claims(segment->report);
    for (std::uint64_t i = 0; i < segment->report.claim_count; ++i)
        EXPECT_EQ(claims.next(), (Interval{i * 1000, i * 1000 + 500}));
}

TEST(LtpSegmentWriter, AFullBatchHasNoRoom) {
    OutBatch batch(3, 4096);
    SegmentWriter writer(batch, nullptr);
    int count = 0;
    for (; writer.has_room(); ++count)
        writer.control({SegmentType::kReportAck, {}, 1, 2, {5, 0, 0, 0, 0, {}}});
    EXPECT_EQ(count, 3);
    EXPECT_EQ(batch.bytes(), 15U);
    EXPECT_FALSE(SegmentWriter(batch, nullptr).has_room());
    batch.clear();
    EXPECT_TRUE(writer.has_room());
    EXPECT_FALSE(writer.has_room(5000));
}

// A rate limits the octets of bundles on every link, and all octets of answers.
TEST(LtpSegmentWriter, OnlyDataOfDataSegmentsCountAgainstARate) {
    OutBatch batch;
    SegmentWriter writer(batch, nullptr);
    MemoryPool memory;
    const Bytes octets = test::numbered_block(1, 3000);
    const BlockPiece piece{octets, false};
    OutBlock block = OutBlock::make(memory, {&piece, 1});
    SegmentPlan plan;
    plan.type = SegmentType::kRed;
    plan.fields.offset = 500;
    plan.size = 1000;
    writer.data(plan, block, 1, 2);
    EXPECT_EQ(batch.rated_bytes(), 1000U);
    EXPECT_GT(batch.bytes(), 1000U);
    const std::uint64_t data_bytes = batch.bytes();
    ControlSegment control;
    control.type = SegmentType::kReportAck;
    control.report.report_serial = 7;
    writer.control(control);
    const std::uint64_t answer_bytes = batch.bytes() - data_bytes;
    EXPECT_EQ(batch.rated_bytes(), 1000 + answer_bytes);
    control.type = SegmentType::kReport;
    control.report = {9, 8, 1000, 0, 0, {}};
    writer.report(control, IntervalList(), IntervalPool(), 128);
    EXPECT_EQ(batch.rated_bytes() - 1000, batch.bytes() - data_bytes);
    batch.clear();
    EXPECT_EQ(batch.rated_bytes(), 0U);
    block.release(memory);
}

TEST(LtpSegmentWriter, SegmentsAreSignedAndForgeriesFound) {
    SumAuthenticator key(1);
    SumAuthenticator same_key(1);
    PeerConfig config;
    config.engine = EngineId{2};
    config.authenticator = &key;
    const TimePoint now(seconds(1));
    test::LtpSide a({EngineId{1}, {}, 16}, config, 1);
    config.engine = EngineId{1};
    config.authenticator = &same_key;
    test::LtpSide b({EngineId{2}, {}, 16}, config, 2);
    a.engine.contact_opened(a.peer, now);
    b.engine.contact_opened(b.peer, now);
    ASSERT_TRUE(a.send(1, test::numbered_block(1, 3000), BlockRequest::kAllRed, now));
    a.batch.clear();
    a.engine.poll_segments(a.peer, a.batch, 100'000, now);
    ASSERT_EQ(a.batch.segments().size(), 3U);
    EXPECT_EQ(a.batch.segments()[0].size, a.batch.segments()[1].size);
    for (std::size_t i = 0; i < 3; ++i) {
        const Bytes octets = written(a.batch, i);
        for (std::size_t at = 0; at < octets.size(); at += 40) {
            Bytes forged = octets;
            forged[at] ^= 1;
            b.engine.handle_datagram(b.peer, forged, now);
        }
        EXPECT_EQ(b.engine.sessions_in(), i == 0 ? 0U : 1U);
        b.engine.handle_datagram(b.peer, octets, now);
    }
    b.drain(now);
    EXPECT_EQ(b.received[1], 1);
    EXPECT_GT(b.engine.counters(b.peer).forged, 50U);
    // Segments without an authentication value are dropped.
    Bytes plain(40);
    std::uint8_t *to = encode_prefix(plain.data(), SegmentType::kCancelBySender, 1, 5);
    *to++ = 0;
    const std::uint64_t before = b.engine.counters(b.peer).unauthenticated;
    b.engine.handle_datagram(
        b.peer, ByteView(plain).first(static_cast<std::size_t>(to - plain.data())), now);
    EXPECT_EQ(b.engine.counters(b.peer).unauthenticated, before + 1);
}

}  // namespace
}  // namespace farlink::cla::ltp::segment_writer_test
