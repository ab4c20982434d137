// SPDX-License-Identifier: Apache-2.0
// `farlinkctl storage --dir` on the files of a node that is not running: its lists, its changes and
// its errors.
// Length: every command on every kind of record.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/buffer/batch.hpp"
#include "common/runtime/entropy.hpp"
#include "module/storage/core/fragments/piece_label.hpp"
#include "module/storage/core/index/endpoint_label.hpp"
#include "module/storage/core/state/stripe_label.hpp"
#include "module/storage/store/directory/posix_directory.hpp"
#include "module/storage/store/log/log_disk.hpp"
#include "tests/support/build_folders.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::test::farlinkctl_store_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kPayloadBytes = 3000;

class FarlinkctlStore : public testing::Test {
protected:
    void TearDown() override { fs::remove_all(root_); }

    static std::string program() { return std::string(FARLINK_BIN_DIR) + "/farlinkctl"; }
    int run(const std::string &command, std::vector<std::string> more = {}) {
        std::vector<std::string> arguments{program(), words_, command, "--dir", store_};
        arguments.insert(arguments.end(), more.begin(), more.end());
        ChildProcess child(std::move(arguments));
        const int code = child.wait();
        out_ = child.unread(ChildProcess::kOut);
        err_ = child.unread(ChildProcess::kErr);
        return code;
    }
    [[nodiscard]] std::vector<json> lines() const {
        std::vector<json> parsed;
        std::istringstream text(out_);
        for (std::string line; std::getline(text, line);) parsed.push_back(json::parse(line));
        return parsed;
    }

    static TestBundle bundle(std::uint64_t sequence) {
        TestBundle made;
        made.to = bp::ipn_eid(sequence % 2 == 0 ? 20 : 30, 1);
        made.sequence = sequence;
        made.payload_bytes = kPayloadBytes;
        return made;
    }
    static storage::LogOptions log_options() {
        storage::LogOptions options;
        options.node = NodeNumber{10};
        options.segment_bytes = 64 * 1024;
        options.fresh_key.fill(7);
        return options;
    }
    /// Bundles 1 to `count`, flushed; those in `erased` have an erasure.
    void make_store(std::uint64_t count, const std::function<bool(std::uint64_t)> &erased) {
        storage::PosixDirectory directory(store_);
        storage::LogDisk disk(directory, log_options());
        ASSERT_TRUE(disk.open([](const RestoredRecord &) {}));
        DiskRequest erasure;
        erasure.verb = DiskVerb::kErase;
        for (std::uint64_t sequence = 1; sequence <= count; ++sequence) {
            const TestBundle made = bundle(sequence);
            const Bytes octets = made.octets();
            const ByteView slice(octets);
            Bytes label;
            storage::encode_label(made.to, label);
            DiskRequest request;
            request.verb = DiskVerb::kAppend;
            DiskRecord &record = request.records.emplace_back();
            record.head.arrival = 1000 + sequence;
            record.head.expiry = kStart + sequence;
            record.head.received = kStart;
            record.head.identity = {sequence, 1};
            record.head.size = octets.size();
            if (custody_ && sequence == 1) record.head.requests = kRequestCustody;
            record.label = label;
            record.slices = {&slice, 1};
            disk.execute(request);
            ASSERT_EQ(request.status, DiskStatus::kOk);
            if (erased(sequence)) erasure.erased.push_back(request.records[0].at.number);
        }
        disk.execute(erasure);
        DiskRequest sync;
        sync.verb = DiskVerb::kSync;
        disk.execute(sync);
        ASSERT_EQ(sync.status, DiskStatus::kOk);
    }
    /// Octets of a bundle as records that each hold a piece: at an offset so many.
    using Extents = std::vector<std::pair<std::size_t, std::size_t>>;
    static void make_pieces(const std::string &folder, const TestBundle &made,
                            const Extents &extents) {
        storage::PosixDirectory directory(folder);
        storage::LogDisk disk(directory, log_options());
        ASSERT_TRUE(disk.open([](const RestoredRecord &) {}));
        const Bytes octets = made.octets();
        Bytes endpoint;
        storage::encode_label(made.to, endpoint);
        for (const auto &[offset, size] : extents) {
            const Bytes label = storage::encode_piece_label({.offset = offset,
                                                             .bundle_bytes = octets.size(),
                                                             .spool = {made.sequence, 7},
                                                             .bundle = {made.sequence, 1},
                                                             .endpoint = endpoint});
            const ByteView part =
                ByteView(octets).subspan(offset).first(std::min(size, octets.size() - offset));
            DiskRequest request;
            request.verb = DiskVerb::kAppend;
            DiskRecord &record = request.records.emplace_back();
            record.head.arrival = 1000 + made.sequence;
            record.head.expiry = kStart;
            record.head.received = kStart;
            record.head.identity = {made.sequence, 100 + offset};
            record.head.size = part.size();
            record.label = label;
            record.slices = {&part, 1};
            disk.execute(request);
            ASSERT_EQ(request.status, DiskStatus::kOk);
        }
        disk.close();
    }
    void make_store(std::uint64_t count) {
        make_store(count, [](std::uint64_t) { return false; });
    }
    /// Record and arrival of each bundle that `list` shows.
    std::map<std::uint64_t, json> listed() {
        EXPECT_EQ(run("list", {"--json"}), 0) << err_;
        std::map<std::uint64_t, json> bundles;
        for (const json &line : lines())
            if (line["type"] == "bundle") bundles[line["arrival"].get<std::uint64_t>()] = line;
        return bundles;
    }
    [[nodiscard]] std::size_t log_files() const {
        std::size_t count = 0;
        for (const auto &entry : fs::directory_iterator(store_))
            count += entry.path().extension() == ".log" ? 1 : 0;
        return count;
    }
    static Bytes content(const fs::path &file) {
        std::ostringstream text;
        text << std::ifstream(file, std::ios::binary).rdbuf();
        const std::string octets = text.str();
        return {octets.begin(), octets.end()};
    }

