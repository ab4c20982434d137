// SPDX-License-Identifier: Apache-2.0
// `farlinkctl storage --dir` on the files of a node that is not running: its lists, its changes and
// its errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "module/storage/core/state/stripe_label.hpp"
#include "tests/integration/farlinkctl_store_fixture.hpp"

namespace farlink::test::farlinkctl_store_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TEST_F(FarlinkctlStore, ListsStoredBundles) {
    make_store(4, [](std::uint64_t sequence) { return sequence == 2; });
    const auto bundles = listed();
    ASSERT_EQ(bundles.size(), 3U);
    const json &third = bundles.at(3);
    EXPECT_EQ(third["destination"], "ipn:30.1");
    EXPECT_EQ(third["bundle"], "1:3");
    EXPECT_EQ(third["bytes"], bundle(3).octets().size());
    EXPECT_EQ(third["source"], "ipn:1.1");
    std::vector<std::string> members;
    for (const auto &[member, value] : third.items()) members.push_back(member);
    EXPECT_EQ(members, (std::vector<std::string>{"bundle", "bytes", "created", "custody",
                                                 "destination", "disk", "expires", "priority",
                                                 "sequence", "source", "state", "version"}))
        << "those of a running node";
    EXPECT_EQ(reply()["more"], false);
    ASSERT_EQ(run("list"), 0);
    EXPECT_NE(out_.find("ipn:30.1"), std::string::npos);
    EXPECT_NE(out_.find("2025-05-08T"), std::string::npos) << out_;
    EXPECT_NE(out_.find("3 bundles"), std::string::npos);
}

TEST_F(FarlinkctlStore, ShowsAndExportsABundle) {
    make_store(3);
    ASSERT_EQ(run("show", {"1:2", "--json"}), 0) << err_;
    const json shown = reply()["bundles"];
    ASSERT_EQ(shown.size(), 1U);
    EXPECT_EQ(shown[0], listed().at(2));
    ASSERT_EQ(run("show", {"1:2", "--decoded", "--json"}), 0) << err_;
    EXPECT_EQ(reply()["bundle"]["bundle"], "1:2");
    EXPECT_EQ(reply()["bundle"]["sequence"], 2);
    EXPECT_EQ(reply()["bundle"]["blocks"].back()["bytes"], kPayloadBytes);
    ASSERT_EQ(run("show", {"--destination", "ipn:30.1"}), 0);
    EXPECT_NE(out_.find("creationSequence"), std::string::npos);

    const fs::path out = root_ / "out";
    ASSERT_EQ(run("export", {"--all", "--out", out}), 0) << err_;
    for (std::uint64_t sequence = 1; sequence <= 3; ++sequence)
        EXPECT_EQ(content(out / ("1-" + std::to_string(sequence) + ".bundle")),
                  bundle(sequence).octets());
}

TEST_F(FarlinkctlStore, JoinsStripesWhenTheOtherDiskIsNamed) {
    const TestBundle made = bundle(2);
    const Bytes octets = made.octets();
    storage::StripeLabel label;
    label.count = 2;
    label.bundle_bytes = octets.size();
    label.disks = {1, 2};
    const Bytes endpoint = StoreWriter::label_of(made.to);
    label.endpoint = endpoint;
    const std::vector<std::string> folders{store_, root_ / "right"};
    const std::size_t half = 1000;
    const std::vector<ByteView> parts{ByteView(octets).first(half), ByteView(octets).subspan(half)};
    RecordHead head;
    head.arrival = 7;
    head.identity = {2, 1};
    for (; label.number < 2; ++label.number) {
        StoreWriter writer(folders[label.number]);
        writer.append(head, storage::encode_stripe(label), parts[label.number]);
        writer.close();
    }
    const json stripe = listed().at(2);
    EXPECT_EQ(stripe["destination"], "ipn:20.1");
    EXPECT_EQ(stripe["bytes"], half);
    EXPECT_EQ(stripe["stripe"], 1);
    EXPECT_EQ(stripe["stripes"], 2);
    EXPECT_EQ(stripe["bundleBytes"], octets.size());
    ASSERT_EQ(run("show", {"1:1", "--json"}), 0) << err_;
    EXPECT_FALSE(reply()["bundles"][0].contains("source"));
    ASSERT_EQ(run("show", {"--other-disk", folders[1], "1:1", "--json"}), 0) << err_;
    EXPECT_EQ(reply()["bundles"][0]["sequence"], 2);
    const fs::path out = root_ / "out";
    EXPECT_EQ(run("export", {"--all", "--out", out}), 1);
    EXPECT_NE(err_.find("--other-disk"), std::string::npos) << err_;
    ASSERT_EQ(run("export", {"--all", "--out", out, "--other-disk", folders[1]}), 0) << err_;
    EXPECT_EQ(content(out / "1-1.bundle"), octets);
    ASSERT_EQ(run("compact"), 0) << err_;
    ASSERT_EQ(run("export", {"--all", "--out", out, "--other-disk", folders[1]}), 0) << err_;
    ASSERT_EQ(run("verify"), 0) << out_;
}

