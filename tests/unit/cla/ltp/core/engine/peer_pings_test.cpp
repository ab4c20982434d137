// SPDX-License-Identifier: Apache-2.0
// Pings: peers that do not answer, and peers that answer again.
#include "tests/unit/cla/ltp/core/engine_fixture.hpp"

namespace farlink::cla::ltp::peer_pings_test {
namespace {

TEST_F(LtpEngineTest, APeerThatDoesNotAnswerPingsIsSilent) {
    config.ping_interval = seconds(10);
    config.retries = 2;
    feed("0c0a010000");
    EXPECT_EQ(poll().size(), 1U);
    const auto later = [this] {
        now = engine().next_timeout();
        engine().handle_timeout(now);
        side().drain(now);
        return poll();
    };
    const Bytes ping = later().at(0);
    EXPECT_EQ(ping[0], 0x0c);
    Bytes pong(ping.begin(), ping.end() - 1);
    pong[0] = 0x0d;
    feed(pong);
    EXPECT_TRUE(side().events.empty());
    for (int i = 0; i < 4; ++i) EXPECT_EQ(later().size(), 1U);
    ASSERT_EQ(side().events.size(), 1U);
    EXPECT_EQ(side().events[0].type, EventType::kPeerSilent);
    feed("0c0a010000");
    EXPECT_EQ(side().events.back().type, EventType::kPeerResponds);
}

TEST_F(LtpEngineTest, APeerThatIsPresumedSilentIsPingedAtOnce) {
    config.ping_interval = seconds(10);
    config.presumed_silent = true;
    side();
    EXPECT_LE(engine().next_timeout(), now);
    engine().handle_timeout(now);
    EXPECT_EQ(poll().size(), 1U);
    now += seconds(5);
    EXPECT_EQ(engine().silence(side().peer, now), seconds(5));
    feed("0c0a010000");
    ASSERT_EQ(side().events.size(), 1U);
    EXPECT_EQ(side().events[0].type, EventType::kPeerResponds);
    EXPECT_EQ(engine().silence(side().peer, now), Duration::zero());
}

}  // namespace
}  // namespace farlink::cla::ltp::peer_pings_test
