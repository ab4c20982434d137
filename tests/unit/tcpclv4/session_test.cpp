// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpclv4/core/session.hpp"

#include <gtest/gtest.h>

#include "tests/unit/tcpclv4/fixture.hpp"

namespace farlink::cla::tcpclv4 {
namespace {

using test::CoreHost;
using test::CorePair;
using test::octets_of;
using test::to_hex;
using Kind = SessionEvent::Kind;

CorePair pair_of(SessionConfig active = config_of(SessionRole::kActive),
                 SessionConfig passive = config_of(SessionRole::kPassive), std::uint64_t seed = 1,
                 test::PipeWeather weather = {}) {
    return {session_of(active), session_of(passive), seed, weather};
}

TEST(Tcpclv4Session, OpensMovesBundlesBothWaysAndCloses) {
    CorePair pair = pair_of();
    pair.a.settle_at_once = pair.b.settle_at_once = true;
    pair.connect();
    pair.run();
    ASSERT_TRUE(pair.a.established && pair.b.established);
    EXPECT_EQ(pair.a.core->peer_node_id(), "ipn:2.0");
    EXPECT_EQ(pair.b.core->peer_node_id(), "ipn:1.0");
    EXPECT_EQ(pair.a.core->max_bundle_bytes(), 16U * 1024 * 1024);

    std::vector<Bytes> bundles;
    for (const std::size_t size : {1U, 100U, 2048U, 2049U, 65536U, 65537U, 300000U, 7U})
        bundles.push_back(octets_of(size, bundles.size()));
    pair.a.send_all(bundles, pair.now, 3);
    pair.b.send_all(bundles, pair.now);
    pair.run();
    EXPECT_EQ(pair.b.received, bundles);
    EXPECT_EQ(pair.a.received, bundles);
    EXPECT_EQ(pair.a.transmitted, bundles.size());
    EXPECT_EQ(pair.b.transmitted, bundles.size());

    pair.a.terminate(pair.now);
    pair.run();
    EXPECT_TRUE(pair.a.ended && pair.b.ended);
    EXPECT_EQ(pair.a.fault, LinkFault::kNone);
    EXPECT_EQ(pair.b.fault, LinkFault::kPeerTerminated);
    EXPECT_EQ(pair.a.count(Kind::kDeparture) + pair.b.count(Kind::kDeparture), 0U);
    EXPECT_EQ(pair.a.pool.pinned_bytes() + pair.b.pool.pinned_bytes(), 0U);
}

}  // namespace
}  // namespace farlink::cla::tcpclv4