    fs::path root_ =
        fs::temp_directory_path() / ("farlinkctl-store-" + std::to_string(entropy_seed()));
    std::string store_ = root_ / "store";
    std::string words_ = "storage";
    bool custody_ = false;  ///< of the bundles of make_store()
    std::string out_;
    std::string err_;
};

TEST_F(FarlinkctlStore, ListsStoredBundles) {
    make_store(4, [](std::uint64_t sequence) { return sequence == 2; });
    const auto bundles = listed();
    ASSERT_EQ(bundles.size(), 3U);
    const json &third = bundles.at(1003);
    EXPECT_EQ(third["destination"], "ipn:30.1");
    EXPECT_EQ(third["record"], "1:3");
    EXPECT_EQ(third["sizeBytes"], bundle(3).octets().size());
    EXPECT_EQ(third["expiresDtnMilliseconds"], kStart + 3);
    EXPECT_EQ(lines().back()["bundles"], 3);
    EXPECT_EQ(lines().back()["nodeId"], 10);
    ASSERT_EQ(run("list"), 0);
    EXPECT_NE(out_.find("ipn:30.1"), std::string::npos);
    EXPECT_NE(out_.find("2025-05-08T"), std::string::npos) << out_;
    EXPECT_NE(out_.find("3 bundles"), std::string::npos);
}

