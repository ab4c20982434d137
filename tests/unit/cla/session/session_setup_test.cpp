// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_setup.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::session_setup_test {
namespace {

TEST(SessionSetup, WhatIsNotConfiguredHasADefault) {
    const SessionConfig session = session_config(config::LinkOptions{}, SessionRole::kActive);
    EXPECT_EQ(session.role, SessionRole::kActive);
    EXPECT_EQ(session.tls, TlsPolicy::kNone);
    EXPECT_EQ(session.keep_alive, Duration::zero());
    EXPECT_EQ(session.segment_mru, 16U << 20);
    EXPECT_EQ(session.transfer_mru, 32U << 20);
    EXPECT_EQ(session.max_segment, 256U << 10);
    EXPECT_EQ(session.max_unacknowledged, 64U << 20);
    EXPECT_EQ(session.max_unsent, 512U << 10);
    EXPECT_GT(session.max_transfers, 0U);
    EXPECT_EQ(session.handshake_limit, seconds(10));
    EXPECT_EQ(session.termination_limit, seconds(5));
    EXPECT_GT(session.acknowledge_limit, Duration::zero());
    EXPECT_FALSE(session.strict);
}

TEST(SessionSetup, WhatIsConfiguredHolds) {
    config::LinkOptions options;
    options.node_id = "dtn://relay/";
    options.tls.mode = config::TlsMode::kOptional;
    options.strict = true;
    options.max_bundle_size_bytes = 1;
    options.keep_alive_interval_s = 2;
    options.handshake_timeout_s = 3;
    options.segment_mru_bytes = 4;
    options.max_segment_bytes = 5;
    options.max_unacknowledged_bytes = 6;
    options.max_in_flight_bundles = 7;
    const SessionConfig session = session_config(options, SessionRole::kPassive);
    EXPECT_EQ(session.role, SessionRole::kPassive);
    EXPECT_EQ(session.node_id, "dtn://relay/");
    EXPECT_EQ(session.tls, TlsPolicy::kOptional);
    EXPECT_TRUE(session.strict);
    EXPECT_EQ(session.transfer_mru, 1U);
    EXPECT_EQ(session.keep_alive, seconds(2));
    EXPECT_EQ(session.handshake_limit, seconds(3));
    EXPECT_EQ(session.segment_mru, 4U);
    EXPECT_EQ(session.max_segment, 5U);
    EXPECT_EQ(session.max_unacknowledged, 6U);
    EXPECT_EQ(session.max_transfers, 7U);
}

// A session whose bundles are kept while there is no room holds its limit at any time.
TEST(SessionSetup, TheReactionToALackOfRoomIsThatOfTheInduct) {
    using config::NoResources;
    for (const NoResources reaction :
         {NoResources::kRefuse, NoResources::kPause, NoResources::kDisconnect}) {
        config::InductConfig induct;
        induct.on_no_resources = reaction;
        const auto setup = make_session_setup(induct, {});
        ASSERT_TRUE(setup) << setup.error();
        EXPECT_EQ(setup->config.always_limited, reaction == NoResources::kPause);
        EXPECT_EQ(setup->config.disconnect_without_room, reaction == NoResources::kDisconnect);
    }
}

}  // namespace
}  // namespace farlink::cla::session_setup_test
