// SPDX-License-Identifier: Apache-2.0
// A node whose modules run in several processes: bundles are forwarded and stored as in one
// process, all processes end together, and processes with different configurations report that.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/node_processes.hpp"

namespace farlink::test::processes_test {
namespace {

using Json = nlohmann::json;

constexpr int kBundles = 5000;

class Processes : public testing::Test {
protected:
    /// Node 10 with a link to node 2, by the convergence layer.
    [[nodiscard]] Json config(const std::string &layer, const Json &bus) const {
        return {{"myNodeId", 10},
                {"inductsConfig", {{{"url", layer + "://127.0.0.1:0"}}}},
                {"outductsConfig",
                 {{{"url", loopback_url(layer, sink_port.number())},
                   {"nextHopNodeId", 2},
                   {"reconnectMaxMilliseconds", 200}}}},
                {"storageConfig", {{"storeFilePath", "store"}}},
                {"bus", bus}};
    }
    /// Bundles that wait for a sink, and then bundles that are cut through: every one arrives once.
    void send_through(NodeProcesses &node, const std::string &layer) {
        const std::string to_node = loopback_url(layer, node.port());
        const std::vector<std::string> many{"--bundles", std::to_string(kBundles), "--bundle-size",
                                            "1000"};
        EXPECT_EQ(GeneratorProgram(to_node, many).wait(), 0);
        ASSERT_TRUE(node.wait_until(
            [&] { return node.value("storage_stored_now") == std::uint64_t{kBundles}; }));
        SinkProgram sink(loopback_url(layer, sink_port.number()), {});
        ASSERT_TRUE(node.wait_until([&] {
            return node.value("storage_stored_now") == 0 && node.value("egress_queued") == 0;
        }));
        EXPECT_EQ(GeneratorProgram(to_node, many).wait(), 0);
        ASSERT_TRUE(node.wait_until([&] {
            return node.value("ingress_received") == 2 * kBundles &&
                   node.value("ingress_in_flight") == 0 && node.value("egress_queued") == 0;
        }));
        EXPECT_GT(node.value("ingress_cut_through"), std::uint64_t{kBundles} / 2);
        sink.signal(SIGTERM);
        EXPECT_EQ(sink.wait(), 0);
        const Json report = sink.report();
        EXPECT_EQ(report["received"], 2 * kBundles) << report;
        EXPECT_EQ(report["corrupt"], 0) << report;
        EXPECT_EQ(report["duplicates"], 0) << report;
        EXPECT_EQ(report["outOfOrder"], 0) << report;
    }

