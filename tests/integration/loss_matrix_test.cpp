// SPDX-License-Identifier: Apache-2.0
// A quarter of all packets is lost, in both directions: every convergence layer that acknowledges,
// and custody over UDP, delivers every bundle once through a node. All cases run at the same time,
// since they mostly wait. FARLINK_MATRIX=all runs every layer with every delay, FARLINK_SEED
// repeats the losses of a run as far as timing allows.
//
//     bpgen ──┐                     ┌──► node 10
//             ├─ linkemu, 25 % lost ┤       │
//     bpsink ◄┘                     └──◄────┘
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "common/base/time.hpp"
#include "common/runtime/entropy.hpp"
#include "tests/support/emulated_network.hpp"
#include "tests/support/link_settings.hpp"
#include "tests/support/node_program.hpp"

namespace farlink::test::loss_matrix_test {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr int kBundles = 20;
constexpr int kGenerator = 1;
constexpr int kNode = 10;
constexpr int kSink = 2;
// Each host of the network has a TCP and a UDP stack of its own.
constexpr int kNodePort = 4556;
constexpr int kSinkPort = 4557;
constexpr int kSignalPort = 4558;

struct LossCase {
    const char *layer;
    int bp_version;
    int one_way_ms;
    const char *custody = "";  ///< "acs" or "signals"; only BPv6 knows custody
};

std::string name_of(const LossCase &lossy) {
    return std::string(lossy.layer) + (*lossy.custody == 0 ? "" : " with custody, ") +
           lossy.custody + ", BPv" + std::to_string(lossy.bp_version) + ", " +
           std::to_string(lossy.one_way_ms) + " ms";
}

std::vector<LossCase> chosen_cases() {
    if (!whole_matrix())
        return {{"tcpclv3", 6, 0},    {"tcpclv4", 7, 0},         {"tls", 7, 0},
                {"ltp", 6, 0},        {"ltp", 7, 200},           {"ltp", 6, 700},
                {"udp", 6, 0, "acs"}, {"udp", 6, 200, "signals"}};
    std::vector<LossCase> all;
    for (const int one_way_ms : {0, 200, 700}) {
        for (const char *const layer : {"ltp", "tcpclv3", "tcpclv4", "tls"})
            for (const int version : {6, 7}) all.push_back({layer, version, one_way_ms});
        for (const char *const custody : {"acs", "signals"})
            all.push_back({"udp", 6, one_way_ms, custody});
    }
    return all;
}

std::vector<LossCase> cases() {
    std::vector<LossCase> some = chosen_cases();
    std::erase_if(some, [](const LossCase &lossy) {
        return !kTls && std::string_view(lossy.layer) == "tls";
    });
    return some;
}

class LossRun {
public:
    LossRun(const LossCase &lossy, const std::string &certificates)
        : case_(lossy), settings_{lossy.layer, lossy.one_way_ms, certificates} {}

    [[nodiscard]] std::string missing() const { return network_.missing(); }
    /// Starts the programs in existing networks; no other network may be made from now on.
    void start(std::uint64_t seed) {
        network_.connect({"--loss", "0.25", "--delay", std::to_string(case_.one_way_ms) + "ms",
                          "--seed", std::to_string(seed)});
        sink_.emplace(network_.near.inside(sink_words()));
        EXPECT_TRUE(sink_->line(ChildProcess::kErr).starts_with("listening on"));
        node_.emplace(folder_, node_config(), "node.json", network_.far.inside({}));
        begun_ = Clock::now();
        generator_.emplace(network_.near.inside(generator_words()));
    }
    void add_streams(std::vector<pollfd> &polled) {
        for (const ChildProcess *const program : programs()) program->add_streams(polled);
    }
    /// True when the case has ended; the sink runs until the node holds no bundle for it.
    bool advance() {
        for (ChildProcess *const program : programs()) program->take_output();
        const bool published = node_->has_line(ChildProcess::kOut);
        node_->look();
        // The next counters of the node may be older and not include the last bundle.
        if (generator_->ended() && published) ++published_since_end_;
        if (!stopping_ && published_since_end_ >= 2 && handed_over()) {
            stopping_ = true;
            seconds_ = std::chrono::duration<double>(Clock::now() - begun_).count();
            sink_->signal(SIGTERM);
            node_->signal(SIGTERM);
        }
        return stopping_ && sink_->ended() && node_->ended();
    }
    void judge() {
        SCOPED_TRACE(name_of(case_));
        EXPECT_TRUE(stopping_) << "not all bundles were delivered in time: " << node_->counters();
        for (ChildProcess *const program : programs()) {
            program->signal(SIGTERM);
            const int code = program->wait();
            // The exit code of the sink includes repeats; its report is checked below.
            if (program == &*sink_) continue;
            EXPECT_EQ(code, 0) << program->unread(ChildProcess::kErr);
        }
        const Json carried = network_.link->summary();
        const Json report = Json::parse(sink_->line(ChildProcess::kOut), nullptr, false);
        EXPECT_EQ(report["received"], kBundles) << report;
        for (const char *fault : {"lost", "corrupt", "malformed", "misdelivered"})
            EXPECT_EQ(report[fault], 0) << report;
        EXPECT_GT(carried["forth"]["lost"], 0) << carried;
        std::cout << "matrix: " << name_of(case_) << ": " << report["received"] << " delivered, "
                  << report["duplicates"] << " repeats, " << seconds_ << " s, "
                  << report["connections"] << " connections to the sink, lost packets "
                  << carried["forth"]["lost"] << " of " << carried["forth"]["taken"] << " and "
                  << carried["back"]["lost"] << " of " << carried["back"]["taken"] << '\n'
                  << std::flush;
        // A bundle that is repeated after a lost signal has arrived before: it is delivered once.
        if (custody()) return;
        EXPECT_EQ(report["duplicates"], 0) << report;
    }

private:
    [[nodiscard]] std::vector<ChildProcess *> programs() {
        return {&*generator_, &*sink_, &*node_};
    }
    [[nodiscard]] bool handed_over() const {
        if (!custody()) return node_->value("egress_forwarded") >= kBundles;
        return node_->value("storage_custody_released") >= kBundles &&
               node_->value("storage_custody_held") == 0;
    }
    [[nodiscard]] bool custody() const { return *case_.custody != 0; }
    /// The timeout of a repetition: a round trip, and the time of the next custodian.
    [[nodiscard]] std::string custody_timeout() const {
        return std::to_string(1 + 2 * case_.one_way_ms / 1000.0);
    }