TEST_F(FarlinkctlStore, ShowsAndExportsABundle) {
    make_store(3);
    ASSERT_EQ(run("show", {"1:2", "--json"}), 0) << err_;
    EXPECT_EQ(lines().at(0)["source"], "ipn:1.1");
    EXPECT_TRUE(lines().at(0)["bundleId"].get<std::string>().ends_with("/2"));
    EXPECT_EQ(lines().at(0)["creationSequence"], 2);
    EXPECT_EQ(lines().at(0)["payloadBytes"], kPayloadBytes);
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
    Bytes endpoint;
    storage::encode_label(made.to, endpoint);
    label.endpoint = endpoint;
    const std::vector<std::string> folders{store_, root_ / "right"};
    const std::size_t half = 1000;
    const std::vector<ByteView> parts{ByteView(octets).first(half), ByteView(octets).subspan(half)};
    for (; label.number < 2; ++label.number) {
        storage::PosixDirectory directory(folders[label.number]);
        storage::LogDisk disk(directory, log_options());
        ASSERT_TRUE(disk.open([](const RestoredRecord &) {}));
        const Bytes name = storage::encode_stripe(label);
        DiskRequest request;
        request.verb = DiskVerb::kAppend;
        DiskRecord &record = request.records.emplace_back();
        record.head.arrival = 7;
        record.head.identity = {2, 1};
        record.head.size = parts[label.number].size();
        record.label = name;
        record.slices = {&parts[label.number], 1};
        disk.execute(request);
        ASSERT_EQ(request.status, DiskStatus::kOk);
        disk.close();
    }
    const json stripe = listed().at(7);
    EXPECT_EQ(stripe["destination"], "ipn:20.1");
    EXPECT_EQ(stripe["sizeBytes"], half);
    EXPECT_EQ(stripe["stripe"], 1);
    EXPECT_EQ(stripe["stripes"], 2);
    EXPECT_EQ(stripe["bundleBytes"], octets.size());
    ASSERT_EQ(run("show", {"1:1", "--json"}), 0) << err_;
    EXPECT_FALSE(lines().at(0).contains("source"));
    ASSERT_EQ(run("show", {"--other-disk", folders[1], "1:1", "--json"}), 0) << err_;
    EXPECT_EQ(lines().at(0)["creationSequence"], 2);
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
    Bytes endpoint;
    storage::encode_label(made.to, endpoint);
    label.endpoint = endpoint;
    {
        storage::PosixDirectory directory(store_);
        storage::LogDisk disk(directory, log_options());
        ASSERT_TRUE(disk.open([](const RestoredRecord &) {}));
        for (; label.number < 3; ++label.number) {
            const ByteView part = ByteView(octets).subspan(label.number * 700UL, 700);
            const Bytes name = storage::encode_stripe(label);
            DiskRequest request;
            request.verb = DiskVerb::kAppend;
            DiskRecord &record = request.records.emplace_back();
            record.head.arrival = 7;
            record.head.identity = {2, 1};
            record.head.size = part.size();
            record.label = name;
            record.slices = {&part, 1};
            disk.execute(request);
            ASSERT_EQ(request.status, DiskStatus::kOk);
        }
        disk.close();
    }
    ASSERT_EQ(run("verify", {"--json"}), 0) << out_ << err_;
    EXPECT_EQ(lines().back()["bundles"], 1);
    EXPECT_EQ(lines().back()["stripes"], 3);
    ASSERT_EQ(run("verify"), 0);
    EXPECT_NE(out_.find("1 bundles intact (large bundles: 3 stripes in this folder)"),
              std::string::npos)
        << out_;
    ASSERT_EQ(run("list", {"--json"}), 0);
    EXPECT_EQ(lines().back()["bundles"], 1);
}

TEST_F(FarlinkctlStore, JoinsThePiecesOfALargeBundle) {
    const TestBundle made = bundle(2);
    constexpr std::size_t kRest = kPayloadBytes;  // all that is left
    make_pieces(store_, made, {{2000, kRest}, {0, 1000}, {1000, 1000}});
    ASSERT_EQ(run("verify", {"--json"}), 0) << out_ << err_;
    EXPECT_EQ(lines().back()["bundles"], 1);
    EXPECT_EQ(lines().back()["pieces"], 3);
    EXPECT_EQ(lines().back()["incomplete"], 0);
    ASSERT_EQ(run("list", {"--json"}), 0) << err_;
    EXPECT_EQ(lines().front()["pieceOffset"], 2000);
    EXPECT_EQ(lines().front()["bundleBytes"], made.octets().size());
    EXPECT_EQ(lines().back()["bundles"], 1);
    ASSERT_EQ(run("show", {"1:1", "--json"}), 0) << err_;
    ASSERT_EQ(lines().size(), 1U);
    EXPECT_EQ(lines().at(0)["creationSequence"], 2);
    EXPECT_EQ(lines().at(0)["payloadBytes"], kPayloadBytes);
    const fs::path out = root_ / "out";
    ASSERT_EQ(run("export", {"--all", "--out", out}), 0) << err_;
    EXPECT_EQ(content(out / "1-2.bundle"), made.octets()) << "named by its first piece";
    EXPECT_EQ(std::distance(fs::directory_iterator(out), {}), 1);
    ASSERT_EQ(run("delete", {"1:3", "--json"}), 0) << err_;
    EXPECT_EQ(lines().at(0)["deleted"], 1);
    EXPECT_EQ(lines().at(0)["deletedBytes"], made.octets().size());
    EXPECT_TRUE(listed().empty());
}