TEST_F(FarlinkctlStore, CountsABundleInStripesOnce) {
    const TestBundle made = bundle(2);
    const Bytes octets = made.octets();
    storage::StripeLabel label;
    label.count = 3;
    label.bundle_bytes = octets.size();
    label.disks = {1, 1, 1};
    const Bytes endpoint = StoreWriter::label_of(made.to);
    label.endpoint = endpoint;
    {
        StoreWriter writer(store_);
        RecordHead head;
        head.arrival = 7;
        head.identity = {2, 1};
        for (; label.number < 3; ++label.number)
            writer.append(head, storage::encode_stripe(label),
                          ByteView(octets).subspan(label.number * 700UL, 700));
        writer.close();
    }
    ASSERT_EQ(run("verify", {"--json"}), 0) << out_ << err_;
    EXPECT_EQ(lines().back()["bundles"], 1);
    EXPECT_EQ(lines().back()["stripes"], 3);
    ASSERT_EQ(run("verify"), 0);
    EXPECT_NE(out_.find("1 bundle intact (large bundles: 3 stripes in this folder)"),
              std::string::npos)
        << out_;
    ASSERT_EQ(run("show", {"--json"}), 0);
    EXPECT_EQ(reply()["storage"]["bundles"], 1);
}

TEST_F(FarlinkctlStore, VerifyNamesAFileThatIsCutShort) {
    make_store(6);
    const fs::path file = fs::path(store_) / "00000001.log";
    ASSERT_EQ(run("verify"), 0) << "as a killed node leaves it: " << out_;
    fs::resize_file(file, 9000);  // in the second bundle
    ASSERT_EQ(run("verify"), 1) << out_;
    EXPECT_NE(out_.find("log file 1 has 9000 of "), std::string::npos) << out_;
    EXPECT_NE(out_.find("1 file cut short"), std::string::npos) << out_;
    ASSERT_EQ(run("verify", {"--json"}), 1);
    EXPECT_EQ(lines().front()["type"], "short") << out_;
    EXPECT_EQ(lines().back()["short"], 1) << out_;
}

TEST_F(FarlinkctlStore, VerifyComparesAFileWithItsIndex) {
    make_store(6);
    ASSERT_EQ(run("list"), 0) << "writes the index";
    fs::resize_file(fs::path(store_) / "00000001.log", 0);
    ASSERT_EQ(run("verify"), 1) << out_;
    EXPECT_NE(out_.find("that its index states, 6 records lost"), std::string::npos) << out_;
}

TEST_F(FarlinkctlStore, DeletesTheNamedBundlesOnly) {
    make_store(6);
    ASSERT_EQ(run("delete", {"1:1", "9:9"}), 1);
    EXPECT_NE(err_.find("9:9"), std::string::npos);
    EXPECT_EQ(listed().size(), 6U) << "all or nothing";
    ASSERT_EQ(run("delete", {"1:1", "1:4"}), 0) << err_;
    EXPECT_EQ(listed().size(), 4U);
    ASSERT_EQ(run("delete", {"--destination", "ipn:30.1", "--json"}), 0) << err_;
    EXPECT_EQ(lines().at(0)["deleted"], 2);
    EXPECT_EQ(listed().size(), 2U);
    ASSERT_EQ(run("verify"), 0) << out_;
    ASSERT_EQ(run("delete", {"--all"}), 0);
    EXPECT_EQ(listed().size(), 0U);
}

