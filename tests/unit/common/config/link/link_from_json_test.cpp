// SPDX-License-Identifier: Apache-2.0
#include "common/config/link/link_from_json.hpp"

#include <gtest/gtest.h>

namespace farlink::config::link_from_json_test {
namespace {

const LinkContext kContext{NodeNumber{10}, 1ULL << 30, "folder"};

TEST(LinkFromJson, EverySettingOfAnInductArrives) {
    const auto induct = induct_from_json(
        R"({"url": "tcpclv4://[::]:4556", "tls": "none", "nodeId": "dtn://gate/", "strict": true,
            "keepAliveIntervalSeconds": 1, "idleTimeoutSeconds": 2, "handshakeTimeoutSeconds": 3,
            "maxBundleSizeBytes": 4000, "segmentMruBytes": 5000, "maxSegmentBytes": 6000,
            "maxUnsettledBytes": 7000, "maxSumOfBundleBytesInPipeline": 8,
            "maxNumberOfBundlesInPipeline": 9, "rateLimitBitsPerSec": 10, "socketBufferBytes": 11,
            "maxSessions": 12, "maxHandshakes": 13, "acknowledge": "onReceipt",
            "neighbours": [{"nodeId": 14, "address": "10.0.0.0/8"}, {"address": "::1"}]})",
        kContext);
    ASSERT_TRUE(induct) << induct.error().to_string();
    EXPECT_EQ(induct->id, kNoLink);
    EXPECT_EQ(induct->url.scheme, "tcpclv4");
    EXPECT_EQ(induct->tls.mode, TlsMode::kNone);
    EXPECT_EQ(induct->node_id, "dtn://gate/");
    EXPECT_TRUE(induct->strict);
    EXPECT_EQ(induct->keep_alive_interval_s, 1U);
    EXPECT_EQ(induct->idle_timeout_s, 2U);
    EXPECT_EQ(induct->handshake_timeout_s, 3U);
    EXPECT_EQ(induct->max_bundle_size_bytes, 4000U);
    EXPECT_EQ(induct->segment_mru_bytes, 5000U);
    EXPECT_EQ(induct->max_segment_bytes, 6000U);
    EXPECT_EQ(induct->max_unacknowledged_bytes, 7000U);
    EXPECT_EQ(induct->max_in_flight_bytes, 8U);
    EXPECT_EQ(induct->max_in_flight_bundles, 9U);
    EXPECT_EQ(induct->rate_limit, BitRate{10});
    EXPECT_EQ(induct->socket_buffer_bytes, 11U);
    EXPECT_EQ(induct->max_sessions, 12U);
    EXPECT_EQ(induct->max_handshakes, 13U);
    EXPECT_TRUE(induct->acknowledge_on_receipt);
    ASSERT_EQ(induct->neighbours.size(), 2U);
    EXPECT_EQ(induct->neighbours[0].node, NodeNumber{14});
    EXPECT_EQ(induct->neighbours[0].address, "10.0.0.0/8");
    EXPECT_EQ(induct->neighbours[1].node, NodeNumber{}) << "any node";
}

TEST(LinkFromJson, EverySettingOfAnOutductArrives) {
    const auto outduct = outduct_from_json(
        R"({"url": "udp://relay:4556", "nextHopNodeId": 2, "bindAddress": "10.0.0.1",
            "keepAliveIntervalSeconds": 3, "maxDatagramBytes": 1400,
            "reconnectMinMilliseconds": 4, "reconnectMaxMilliseconds": 5,
            "maxSumOfBundleBytesInPipeline": 6, "maxNumberOfBundlesInPipeline": 7,
            "rateLimitBitsPerSec": 8, "socketBufferBytes": 9, "fragment": false,
            "fragmentBundlesLargerThanBytes": 10, "fragmentToContact": true})",
        kContext);
    ASSERT_TRUE(outduct) << outduct.error().to_string();
    EXPECT_FALSE(outduct->fragment);
    EXPECT_EQ(outduct->fragment_above_bytes, 10U);
    EXPECT_TRUE(outduct->fragment_to_contact);
    EXPECT_EQ(outduct->url.host, "relay");
    EXPECT_EQ(outduct->next_hop, NodeNumber{2});
    EXPECT_EQ(outduct->bind_address, "10.0.0.1");
    EXPECT_EQ(outduct->keep_alive_interval_s, 3U);
    EXPECT_EQ(outduct->max_datagram_bytes, 1400U);
    EXPECT_EQ(outduct->reconnect_min, milliseconds(4));
    EXPECT_EQ(outduct->reconnect_max, milliseconds(5));
    EXPECT_EQ(outduct->max_in_flight_bytes, 6U);
    EXPECT_EQ(outduct->max_in_flight_bundles, 7U);
    EXPECT_EQ(outduct->rate_limit, BitRate{8});
    EXPECT_EQ(outduct->socket_buffer_bytes, 9U);
}