    TempFolder folder;
    ReservedPort sink_port;
};

TEST_F(Processes, OneForEachModuleOverIpcCarryStcp) {
    NodeProcesses node(folder, config("stcp", ipc_bus(folder)), kAllModules);
    send_through(node, "stcp");
    node.stop(3);
}

TEST_F(Processes, OneForEachModuleOverIpcCarryTcpclv4) {
    NodeProcesses node(folder, config("tcpclv4", ipc_bus(folder)), kAllModules);
    send_through(node, "tcpclv4");
    // SIGTERM to any process ends all of them.
    node.stop(0);
}

TEST_F(Processes, ThreeOverTcpWithKeys) {
    const TcpBus bus(folder);
    NodeProcesses node(folder, config("tcpclv4", bus.section()),
                       {"storage", "ingress,egress", "telemetry,router,scheduler"});
    send_through(node, "tcpclv4");
    node.stop(2);
}

// The windows of the others bound the batches that wait for it; they continue when it continues.
TEST_F(Processes, AStoppedConsumerPausesTheOthers) {
    constexpr std::uint64_t kMiB = 1 << 20;
    constexpr int kMany = kSanitized ? 5'000 : 20'000;  // of 10 kB
    Json limited = config("stcp", ipc_bus(folder));
    limited["bufferBytes"] = 16 * kMiB;
    limited["maxPauseMilliseconds"] = 60'000;
    SinkProgram sink(loopback_url("stcp", sink_port.number()), {});
    NodeProcesses node(folder, limited, kAllModules);
    ASSERT_TRUE(node.wait_until([&] { return node.value("egress_connected") == 1; }));
    ChildProcess &egress = node.child(1);
    egress.signal(SIGSTOP);
    GeneratorProgram generator(loopback_url("stcp", node.port()),
                               {"--bundles", std::to_string(kMany), "--bundle-size", "10000"});
    std::uint64_t before = 1;
    EXPECT_TRUE(node.wait_until([&] {
        return std::exchange(before, node.value("ingress_received")) ==
               node.value("ingress_received");
    }));
    EXPECT_LT(before, std::uint64_t{kMany});
    EXPECT_TRUE(kSanitized || node.child(0).peak_memory() < 64 * kMiB)
        << node.child(0).peak_memory();
    egress.signal(SIGCONT);
    EXPECT_EQ(generator.wait(), 0);
    ASSERT_TRUE(node.wait_until([&] {
        return node.value("egress_forwarded") == kMany && node.value("ingress_in_flight") == 0;
    }));
    sink.signal(SIGTERM);
    EXPECT_EQ(sink.wait(), 0);
    EXPECT_EQ(sink.report()["received"], kMany);
    node.stop(3);
}

// Over ipc no connection ends; missing heartbeats are detected.
TEST_F(Processes, AStoppedProcessIsReportedAsSilentUntilItContinues) {
    Json asked = config("stcp", ipc_bus(folder));
    asked["controlSocket"] = "control";
    NodeProcesses node(folder, asked, kAllModules);
    const auto status = [&] {
        ChildProcess child({program("farlinkctl"), "status", "--socket", folder / "control"});
        EXPECT_EQ(child.wait(), 0);
        return child.unread(ChildProcess::kOut);
    };
    EXPECT_NE(status().find("modules: all ready"), std::string::npos);
    ChildProcess &storage = node.child(2);
    storage.signal(SIGSTOP);
    EXPECT_TRUE(node.supervisor_says("module storage: no heartbeat for"));
    EXPECT_NE(status().find("storage is silent"), std::string::npos) << status();
    storage.signal(SIGCONT);
    EXPECT_TRUE(node.supervisor_says("module storage: heartbeats received again"));
    EXPECT_NE(status().find("modules: all ready"), std::string::npos) << status();
    node.stop(3);
}

// Batches of ingress and later batches of storage wait for it together.
TEST_F(Processes, AStoppedEgressKeepsTheOrder) {
    constexpr int kMany = kSanitized ? 20'000 : 60'000;
    Json impatient = config("stcp", ipc_bus(folder));
    impatient["maxPauseMilliseconds"] = 1;
    SinkProgram sink(loopback_url("stcp", sink_port.number()), {});
    NodeProcesses node(folder, impatient, kAllModules);
    ASSERT_TRUE(node.wait_until([&] { return node.value("egress_connected") == 1; }));
    ChildProcess &egress = node.child(1);
    egress.signal(SIGSTOP);
    GeneratorProgram generator(loopback_url("stcp", node.port()),
                               {"--bundles", std::to_string(kMany), "--bundle-size", "1000"});
    EXPECT_EQ(generator.wait(), 0);
    EXPECT_TRUE(node.wait_until([&] {
        return node.value("ingress_received") == kMany && node.value("storage_stored_now") > 0;
    }));
    egress.signal(SIGCONT);
    ASSERT_TRUE(node.wait_until([&] {
        return node.value("egress_forwarded") == kMany && node.value("ingress_in_flight") == 0;
    }));
    sink.signal(SIGTERM);
    EXPECT_EQ(sink.wait(), 0);
    const Json report = sink.report();
    EXPECT_EQ(report["received"], kMany) << report;
    EXPECT_EQ(report["outOfOrder"], 0) << report;
    node.stop(3);
}

TEST_F(Processes, TheKeyFilesMustHaveMode0600) {
    const TcpBus bus(folder);
    for (const char *file : {"keys/bus.secret", "keys/bus.public"}) {
        struct stat status{};
        ASSERT_EQ(::stat((folder / file).c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777, 0600U);
    }
    ChildProcess again({program("farlinkctl"), "keys", "make", folder / "keys"});
    EXPECT_EQ(again.wait(), 1);
    EXPECT_NE(again.unread(ChildProcess::kErr).find("already exists"), std::string::npos);
    folder.write("node.json", config("stcp", bus.section()).dump());
    ASSERT_EQ(::chmod((folder / "keys/bus.secret").c_str(), 0640), 0);
    ChildProcess node(
        {program("farlink"), "--config", folder / "node.json", "--modules", "ingress"});
    EXPECT_EQ(node.wait(), 2);
    EXPECT_NE(node.unread(ChildProcess::kErr).find("expected mode 0600"), std::string::npos);
}

TEST_F(Processes, OfAnotherConfigurationAreRefused) {
    Json other = config("stcp", ipc_bus(folder));
    folder.write("one.json", other.dump());
    other["statusReports"] = true;
    folder.write("other.json", other.dump());
    ChildProcess one({program("farlink"), "--config", folder / "one.json", "--modules",
                      "ingress,storage,router,telemetry"});
    ChildProcess two(
        {program("farlink"), "--config", folder / "other.json", "--modules", "egress,scheduler"});
    for (ChildProcess *child : {&one, &two}) {
        EXPECT_EQ(child->wait(), 3);
        const std::string &said = child->unread(ChildProcess::kErr);
        EXPECT_NE(said.find("differ in statusReports"), std::string::npos) << said;
        EXPECT_NE(said.find("0.1.0"), std::string::npos) << said;
    }
}

TEST_F(Processes, EndWhenOneOfThemCannotStart) {
    Json broken = config("stcp", ipc_bus(folder));
    broken["storageConfig"]["storeFilePath"] = "node.json";  // no folder
    folder.write("node.json", broken.dump());
    const auto start = [&](const char *modules) {
        return std::vector<std::string>{program("farlink"), "--config", folder / "node.json",
                                        "--modules", modules};
    };
    ChildProcess storage(start("storage"));
    ChildProcess links(start("ingress,egress"));
    ChildProcess others(start("scheduler,router,telemetry"));
    EXPECT_EQ(storage.wait(), 1);
    EXPECT_EQ(links.wait(), 0);
    EXPECT_EQ(others.wait(), 1);
}

TEST_F(Processes, WaitForTheOthersAndEndOnSigtermMeanwhile) {
    folder.write("node.json", config("stcp", ipc_bus(folder)).dump());
    ChildProcess alone(
        {program("farlink"), "--config", folder / "node.json", "--modules", "ingress"});
    const std::string said = alone.line(ChildProcess::kErr);
    EXPECT_NE(said.find("waiting for the processes of other modules: egress, storage, scheduler"),
              std::string::npos)
        << said;
    alone.signal(SIGTERM);
    EXPECT_EQ(alone.wait(), 0);
}

// The modules that bundles need start and restart while telemetry is down; its counters are
// complete when it starts.
TEST_F(Processes, DoNotWaitForTelemetry) {
    folder.write("node.json", config("stcp", ipc_bus(folder)).dump());
    const auto start = [&](const char *modules) {
        return std::make_unique<ChildProcess>(
            std::vector<std::string>{program("farlink"), "--config", folder / "node.json",
                                     "--counters", "--modules", modules});
    };
    const auto supervisor = start("scheduler,router");
    const auto storage = start("storage,egress");
    auto ingress = start("ingress");
    const auto wait_for_word = [&](const std::string &word) {
        for (std::string said; said.find(word) == said.npos;) {
            said = supervisor->line(ChildProcess::kErr);
            ASSERT_NE(said, "") << "the log does not contain: " << word;
        }
    };
    wait_for_word(
        "module telemetry: not running or not reachable; the node starts without this module");
    EXPECT_NE(supervisor->line(ChildProcess::kOut).find("\"ready\":true"), std::string::npos);
    ingress->signal(SIGKILL);
    EXPECT_NE(ingress->wait(), 0);
    ingress = start("ingress");
    wait_for_word("module ingress: its process is reachable again");

    const auto telemetry = start("telemetry");
    wait_for_word("module telemetry: its process is reachable again");
    const Json counters = Json::parse(telemetry->line(ChildProcess::kOut), nullptr, false);
    EXPECT_TRUE(counters.is_object()) << telemetry->unread(ChildProcess::kErr);
    supervisor->signal(SIGTERM);
    for (ChildProcess *each : {supervisor.get(), storage.get(), ingress.get(), telemetry.get()})
        EXPECT_EQ(each->wait(), 0) << each->unread(ChildProcess::kErr);
}

TEST_F(Processes, NeedAddressesAndKnownModuleNames) {
    folder.write("node.json", config("stcp", Json::object()).dump());
    ChildProcess silent({program("farlink"), "--config", folder / "node.json", "--modules",
                         "ingress,egress", "--check"});
    EXPECT_EQ(silent.wait(), 2);
    EXPECT_NE(silent.unread(ChildProcess::kErr).find("bus.storage: found inproc; expected ipc"),
              std::string::npos);
    ChildProcess unknown(
        {program("farlink"), "--config", folder / "node.json", "--modules", "ingress,stroage"});
    EXPECT_EQ(unknown.wait(), 2);
    EXPECT_NE(unknown.unread(ChildProcess::kErr).find("no such module: \"stroage\""),
              std::string::npos);
}

}  // namespace
}  // namespace farlink::test::processes_test
