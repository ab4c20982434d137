// SPDX-License-Identifier: Apache-2.0
// A real node between a generator and a sink, on the loopback address: cut-through, storage, cuts
// and restarts. Ports are chosen by the system; every wait has a limit.
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/runtime/clock.hpp"
#include "tests/support/node_program.hpp"
#include "tests/support/reserved_port.hpp"
#include "tests/support/tcp_peer.hpp"
#include "tests/support/test_bundle.hpp"
#include "tests/support/udp_peer.hpp"

namespace farlink::test::node_test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

std::string url_of(std::uint16_t port) {
    return "stcp://127.0.0.1:" + std::to_string(port);
}

class Sink : public ChildProcess {
public:
    explicit Sink(std::uint16_t port)
        : ChildProcess(
              {program("bpsink"), "--eid", "ipn:2.1", "--listen", url_of(port), "--json"}) {
        EXPECT_NE(line(kErr).find("listening"), std::string::npos);
    }
    /// Ends it; returns the number of bundles received.
    Json stop() {
        signal(SIGTERM);
        wait();
        return Json::parse(line(kOut), nullptr, false);
    }
};

class Generator : public ChildProcess {
public:
    Generator(std::uint16_t port, int bundles, int rate = 0)
        : ChildProcess({program("bpgen"), "--from", "ipn:1.1", "--to", "ipn:2.1", "--via",
                        url_of(port), "--bundle-size", "200", "--bundles", std::to_string(bundles),
                        "--bundle-rate", std::to_string(rate)}) {}
};

class Node : public ChildProcess {
public:
    explicit Node(const fs::path &config)
        : ChildProcess({program("farlink"), "--config", config.string(), "--counters"},
                       gateway_limits()) {
        // The node may print its first counters before all modules are ready.
        for (std::string said = line(kOut); !said.empty(); said = line(kOut)) {
            const Json ready = Json::parse(said, nullptr, false);
            if (!ready.is_object() || !ready.contains("ports")) continue;
            port_ = ready["ports"][0].get<std::uint16_t>();
            return;
        }
        ADD_FAILURE() << "not ready: " << unread(kErr);
    }
    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::uint64_t value(const char *counter) const {
        return counters_.value(counter, std::uint64_t{0});
    }
    /// Reads the counters, which the node prints once a second, until `done`; false at the limit.
    template <class Done>
    [[nodiscard]] bool wait_until(Done done) {
        constexpr int kMostSeconds = 60;
        for (int i = 0; i < kMostSeconds; ++i) {
            counters_ = Json::parse(line(kOut), nullptr, false);
            if (!counters_.is_object()) return false;
            if (done()) return true;
        }
        ADD_FAILURE() << counters_;
        return false;
    }
    /// No bundle is in flight, and this many bundles have been received.
    [[nodiscard]] bool wait_until_quiet(std::uint64_t received) {
        return wait_until([&] {
            return value("ingress_received") >= received && value("ingress_in_flight") == 0 &&
                   value("storage_stored_now") == 0 && value("egress_queued") == 0;
        });
    }
    /// The bundles that an earlier run had stored have left.
    [[nodiscard]] bool wait_until_sent(std::uint64_t restored) {
        return wait_until([&] { return value("storage_restored") >= restored; }) &&
               wait_until_quiet(0);
    }
    /// Stops it by SIGTERM; its ledger must balance.
    void stop() {
        signal(SIGTERM);
        EXPECT_EQ(wait(), 0) << unread(kErr);
        const std::string &said = unread(kErr);
        EXPECT_NE(said.find("balanced"), std::string::npos) << said;
        EXPECT_EQ(said.find("NOT balanced"), std::string::npos) << said;
    }
    /// Kills it, as a power cut does.
    void kill() {
        signal(SIGKILL);
        EXPECT_EQ(wait(), -1);
    }

private:
    std::uint16_t port_ = 0;
    Json counters_;
};

