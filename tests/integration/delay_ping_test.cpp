// SPDX-License-Identifier: Apache-2.0
// bping through one node to the one behind it, over an emulated round trip: the nodes add a few
// milliseconds over every convergence layer. The delays of a layer run at the same time.
// FARLINK_MATRIX=all sends more pings, and goes through every layer instead of a stream and a
// datagram layer.
//
//     bping ◄── linkemu, half the round trip each way ──► node 10 ◄── tcpclv4 ──► node 2 (echo)
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <set>

#include "tests/support/emulated_network.hpp"
#include "tests/support/link_settings.hpp"
#include "tests/support/node_program.hpp"

namespace farlink::test::delay_ping_test {
namespace {

using Json = nlohmann::json;

constexpr int kPinger = 99;
constexpr int kRouter = 10;
constexpr int kEcho = 2;
constexpr int kRouterPort = 4556;
constexpr int kReplyPort = 4557;
constexpr int kEchoPort = 4558;
/// The time that two nodes and the loops of three programs may add to a round trip.
constexpr double kMostAddedMs = 5;
/// Other programs on the machine make some round trips longer: the whole matrix, which runs alone,
/// compares the median, a test the quickest quarter.
std::size_t judged_of(std::size_t round_trips) {
    return round_trips / (whole_matrix() ? 2 : 4);
}
constexpr int kAttempts = 3;
const std::set<std::string> kShortForm{"tcpclv4", "ltp"};

/// The network and the nodes; pings come one run after the other.
class DelayedRow {
public:
    DelayedRow(const std::string &layer, int round_trip_ms, const std::string &certificates)
        : settings_{layer, round_trip_ms / 2, certificates}, round_trip_ms_(round_trip_ms) {}