TEST_F(FarlinkctlStore, TheCommandsAreThoseForARunningNode) {
    make_store(5);
    ASSERT_EQ(run("list", {"ipn:30.*", "--json"}), 0) << err_;
    EXPECT_EQ(reply()["bundles"].size(), 3U);
    ASSERT_EQ(run("list", {"--destination", "ipn:20.1", "--limit", "1", "--json"}), 0) << err_;
    ASSERT_EQ(reply()["bundles"].size(), 1U);
    EXPECT_EQ(reply()["bundles"][0]["bundle"], "1:2");
    EXPECT_EQ(reply()["more"], true);
    EXPECT_EQ(reply()["next"], "1:2");
    ASSERT_EQ(run("list", {"--after", "1:2", "--json"}), 0) << err_;
    EXPECT_EQ(reply()["bundles"].size(), 3U);
    ASSERT_EQ(run("show", {"--json"}), 0) << err_;
    EXPECT_EQ(reply()["storage"]["bundles"], 5);
    EXPECT_EQ(reply()["storage"]["destinations"], 2);
    EXPECT_EQ(reply()["pending"][0]["destination"], 20);
    EXPECT_EQ(reply()["pending"][0]["bundles"], 2);
    ASSERT_EQ(run("show"), 0);
    EXPECT_NE(out_.find("waits for"), std::string::npos) << out_;
    EXPECT_EQ(run("show", {"4294967297"}), 2);
    EXPECT_NE(err_.find("expected a record"), std::string::npos) << err_;
    EXPECT_EQ(run("list", {"--socket", "control"}), 2) << "either files or a node";
}

TEST_F(FarlinkctlStore, BundlesInCustodyAreDeletedByForceOnly) {
    custody_ = true;
    make_store(2);
    ASSERT_EQ(run("delete", {"--all"}), 0) << err_;
    EXPECT_NE(out_.find("1 bundle deleted"), std::string::npos) << out_;
    EXPECT_NE(out_.find("1 bundle kept, since they are in custody of this node"), std::string::npos)
        << out_;
    EXPECT_EQ(listed().size(), 1U);
    ASSERT_EQ(run("delete", {"--all", "--force", "--json"}), 0) << err_;
    EXPECT_EQ(lines().at(0)["keptInCustody"], 0);
    EXPECT_EQ(listed().size(), 0U);
}

TEST_F(FarlinkctlStore, TheOldCommandsWorkWithAWarning) {
    custody_ = true;
    make_store(2);
    words_ = "store";
    ASSERT_EQ(run("ls", {"--json"}), 0) << err_;
    EXPECT_EQ(lines().front()["record"], "1:1") << "and the members that it had";
    EXPECT_EQ(lines().back()["bundles"], 2);
    EXPECT_NE(err_.find("`store ls` is now `storage list`"), std::string::npos) << err_;
    ASSERT_EQ(run("drop", {"1:1", "--json"}), 0) << err_;
    EXPECT_EQ(lines().at(0)["dropped"], 1);
    EXPECT_NE(err_.find("`store drop` is now `storage delete`"), std::string::npos) << err_;
    ASSERT_EQ(run("verify"), 0) << err_;
}

TEST_F(FarlinkctlStore, HoldsAreThoseOfTheStateFolder) {
    fs::create_directories(store_);
    EXPECT_EQ(run("hold", {"20"}), 1) << "the node is not named";
    EXPECT_NE(err_.find("while the node runs"), std::string::npos) << err_;
    std::ofstream(fs::path(store_) / "held-destinations.json") << R"({"node":10,"held":[30]})";
    ASSERT_EQ(run("hold", {"20", "--json"}), 0) << err_;
    EXPECT_EQ(lines().at(0)["held"], json::array({20, 30}));
    EXPECT_EQ(run("hold", {"10"}), 1) << "the node itself";
    ASSERT_EQ(run("release", {"30"}), 0) << err_;
    EXPECT_EQ(run("release", {"30"}), 1);
    ASSERT_EQ(run("holds"), 0);
    EXPECT_EQ(out_, "bundles are held for node 20\n");
    storage::PosixDirectory node(store_);
    ASSERT_TRUE(node.lock());
    EXPECT_EQ(run("holds"), 1);
    EXPECT_NE(err_.find("omit --dir"), std::string::npos) << err_;
}