TEST_F(FarlinkctlStore, NamesTheOctetsOfAPieceThatIsMissing) {
    const TestBundle made = bundle(2);
    constexpr std::size_t kRest = kPayloadBytes;
    const std::string other = root_ / "right";
    make_pieces(store_, made, {{0, 1000}, {2000, kRest}});
    make_pieces(other, made, {{1000, 1000}});
    const fs::path out = root_ / "out";
    EXPECT_EQ(run("export", {"--all", "--out", out}), 1);
    EXPECT_NE(err_.find("bytes 1000 to 1999 are missing"), std::string::npos) << err_;
    EXPECT_TRUE(fs::is_empty(out));
    ASSERT_EQ(run("show", {"1:1", "--json"}), 0) << err_;
    EXPECT_FALSE(lines().at(0).contains("source"));
    ASSERT_EQ(run("verify"), 0) << out_;
    EXPECT_NE(out_.find("0 bundles intact (large bundles: 2 pieces in this folder), 1 incomplete"),
              std::string::npos)
        << out_;
    ASSERT_EQ(run("export", {"--all", "--out", out, "--other-disk", other}), 0) << err_;
    EXPECT_EQ(content(out / "1-1.bundle"), made.octets());
}

TEST_F(FarlinkctlStore, APieceThatOverlapsAnotherOneIsDamage) {
    make_pieces(store_, bundle(2), {{0, 1000}, {900, 1000}});
    ASSERT_EQ(run("verify", {"--json"}), 1);
    EXPECT_EQ(lines().front()["kind"], "piece");
    EXPECT_EQ(lines().front()["record"], "1:2");
    EXPECT_EQ(lines().back()["bundles"], 0);
    EXPECT_EQ(lines().back()["damaged"], 1);
}

TEST_F(FarlinkctlStore, ADamagedPieceIsNotExported) {
    const TestBundle made = bundle(2);
    make_pieces(store_, made, {{0, 1000}, {1000, kPayloadBytes}});
    {
        ASSERT_EQ(run("list", {"--json"}), 0) << err_;
        // Damage of the youngest record would be a torn write.
        const auto offset = lines().at(0)["offset"].get<std::streamoff>();
        std::fstream file(fs::path(store_) / "00000001.log",
                          std::ios::in | std::ios::out | std::ios::binary);
        file.seekg(offset + 500);
        const int before = file.get();
        file.seekp(offset + 500);
        file.put(static_cast<char>(before ^ 0x55));
    }
    EXPECT_EQ(run("verify", {"--json"}), 1) << out_;
    EXPECT_EQ(lines().back()["bundles"], 0);
    EXPECT_EQ(run("export", {"--all", "--out", root_ / "out"}), 1);
    EXPECT_TRUE(fs::is_empty(root_ / "out"));
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
    EXPECT_EQ(lines().back()["bundles"], 3);
    ASSERT_EQ(run("list", {"--destination", "ipn:20.1", "--limit", "1", "--json"}), 0) << err_;
    EXPECT_EQ(lines().size(), 2U);
    EXPECT_EQ(lines().front()["record"], "1:2");
    ASSERT_EQ(run("list", {"--after", "1:2", "--json"}), 0) << err_;
    EXPECT_EQ(lines().back()["bundles"], 3);
    ASSERT_EQ(run("show", {"--json"}), 0) << err_;
    EXPECT_EQ(lines().front()["destination"], "ipn:20.1");
    EXPECT_EQ(lines().front()["bundles"], 2);
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
    EXPECT_NE(out_.find("1 bundles deleted"), std::string::npos) << out_;
    EXPECT_NE(out_.find("1 bundles kept, since they are in custody of this node"),
              std::string::npos)
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
        const auto offset = listed().at(1002)["offset"].get<std::streamoff>();
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
    for (auto [arrival, bundle_before] : before) {
        json bundle_after = after.at(arrival);
        for (json *each : {&bundle_before, &bundle_after}) {
            each->erase("record");
            each->erase("offset");
        }
        EXPECT_EQ(bundle_before, bundle_after);
    }
    EXPECT_EQ(run("verify"), 0) << out_;
    ASSERT_EQ(run("export", {"--all", "--out", root_ / "out"}), 0);
    for (const auto &[arrival, found] : after) {
        std::string name = found["record"].get<std::string>() + ".bundle";
        std::ranges::replace(name, ':', '-');
        EXPECT_EQ(content(root_ / "out" / name), bundle(arrival - 1000).octets());
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