    [[nodiscard]] std::string missing() const { return network_.missing(); }
    [[nodiscard]] int round_trip_ms() const { return round_trip_ms_; }
    /// Starts the programs in existing networks; no other network may be made from now on.
    void start() {
        network_.connect({"--delay", std::to_string(settings_.one_way_ms) + "ms"});
        const std::vector<std::string> far = network_.far.inside({});
        folder_.write("plan.json", contact_plan().dump());
        echo_.emplace(folder_, echo_config(), "echo.json", far);
        router_.emplace(folder_, router_config(), "router.json", far);
    }
    void send_pings() {
        std::vector<std::string> words{
            program("bping"), "--from",
            "ipn:99.1",       "--to",
            "ipn:2.2047",     "--json",
            "--count",        whole_matrix() ? "100" : "30",
            "--interval",     "0.05",
            "--timeout",      "30",
            "--via",          settings_.url(EmulatedNetwork::kFar, kRouterPort, kPinger)};
        if (!settings_.both_ways())
            words = joined(
                words, {"--listen", settings_.url(EmulatedNetwork::kNear, kReplyPort, kPinger)});
        ping_.emplace(network_.near.inside(words));
    }
    /// The round trip to compare, once every ping has its reply.
    [[nodiscard]] double judged() {
        EXPECT_EQ(ping_->wait(), 0) << ping_->unread(ChildProcess::kErr);
        std::vector<double> taken;
        Json last;
        while (ping_->has_line(ChildProcess::kOut)) {
            last = Json::parse(ping_->line(ChildProcess::kOut), nullptr, false);
            if (last["type"] == "reply") taken.push_back(last["milliseconds"].get<double>());
        }
        EXPECT_EQ(last["type"], "summary") << last;
        EXPECT_EQ(last["lost"], 0) << last;
        if (taken.empty()) return 0;
        std::ranges::sort(taken);
        const double judged = taken[judged_of(taken.size())];
        std::cout << "matrix: bping over " << settings_.layer << ", round trip " << round_trip_ms_
                  << " ms: median " << taken[taken.size() / 2] << ", judged " << judged
                  << ", at least " << taken.front() << ", at most " << taken.back() << " ms of "
                  << taken.size() << '\n'
                  << std::flush;
        return judged;
    }
    void stop() {
        router_->stop();
        echo_->stop();
    }

private:
    [[nodiscard]] static Json echo_config() {
        Json induct{{"url", loopback_url("tcpclv4", kEchoPort)},
                    {"neighbours", Json::array({{{"nodeId", kRouter}, {"address", "127.0.0.1"}}})}};
        return {{"myNodeId", kEcho},
                {"contactPlanFile", "plan.json"},
                {"storageConfig", {{"storeFilePath", "echo-store"}}},
                {"inductsConfig", Json::array({induct})}};
    }
    /// Endless contacts in both directions.
    [[nodiscard]] Json contact_plan() const {
        Json contacts = Json::array();
        for (const auto &[from, to] :
             {std::pair{kPinger, kRouter}, {kRouter, kPinger}, {kRouter, kEcho}, {kEcho, kRouter}})
            contacts.push_back({{"contact", contacts.size()},
                                {"source", from},
                                {"dest", to},
                                {"startTime", 0},
                                {"endTime", 100'000}});
        for (const std::size_t i : {0, 1}) contacts[i]["owlt"] = settings_.one_way_ms / 1000.0;
        return {{"contacts", contacts}};
    }
    [[nodiscard]] Json router_config() const {
        Json induct = settings_.section(EmulatedNetwork::kFar, kRouterPort, kRouter);
        Json outducts =
            Json::array({{{"url", loopback_url("tcpclv4", kEchoPort)}, {"nextHopNodeId", kEcho}}});
        if (settings_.both_ways()) {
            induct["neighbours"] =
                Json::array({{{"nodeId", kPinger}, {"address", EmulatedNetwork::kNear}}});
        } else {
            Json back = settings_.section(EmulatedNetwork::kNear, kReplyPort, kRouter);
            back["nextHopNodeId"] = kPinger;
            // bping connects and disconnects.
            if (settings_.layer != "udp") back["reconnectMaxMilliseconds"] = 200;
            outducts.push_back(back);
        }
        return {{"myNodeId", kRouter},
                {"contactPlanFile", "plan.json"},
                {"storageConfig", {{"storeFilePath", "router-store"}}},
                {"inductsConfig", Json::array({induct})},
                {"outductsConfig", outducts}};
    }

    LinkSettings settings_;
    int round_trip_ms_;
    EmulatedNetwork network_;
    TempFolder folder_;
    std::optional<NodeProgram> echo_;
    std::optional<NodeProgram> router_;
    std::optional<ChildProcess> ping_;
};

class DelayedPing : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Layers, DelayedPing,
                         testing::Values("ltp", "udp", "stcp", "mtcp", "tcpclv3", "tcpclv4", "tls"),
                         [](const auto &test) { return std::string(test.param); });

TEST_P(DelayedPing, TakesTheRoundTripAndFiveMilliseconds) {
    if (!whole_matrix() && !kShortForm.contains(GetParam()))
        GTEST_SKIP() << "a part of ./farlink-dev matrix";
    if (!kTls && std::string_view(GetParam()) == "tls") GTEST_SKIP() << "a build without TLS";
    const TempFolder certificates;
    make_certificates(certificates, {kPinger, kRouter});
    std::vector<std::unique_ptr<DelayedRow>> rows;
    for (const int round_trip_ms : {0, 200, 700}) {
        rows.push_back(
            std::make_unique<DelayedRow>(GetParam(), round_trip_ms, certificates.path().string()));
        if (const std::string missing = rows.back()->missing(); !missing.empty())
            GTEST_SKIP() << missing;
    }
    for (const auto &row : rows) row->start();
    std::vector<DelayedRow *> slow;
    for (const auto &row : rows) slow.push_back(row.get());
    for (int attempt = 0; attempt < kAttempts && !slow.empty() && !HasFailure(); ++attempt) {
        for (DelayedRow *const row : slow) row->send_pings();
        std::erase_if(slow, [](DelayedRow *row) {
            const double added = row->judged() - row->round_trip_ms();
            EXPECT_GE(added, 0);
            return kSanitized || added <= kMostAddedMs;
        });
    }
    for (const DelayedRow *const row : slow)
        ADD_FAILURE() << row->round_trip_ms() << " ms became more than " << kMostAddedMs
                      << " ms longer, each time";
    for (const auto &row : rows) row->stop();
}

}  // namespace
}  // namespace farlink::test::delay_ping_test