class NodeTest : public testing::Test {
protected:
    NodeTest() {
        const auto *info = testing::UnitTest::GetInstance()->current_test_info();
        folder = fs::path(testing::TempDir()) /
                 (std::string("farlink-node-") + info->name() + "-" + std::to_string(::getpid()));
        fs::remove_all(folder);
        fs::create_directories(folder);
    }
    ~NodeTest() override { fs::remove_all(folder); }

    fs::path write(const std::string &name, const Json &content) {
        std::ofstream(folder / name) << content.dump(2) << '\n';
        return folder / name;
    }
    /// Node 10 with a link to node 2, which is the sink (present, later or former).
    [[nodiscard]] Json node_config() const {
        return {{"myNodeId", 10},
                {"inductsConfig", {{{"url", url_of(0)}}}},
                {"outductsConfig",
                 {{{"url", url_of(sink_port.number())},
                   {"nextHopNodeId", 2},
                   {"reconnectMaxMilliseconds", 200}}}},
                {"storageConfig", {{"storeFilePath", "store"}}}};
    }
    /// With one contact, from `start` on, in seconds after the node's start.
    fs::path planned_config(int start) {
        write("plan.json", {{"contacts",
                             {{{"contact", 0},
                               {"source", 10},
                               {"dest", 2},
                               {"startTime", start},
                               {"endTime", start + 100'000}}}}});
        Json config = node_config();
        config["contactPlanFile"] = "plan.json";
        return write("node.json", config);
    }

    static void expect_whole(const Json &report, std::uint64_t received) {
        EXPECT_EQ(report["received"], received) << report;
        expect_sound(report);
    }
    static void expect_sound(const Json &report) {
        EXPECT_EQ(report["duplicates"], 0) << report;
        EXPECT_EQ(report["outOfOrder"], 0) << report;
        EXPECT_EQ(report["corrupt"], 0) << report;
        EXPECT_EQ(report["malformed"], 0) << report;
        EXPECT_EQ(report["misdelivered"], 0) << report;
    }

    fs::path folder;
    ReservedPort sink_port;
};

TEST_F(NodeTest, CutsThroughEveryBundleOnce) {
    constexpr int kBundles = 20'000;
    Sink sink(sink_port.number());
    Node node(write("node.json", node_config()));
    ASSERT_TRUE(node.wait_until([&] { return node.value("egress_connected") == 1; }));
    EXPECT_EQ(Generator(node.port(), kBundles).wait(), 0);
    ASSERT_TRUE(node.wait_until_quiet(kBundles));
    EXPECT_EQ(node.value("egress_forwarded"), std::uint64_t{kBundles});
    EXPECT_GT(node.value("ingress_cut_through"), std::uint64_t{kBundles} / 2);
    const Json report = sink.stop();
    EXPECT_TRUE(report["ok"]) << report;
    expect_whole(report, kBundles);
    node.stop();
}

TEST_F(NodeTest, DeliversItsStoredBundlesAfterAKill) {
    constexpr int kBundles = 60'000;
    std::uint64_t stored = 0;
    {
        Node node(planned_config(50'000));
        Generator generator(node.port(), kBundles, 15'000);
        ASSERT_TRUE(node.wait_until([&] { return node.value("storage_stored_total") > 15'000; }));
        stored = node.value("storage_stored_total");
        node.kill();
        generator.signal(SIGTERM);
        generator.wait();
    }
    Sink sink(sink_port.number());
    Node node(planned_config(0));
    ASSERT_TRUE(node.wait_until_sent(stored));
    const Json report = sink.stop();
    EXPECT_GE(report["received"], stored) << report;
    expect_sound(report);
    node.stop();
}

TEST_F(NodeTest, StoresUntilTheSinkConnects) {
    constexpr int kBundles = 20'000;
    Node node(write("node.json", node_config()));
    EXPECT_EQ(Generator(node.port(), kBundles).wait(), 0);
    ASSERT_TRUE(node.wait_until(
        [&] { return node.value("storage_stored_now") == std::uint64_t{kBundles}; }));
    Sink sink(sink_port.number());
    ASSERT_TRUE(node.wait_until_quiet(kBundles));
    const Json report = sink.stop();
    EXPECT_TRUE(report["ok"]) << report;
    expect_whole(report, kBundles);
    node.stop();
}

// Bundles that the kernel of the killed sink had accepted are lost, since STCP guarantees no more;
// all others reach the next sink, in order.
TEST_F(NodeTest, SurvivesASinkThatIsKilled) {
    constexpr int kBundles = 30'000;
    auto first = std::make_unique<Sink>(sink_port.number());
    Node node(write("node.json", node_config()));
    ASSERT_TRUE(node.wait_until([&] { return node.value("egress_connected") == 1; }));
    Generator generator(node.port(), kBundles, 6000);
    ASSERT_TRUE(node.wait_until([&] { return node.value("egress_forwarded") > 3000; }));
    first->signal(SIGKILL);
    EXPECT_EQ(first->wait(), -1);
    ASSERT_TRUE(node.wait_until([&] {
        return node.value("egress_connected") == 0 && node.value("storage_stored_total") > 0;
    }));
    const std::uint64_t forwarded = node.value("egress_forwarded");
    EXPECT_LT(forwarded, std::uint64_t{kBundles});

    Sink second(sink_port.number());
    EXPECT_EQ(generator.wait(), 0);
    ASSERT_TRUE(node.wait_until_quiet(kBundles));
    const Json report = second.stop();
    EXPECT_GE(report["received"], kBundles - forwarded) << report;
    expect_sound(report);
    node.stop();
}

// Disk and memory are full, and the generator is paused; no bundle is lost when the sink connects.
TEST_F(NodeTest, RecoversFromAFullStore) {
    constexpr int kBundles = 40'000;  // 10 MB
    constexpr std::uint64_t kMiB = 1 << 20;
    Json config = node_config();
    config["bufferBytes"] = 2 * kMiB;
    config["storageConfig"]["totalStorageCapacityBytes"] = kMiB;
    config["storageConfig"]["segmentBytes"] = kMiB / 8;
    Node node(write("node.json", config));
    Generator generator(node.port(), kBundles);
    std::uint64_t before = 1;
    ASSERT_TRUE(node.wait_until([&] {
        const bool stands = node.value("ingress_received") == before;
        before = node.value("ingress_received");
        return stands && node.value("storage_refused") > 0;
    }));
    EXPECT_LT(before, std::uint64_t{kBundles});
    EXPECT_LE(node.value("ingress_in_flight_bytes"), 2 * kMiB) << "bufferBytes holds";

    Sink sink(sink_port.number());
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    ASSERT_TRUE(node.wait_until_quiet(kBundles));
    const Json report = sink.stop();
    EXPECT_TRUE(report["ok"]) << report;
    expect_whole(report, kBundles);
    node.stop();
}

TEST_F(NodeTest, StopsWithoutTraffic) {
    Node node(write("node.json", node_config()));
    node.stop();
}

TEST_F(NodeTest, StopsWhileBundlesArriveAndLosesNoStoredBundle) {
    std::uint64_t stored = 0;
    {
        Node node(planned_config(50'000));
        Generator generator(node.port(), 60'000, 15'000);
        ASSERT_TRUE(node.wait_until([&] { return node.value("storage_stored_total") > 5000; }));
        node.stop();
        while (!node.unread(ChildProcess::kOut).empty()) {
            const Json last = Json::parse(node.line(ChildProcess::kOut), nullptr, false);
            stored = last.value("storage_stored_now", std::uint64_t{0});
        }
        generator.signal(SIGTERM);
        generator.wait();
    }
    EXPECT_GT(stored, 5000U);
    Sink sink(sink_port.number());
    Node node(planned_config(0));
    ASSERT_TRUE(node.wait_until_sent(stored));
    expect_whole(sink.stop(), stored);
    node.stop();
}

TEST_F(NodeTest, NamesEveryErrorOfABadConfiguration) {
    Json config = node_config();
    config["myNodeId"] = "ten";
    config["inductConfig"] = Json::array();  // a misspelt key
    config["outductsConfig"][0]["url"] = "stcp://127.0.0.1:99999";
    const fs::path file = write("node.json", config);
    ChildProcess node({program("farlink"), "--config", file.string()});
    EXPECT_EQ(node.wait(), 2);
    const std::string &said = node.unread(ChildProcess::kErr);
    for (const char *what : {"myNodeId", "inductConfig", "outductsConfig[0].url"})
        EXPECT_NE(said.find(what), std::string::npos) << what << " in " << said;
}

TEST_F(NodeTest, ChecksAConfigurationWithoutStarting) {
    const fs::path file = planned_config(0);
    ChildProcess good({program("farlink"), "--config", file.string(), "--check"});
    EXPECT_EQ(good.wait(), 0) << good.unread(ChildProcess::kErr);
    EXPECT_FALSE(fs::exists(folder / "store"));
    write("plan.json", {{"contacts", 5}});
    ChildProcess bad_plan({program("farlink"), "--config", file.string(), "--check"});
    EXPECT_EQ(bad_plan.wait(), 2);
    ChildProcess no_file({program("farlink"), "--config", (folder / "nowhere.json").string()});
    EXPECT_EQ(no_file.wait(), 2);
    ChildProcess no_option({program("farlink")});
    EXPECT_EQ(no_option.wait(), 2);
}

TEST_F(NodeTest, StartsWithoutOneOfSeveralDisks) {
    write("plain.txt", "no folder");
    const std::string plain = (folder / "plain.txt").string();
    const std::string wrong = "storageConfig.storageDiskConfigVector[1].storeFilePath: " + plain +
                              ": found a file; expected a folder";
    Json config = node_config();
    const auto use = [&](const std::string &first) {
        config["storageConfig"] = {
            {"storageDiskConfigVector",
             Json::array({{{"storeFilePath", first}}, {{"storeFilePath", plain + "/s"}}})}};
        return write("node.json", config).string();
    };
    ChildProcess check({program("farlink"), "--config", use("store"), "--check"});
    EXPECT_EQ(check.wait(), 0) << check.unread(ChildProcess::kErr);
    EXPECT_NE(check.unread(ChildProcess::kOut)
                  .find("warning: " + wrong + "; the node starts without this disk"),
              std::string::npos);
    ChildProcess none({program("farlink"), "--config", use(plain), "--check"});
    EXPECT_EQ(none.wait(), 2);
    EXPECT_NE(none.unread(ChildProcess::kErr).find(wrong), std::string::npos);
}

// The check finds every error that a start finds, and a start reports them before it makes files.
TEST_F(NodeTest, ChecksTheFilesOfAConfiguration) {
    write("plain.txt", "no folder");
    const std::string plain = (folder / "plain.txt").string();
    const auto with = [this](const char *key, const Json &value) {
        Json config = node_config();
        config[key] = value;
        return config;
    };
    const std::vector<std::pair<Json, std::string>> cases{
        {with("api", {{"listen", "127.0.0.1:0"}, {"tokensFile", "none.json"}}),
         "api.tokensFile: " + (folder / "none.json").string() + ": no such file"},
        {with("storageConfig", {{"storeFilePath", plain}}),
         "storageConfig.storeFilePath: " + plain + ": found a file; expected a folder"},
        {with("storageConfig", {{"storeFilePath", plain + "/store"}}),
         "storageConfig.storeFilePath: " + plain + ": found a file; expected a folder"},
        {with("stateFolder", plain), "stateFolder: " + plain + ": found a file; expected a folder"},
        {with("threads", {{"processors", {{"storage", 1000}}}}),
         "threads.processors.storage: found processor 1000; expected a processor that this "
         "process may use"},
        {with("api", {{"listen", "127.0.0.1:0"}, {"auditFile", plain + "/audit.jsonl"}}),
         "api.auditFile: " + plain + ": found a file; expected a folder"},
        {with("api", {{"listen", "127.0.0.1:0"}, {"auditFile", folder.string()}}),
         "api.auditFile: " + folder.string() + ": found a folder; expected a file"},
        {with("controlSocket", plain),
         "controlSocket: " + plain + ": the path exists and is not a socket"},
        {with("controlSocket", "/" + std::string(200, 'c')),
         "201 bytes; the path of a socket has at most 107 bytes"}};
    for (const auto &[config, reason] : cases) {
        const fs::path file = write("node.json", config);
        for (const bool check : {true, false}) {
            std::vector<std::string> words{program("farlink"), "--config", file.string()};
            if (check) words.emplace_back("--check");
            ChildProcess node(words);
            EXPECT_EQ(node.wait(), 2) << reason;
            const std::string &said = node.unread(ChildProcess::kErr);
            EXPECT_NE(said.find(reason), std::string::npos) << said;
        }
    }
}

// Bundles have priority: the node starts without a history.
TEST_F(NodeTest, WarnsOfAFolderThatCannotHoldTheHistory) {
    write("plain.txt", "no folder");
    const std::string plain = (folder / "plain.txt").string();
    Json config = node_config();
    config["controlSocket"] = "control";
    config["history"] = {{"folder", plain}};
    ChildProcess check(
        {program("farlink"), "--config", write("node.json", config).string(), "--check"});
    EXPECT_EQ(check.wait(), 0);
    const std::string &said = check.unread(ChildProcess::kOut);
    EXPECT_NE(said.find("warning: history.folder: " + plain), std::string::npos) << said;
}

TEST_F(NodeTest, WarnsOfADashboardThatIsNotThere) {
    Json config = node_config();
    config["api"] = {{"listen", "127.0.0.1:0"}, {"webui", "nowhere"}};
    ChildProcess check(
        {program("farlink"), "--config", write("node.json", config).string(), "--check"});
    EXPECT_EQ(check.wait(), 0);
    const std::string &said = check.unread(ChildProcess::kOut);
    EXPECT_NE(said.find("warning: api.webui: " + (folder / "nowhere").string()), std::string::npos)
        << said;
}

TEST_F(NodeTest, LogsABundleThatExceedsItsHopLimit) {
    Json config = node_config();
    config["inductsConfig"] = Json::array({{{"url", "udp://127.0.0.1:0"}}});
    Node node(write("node.json", config));
    TestBundle tired;
    tired.created_ms = read_wall_clock().dtn_ms;
    tired.hop_limit = 5;
    tired.hops = 5;
    const UdpPeer peer;
    peer.send_to(node.port(), tired.octets());
    EXPECT_TRUE(node.wait_until([&] { return node.value("ingress_deleted_hop_limit") == 1; }));
    node.stop();
    const std::string &said = node.unread(ChildProcess::kErr);
    EXPECT_NE(said.find("deleted a bundle from ipn:1.1 to ipn:2.1: hop limit 5 exceeded"),
              std::string::npos)
        << said;
}

TEST_F(NodeTest, FailsWhereItCannotListen) {
    const TcpListener other;
    UdpPeer datagrams;
    const std::string port = std::to_string(datagrams.port());
    // 192.0.2.0/24 is for documentation: no machine has such an address.
    const std::vector<std::pair<std::string, std::string>> cases{
        {url_of(other.port()), "Address already in use"},
        {"tcpclv4://192.0.2.1:4556", "Cannot assign requested address"},
        {"udp://127.0.0.1:" + port, "Address already in use"},
        {"ltp://127.0.0.1:" + port, "Address already in use"}};
    Json config = node_config();
    for (const auto &[url, reason] : cases) {
        config["inductsConfig"] = Json::array({{{"url", url}}});
        const fs::path file = write("node.json", config);
        ChildProcess node({program("farlink"), "--config", file.string()});
        EXPECT_EQ(node.wait(), 1) << url;
        const std::string &said = node.unread(ChildProcess::kErr);
        EXPECT_NE(said.find("cannot listen on " + url + ": " + reason), std::string::npos) << said;
        EXPECT_EQ(said.find("ready: node"), std::string::npos) << said;
        EXPECT_EQ(said.find("accounted for"), std::string::npos) << said;
    }
}

}  // namespace
}  // namespace farlink::test::node_test
