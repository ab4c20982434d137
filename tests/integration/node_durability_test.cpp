// SPDX-License-Identifier: Apache-2.0
// A whole node is killed while it stores; bundles that it had counted as stored are delivered after
// a restart: on an ordinary file system, and on one that discards what was not flushed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "module/storage/core/state/stripe_label.hpp"
#include "module/storage/store/directory/posix_directory.hpp"
#include "module/storage/store/log/log_recovery.hpp"
#include "tests/support/forgetful_mount.hpp"
#include "tests/support/node_program.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::test::node_durability_test {
namespace {

using nlohmann::json;

/// A temporary folder for configurations.
class Folder : public TempFolder {
public:
    std::string write(const char *name, const json &content) const {
        TempFolder::write(name, content.dump());
        return *this / name;
    }
};

std::string configuration(const Folder &folder, const json &storage, std::uint16_t sink_port,
                          bool open) {
    json config{
        {"myNodeId", 10},
        {"inductsConfig", {{{"url", "stcp://127.0.0.1:0"}}}},
        {"outductsConfig",
         {{{"url", "stcp://127.0.0.1:" + std::to_string(sink_port)}, {"nextHopNodeId", 2}}}},
        {"storageConfig", storage}};
    if (!open) {
        const json contact{{"contact", 0},
                           {"source", 10},
                           {"dest", 2},
                           {"startTime", 100000},
                           {"endTime", 200000}};
        folder.write("plan.json", {{"contacts", {contact}}});
        config["contactPlanFile"] = "plan.json";
    }
    return folder.write(open ? "open.json" : "closed.json", config);
}

/// A running node whose counters are read line by line.
class Node {
public:
    explicit Node(const std::string &config)
        : process_({program("farlink"), "--config", config, "--counters"}, gateway_limits()) {
        const json ready = next();
        if (ready.contains("ports")) port_ = ready["ports"][0];
    }
    [[nodiscard]] std::uint16_t port() const { return port_; }
    json next() {
        const std::string line = process_.line(ChildProcess::kOut);
        return line.empty() ? json::object() : json::parse(line);
    }
    void kill() {
        process_.signal(SIGKILL);
        (void)process_.wait();
    }
    int stop() {
        process_.signal(SIGTERM);
        return process_.wait();
    }

private:
    ChildProcess process_;
    std::uint16_t port_ = 0;
};

struct Load {
    std::uint64_t bundles = 60000;
    std::uint64_t bundle_bytes = 1000;
    std::uint64_t bundles_per_second = 20000;
};

std::vector<std::string> generator(std::uint16_t port, const Load &load) {
    return {program("bpgen"),
            "--from",
            "ipn:1.1",
            "--to",
            "ipn:2.1",
            "--via",
            "stcp://127.0.0.1:" + std::to_string(port),
            "--bundle-size",
            std::to_string(load.bundle_bytes),
            "--bundle-rate",
            std::to_string(load.bundles_per_second),
            "--bundles",
            std::to_string(load.bundles)};
}

/// Kills the node while it stores; returns how many bundles it had counted as stored before.
std::uint64_t store_and_die(const std::string &config, const Load &load) {
    Node node(config);
    ChildProcess bpgen(generator(node.port(), load));
    std::uint64_t stored = 0;
    for (int line = 0; line < 30 && stored == 0; ++line)
        stored = node.next().value("storage_stored_total", std::uint64_t{0});
    node.kill();
    return stored;
}

/// Runs the node with its link open until `wanted` bundles have arrived; returns the sink's report.
json release(const std::string &config, ChildProcess &sink, std::uint64_t wanted) {
    Node node(config);
    std::uint64_t forwarded = 0;
    std::uint64_t waiting = 1;
    for (int line = 0; line < 60 && (forwarded < wanted || waiting > 0); ++line) {
        const json counters = node.next();
        forwarded = counters.value("egress_forwarded", std::uint64_t{0});
        waiting = counters.value("storage_stored_now", std::uint64_t{1});
    }
    EXPECT_EQ(node.stop(), 0) << "the ledger does not balance";
    sink.signal(SIGTERM);
    (void)sink.wait();  // bundles that were never stored are lost, so its exit code is not 0
    return json::parse(sink.unread(ChildProcess::kOut));
}

void store_die_and_release(const json &storage, const std::function<void()> &crash,
                           const Load &load = {}) {
    const Folder folder;
    ChildProcess sink(
        {program("bpsink"), "--eid", "ipn:2.1", "--listen", "stcp://127.0.0.1:0", "--json"});
    const std::string listening = sink.line(ChildProcess::kErr);
    const auto sink_port =
        static_cast<std::uint16_t>(std::stoi(listening.substr(listening.rfind(':') + 1)));
    const std::uint64_t stored =
        store_and_die(configuration(folder, storage, sink_port, false), load);
    ASSERT_GT(stored, 0U);
    crash();
    const json result = release(configuration(folder, storage, sink_port, true), sink, stored);
    EXPECT_GE(result["received"], stored);
    EXPECT_LE(result["received"], load.bundles);
    EXPECT_EQ(result["corrupt"], 0);
    EXPECT_EQ(result["duplicates"], 0);
    EXPECT_EQ(result["outOfOrder"], 0);
}

json one_folder(const std::filesystem::path &folder) {
    json storage = json::object();
    storage["storeFilePath"] = folder.string();
    return storage;
}

TEST(NodeDurability, StoredBundlesAreDeliveredAfterAKill) {
    const Folder store;
    store_die_and_release(one_folder(store.path() / "store"), [] {});
}

/// Stripes in a folder of a store.
std::uint64_t stripes_in(const std::filesystem::path &folder) {
    storage::PosixDirectory directory(folder);
    storage::LogOptions options;
    options.node = NodeNumber{10};
    storage::LogFiles files;
    std::uint64_t stripes = 0;
    const auto recovery =
        storage::recover_log(directory, options, files, [&stripes](const RestoredRecord &record) {
            stripes += storage::decode_stripe(record.label) ? 1 : 0;
        });
    EXPECT_TRUE(recovery && recovery->disk != 0) << "a disk has a number";
    return stripes;
}

TEST(NodeDurability, StripedBundlesAreDeliveredAfterAKill) {
    const Folder store;
    const std::filesystem::path left = store.path() / "left";
    const std::filesystem::path right = store.path() / "right";
    json storage = json::object();
    storage["storageDiskConfigVector"] = json::array({one_folder(left), one_folder(right)});
    storage["stripeAboveBytes"] = 500'000;
    Load load;
    load.bundles = 120;
    load.bundle_bytes = 1'000'000;
    load.bundles_per_second = 60;
    store_die_and_release(
        storage,
        [&] {
            EXPECT_GT(stripes_in(left), 0U);
            EXPECT_GT(stripes_in(right), 0U);
        },
        load);
}

TEST(NodeDurability, StoredBundlesAreDeliveredAfterAPowerCut) {
    const ForgetfulMount mount;
    ASSERT_TRUE(mount.mounted());
    store_die_and_release(one_folder(mount.path() / "store"), [&] { mount.forget(); });
}

}  // namespace
}  // namespace farlink::test::node_durability_test
