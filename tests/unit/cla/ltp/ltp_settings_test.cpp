// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/ltp_settings.hpp"

#include <gtest/gtest.h>

#include "cla/io/resources.hpp"

namespace farlink::cla::ltp::ltp_settings_test {
namespace {

TEST(LtpSettings, APeerIsConfiguredAsItsLink) {
    config::OutductConfig link;
    link.ltp.owlt = seconds(3);
    link.ltp.margin = milliseconds(70);
    link.ltp.data_segment_mtu = 1111;
    link.ltp.report_segment_mtu = 999;
    link.ltp.max_retries = 9;
    link.ltp.checkpoint_every = 4;
    link.ltp.report_delay = milliseconds(5);
    link.ltp.repair_delay = milliseconds(6);
    link.ltp.max_send_sessions = 7;
    link.ltp.max_receive_sessions = 8;
    link.ltp.ping_interval = seconds(11);
    link.rate_limit = BitRate{12};
    link.max_in_flight_bytes = 13;
    link.max_unacknowledged_bytes = 14;
    link.max_bundle_size_bytes = 15;
    const PeerConfig peer = peer_config(link, EngineId{20});
    EXPECT_EQ(peer.engine, EngineId{20});
    EXPECT_EQ(peer.timing.owlt, seconds(3));
    EXPECT_EQ(peer.timing.margin, milliseconds(70));
    EXPECT_EQ(peer.data_mtu, 1111U);
    EXPECT_EQ(peer.report_mtu, 999U);
    EXPECT_EQ(peer.retries, 9U);
    EXPECT_EQ(peer.checkpoint_every, 4U);
    EXPECT_EQ(peer.report_delay, milliseconds(5));
    EXPECT_EQ(peer.repair_delay, milliseconds(6));
    EXPECT_EQ(peer.max_send_sessions, 7U);
    EXPECT_EQ(peer.max_receive_sessions, 8U);
    EXPECT_EQ(peer.ping_interval, seconds(11));
    EXPECT_EQ(peer.rate, BitRate{12});
    EXPECT_EQ(peer.max_send_bytes, 13U);
    EXPECT_EQ(peer.max_receive_bytes, 15U) << "one bundle of the largest size fits";
    EXPECT_EQ(peer.max_block_bytes, 15U);
    EXPECT_EQ(peer.spool_above, ~std::uint64_t{0});
}

TEST(LtpSettings, BlocksThatPassInPartsMayBeLarger) {
    config::OutductConfig link;
    link.max_bundle_size_bytes = 15;
    SlabPool slabs(1024, 1024);
    ReadBuffer buffer(slabs);
    buffer.set_spool_above(14);
    PeerConfig peer = peer_config(link, EngineId{20});
    set_spooling(peer, link, buffer);
    EXPECT_EQ(peer.spool_above, 14U);
    EXPECT_EQ(peer.max_block_bytes, 15U);
    EXPECT_EQ(peer.max_spooled_bytes, kSpooledBundleBytes);
    link.given_keys = {"maxBundleSizeBytes"};
    set_spooling(peer, link, buffer);
    EXPECT_EQ(peer.max_spooled_bytes, 15U);
}

}  // namespace
}  // namespace farlink::cla::ltp::ltp_settings_test
