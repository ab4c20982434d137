// SPDX-License-Identifier: Apache-2.0
// Custody over real links: through one node and through two, with either kind of signal, over
// convergence layers with acknowledgements, one-way layers and a network that loses datagrams;
// while a node is killed and while it has no space.
#include <gtest/gtest.h>

#include <functional>

#include "common/runtime/entropy.hpp"
#include "tests/integration/custody_rows.hpp"
#include "tests/support/forgetful_mount.hpp"
#include "tests/support/lossy_relay.hpp"

namespace farlink::test::custody_test {
namespace {

using Json = nlohmann::json;

struct Way {
    const char *scheme;
    bool two_nodes;
    bool acs;
    friend void PrintTo(const Way &way, std::ostream *out) {
        *out << way.scheme << (way.two_nodes ? " two nodes" : " one node")
             << (way.acs ? " aggregate signals" : " single signals");
    }
};

std::vector<Way> ways_over(const std::vector<const char *> &schemes) {
    std::vector<Way> ways;
    for (const char *scheme : schemes)
        for (const bool two_nodes : {false, true})
            for (const bool acs : {true, false}) ways.push_back({scheme, two_nodes, acs});
    return ways;
}

RowOptions row_of(const Way &way) {
    RowOptions options;
    options.scheme = way.scheme;
    options.two_nodes = way.two_nodes;
    options.acs = options.acs_aware = way.acs;
    return options;
}

// ---- links that lose nothing

class CustodyOver : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Layers, CustodyOver,
                         testing::ValuesIn(ways_over({"tcpclv4", "tcpclv3", "stcp"})));

TEST_P(CustodyOver, EachBundleIsForwardedAndSignalledOnce) {
    constexpr int kBundles = 400;
    CustodyRow row(row_of(GetParam()));
    row.start_sink();
    row.start_nodes();
    row.start_generator(kBundles, {"--bundle-size", "3000"});
    const Json sent = row.accepted();
    const Json &custody = sent["custody"];
    EXPECT_EQ(custody["accepted"], kBundles) << sent;
    EXPECT_EQ(custody["outstanding"], 0) << sent;
    EXPECT_EQ(custody["resent"], 0) << sent;
    EXPECT_EQ(custody["signals"], GetParam().acs ? 0 : kBundles) << sent;
    EXPECT_EQ(custody["aggregateSignals"] > 0, GetParam().acs) << sent;
    const Json came = row.finish(kBundles);
    EXPECT_EQ(came["duplicates"], 0) << came;
    EXPECT_EQ(came["custody"]["signals"], GetParam().acs ? 0 : kBundles) << came;
    for (NodeProgram *node : row.nodes()) {
        EXPECT_EQ(node->value("storage_custody_accepted"), kBundles) << node->counters();
        EXPECT_EQ(node->value("storage_custody_released"), kBundles) << node->counters();
        EXPECT_EQ(node->value("storage_custody_retransmissions"), 0U) << node->counters();
        EXPECT_GT(node->value("storage_flushes"), 0U) << node->counters();
    }
}

TEST(Custody, ANodeWithoutCustodyIdsSignalsEachBundle) {
    constexpr int kBundles = 50;
    RowOptions options;
    options.two_nodes = true;
    options.acs_aware = false;
    CustodyRow row(options);
    row.start_sink();
    row.start_nodes();
    row.start_generator(kBundles, {});
    const Json sent = row.accepted();
    EXPECT_EQ(sent["custody"]["signals"], kBundles) << sent;
    EXPECT_EQ(sent["custody"]["aggregateSignals"], 0) << sent;
    const Json came = row.finish(kBundles);
    EXPECT_EQ(came["duplicates"], 0) << came;
    EXPECT_EQ(came["custody"]["signals"], kBundles) << came;
}

// ---- a network that loses and repeats

class CustodyOverLoss : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Layers, CustodyOverLoss, testing::ValuesIn(ways_over({"udp"})));

TEST_P(CustodyOverLoss, EveryBundleArrivesAndIsReleased) {
    constexpr int kBundles = 300;
    const std::uint64_t seed = entropy_seed();
    SCOPED_TRACE("seed " + std::to_string(seed));
    RowOptions options = row_of(GetParam());
    options.retransmit_ms = 300;
    options.custody_timeout_s = 0.5;
    CustodyRow row(options);
    std::vector<std::pair<int, int>> links{{kGenerator, kFirstNode}, {kFirstNode, kGenerator}};
    if (options.two_nodes)
        links.insert(links.end(), {{kFirstNode, kSecondNode},
                                   {kSecondNode, kFirstNode},
                                   {kSecondNode, kSink},
                                   {kSink, kSecondNode}});
    else
        links.insert(links.end(), {{kFirstNode, kSink}, {kSink, kFirstNode}});
    LossyRelay relay(seed, links.size(), {0.12, 0.05});
    for (std::size_t way = 0; way < links.size(); ++way) {
        row.lead(links[way].first, links[way].second, relay.port(way));
        relay.lead(way, row.listens_at(links[way].second));
    }
    row.start_sink();
    row.start_nodes();
    row.start_generator(kBundles, {"--bundle-rate", "300"});
    const Json sent = row.accepted();
    EXPECT_EQ(sent["custody"]["accepted"], kBundles) << sent;
    EXPECT_GT(sent["custody"]["resent"], 0) << sent;
    (void)row.finish(kBundles);
    EXPECT_GT(relay.lost(), 0U);
    for (NodeProgram *node : row.nodes()) {
        // More than once where a repeat arrived after the bundle was released.
        EXPECT_GE(node->value("storage_custody_accepted"), kBundles) << node->counters();
        // All custody was released at the end of finish(); a repeat may have arrived since.
        EXPECT_EQ(node->value("storage_custody_accepted"),
                  node->value("storage_custody_released") + node->value("storage_custody_held"))
            << node->counters();
        EXPECT_GT(node->value("storage_custody_retransmissions"), 0U) << node->counters();
        EXPECT_GT(node->value("storage_duplicates"), 0U) << node->counters();
    }
}