TEST_F(FarlinkctlStore, VerifyNamesDamagedBundles) {
    make_store(3);
    ASSERT_EQ(run("verify", {"--json"}), 0) << out_ << err_;
    EXPECT_EQ(lines().back()["bundles"], 3);
    {
        words_ = "store";  // the old list has the offset
        ASSERT_EQ(run("ls", {"--json"}), 0) << err_;
        const auto offset = lines().at(1)["offset"].get<std::streamoff>();
        words_ = "storage";
        std::fstream file(fs::path(store_) / "00000001.log",
                          std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(offset + 500);
        file.put('\x55');
    }
    ASSERT_EQ(run("verify", {"--json"}), 1);
    EXPECT_EQ(lines().front()["kind"], "record payload");
    EXPECT_EQ(lines().front()["record"], "1:2");
    EXPECT_EQ(lines().back()["bundles"], 2);
    EXPECT_EQ(run("show", {"1:2"}), 1);
    EXPECT_EQ(run("show", {"1:2", "--json"}), 1);
    EXPECT_EQ(reply()["bundles"][0]["state"], "unreadable");
    EXPECT_EQ(run("export", {"--all", "--out", root_ / "out"}), 1);
    EXPECT_TRUE(fs::exists(root_ / "out" / "1-3.bundle")) << "the others are exported";
}

TEST_F(FarlinkctlStore, VerifyNamesAMissingFile) {
    make_store(200);
    ASSERT_GT(log_files(), 2U);
    fs::remove(fs::path(store_) / "00000001.log");
    ASSERT_EQ(run("verify", {"--json"}), 1);
    const std::vector<json> said = lines();
    ASSERT_EQ(said.size(), 2U);
    EXPECT_EQ(said.front()["kind"], "file missing");
    EXPECT_EQ(said.front()["file"], 1);
    EXPECT_LT(said.back()["bundles"], 200);
}

TEST_F(FarlinkctlStore, CompactMovesTheFewLivingRecordsTogether) {
    make_store(200, [](std::uint64_t sequence) { return sequence % 20 != 0; });
    const auto before = listed();
    ASSERT_EQ(before.size(), 10U);
    const std::size_t files_before = log_files();
    EXPECT_GT(files_before, 5U);
    ASSERT_EQ(run("compact", {"--json"}), 0) << err_;
    EXPECT_EQ(lines().at(0)["moved"], 10);
    EXPECT_LE(log_files(), 2U);
    const auto after = listed();
    ASSERT_EQ(after.size(), 10U);
    for (auto [sequence, bundle_before] : before) {
        json bundle_after = after.at(sequence);
        for (json *each : {&bundle_before, &bundle_after}) {
            each->erase("bundle");
        }
        EXPECT_EQ(bundle_before, bundle_after);
    }
    EXPECT_EQ(run("verify"), 0) << out_;
    ASSERT_EQ(run("export", {"--all", "--out", root_ / "out"}), 0);
    for (const auto &[sequence, found] : after) {
        std::string name = found["bundle"].get<std::string>() + ".bundle";
        std::ranges::replace(name, ':', '-');
        EXPECT_EQ(content(root_ / "out" / name), bundle(sequence).octets());
    }
}

TEST_F(FarlinkctlStore, RefusesTheStoreOfARunningNode) {
    make_store(2);
    storage::PosixDirectory node(store_);
    ASSERT_TRUE(node.lock());
    for (const std::string command : {"list", "verify", "compact"}) {
        EXPECT_EQ(run(command), 1) << command;
        EXPECT_NE(err_.find("in use by a running node"), std::string::npos) << err_;
    }
    EXPECT_EQ(run("delete", {"--all"}), 1);
    EXPECT_EQ(run("show", {"--all"}), 1);
}

TEST_F(FarlinkctlStore, ReadsACopyWithoutALockFile) {
    make_store(3);
    fs::remove(fs::path(store_) / "lock");
    EXPECT_EQ(listed().size(), 3U);
}

TEST_F(FarlinkctlStore, ReportsAFolderWithoutAStore) {
    EXPECT_EQ(run("list"), 1);
    EXPECT_NE(err_.find("no such folder"), std::string::npos);
    fs::create_directories(store_);
    EXPECT_EQ(run("list"), 1);
    EXPECT_NE(err_.find("contains no store"), std::string::npos);
    EXPECT_TRUE(fs::is_empty(store_)) << "a list makes no files";
    EXPECT_EQ(run("delete"), 2) << "drop what?";
    EXPECT_EQ(run("show", {"seventeen"}), 2);
}

}  // namespace
}  // namespace farlink::test::farlinkctl_store_test