    [[nodiscard]] std::vector<std::string> sink_words() const {
        std::vector<std::string> words{
            program("bpsink"), "--eid",    "ipn:2.1",
            "--json",          "--listen", settings_.url(EmulatedNetwork::kNear, kSinkPort, kSink)};
        if (!custody()) return words;
        return joined(words, {"--custody-period", "0.1", "--custody-to",
                              settings_.url(EmulatedNetwork::kFar, kNodePort, kSink)});
    }
    [[nodiscard]] std::vector<std::string> generator_words() const {
        std::vector<std::string> words{program("bpgen"),
                                       "--from",
                                       "ipn:1.1",
                                       "--to",
                                       "ipn:2.1",
                                       "--json",
                                       "--via",
                                       settings_.url(EmulatedNetwork::kFar, kNodePort, kGenerator),
                                       "--bundles",
                                       std::to_string(kBundles),
                                       "--bundle-size",
                                       "1000",
                                       "--bp-version",
                                       std::to_string(case_.bp_version),
                                       "--connect-timeout",
                                       "3600",
                                       "--acknowledge-timeout",
                                       "3600"};
        if (!custody()) return words;
        return joined(
            words, {"--custody", case_.custody, "--custody-timeout", custody_timeout(), "--listen",
                    settings_.url(EmulatedNetwork::kNear, kSignalPort, kGenerator)});
    }
    [[nodiscard]] Json outduct(int port, int next_hop) const {
        Json outduct = settings_.section(EmulatedNetwork::kNear, port, kNode);
        outduct["nextHopNodeId"] = next_hop;
        return outduct;
    }
    [[nodiscard]] Json node_config() const {
        Json config{{"myNodeId", kNode},
                    {"storageConfig", {{"storeFilePath", "store"}}},
                    {"inductsConfig",
                     Json::array({settings_.section(EmulatedNetwork::kFar, kNodePort, kNode)})},
                    {"outductsConfig", Json::array({outduct(kSinkPort, kSink)})}};
        if (!custody()) return config;
        config["outductsConfig"].push_back(outduct(kSignalPort, kGenerator));
        config["acsSendPeriodMilliseconds"] = 100;
        config["retransmitBundleAfterNoCustodySignalMilliseconds"] = 1000;
        config["contactPlanFile"] = "plan.json";
        Json contacts = Json::array();
        for (const auto &[from, to] :
             {std::pair{kNode, kSink}, {kSink, kNode}, {kNode, kGenerator}, {kGenerator, kNode}})
            contacts.push_back({{"contact", contacts.size()},
                                {"source", from},
                                {"dest", to},
                                {"startTime", 0},
                                {"endTime", 100'000},
                                {"owlt", case_.one_way_ms / 1000.0}});
        folder_.write("plan.json", Json{{"contacts", contacts}}.dump());
        return config;
    }

    LossCase case_;
    LinkSettings settings_;
    EmulatedNetwork network_;
    TempFolder folder_;
    std::optional<ChildProcess> sink_;
    std::optional<NodeProgram> node_;
    std::optional<ChildProcess> generator_;
    Clock::time_point begun_;
    bool stopping_ = false;
    int published_since_end_ = 0;  ///< reports of counters since all bundles were sent
    double seconds_ = 0;
};

std::uint64_t chosen_seed() {
    const char *const wanted = std::getenv("FARLINK_SEED");
    return wanted == nullptr ? entropy_seed() : std::strtoull(wanted, nullptr, 10);
}

TEST(LossMatrix, AQuarterIsLostAndEveryBundleIsDeliveredOnce) {
    const TempFolder certificates;
    make_certificates(certificates, {kGenerator, kNode, kSink});
    // The networks first: a process that holds a network must not inherit the streams of a program.
    std::vector<std::unique_ptr<LossRun>> runs;
    for (const LossCase &lossy : cases()) {
        runs.push_back(std::make_unique<LossRun>(lossy, certificates.path().string()));
        if (const std::string missing = runs.back()->missing(); !missing.empty())
            GTEST_SKIP() << missing;
    }
    std::uint64_t seed = chosen_seed();
    std::cout << "matrix: FARLINK_SEED=" << seed << '\n' << std::flush;
    for (const auto &run : runs) run->start(seed++);
    const auto end = Clock::now() + seconds(whole_matrix() ? 600 : 120);
    std::vector<LossRun *> waiting;
    for (const auto &run : runs) waiting.push_back(run.get());
    while (!waiting.empty() && Clock::now() < end) {
        std::erase_if(waiting, [](LossRun *run) { return run->advance(); });
        std::vector<pollfd> polled;
        for (LossRun *const run : waiting) run->add_streams(polled);
        (void)::poll(polled.data(), polled.size(), 1000);
    }
    for (const auto &run : runs) run->judge();
}

}  // namespace
}  // namespace farlink::test::loss_matrix_test
