// SPDX-License-Identifier: Apache-2.0
// linkemu between real programs: datagrams, TCP connections, and IP packets through tun devices.
#include <gtest/gtest.h>
#include <poll.h>

#include <chrono>

#include "common/base/time.hpp"
#include "tests/support/emulated_network.hpp"
#include "tests/support/udp_peer.hpp"

namespace farlink::test::linkemu_test {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

Bytes octets_of(std::string_view text) {
    const ByteView view = as_bytes(text);
    return {view.begin(), view.end()};
}

/// The port of a program to which linkemu relays.
std::string loopback(std::uint16_t port) {
    return "127.0.0.1:" + std::to_string(port);
}

Bytes wait_for_datagram(const UdpPeer &peer) {
    pollfd polled{peer.fd(), POLLIN, 0};
    if (::poll(&polled, 1, 20'000) != 1) {
        ADD_FAILURE() << "nothing came";
        return {};
    }
    return peer.receive().value_or(Bytes{});
}

TEST(LinkemuTest, DatagramsArriveLaterInBothDirections) {
    const UdpPeer near;
    const UdpPeer far;
    LinkemuProgram link({"udp", "--listen", loopback(0), "--to", loopback(far.port()), "--delay",
                         "80ms", "--back-delay", "40ms"});
    const auto begun = Clock::now();
    near.send_to(link.port(), octets_of("there"));
    EXPECT_EQ(wait_for_datagram(far), octets_of("there"));
    EXPECT_GE(Clock::now() - begun, milliseconds(80));
    far.send_to(link.port(1), octets_of("and back"));
    EXPECT_EQ(wait_for_datagram(near), octets_of("and back"));
    EXPECT_GE(Clock::now() - begun, milliseconds(120));
    const Json summary = link.summary();
    EXPECT_EQ(summary["forth"]["carriedBytes"], 5);
    EXPECT_EQ(summary["back"]["carriedBytes"], 8);
}

TEST(LinkemuTest, CountsLostDatagrams) {
    SinkProgram sink("udp://127.0.0.1:0", {});
    LinkemuProgram link({"udp", "--listen", loopback(0), "--to", loopback(sink.port()), "--loss",
                         "0.1", "--seed", "5"});
    // A low rate, so that only linkemu loses datagrams.
    GeneratorProgram generator(
        loopback_url("udp", link.port()),
        {"--bundles", "1000", "--bundle-size", "500", "--bundle-rate", "5000"});
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    sink.signal(SIGTERM);
    const Json report = sink.report();
    const Json summary = link.summary();
    EXPECT_EQ(summary["forth"]["taken"], 1000) << summary;
    const auto lost = summary["forth"]["lost"].get<int>();
    EXPECT_GT(lost, 50);
    EXPECT_LT(lost, 150);
}

TEST(LinkemuTest, ATcpConnectionArrivesWholeAndLater) {
    SinkProgram sink("tcpclv4://127.0.0.1:0", {"--bundles", "200"});
    LinkemuProgram link(
        {"tcp", "--listen", loopback(0), "--to", loopback(sink.port()), "--delay", "50ms"});
    const auto begun = Clock::now();
    GeneratorProgram generator(loopback_url("tcpclv4", link.port()),
                               {"--bundles", "200", "--bundle-size", "20000"});
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    EXPECT_EQ(sink.wait(), 0) << sink.unread(ChildProcess::kErr);
    // Contact headers, session initiation, the transfers: three round trips at least.
    EXPECT_GE(Clock::now() - begun, milliseconds(300));
    const Json summary = link.summary();
    EXPECT_EQ(summary["connections"], 1);
    EXPECT_GT(summary["forth"]["carriedBytes"].get<int>(), 200 * 20'000);
    EXPECT_GT(summary["back"]["carriedBytes"].get<int>(), 200);
}

TEST(LinkemuTest, ATcpConnectionSurvivesLossBetweenTwoNetworks) {
    EmulatedNetwork network;
    if (const std::string missing = network.missing(); !missing.empty()) GTEST_SKIP() << missing;
    network.connect({"--delay", "5ms", "--loss", "0.05"});
    ChildProcess sink(network.far.inside({program("bpsink"), "--eid", "ipn:2.1", "--listen",
                                          "tcpclv4://10.9.0.2:4556", "--json", "--bundles", "50"}));
    ASSERT_TRUE(sink.line(ChildProcess::kErr).starts_with("listening on"));
    ChildProcess generator(network.near.inside(
        {program("bpgen"), "--from", "ipn:1.1", "--to", "ipn:2.1", "--via",
         "tcpclv4://10.9.0.2:4556", "--json", "--bundles", "50", "--bundle-size", "20000"}));
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    EXPECT_EQ(sink.wait(), 0) << sink.unread(ChildProcess::kErr);
    const Json summary = network.link->summary();
    EXPECT_GT(summary["forth"]["lost"].get<int>(), 5) << summary;
    EXPECT_GT(summary["forth"]["carriedBytes"].get<int>(), 50 * 20'000);
}

TEST(LinkemuTest, NamesEveryErrorInItsArguments) {
    ChildProcess usage({program("linkemu"), "udp", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:1",
                        "--delay", "soon"});
    EXPECT_EQ(usage.wait(), 2);
    EXPECT_NE(usage.unread(ChildProcess::kErr).find("250ms"), std::string::npos);
    ChildProcess address(
        {program("linkemu"), "udp", "--listen", "127.0.0.1", "--to", "127.0.0.1:1"});
    EXPECT_EQ(address.wait(), 1);
    EXPECT_NE(address.unread(ChildProcess::kErr).find("host:port"), std::string::npos);
}

}  // namespace
}  // namespace farlink::test::linkemu_test