TEST(LinkFromJson, DefaultsComeFromTheTableAndFromTheNode) {
    const auto induct = induct_from_json(R"({"url": "tcpclv4://[::]:0"})", kContext);
    ASSERT_TRUE(induct) << induct.error().to_string();
    EXPECT_EQ(induct->node_id, "ipn:10.0");
    EXPECT_EQ(induct->max_bundle_size_bytes, 256U << 20);
    EXPECT_EQ(induct->keep_alive_interval_s, 15U);
    EXPECT_EQ(induct->idle_timeout_s, 0U);
    EXPECT_EQ(induct->stranger_idle_timeout_s, 60U);
    EXPECT_EQ(induct->max_handshakes, 256U);
    EXPECT_EQ(induct->on_no_resources, NoResources::kRefuse);
    EXPECT_FALSE(induct->acknowledge_on_receipt);
    EXPECT_FALSE(induct->strict);
    const auto outduct =
        outduct_from_json(R"({"url": "tcpclv3://h:1", "nextHopNodeId": 4294967297})", kContext);
    ASSERT_TRUE(outduct) << outduct.error().to_string();
    EXPECT_EQ(outduct->peer_node_id, "ipn:1.1.0");
    EXPECT_EQ(outduct->handshake_timeout_s, 10U);
}

TEST(LinkFromJson, WhatALayerDoesNotUseHasNoDefault) {
    const auto stcp = induct_from_json(R"({"url": "stcp://[::]:0"})", kContext);
    ASSERT_TRUE(stcp);
    EXPECT_EQ(stcp->keep_alive_interval_s, 0U);
    EXPECT_EQ(stcp->max_handshakes, 0U);
    const auto udp = outduct_from_json(R"({"url": "udp://h:1", "nextHopNodeId": 2})", kContext);
    ASSERT_TRUE(udp);
    EXPECT_EQ(udp->keep_alive_interval_s, 0U) << "few UDP peers support keepalives";
    const auto mtcp = outduct_from_json(R"({"url": "mtcp://h:1", "nextHopNodeId": 2})", kContext);
    ASSERT_TRUE(mtcp);
    EXPECT_EQ(mtcp->keep_alive_interval_s, 15U);
}

TEST(LinkFromJson, ErrorsHaveTheirPlace) {
    const auto induct = induct_from_json(
        R"({"url": "tcpclv4://[::]:0", "neighbours": [{}, {"address": "10.0.0.0/40", "nodeId": 10},
            {"address": "::1", "node": 3}], "strict": 1})",
        kContext);
    ASSERT_FALSE(induct);
    EXPECT_EQ(induct.error().to_string(),
              "neighbours[0].address: missing; expected a text that is not "
              "empty\nneighbours[2].node: unknown key; did you mean \"nodeId\"?\nstrict: found 1; "
              "expected true or false\nneighbours[1].address: found \"10.0.0.0/40\"; expected an "
              "IP address, or a prefix such as \"10.1.0.0/16\"\nneighbours[1].nodeId: found 10, "
              "which is this node; expected another node\n");
    const auto outduct = outduct_from_json("{", kContext);
    ASSERT_FALSE(outduct);
    EXPECT_EQ(outduct.error().errors.size(), 1U);
    const auto list = outduct_from_json("[]", kContext);
    ASSERT_FALSE(list);
    EXPECT_EQ(list.error().to_string(), "found a list; expected an object\n");
}

// A link that comes while the node runs may come from elsewhere.
TEST(LinkFromJson, WithoutAFolderFileNamesAreAbsolute) {
    constexpr std::string_view kRelative =
        R"({"url": "tcpclv4://[::]:0", "tls": "required", "ca": "certs/ca.pem",
            "crl": "certs/crl.pem", "cert": "/nowhere/node.pem", "key": "node.key"})";
    const auto induct = induct_from_json(kRelative, {NodeNumber{10}, 1ULL << 30, ""});
    ASSERT_FALSE(induct);
    EXPECT_EQ(induct.error().to_string(),
              "ca: found \"certs/ca.pem\", which is relative; expected an absolute file name; a "
              "running node has no folder to start from\n"
              "crl: found \"certs/crl.pem\", which is relative; expected an absolute file name; a "
              "running node has no folder to start from\n"
              "key: found \"node.key\", which is relative; expected an absolute file name; a "
              "running node has no folder to start from\n");
    const auto outduct = outduct_from_json(
        R"({"url": "tcpclv4://h:1", "nextHopNodeId": 2, "tls": "required", "ca": "/nowhere/ca"})",
        {NodeNumber{10}, 1ULL << 30, ""});
    ASSERT_FALSE(outduct);
    EXPECT_EQ(outduct.error().to_string(),
              "ca: found \"/nowhere/ca\", which does not exist; expected a PEM file\n");
}

TEST(LinkFromJson, TheResponseWithoutRoomIsAChoice) {
    const auto published = [](const std::string &word) {
        return induct_from_json(
            R"({"url": "tcpclv4://[::]:0", "onNoResources": ")" + word + R"("})", kContext);
    };
    EXPECT_EQ(published("refuse")->on_no_resources, NoResources::kRefuse);
    EXPECT_EQ(published("pause")->on_no_resources, NoResources::kPause);
    EXPECT_EQ(published("disconnect")->on_no_resources, NoResources::kDisconnect);
    EXPECT_FALSE(published("drop"));
}

}  // namespace
}  // namespace farlink::config::link_from_json_test
