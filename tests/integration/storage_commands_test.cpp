// SPDX-License-Identifier: Apache-2.0
// Stored bundles of a running node, which an operator lists, deletes, holds and releases by
// farlinkctl.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "common/bp/parse.hpp"
#include "tests/support/node_program.hpp"

namespace farlink::test::storage_commands_test {
namespace {

using Json = nlohmann::json;

class StorageCommands : public testing::Test {
protected:
    /// Node 10; the sink is node 2, with an endless contact. `launcher` is that of NodeProgram.
    void start(const std::vector<std::string> &launcher = {}) {
        const Json config{{"myNodeId", 10},
                          {"controlSocket", "control"},
                          {"storageConfig", {{"storeFilePath", "store"}}},
                          {"inductsConfig", {{{"url", "stcp://127.0.0.1:0"}}}},
                          {"outductsConfig",
                           {{{"url", loopback_url("stcp", sink_.port())}, {"nextHopNodeId", 2}}}}};
        node_ = std::make_unique<NodeProgram>(folder_, config, "node.json", launcher);
    }
    void send(int bundles, const std::string &to = "ipn:2.1") {
        ChildProcess generator({program("bpgen"), "--from", "ipn:1.1", "--to", to, "--via",
                                loopback_url("stcp", node_->port()), "--bundles",
                                std::to_string(bundles), "--bundle-size", "100"});
        EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    }
    [[nodiscard]] bool stores(std::uint64_t bundles) {
        return node_->wait_until([&] { return node_->value("storage_stored_now") == bundles; });
    }
    /// The process id of a module with a process of its own; 0: it is not running.
    [[nodiscard]] pid_t process_of(const std::string &module) const {
        for (const pid_t child : node_->children()) {
            std::ifstream file("/proc/" + std::to_string(child) + "/cmdline");
            std::string word;
            while (std::getline(file, word, '\0'))
                if (word == "--modules" && std::getline(file, word, '\0') && word == module)
                    return child;
        }
        return 0;
    }
    Json ask(std::vector<std::string> words) {
        words.insert(words.begin(), {program("farlinkctl"), "storage"});
        words.insert(words.end(), {"--config", folder_ / "node.json", "--json"});
        return Json::parse(said(std::move(words)), nullptr, false);
    }
    std::string published(std::vector<std::string> words) {
        words.insert(words.begin(), program("farlinkctl"));
        words.insert(words.end(), {"--config", folder_ / "node.json"});
        return said(std::move(words));
    }

