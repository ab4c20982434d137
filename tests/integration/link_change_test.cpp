// SPDX-License-Identifier: Apache-2.0
// Links that are added, changed and removed while the node runs and bundles flow: no bundle is lost
// where the convergence layer acknowledges, and no other link is affected.
#include <gtest/gtest.h>

#include "tests/support/link_traffic.hpp"
#include "tests/support/module_threads.hpp"

namespace farlink::test::link_change_test {
namespace {

using bus::LinkVerb;
using Json = nlohmann::json;

constexpr LinkId kInduct{7};
constexpr LinkId kOutduct{8};
constexpr std::size_t kPayload = 1000;
/// About 900 bundles a second: slow enough that many wait for a link.
constexpr std::uint64_t kSlow = 8'000'000;
/// The bundles that a UDP socket with the default buffer receives without loss.
constexpr const char *kGentle = "?rateLimitBitsPerSec=40000000";

class LinkChange : public testing::TestWithParam<const char *> {
protected:
    [[nodiscard]] static std::string scheme() { return GetParam(); }
    /// Whether the next hop acknowledges bundles, so that the sender loses none.
    [[nodiscard]] static bool acknowledges() {
        return scheme().starts_with("tcpclv") || scheme() == "ltp";
    }
    /// Whether the peer detects the end of the link; over UDP it does not.
    [[nodiscard]] static bool has_sessions() { return scheme() != "udp" && scheme() != "ltp"; }
    [[nodiscard]] static std::string url(std::uint16_t port, const char *options = "") {
        return scheme() + "://127.0.0.1:" + std::to_string(port) + options;
    }
    [[nodiscard]] static Json induct(std::uint16_t port = 0) { return {{"url", url(port)}}; }
    [[nodiscard]] static Json outduct(const LinkSink &sink, std::uint64_t rate = 0,
                                      std::uint64_t node = 2) {
        return {{"url", url(sink.port())},
                {"nextHopNodeId", node},
                {"rateLimitBitsPerSec", rate},
                {"reconnectMinMilliseconds", 10},
                {"reconnectMaxMilliseconds", 100}};
    }
    /// Node 10 with these links, which are numbered in this order.
    [[nodiscard]] static Json node(const std::vector<Json> &inducts,
                                   const std::vector<Json> &outducts) {
        return {{"myNodeId", 10}, {"inductsConfig", inducts}, {"outductsConfig", outducts}};
    }
    [[nodiscard]] bool until(const std::function<bool()> &done) { return bench.run_until(done); }
    [[nodiscard]] bool arrived(std::size_t count) {
        return until([&] { return arrivals.different >= count; });
    }
    /// Every bundle of the source, at least once, and no others.
    void expect_all() {
        EXPECT_TRUE(arrived(source.made()))
            << arrivals.different << " of " << source.made() << ", " << source.handed_over();
        EXPECT_EQ(arrivals.different, source.made());
        EXPECT_EQ(arrivals.foreign, 0U);
    }
    /// Without acknowledgements bundles in flight are lost; but bundles flow again.
    void expect_all_or_more_than(std::size_t count) {
        if (acknowledges()) return expect_all();
        EXPECT_TRUE(arrived(count)) << arrivals.different;
        EXPECT_EQ(arrivals.foreign, 0U);
    }

    /// TCPCLv3 sends SHUTDOWN behind its last acknowledgement and refuses bundles before it. A
    /// source disconnects by itself after sixteen refusals in a row.
    static void expect_farewell(cla::LinkFault fault) {
        if (scheme() == "tcpclv3" && fault == cla::LinkFault::kPeerRefusesBundles) return;
        EXPECT_EQ(fault, cla::LinkFault::kPeerTerminated);
    }

