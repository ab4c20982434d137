// SPDX-License-Identifier: Apache-2.0
// TCPCLv4 sessions that are cut behind every message, in both directions and on both sides of a
// node, while bundles flow: each bundle is delivered once or still stored, and repeated transfers
// are counted.
#include <gtest/gtest.h>

#include "tests/support/message_cuts.hpp"
#include "tests/support/node_program.hpp"

namespace farlink::test::cut_messages_test {
namespace {

using Json = nlohmann::json;

constexpr const char *kScheme = "tcpclv4";
/// A segment size that divides a bundle into several segments.
constexpr int kSegmentBytes = 128;
/// Transfers without an acknowledgement on one session.
constexpr std::uint64_t kInFlight = 16;
constexpr auto kQuick = "reconnectMinMilliseconds=1&reconnectMaxMilliseconds=20";

/// Cuts behind message 0 to `last` in either direction, by resets and ordinary ends in turn.
std::vector<MessageCut> every_boundary(std::uint64_t last) {
    std::vector<MessageCut> plan;
    for (std::uint64_t count = 0; count <= last; ++count)
        for (const Way way : {Way::kToFar, Way::kToNear})
            plan.push_back({.way = way, .count = count, .reset = (count & 1) != 0});
    return plan;
}

class CutMessages : public testing::Test {
protected:
    /// Node 10, between a generator and the sink, which is node 2.
    [[nodiscard]] static Json node_config(std::uint16_t towards_sink, int keep_alive_s = 15) {
        // A node reads small files of the store quickly when it restarts.
        Json config{{"myNodeId", 10},
                    {"storageConfig",
                     {{"storeFilePath", "store"},
                      {"totalStorageCapacityBytes", 64 << 20},
                      {"segmentBytes", 1 << 20}}}};
        config["inductsConfig"] = Json::array(
            {{{"url", loopback_url(kScheme, 0)}, {"keepAliveIntervalSeconds", keep_alive_s}}});
        config["outductsConfig"] = Json::array({{{"url", loopback_url(kScheme, towards_sink)},
                                                 {"nextHopNodeId", 2},
                                                 {"keepAliveIntervalSeconds", keep_alive_s},
                                                 {"maxSegmentBytes", kSegmentBytes},
                                                 {"maxNumberOfBundlesInPipeline", kInFlight},
                                                 {"reconnectMinMilliseconds", 1},
                                                 {"reconnectMaxMilliseconds", 20}}});
        return config;
    }
    [[nodiscard]] static std::string generator_url(std::uint16_t port,
                                                   const std::string &more = {}) {
        return loopback_url(kScheme, port,
                            "?maxNumberOfBundlesInPipeline=" + std::to_string(kInFlight) +
                                "&maxSegmentBytes=" + std::to_string(kSegmentBytes) + "&" + kQuick +
                                more);
    }
    static void expect_sent(GeneratorProgram &generator) {
        EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    }
    /// Waits until the sink has every bundle, ends both programs, and returns the sink's report. A
    /// sink that ended by itself would not count the repeats behind the last bundle.
    static Json end(SinkProgram &sink, std::uint64_t bundles, NodeProgram &node) {
        std::uint64_t received = 0;
        while (received < bundles) {
            const std::string said = sink.line(ChildProcess::kErr);
            if (said.empty()) break;
            const Json progress = Json::parse(said, nullptr, false);
            if (progress.is_object()) received = progress.value("received", received);
        }
        node.stop();
        sink.signal(SIGTERM);
        (void)sink.wait();
        return sink.report();
    }
    /// Every transfer to the sink is one of its bundles, or a repeat that it recognised, but for
    /// those in flight at a cut: a sink that cannot send an acknowledgement any more may end the
    /// session before it has read what arrived.
    void expect_delivered(const Json &report, std::uint64_t bundles) {
        EXPECT_EQ(report["received"], bundles) << report;
        EXPECT_EQ(report["lost"], 0) << report;
        EXPECT_EQ(report["corrupt"], 0) << report;
        EXPECT_EQ(report["malformed"], 0) << report;
        const auto repeats = report["duplicates"].get<std::uint64_t>();
        const std::uint64_t passed = behind.transfers(Way::kToFar);
        EXPECT_LE(bundles + repeats, passed) << report;
        EXPECT_GE(bundles + repeats + (behind.cuts() + 1) * kInFlight, passed) << report;
        RecordProperty("repeats_from_the_generator",
                       std::to_string(before.transfers(Way::kToFar) - bundles));
        RecordProperty("repeats_to_the_sink", std::to_string(repeats));
    }
    /// On either side of the node.
    void expect_cut_behind(Way way, std::optional<MessageType> type) {
        EXPECT_TRUE(before.cut_behind(way, type));
        EXPECT_TRUE(behind.cut_behind(way, type));
    }

