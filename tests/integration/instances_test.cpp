// SPDX-License-Identifier: Apache-2.0
// A node with two instances of ingress and of egress: bundles cross between all of them in order,
// are stored and released, the echo service replies by every link, and modules run on the
// configured processors.
#include <gtest/gtest.h>
#include <sched.h>

#include "tests/support/node_program.hpp"
#include "tests/support/reserved_port.hpp"

namespace farlink::test::instances_test {
namespace {

using Json = nlohmann::json;

constexpr int kBundles = 5000;

/// Node 10 with two inducts and links to nodes 2 and 3, each instance with one of each.
class Instances : public testing::Test {
protected:
    [[nodiscard]] Json config(const std::string &layer) const {
        Json inducts;
        for (int at = 0; at < 2; ++at)
            inducts.push_back(
                {{"url", loopback_url(layer, 0)},
                 {"neighbours", Json::array({{{"nodeId", 99}, {"address", "127.0.0.1"}}})}});
        if (layer == "stcp")
            for (Json &induct : inducts) induct.erase("neighbours");
        Json outducts;
        for (const std::uint64_t node : {2, 3})
            outducts.push_back({{"url", loopback_url(layer, sink_ports[node - 2].number())},
                                {"nextHopNodeId", node},
                                {"reconnectMaxMilliseconds", 200}});
        return {{"myNodeId", 10},
                {"inductsConfig", inducts},
                {"outductsConfig", outducts},
                {"threads", {{"instances", 2}}},
                {"storageConfig", {{"storeFilePath", "store"}}}};
    }
    /// Bundles by each induct to each sink, all at once; every flow has a source of its own.
    void generate(const NodeProgram &node, const std::string &layer) const {
        std::vector<std::unique_ptr<ChildProcess>> generators;
        for (std::size_t induct = 0; induct < 2; ++induct)
            for (const char *sink : {"2", "3"})
                generators.push_back(std::make_unique<ChildProcess>(std::vector<std::string>{
                    program("bpgen"), "--from", "ipn:" + std::to_string(21 + induct) + "." + sink,
                    "--to", std::string("ipn:") + sink + ".1", "--via",
                    loopback_url(layer, node.port(induct)), "--bundles", std::to_string(kBundles),
                    "--bundle-size", "1000"}));
        for (auto &generator : generators) EXPECT_EQ(generator->wait(), 0);
    }
    static void expect_all(ChildProcess &sink, int bundles) {
        sink.signal(SIGTERM);
        EXPECT_EQ(sink.wait(), 0);
        const Json report = Json::parse(sink.line(ChildProcess::kOut), nullptr, false);
        EXPECT_EQ(report["received"], bundles) << report;
        EXPECT_EQ(report["corrupt"], 0) << report;
        EXPECT_EQ(report["duplicates"], 0) << report;
        EXPECT_EQ(report["outOfOrder"], 0) << report;
    }
    [[nodiscard]] std::unique_ptr<ChildProcess> sink(const std::string &layer,
                                                     std::uint64_t node) const {
        auto listening = std::make_unique<ChildProcess>(std::vector<std::string>{
            program("bpsink"), "--eid", "ipn:" + std::to_string(node) + ".1", "--listen",
            loopback_url(layer, sink_ports[node - 2].number()), "--json"});
        const std::string greeting = listening->line(ChildProcess::kErr);
        EXPECT_TRUE(greeting.starts_with("listening on")) << greeting;
        return listening;
    }
    void pass_bundles(const std::string &layer) {
        NodeProgram node(folder, config(layer));
        generate(node, layer);
        ASSERT_TRUE(node.wait_until(
            [&] { return node.value("storage_stored_now") == std::uint64_t{4 * kBundles}; }));
        const auto second = sink(layer, 2);
        const auto third = sink(layer, 3);
        ASSERT_TRUE(node.wait_until([&] {
            return node.value("storage_stored_now") == 0 && node.value("egress_queued") == 0;
        }));
        generate(node, layer);
        ASSERT_TRUE(node.wait_until([&] {
            return node.value("egress_forwarded") == std::uint64_t{8 * kBundles} &&
                   node.value("ingress_in_flight") == 0;
        }));
        EXPECT_GT(node.value("ingress_cut_through"), 0U);
        expect_all(*second, 4 * kBundles);
        expect_all(*third, 4 * kBundles);
        node.stop();
    }

    TempFolder folder;
    std::array<ReservedPort, 2> sink_ports;
};

TEST_F(Instances, CarryEveryBundleOnceAndInOrderByStcp) {
    pass_bundles("stcp");
}

TEST_F(Instances, CarryEveryBundleOnceAndInOrderByTcpclv4) {
    pass_bundles("tcpclv4");
}

// The reply leaves by the session that bping has opened, at either instance.
TEST_F(Instances, EachReturnsEchoRequests) {
    NodeProgram node(folder, config("tcpclv4"));
    for (std::size_t induct = 0; induct < 2; ++induct) {
        ChildProcess ping({program("bping"), "--to", "ipn:10.2047", "--via",
                           loopback_url("tcpclv4", node.port(induct)), "--count", "20",
                           "--interval", "0.005"});
        EXPECT_EQ(ping.wait(), 0) << ping.unread(ChildProcess::kErr);
    }
    ASSERT_TRUE(node.wait_until([&] { return node.value("ingress_delivered") == 40; }));
    node.stop();
}

/// The processors of the thread that has this one alone.
std::set<int> lone_processors(pid_t process) {
    std::set<int> found;
    for (const auto &thread :
         std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
        cpu_set_t allowed;
        if (::sched_getaffinity(std::stoi(thread.path().filename()), sizeof allowed, &allowed) !=
                0 ||
            CPU_COUNT(&allowed) != 1)
            continue;
        for (int at = 0; at < CPU_SETSIZE; ++at)
            if (CPU_ISSET(at, &allowed)) found.insert(at);
    }
    return found;
}

TEST_F(Instances, RunOnTheConfiguredProcessors) {
    cpu_set_t allowed;
    ASSERT_EQ(::sched_getaffinity(0, sizeof allowed, &allowed), 0);
    if (CPU_COUNT(&allowed) < 2) GTEST_SKIP() << "there is one processor only";
    int last = CPU_SETSIZE - 1;
    while (!CPU_ISSET(last, &allowed)) --last;
    Json pinned = config("stcp");
    pinned["threads"]["processors"] = {{"egress2", last}};
    {
        NodeProgram node(folder, pinned);
        EXPECT_EQ(lone_processors(node.pid()), std::set<int>{last});
        node.stop();
    }
    pinned["threads"]["processors"] = {{"storage", 60'000}};
    folder.write("node.json", pinned.dump());
    ChildProcess refused({program("farlink"), "--config", folder / "node.json"});
    EXPECT_EQ(refused.wait(), 2);
    EXPECT_NE(refused.unread(ChildProcess::kErr).find("threads.processors.storage"),
              std::string::npos)
        << refused.unread(ChildProcess::kErr);
}

TEST_F(Instances, AnUnknownInstanceCannotBeChosen) {
    folder.write("node.json", config("stcp").dump());
    ChildProcess node(
        {program("farlink"), "--config", folder / "node.json", "--modules", "ingress,ingress3"});
    EXPECT_EQ(node.wait(), 2);
    EXPECT_NE(node.unread(ChildProcess::kErr).find("there is no ingress3"), std::string::npos);
}

}  // namespace
}  // namespace farlink::test::instances_test