    LinkBench bench;
    Arrivals arrivals;
    LinkSink sink{bench, GetParam(), 2, arrivals};
    LinkSource source{bench, 2, kPayload};
};

INSTANTIATE_TEST_SUITE_P(Layers, LinkChange,
                         testing::Values("tcpclv4", "tcpclv3", "stcp", "mtcp", "udp", "ltp"));

// ---- inducts

TEST_P(LinkChange, AnInductIsAddedAndReceivesBundles) {
    ModuleThreads modules(bench, node({}, {outduct(sink)}));
    ASSERT_EQ(modules.change(LinkVerb::kAdd, false, kInduct, induct()), "");
    ASSERT_NE(modules.changed_port(), 0);
    source.go_to(url(modules.changed_port(), kGentle));
    source.send(300);
    expect_all();
}

TEST_P(LinkChange, AnInductMovesToAnotherPortWhileBundlesFlow) {
    ModuleThreads modules(bench, node({induct()}, {outduct(sink)}));
    source.go_to(url(modules.port(0), kGentle));
    source.send(2000);
    ASSERT_TRUE(arrived(200));
    ASSERT_EQ(modules.change(LinkVerb::kChange, false, LinkId{0}, induct()), "");
    EXPECT_NE(modules.changed_port(), modules.port(0));
    if (has_sessions()) {
        ASSERT_TRUE(until([&] { return !source.connected(); })) << "the session ends";
    }
    source.go_to(url(modules.changed_port(), kGentle));
    source.send(1000);
    expect_all_or_more_than(arrivals.different + 500);
}

TEST_P(LinkChange, AnInductChangesAndKeepsItsPort) {
    ModuleThreads modules(bench, node({induct()}, {outduct(sink)}));
    source.go_to(url(modules.port(0), kGentle));
    source.send(1000);
    ASSERT_TRUE(arrived(200));
    Json config = induct(modules.port(0));
    config["maxBundleSizeBytes"] = 100'000;
    ASSERT_EQ(modules.change(LinkVerb::kChange, false, LinkId{0}, config), "");
    EXPECT_EQ(modules.changed_port(), modules.port(0));
    source.send(1000);
    expect_all_or_more_than(arrivals.different + 500);
}

TEST_P(LinkChange, AnInductIsRemovedWhileBundlesFlowAndComesBack) {
    ModuleThreads modules(bench, node({induct()}, {outduct(sink)}));
    source.go_to(url(modules.port(0), kGentle));
    source.send(2000);
    ASSERT_TRUE(arrived(200));
    ASSERT_EQ(modules.change(LinkVerb::kRemove, false, LinkId{0}), "");
    EXPECT_EQ(modules.changed_port(), 0);
    if (has_sessions()) {
        ASSERT_TRUE(until([&] { return !source.connected(); })) << "the session ends";
    }
    if (acknowledges() && has_sessions()) {
        expect_farewell(source.faults().front());
        ASSERT_TRUE(arrived(source.handed_over())) << "acknowledged bundles are not lost";
    }
    ASSERT_EQ(modules.change(LinkVerb::kAdd, false, LinkId{0}, induct(modules.port(0))), "");
    source.send(1000);
    expect_all_or_more_than(arrivals.different + 500);
}

TEST_P(LinkChange, TheNodeStopsWhileAnInductLeaves) {
    ModuleThreads modules(bench, node({induct(), induct()}, {outduct(sink)}));
    source.go_to(url(modules.port(0), kGentle));
    source.send(2000);
    ASSERT_TRUE(arrived(100));
    modules.order(LinkVerb::kRemove, false, LinkId{0});
    modules.stop();
}

// ---- outducts

TEST_P(LinkChange, AnOutductIsAddedAndSendsWaitingBundles) {
    ModuleThreads modules(bench, node({induct()}, {}));
    source.go_to(url(modules.port(0), kGentle));
    source.send(300);
    ASSERT_TRUE(until([&] { return source.done(); }));
    ASSERT_EQ(modules.change(LinkVerb::kAdd, true, kOutduct, outduct(sink)), "");
    ASSERT_TRUE(arrived(300)) << arrivals.different;
    source.send(300);
    expect_all();
    EXPECT_EQ(sink.received(), source.made()) << "each once";
}

TEST_P(LinkChange, AnOutductChangesItsPortWhileBundlesAreInFlight) {
    LinkSink other(bench, GetParam(), 2, arrivals);
    ModuleThreads modules(bench, node({induct()}, {outduct(sink, kSlow)}));
    source.go_to(url(modules.port(0), kGentle));
    source.send(1000);
    ASSERT_TRUE(arrived(100));
    ASSERT_EQ(modules.change(LinkVerb::kChange, true, LinkId{1}, outduct(other)), "");
    expect_all();
    EXPECT_GT(other.received(), 0U);
    if (has_sessions()) {
        EXPECT_EQ(sink.sessions(), 0U);
    }
}

TEST_P(LinkChange, AnOutductIsRemovedWhileBundlesAreInFlightAndComesBack) {
    ModuleThreads modules(bench, node({induct()}, {outduct(sink, kSlow)}));
    source.go_to(url(modules.port(0), kGentle));
    source.send(1000);
    ASSERT_TRUE(arrived(100));
    sink.hold();
    ASSERT_EQ(modules.change(LinkVerb::kRemove, true, LinkId{1}), "");
    sink.release();
    if (has_sessions()) {
        ASSERT_TRUE(until([&] { return sink.sessions() == 0; }));
    }
    EXPECT_LT(arrivals.different, source.made()) << "bundles were still in flight";
    ASSERT_EQ(modules.change(LinkVerb::kAdd, true, LinkId{1}, outduct(sink)), "");
    expect_all();
}

// Its bundles stay with it until it has closed; the sink does not answer. Then the new one sends
// them.
TEST_P(LinkChange, AnOutductIsReplacedWhileItsSinkDoesNotAnswer) {
    LinkSink other(bench, GetParam(), 2, arrivals);
    ModuleThreads modules(bench, node({induct()}, {outduct(sink, kSlow)}));
    sink.hold();
    source.go_to(url(modules.port(0), kGentle));
    source.send(500);
    ASSERT_TRUE(arrived(20));
    ASSERT_EQ(modules.change(LinkVerb::kChange, true, LinkId{1}, outduct(other)), "");
    expect_all();
    EXPECT_EQ(arrivals.copies.size(), source.made());
}

TEST_P(LinkChange, AnOutductGetsAnotherNextHop) {
    Arrivals elsewhere;
    LinkSink third(bench, GetParam(), 3, elsewhere);
    LinkSource also{bench, 3, kPayload};
    ModuleThreads modules(bench, node({induct()}, {outduct(sink)}));
    source.go_to(url(modules.port(0), kGentle));
    source.send(200);
    expect_all();
    ASSERT_EQ(modules.change(LinkVerb::kChange, true, LinkId{1}, outduct(third, 0, 3)), "");
    also.go_to(url(modules.port(0), kGentle));
    source.send(200);
    also.send(200);
    ASSERT_TRUE(until([&] { return elsewhere.different == 200; })) << elsewhere.different;
    ASSERT_TRUE(until([&] { return source.done(); }));
    EXPECT_EQ(arrivals.different, 200U) << "there is no route to node 2";
    EXPECT_EQ(elsewhere.foreign, 0U);
    ASSERT_EQ(modules.change(LinkVerb::kAdd, true, kOutduct, outduct(sink)), "");
    expect_all();
}

TEST_P(LinkChange, OneChangeFollowsAnotherBeforeTheLinkHasClosed) {
    LinkSink other(bench, GetParam(), 2, arrivals);
    ModuleThreads modules(bench, node({induct()}, {outduct(sink, kSlow)}));
    source.go_to(url(modules.port(0), kGentle));
    source.send(1000);
    ASSERT_TRUE(arrived(50));
    modules.order(LinkVerb::kRemove, true, LinkId{1});
    modules.order(LinkVerb::kAdd, true, LinkId{1}, outduct(other, kSlow));
    modules.order(LinkVerb::kChange, true, LinkId{1}, outduct(sink, kSlow));
    modules.order(LinkVerb::kChange, true, LinkId{1}, outduct(other));
    modules.order(LinkVerb::kChange, false, LinkId{0}, induct(modules.port(0)));
    modules.order(LinkVerb::kChange, false, LinkId{0}, induct(modules.port(0)));
    EXPECT_EQ(modules.answer(), "");
    source.send(500);
    expect_all_or_more_than(arrivals.different + 200);
}

TEST_P(LinkChange, TheNodeStopsWhileAnOutductLeaves) {
    ModuleThreads modules(bench, node({induct()}, {outduct(sink, kSlow)}));
    source.go_to(url(modules.port(0), kGentle));
    source.send(1000);
    ASSERT_TRUE(arrived(50));
    modules.order(LinkVerb::kChange, true, LinkId{1}, outduct(sink));
    modules.stop();
}

// ---- sessions that a neighbour has opened

class NeighbourLinkChange : public LinkChange {};

INSTANTIATE_TEST_SUITE_P(Layers, NeighbourLinkChange, testing::Values("tcpclv4", "tcpclv3"));

// One session is the link to its node, the others are spare: all of them end with the induct.
TEST_P(NeighbourLinkChange, AnInductIsRemovedWithTheSessionsThatCarryALink) {
    Json config = induct();
    config["neighbours"] = Json::array({{{"address", "127.0.0.0/8"}}});
    ModuleThreads modules(bench, node({config}, {}));
    LinkSource one(bench, 1, kPayload);
    LinkSource other(bench, 1, kPayload);
    LinkSource third(bench, 1, kPayload);
    const auto returned = [&] { return one.came_back() + other.came_back() + third.came_back(); };
    for (LinkSource *caller : {&one, &other, &third}) {
        caller->hold_back(true);
        caller->go_to(url(modules.port(0)));
        ASSERT_TRUE(until([&] { return caller->connected(); }));
    }
    other.send(200);
    ASSERT_TRUE(until([&] { return returned() > 0; })) << "the node sends bundles back";
    EXPECT_EQ(modules.change(LinkVerb::kRemove, true, LinkId{0x40000000U}),
              "outduct 1073741824 is a session that the neighbour has opened");
    ASSERT_EQ(modules.change(LinkVerb::kRemove, false, LinkId{0}), "");
    ASSERT_TRUE(
        until([&] { return !one.connected() && !other.connected() && !third.connected(); }));
    // Bundles without an acknowledgement are sent again, on the first session that opens.
    const std::size_t before = returned();
    for (LinkSource *caller : {&one, &other, &third}) caller->hold_back(false);
    config["url"] = url(modules.port(0));
    ASSERT_EQ(modules.change(LinkVerb::kAdd, false, LinkId{0}, config), "");
    ASSERT_TRUE(until([&] { return other.done() && returned() >= before + 200; }))
        << returned() << " after " << before;
}

// ---- changes that are refused

TEST_P(LinkChange, AnImpossibleChangeIsRefusedAndChangesNothing) {
    ModuleThreads modules(bench, node({induct(), induct()}, {outduct(sink)}));
    const std::uint16_t port = modules.port(0);
    EXPECT_EQ(modules.change(LinkVerb::kAdd, false, LinkId{0}, induct()),
              "induct 0 already exists");
    EXPECT_EQ(modules.change(LinkVerb::kChange, false, kInduct, induct()), "there is no induct 7");
    EXPECT_EQ(modules.change(LinkVerb::kRemove, false, kInduct), "there is no induct 7");
    EXPECT_EQ(modules.change(LinkVerb::kAdd, true, LinkId{2}, outduct(sink)),
              "outduct 2 already exists");
    EXPECT_EQ(modules.change(LinkVerb::kChange, true, kOutduct, outduct(sink)),
              "there is no outduct 8");
    EXPECT_EQ(modules.change(LinkVerb::kRemove, true, kOutduct), "there is no outduct 8");

    EXPECT_NE(modules.change(LinkVerb::kChange, false, LinkId{0}, "no JSON"), "");
    EXPECT_NE(modules.change(LinkVerb::kChange, true, LinkId{2}, Json::object()), "");
    const std::string taken = url(modules.port(1));
    EXPECT_EQ(modules.change(LinkVerb::kAdd, false, kInduct, {{"url", taken}}),
              "cannot listen on " + taken + ": Address already in use");
    EXPECT_EQ(modules.change(LinkVerb::kChange, false, LinkId{0}, {{"url", taken}}),
              "cannot listen on " + taken + ": Address already in use");
    // 192.0.2.0/24 is for documentation: no machine has such an address.
    const std::string foreign = scheme() + "://192.0.2.1:" + std::to_string(port);
    EXPECT_EQ(modules.change(LinkVerb::kChange, false, LinkId{0}, {{"url", foreign}}),
              "cannot listen on " + foreign + ": Cannot assign requested address");
    EXPECT_EQ(modules.changed_port(), port) << "it listens at its former port";

    source.go_to(url(port, kGentle));
    source.send(100);
    expect_all();
}

TEST(LinkChangeTls, FilesAreNamedByAbsolutePaths) {
    LinkBench bench;
    ModuleThreads modules(
        bench,
        {{"myNodeId", 10}, {"inductsConfig", Json::array({{{"url", "tcpclv4://127.0.0.1:0"}}})}});
    const Json tls{{"url", "tcpclv4://127.0.0.1:0"},
                   {"tls", "required"},
                   {"ca", "certs/ca.pem"},
                   {"cert", "/nowhere/node.pem"},
                   {"key", "/nowhere/node.key"}};
    const std::string expected =
        "ca: found \"certs/ca.pem\", which is relative; expected an absolute file name; a running "
        "node has no folder to start from\n";
    EXPECT_EQ(modules.change(LinkVerb::kAdd, false, kInduct, tls), expected);
    Json out = tls;
    out["url"] = "tcpclv4://127.0.0.1:4556";
    out["nextHopNodeId"] = 2;
    EXPECT_EQ(modules.change(LinkVerb::kAdd, true, kOutduct, out), expected);
}

}  // namespace
}  // namespace farlink::test::link_change_test