    TempFolder folder;
    MessageCuts before;  ///< between the generator and the node
    MessageCuts behind;  ///< between the node and the sink
};

TEST_F(CutMessages, EachBoundaryWhileBundlesFlow) {
    constexpr int kBundles = 2000;
    constexpr std::uint64_t kLast = 40;
    SinkProgram sink(loopback_url(kScheme, 0), {"--progress"});
    CuttingProxy proxy_behind(sink.port(), behind.rules(every_boundary(kLast)));
    NodeProgram node(folder, node_config(proxy_behind.port()));
    CuttingProxy proxy_before(node.port(), before.rules(every_boundary(kLast)));
    GeneratorProgram generator(generator_url(proxy_before.port()),
                               {"--bundles", std::to_string(kBundles), "--bundle-size", "300"});
    expect_sent(generator);
    expect_delivered(end(sink, kBundles, node), kBundles);
    EXPECT_EQ(proxy_before.cuts(), 2 * (kLast + 1));
    EXPECT_EQ(proxy_behind.cuts(), 2 * (kLast + 1));
    expect_cut_behind(Way::kToFar, MessageType::kXferSegment);
    expect_cut_behind(Way::kToNear, MessageType::kXferAck);
    for (const MessageCuts *cuts : {&before, &behind})
        EXPECT_GT(cuts->transfers(Way::kToFar), std::uint64_t{kBundles}) << "nothing was repeated";
    EXPECT_EQ(before.transfers(Way::kToFar), node.value("ingress_received"));
}

// From the first octet of a session to its end, at the end of the programs. Towards the sink every
// connection of a run is cut at the same place, so unacknowledged bundles stay stored.
TEST_F(CutMessages, EachBoundaryOfAWholeSession) {
    constexpr std::uint64_t kEachTime = 2;
    // Contact header, SESS_INIT, two segments of each bundle.
    std::vector<MessageCut> plan = every_boundary(2 + 2 * kEachTime);
    for (const Way way : {Way::kToNear, Way::kToFar})
        plan.push_back({.way = way, .count = 1, .type = MessageType::kSessTerm});
    const std::uint64_t bundles = plan.size() * kEachTime;
    SinkProgram sink(loopback_url(kScheme, 0), {"--progress"});

    std::uint64_t received = 0;
    std::uint64_t most_stored = 0;
    // The late cuts first: they do not change the place of the others.
    for (; !plan.empty(); plan.pop_back()) {
        const std::uint64_t cuts = behind.cuts();
        const std::uint64_t passed = behind.transfers(Way::kToFar);
        CuttingProxy proxy_behind(sink.port(), behind.rules_of_all(plan.back()));
        NodeProgram node(folder, node_config(proxy_behind.port()));
        CuttingProxy proxy_before(node.port(), before.rules({plan.back()}));
        GeneratorProgram generator(generator_url(proxy_before.port()),
                                   {"--bundles", std::to_string(kEachTime)});
        expect_sent(generator);
        // A session ends when the node stops, after its bundles.
        const bool at_the_end = plan.back().type == MessageType::kSessTerm;
        EXPECT_TRUE(behind.wait_until([&] {
            return at_the_end ? behind.transfers(Way::kToFar) >= passed + kEachTime
                              : behind.cuts() > cuts;
        }));
        node.stop();
        received += node.value("ingress_received");
        most_stored = std::max(most_stored, node.value("storage_stored_now"));
    }
    EXPECT_EQ(before.transfers(Way::kToFar), received);
    EXPECT_GT(most_stored, 0U);

    CuttingProxy uncut(sink.port(), behind.rules({}));
    NodeProgram node(folder, node_config(uncut.port()));
    expect_delivered(end(sink, bundles, node), bundles);
    EXPECT_EQ(node.value("storage_restored"), most_stored);
    for (const Way way : {Way::kToFar, Way::kToNear}) {
        expect_cut_behind(way, std::nullopt);
        expect_cut_behind(way, MessageType::kSessInit);
        expect_cut_behind(way, MessageType::kSessTerm);
    }
    expect_cut_behind(Way::kToFar, MessageType::kXferSegment);
    expect_cut_behind(Way::kToNear, MessageType::kXferAck);
}

// Each side sends a keepalive one second after its last message.
TEST_F(CutMessages, AtKeepAlives) {
    constexpr int kBundles = 4;
    const std::vector<MessageCut> plan{
        {.way = Way::kToFar, .count = 1, .type = MessageType::kKeepAlive},
        {.way = Way::kToNear, .count = 1, .type = MessageType::kKeepAlive, .reset = true}};
    SinkProgram sink(loopback_url(kScheme, 0, "?keepAliveIntervalSeconds=1"), {"--progress"});
    CuttingProxy proxy_behind(sink.port(), behind.rules(plan));
    NodeProgram node(folder, node_config(proxy_behind.port(), 1));
    CuttingProxy proxy_before(node.port(), before.rules(plan));
    GeneratorProgram generator(generator_url(proxy_before.port(), "&keepAliveIntervalSeconds=1"),
                               {"--bundles", std::to_string(kBundles), "--bundle-rate", "0.7"});
    expect_sent(generator);
    expect_delivered(end(sink, kBundles, node), kBundles);
    EXPECT_EQ(proxy_before.cuts(), 2);
    EXPECT_EQ(proxy_behind.cuts(), 2);
}

}  // namespace
}  // namespace farlink::test::cut_messages_test