    TempFolder folder_;
    SinkProgram sink_{"stcp://127.0.0.1:0", {"--bundles", "8"}};
    std::unique_ptr<NodeProgram> node_;
    int code_ = 0;

private:
    std::string said(std::vector<std::string> words) {
        ChildProcess child(std::move(words));
        code_ = child.wait();
        return child.unread(ChildProcess::kOut) + child.unread(ChildProcess::kErr);
    }
};

TEST_F(StorageCommands, AHeldNodeGetsNothingUntilItIsReleasedAlsoAfterARestart) {
    start();
    EXPECT_EQ(ask({"holds"})["held"], Json::array());
    EXPECT_EQ(ask({"hold", "2"})["held"], Json::array({2}));
    send(10);
    ASSERT_TRUE(stores(10));

    const Json all = ask({"list"});
    ASSERT_EQ(all["bundles"].size(), 10U) << all;
    const Json &first = all["bundles"][0];
    EXPECT_EQ(first["destination"], "ipn:2.1");
    EXPECT_EQ(first["source"], "ipn:1.1");
    EXPECT_EQ(first["state"], "waiting");
    EXPECT_EQ(first["version"], 7);
    const std::string bundle = first["bundle"];
    EXPECT_NE(published({"storage", "show", bundle}).find("ipn:2.1"), std::string::npos);
    EXPECT_EQ(ask({"show", bundle})["bundles"].size(), 1U);
    EXPECT_EQ(ask({"show"})["storage"]["bundles"], 10);
    EXPECT_EQ(ask({"delete", bundle})["deleted"], 1);
    EXPECT_EQ(ask({"delete", bundle})["reason"], "notFound");
    EXPECT_EQ(code_, 1);
    const Json page = ask({"list", "ipn:2.*", "--limit", "4"});
    EXPECT_EQ(page["bundles"].size(), 4U);
    EXPECT_EQ(ask({"list", "--after", page["next"]})["bundles"].size(), 5U);
    EXPECT_NE(published({"routes", "explain", "1", "2"}).find("the operator holds"),
              std::string::npos);

    node_->stop();
    EXPECT_EQ(node_->value("storage_deleted_by_operator"), 1U);
    start();
    ASSERT_TRUE(stores(9));
    EXPECT_EQ(ask({"holds"})["held"], Json::array({2}));
    // Bundle numbers are valid for one run only.
    const std::string again = ask({"list"})["bundles"][8]["bundle"];
    EXPECT_EQ(ask({"delete", again})["deleted"], 1);
    EXPECT_EQ(node_->value("storage_released"), 0U);

    EXPECT_EQ(ask({"release", "2"})["held"], Json::array());
    // The exit code of the sink shows that the deleted bundles are missing.
    EXPECT_EQ(sink_.wait(), 1);
    EXPECT_EQ(sink_.report()["received"], 8);
    node_->stop();
    EXPECT_EQ(node_->value("storage_released"), 8U);
}

TEST_F(StorageCommands, BundlesForOneNodeAreDeletedAndOthersStay) {
    start();
    send(20, "ipn:50.1");
    send(5, "ipn:60.1");
    ASSERT_TRUE(stores(25));
    EXPECT_NE(published({"storage", "delete"}).find("required"), std::string::npos);
    EXPECT_EQ(code_, 2) << "a delete without a filter is refused";
    EXPECT_NE(published({"storage", "delete", "--destination", "*"}).find("expected an endpoint"),
              std::string::npos);
    EXPECT_NE(
        published({"storage", "delete", "--destination", "ipn:50.*"}).find("20 bundles deleted"),
        std::string::npos);
    EXPECT_EQ(ask({"list"})["bundles"].size(), 5U);
    EXPECT_NE(published({"storage", "list", "ipn:50.*"}).find("no bundles"), std::string::npos);
    EXPECT_NE(published({"storage", "show", "3:17"}).find("expected the number of a bundle"),
              std::string::npos);
    EXPECT_EQ(ask({"hold", "10"})["reason"], "invalid");
    EXPECT_EQ(ask({"release", "70"})["reason"], "notFound");
    node_->stop();
    start();
    ASSERT_TRUE(stores(5));
    EXPECT_EQ(ask({"delete", "--all"})["deleted"], 5);
}

TEST_F(StorageCommands, ABundleIsDecodedAndExportedWhileItWaits) {
    start();
    ask({"hold", "2"});
    ChildProcess generator({program("bpgen"), "--from", "ipn:1.1", "--to", "ipn:2.1", "--via",
                            loopback_url("stcp", node_->port()), "--bundles", "2", "--bundle-size",
                            "700000"});
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    ASSERT_TRUE(stores(2));
    const std::string bundle = ask({"list"})["bundles"][0]["bundle"];

    const Json decoded = ask({"show", bundle, "--decoded"})["bundle"];
    EXPECT_EQ(decoded["source"], "ipn:1.1") << decoded;
    EXPECT_EQ(decoded["state"], "waiting");
    ASSERT_FALSE(decoded["blocks"].empty());
    const Json payload = decoded["blocks"].back();
    EXPECT_EQ(payload["name"], "payload");
    EXPECT_EQ(payload["number"], 1);
    EXPECT_EQ(payload["bytes"], 700000);
    EXPECT_NE(published({"storage", "show", bundle, "--decoded"}).find("\npayload "),
              std::string::npos);

    const std::string file = folder_ / "one.bundle";
    EXPECT_EQ(ask({"export", bundle, "-o", file})["file"], file);
    EXPECT_EQ(code_, 0);
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const ByteView octets = as_bytes(text);
    const auto view = bp::parse({&octets, 1});
    ASSERT_TRUE(view) << "every checksum of the bundle holds";
    EXPECT_EQ(view->payload_length, 700000U);
    EXPECT_EQ(view->size, ask({"list"})["bundles"][0]["bytes"]);

    EXPECT_NE(published({"storage", "export", "--all", "--out", folder_ / "all"}).find(".bundle"),
              std::string::npos);
    const std::filesystem::directory_iterator files(folder_ / "all");
    EXPECT_EQ(std::distance(begin(files), end(files)), 2);
    EXPECT_EQ(ask({"export", "1", "-o", folder_ / "none"})["reason"], "notFound");
    EXPECT_EQ(code_, 1);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "none"));
    published({"storage", "export", "--all", "-o", file});
    EXPECT_EQ(code_, 2) << "a file contains one bundle";
    published({"storage", "show", "--all", "--decoded"});
    EXPECT_EQ(code_, 2);
}

