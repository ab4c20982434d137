// SPDX-License-Identifier: Apache-2.0
// Bundles that LtpReceiver hands to the host, and the answers of the host.
#include "tests/unit/cla/ltp/ltp_link_fixture.hpp"

namespace farlink::cla::ltp::ltp_receiver_test {
namespace {

TEST_F(LtpLinkTest, NothingIsReportedBeforeItIsSafe) {
    acknowledge.reset();
    listen();
    connect(towards(induct->port()));
    send(1000);
    ASSERT_TRUE(bench.run_until([&] { return arrived() == 1; }));
    bench.run_idle();
    EXPECT_EQ(host.transmitted, 0U);
    induct->acknowledge(receiving.bundles.begin()->first, 0, 1, TransferDisposition::kSafe);
    induct->flush_acknowledgements();
    EXPECT_TRUE(bench.run_until([&] { return host.transmitted == 8; }));
    EXPECT_TRUE(host.refused.empty());
}

TEST_F(LtpLinkTest, ABundleWithoutRoomIsRefused) {
    acknowledge = TransferDisposition::kNoResources;
    listen();
    connect(towards(induct->port()));
    send(1000);
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 8; }));
    EXPECT_EQ(host.refused, (std::map<std::uint64_t, Refusal>{{7, Refusal::kNoResources}}));
}

TEST_F(LtpLinkTest, TheHostHearsOfABlockBeyondTheLimit) {
    acknowledge.reset();
    max_unacknowledged = 100'000;
    listen();
    connect(towards(induct->port()));
    send(60'000);
    ASSERT_TRUE(bench.run_until([&] { return arrived() == 1; }));
    EXPECT_EQ(receiving.refused_arrivals, 0U);
    send(60'000);
    EXPECT_TRUE(bench.run_until([&] { return receiving.refused_arrivals == 1; }));
    EXPECT_EQ(arrived(), 1U);
}

/// Blocks of three bundles, of which the host takes the first `room`.
struct LtpReceiverBlocksTest : LtpLinkTest {
    void begin() {
        acknowledge.reset();
        listen();
        receiving.when_bundles = [this](UpstreamId from) {
            for (; answered < arrived(); ++answered) {
                const bool takes = room > 0;
                if (takes) --room;
                induct->acknowledge(
                    from, answered, 1,
                    takes ? TransferDisposition::kSafe : TransferDisposition::kNoResources);
            }
            // As a host does; blocks that have come meanwhile wait until this call is over.
            induct->flush_acknowledgements();
        };
        config::OutductConfig config = towards(induct->port());
        config.ltp.aggregation_bytes = 600;
        config.ltp.aggregation_time = seconds(10);
        config.ltp.client_service_id = kAggregationService;
        connect(config);
    }
    /// Bundles 7 to 9: arrays with one byte string, which have the extent of a bundle.
    void send_block() {
        std::vector<TxBundle> bundles;
        for (int i = 0; i < 3; ++i) {
            Bytes octets(204, static_cast<std::uint8_t>(next_token));
            octets[0] = 0x9f;
            octets[1] = 0x58;
            octets[2] = 200;
            octets[203] = 0xff;
            sent.push_back(std::make_unique<Bytes>(std::move(octets)));
            TxBundle tx;
            tx.body = ByteView(*sent.back());
            tx.size = sent.back()->size();
            tx.token = next_token++;
            bundles.push_back(tx);
        }
        outduct->transmit(bundles);
        outduct->flush();
    }
    [[nodiscard]] const Bytes &arrival(std::size_t index) const {
        return receiving.bundles.begin()->second.at(index);
    }
    std::size_t room = 0;
    std::size_t answered = 0;
};

TEST_F(LtpReceiverBlocksTest, ABlockIsNotCancelledOnceOneOfItsBundlesWasTaken) {
    room = 1;
    begin();
    send_block();
    ASSERT_TRUE(bench.run_until([&] { return arrived() >= 7; })) << "they are offered again";
    EXPECT_EQ(host.transmitted, 0U);
    EXPECT_TRUE(host.refused.empty());
    room = 2;
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 10; }));
    EXPECT_TRUE(host.refused.empty());
    // The first one was taken, and did not come again.
    for (std::size_t index = 0; index < arrived(); ++index)
        EXPECT_EQ(arrival(index), *sent[index < 3 ? index : 1 + (index - 3) % 2]) << index;
}

TEST_F(LtpReceiverBlocksTest, ABlockWithoutRoomIsCancelled) {
    begin();
    send_block();
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == 10; }));
    EXPECT_EQ(host.refused.size(), 3U);
    EXPECT_EQ(arrived(), 3U);
}

TEST_F(LtpReceiverBlocksTest, AWaitingBlockCountsTowardsTheLimit) {
    max_unacknowledged = 1000;
    room = 1;
    begin();
    send_block();
    ASSERT_TRUE(bench.run_until([&] { return arrived() == 3; }));
    send_block();
    EXPECT_TRUE(bench.run_until([&] { return receiving.refused_arrivals == 1; }));
    ASSERT_TRUE(bench.run_until([&] { return host.refused.size() == 3; }));
    EXPECT_TRUE(host.refused.contains(10)) << "the second block";
    room = 2;
    EXPECT_TRUE(bench.run_until([&] { return host.transmitted == 13; }));
}

TEST_F(LtpReceiverBlocksTest, TheLinkMayGoWhileABlockWaits) {
    room = 1;
    begin();
    send_block();
    ASSERT_TRUE(bench.run_until([&] { return arrived() == 3; }));
    induct.reset();
    bench.run_idle();
    EXPECT_EQ(host.transmitted, 0U) << "nothing was claimed";
}

}  // namespace
}  // namespace farlink::cla::ltp::ltp_receiver_test
