// SPDX-License-Identifier: Apache-2.0
#include "common/config/link/link_from_url.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace farlink::config::link_from_url_test {
namespace {

std::string induct_error(std::string_view url) {
    const auto induct = induct_from_url(url);
    return induct ? "" : induct.error();
}
std::string outduct_error(std::string_view url) {
    const auto outduct = outduct_from_url(url);
    return outduct ? "" : outduct.error();
}

TEST(LinkFromUrl, DefaultsAreThoseOfTheFile) {
    const auto outduct = outduct_from_url("tcpclv4://relay:4556");
    ASSERT_TRUE(outduct) << outduct.error();
    EXPECT_EQ(outduct->url.scheme, "tcpclv4");
    EXPECT_EQ(outduct->url.host, "relay");
    EXPECT_EQ(outduct->url.port, 4556);
    EXPECT_EQ(outduct->next_hop, NodeNumber{});
    EXPECT_EQ(outduct->node_id, "");
    EXPECT_EQ(outduct->peer_node_id, "");
    EXPECT_EQ(outduct->tls.mode, TlsMode::kNone);
    EXPECT_EQ(outduct->keep_alive_interval_s, 15U);
    EXPECT_EQ(outduct->handshake_timeout_s, 10U);
    EXPECT_EQ(outduct->segment_mru_bytes, 16U << 20);
    EXPECT_EQ(outduct->max_segment_bytes, 256U << 10);
    EXPECT_EQ(outduct->max_unacknowledged_bytes, 64U << 20);
    EXPECT_EQ(outduct->max_in_flight_bytes, 8U << 20);
    EXPECT_EQ(outduct->max_in_flight_bundles, 65536U);
    EXPECT_EQ(outduct->max_bundle_size_bytes, 32U << 20);
    EXPECT_EQ(outduct->reconnect_max, seconds(10));
    const auto udp = outduct_from_url("udp://[::1]:4556");
    ASSERT_TRUE(udp) << udp.error();
    EXPECT_EQ(udp->max_datagram_bytes, 65507U);
    const auto induct = induct_from_url("udp://[::]:0");
    ASSERT_TRUE(induct) << induct.error();
    EXPECT_EQ(induct->max_bundle_size_bytes, 32U << 20);
}

TEST(LinkFromUrl, OptionsAreTheKeysOfTheFile) {
    const auto outduct = outduct_from_url(
        "tcpclv4://[::1]:1?nodeId=ipn:99.0&nextHopNodeId=7&peerNodeId=ipn%3A7.0&strict=true"
        "&maxSegmentBytes=100&rateLimitBitsPerSec=5000&bindAddress=::1&tls=optional"
        "&tlsInsecure=true");
    ASSERT_TRUE(outduct) << outduct.error();
    EXPECT_EQ(outduct->node_id, "ipn:99.0");
    EXPECT_EQ(outduct->next_hop, NodeNumber{7});
    EXPECT_EQ(outduct->peer_node_id, "ipn:7.0");
    EXPECT_TRUE(outduct->strict);
    EXPECT_EQ(outduct->max_segment_bytes, 100U);
    EXPECT_EQ(outduct->rate_limit, BitRate{5000});
    EXPECT_EQ(outduct->bind_address, "::1");
    EXPECT_EQ(outduct->tls.mode, TlsMode::kOptional);
    EXPECT_TRUE(outduct->tls.insecure);
    EXPECT_EQ(outduct->url.options.size(), 9U);
    EXPECT_EQ(outduct->url.options.at("peerNodeId"), "ipn:7.0") << "what was given can be told";
    const auto induct = induct_from_url("tcpclv3://h:0?maxSessions=3&acknowledge=onReceipt");
    ASSERT_TRUE(induct) << induct.error();
    EXPECT_EQ(induct->max_sessions, 3U);
    EXPECT_TRUE(induct->acknowledge_on_receipt);
}

TEST(LinkFromUrl, ABundleMayBeAsLargeAsAnyBundle) {
    const auto induct = induct_from_url("mtcp://h:1?maxBundleSizeBytes=4293918720");
    ASSERT_TRUE(induct) << induct.error();
    EXPECT_EQ(induct->max_bundle_size_bytes, 4293918720U);
}

TEST(LinkFromUrl, ErrorsAreThoseOfTheFile) {
    EXPECT_EQ(outduct_error("tcpclv4://h"),
              "url: found \"tcpclv4://h\", no port; expected a URL of the form "
              "\"scheme://host:port\" with scheme stcp, mtcp, tcpclv3, tcpclv4, udp or ltp");
    EXPECT_EQ(outduct_error("tcpclv4://h:0"),
              "url: found port 0; expected the port where the neighbour listens");
    EXPECT_EQ(outduct_error("stcp://h:1?tls=required"),
              "tls: not used by stcp outducts; it is for tcpclv4");
    EXPECT_EQ(outduct_error("tcpclv4://h:1?strict=yes"),
              "strict: found \"yes\"; expected true or false");
    EXPECT_EQ(outduct_error("tcpclv4://h:1?maxSegmentBytes=63"),
              "maxSegmentBytes: found 63; expected an integer from 64 to 4293918720 (bytes)");
    EXPECT_EQ(outduct_error("tcpclv4://h:1?maxSegmentBytes=99999999999999999999"),
              "maxSegmentBytes: found 99999999999999999999; expected an integer from 64 to "
              "4293918720 (bytes)");
    EXPECT_EQ(outduct_error("tcpclv4://h:1?maxSegmentBytes=1q"),
              "maxSegmentBytes: found \"1q\"; expected an integer from 64 to 4293918720 (bytes)");
    EXPECT_EQ(outduct_error("tcpclv4://h:1?maxSegmentByte=100"),
              "maxSegmentByte: unknown key; did you mean \"maxSegmentBytes\"?");
    EXPECT_EQ(induct_error("tcpclv4://h:1?neighbours=10.0.0.1"),
              "neighbours: found \"10.0.0.1\"; expected a list of objects");
    EXPECT_EQ(outduct_error("stcp://h:1?url=stcp://h:2"),
              "url: the key occurs twice in one object");
}

TEST(LinkFromUrl, EveryErrorHasALine) {
    EXPECT_EQ(outduct_error("tcpclv4://h:0?strict=1&tls=required&tlsInsecure=false"),
              "strict: found \"1\"; expected true or false\n"
              "ca: missing; expected the file of the authorities that the peer's certificate must "
              "come from; without it, \"tlsInsecure\": true accepts any peer\n"
              "url: found port 0; expected the port where the neighbour listens");
}

TEST(LinkFromUrl, AnyOctetsAreAnsweredInPrintableLines) {
    const std::string good =
        "tcpclv4://[2001:db8::7]:4556?tls=none&nodeId=ipn:99.0&maxSegmentBytes=4096&strict=true"
        "&bindAddress=%3A%3A1";
    ASSERT_EQ(outduct_error(good), "");
    std::mt19937_64 random(1717);
    for (int i = 0; i < 20'000; ++i) {
        std::string text = good;
        for (auto changes = random() % 4 + 1; changes > 0; --changes)
            text[random() % text.size()] = static_cast<char>(random());
        for (const std::string &error : {induct_error(text), outduct_error(text)})
            ASSERT_TRUE(std::ranges::all_of(error, [](char c) {
                return c == '\n' || (c >= 0x20 && c < 0x7f);
            })) << error;
    }
}

}  // namespace
}  // namespace farlink::config::link_from_url_test