TEST_F(StorageCommands, ARunningNodeVerifiesAndCompactsItsStore) {
    start();
    EXPECT_EQ(ask({"verify", "--status"})["verification"]["state"], "never");
    EXPECT_NE(published({"storage", "verify", "--status"}).find("no verification"),
              std::string::npos);
    send(400, "ipn:50.1");
    ASSERT_TRUE(stores(400));
    Json found = ask({"verify"})["verification"];
    EXPECT_EQ(code_, 0);
    EXPECT_EQ(found["state"], "done") << found;
    EXPECT_EQ(found["bundles"], 400);
    EXPECT_EQ(found["bytes"], found["bytesInAll"]);
    EXPECT_EQ(found["damaged"], 0);

    EXPECT_EQ(ask({"verify", "--rate", "4096", "--no-wait"})["verification"]["state"], "running");
    EXPECT_EQ(ask({"verify"})["reason"], "conflict") << "one at a time";
    EXPECT_EQ(code_, 1);
    EXPECT_EQ(ask({"verify", "--cancel"})["verification"]["state"], "cancelled");
    EXPECT_EQ(ask({"verify", "--cancel"})["reason"], "conflict");
    published({"storage", "verify", "--dir", folder_ / "store", "--cancel"});
    EXPECT_EQ(code_, 2);

    const Json pass = ask({"compact"})["compaction"];
    EXPECT_EQ(pass["state"], "done") << pass;
    EXPECT_EQ(pass["movedRecords"], 0) << "one file, which is being written";
    EXPECT_NE(published({"storage", "compact", "--status"}).find("0 records moved"),
              std::string::npos);

    // Changes an octet of a payload in the file of the running node.
    const std::string log = folder_ / "store/00000001.log";
    std::fstream file(log, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(4096 + 160);
    const char octet = static_cast<char>(file.get() ^ 1);
    file.seekp(4096 + 160);
    file.put(octet);
    file.close();
    found = ask({"verify"})["verification"];
    EXPECT_EQ(code_, 1);
    EXPECT_EQ(found["damaged"], 1) << found;
    EXPECT_EQ(found["damages"][0]["why"], "checksum");
    EXPECT_TRUE(found["damages"][0]["record"].get<std::string>().starts_with("1:"));
    EXPECT_NE(published({"storage", "verify", "--status"}).find("wrong checksum"),
              std::string::npos);
    EXPECT_EQ(node_->value("storage_stored_now"), 400U) << "it stays";
}

TEST_F(StorageCommands, AHoldAppliesAfterARestartOfTheRouter) {
    std::filesystem::create_directories(folder_ / "farlink-state-10");
    folder_.write("farlink-state-10/held-destinations.json", R"({"node":10,"held":[2]})");
    start({"/bin/sh", "-c", "exec \"$@\" --isolate", "sh"});
    send(8);
    ASSERT_TRUE(stores(8));
    const pid_t router = process_of("router");
    ASSERT_EQ(::kill(router, SIGKILL), 0);
    ASSERT_TRUE(node_->wait_until([&] {
        const pid_t now = process_of("router");
        return now != 0 && now != router &&
               published({"status"}).find("all ready") != std::string::npos;
    }));
    EXPECT_NE(published({"routes", "explain", "1", "2"}).find("the operator holds"),
              std::string::npos);
    EXPECT_EQ(ask({"list"})["bundles"].size(), 8U);
    EXPECT_EQ(node_->value("storage_released"), 0U);
    EXPECT_EQ(ask({"release", "2"})["held"], Json::array());
    EXPECT_EQ(sink_.wait(), 0);
    EXPECT_EQ(sink_.report()["received"], 8);
}

}  // namespace
}  // namespace farlink::test::storage_commands_test