// ---- no space

class CustodyWithoutSpace : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Layers, CustodyWithoutSpace, testing::Values("tcpclv4", "stcp"));

TEST_P(CustodyWithoutSpace, IsRefusedAndAcceptedLater) {
    constexpr int kBundles = 200;
    RowOptions options;
    options.scheme = GetParam();
    options.storage_bytes = 4'000'000;
    options.custody_timeout_s = 0.5;
    CustodyRow row(options);
    row.start_nodes();
    row.start_generator(kBundles, {"--bundle-size", "50000"});
    EXPECT_TRUE(
        row.first().wait_until([&] { return row.first().value("storage_custody_refused") > 0; }));
    row.start_sink();
    const Json sent = row.accepted();
    EXPECT_EQ(sent["custody"]["accepted"], kBundles) << sent;
    EXPECT_GT(sent["custody"]["refusedDepletedStorage"], 0) << sent;
    (void)row.finish(kBundles, true);
}

TEST(Custody, ANodeKeepsCustodyAfterARefusal) {
    constexpr int kBundles = 200;
    RowOptions options;
    options.two_nodes = true;
    options.retransmit_ms = 500;
    CustodyRow row(options);
    RowOptions narrow = options;
    narrow.storage_bytes = 4'000'000;
    row.set_options(narrow);
    row.start(kSecondNode);
    row.set_options(options);
    row.start(kFirstNode);
    row.start_generator(kBundles, {"--bundle-size", "50000"});
    (void)row.accepted();
    EXPECT_TRUE(
        row.second().wait_until([&] { return row.second().value("storage_custody_refused") > 0; }));
    EXPECT_TRUE(
        row.first().wait_until([&] { return row.first().value("storage_custody_failures") > 0; }));
    row.start_sink();
    (void)row.finish(kBundles);
}

// ---- a node that is killed

/// The first node accepts all custody while its next hop is not running; then it is killed.
void kill_a_custodian(const RowOptions &options, const std::function<void()> &crash) {
    constexpr int kBundles = 300;
    CustodyRow row(options);
    row.start(kFirstNode);
    row.start_generator(kBundles, {"--bundle-size", "5000"});
    EXPECT_EQ(row.accepted()["custody"]["accepted"], kBundles);
    row.kill(row.first());
    crash();
    row.start(kFirstNode);
    EXPECT_TRUE(row.first().wait_until(
        [&] { return row.first().value("storage_custody_held") == kBundles; }));
    if (options.two_nodes) row.start(kSecondNode);
    row.start_sink();
    const Json came = row.finish(kBundles, true);
    EXPECT_EQ(came["duplicates"], 0) << came;
}

class CustodyThroughDeath : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(Layers, CustodyThroughDeath,
                         testing::ValuesIn(ways_over({"tcpclv4", "stcp"})));

TEST_P(CustodyThroughDeath, AcceptedBundlesAreStillInCustody) {
    kill_a_custodian(row_of(GetParam()), [] {});
}

TEST(Custody, AcceptedBundlesAreStillInCustodyAfterAPowerCut) {
    const ForgetfulMount mount;
    ASSERT_TRUE(mount.mounted());
    RowOptions options;
    options.store = (mount.path() / "store").string();
    kill_a_custodian(options, [&] { mount.forget(); });
}

/// Under load: bpgen keeps bundles without custody acceptance, and sends them again.
void kill_again_and_again(const RowOptions &options, const std::function<void()> &crash) {
    constexpr int kBundles = 3000;
    constexpr int kKills = 3;
    CustodyRow row(options);
    row.start_sink();
    row.start_nodes();
    row.start_generator(kBundles, {"--bundle-size", "5000", "--bundle-rate", "500"});
    for (int kill = 0; kill < kKills; ++kill) {
        EXPECT_TRUE(row.first().wait_until(
            [&] { return row.first().value("storage_custody_accepted") > 0; }));
        row.kill(row.first());
        crash();
        row.start(kFirstNode);
    }
    EXPECT_EQ(row.accepted()["custody"]["accepted"], kBundles);
    (void)row.finish(kBundles, true);
}

TEST(Custody, NoBundleIsLostWhenANodeIsKilledRepeatedly) {
    RowOptions options;
    options.two_nodes = true;
    options.retransmit_ms = 1000;
    options.custody_timeout_s = 1;
    kill_again_and_again(options, [] {});
}

TEST(Custody, NoBundleIsLostByPowerCuts) {
    const ForgetfulMount mount;
    ASSERT_TRUE(mount.mounted());
    RowOptions options;
    options.store = (mount.path() / "store").string();
    options.retransmit_ms = 1000;
    options.custody_timeout_s = 1;
    kill_again_and_again(options, [&] { mount.forget(); });
}

}  // namespace
}  // namespace farlink::test::custody_test
