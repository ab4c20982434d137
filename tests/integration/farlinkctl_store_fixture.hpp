// SPDX-License-Identifier: Apache-2.0
// The files of a node that is not running, and `farlinkctl storage --dir` on them.
// Owned by a test; its thread only.
// Bundle N is from node 1, for node 20 or 30, and has a payload of kPayloadBytes.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/buffer/batch.hpp"
#include "common/runtime/entropy.hpp"
#include "tests/support/build_folders.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/store_writer.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::test {

class FarlinkctlStore : public testing::Test {
protected:
    static constexpr std::uint64_t kPayloadBytes = 3000;

    void TearDown() override { std::filesystem::remove_all(root_); }

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
    [[nodiscard]] std::vector<nlohmann::json> lines() const {
        std::vector<nlohmann::json> parsed;
        std::istringstream text(out_);
        for (std::string line; std::getline(text, line);)
            parsed.push_back(nlohmann::json::parse(line));
        return parsed;
    }

    static TestBundle bundle(std::uint64_t sequence) {
        TestBundle made;
        made.to = bp::ipn_eid(sequence % 2 == 0 ? 20 : 30, 1);
        made.sequence = sequence;
        made.payload_bytes = kPayloadBytes;
        return made;
    }
    /// Bundles 1 to `count`, flushed; those in `erased` have an erasure.
    void make_store(std::uint64_t count, const std::function<bool(std::uint64_t)> &erased) {
        StoreWriter writer(store_);
        std::vector<RecordNumber> gone;
        for (std::uint64_t sequence = 1; sequence <= count; ++sequence) {
            RecordHead head;
            head.arrival = 1000 + sequence;
            head.expiry = kStart + sequence;
            head.received = kStart;
            head.identity = {sequence, 1};
            if (custody_ && sequence == 1) head.requests = kRequestCustody;
            const RecordNumber record = writer.append(head, bundle(sequence));
            if (erased(sequence)) gone.push_back(record);
        }
        writer.sync(std::move(gone));
    }
    void make_store(std::uint64_t count) {
        make_store(count, [](std::uint64_t) { return false; });
    }
    /// The only line of the output, as a running node replies.
    [[nodiscard]] nlohmann::json reply() const {
        const auto said = lines();
        EXPECT_EQ(said.size(), 1U) << out_;
        return said.empty() ? nlohmann::json() : said.front();
    }
    /// The bundles that `list` shows, by their sequence numbers.
    std::map<std::uint64_t, nlohmann::json> listed() {
        EXPECT_EQ(run("list", {"--json"}), 0) << err_;
        std::map<std::uint64_t, nlohmann::json> bundles;
        const nlohmann::json said = reply();
        EXPECT_EQ(said["ok"], true) << said;
        for (const nlohmann::json &row : said["bundles"])
            bundles[row.value("sequence", std::uint64_t{0})] = row;
        return bundles;
    }
    [[nodiscard]] std::size_t log_files() const {
        std::size_t count = 0;
        for (const auto &entry : std::filesystem::directory_iterator(store_))
            count += entry.path().extension() == ".log" ? 1 : 0;
        return count;
    }
    static Bytes content(const std::filesystem::path &file) {
        std::ostringstream text;
        text << std::ifstream(file, std::ios::binary).rdbuf();
        const std::string octets = text.str();
        return {octets.begin(), octets.end()};
    }

    std::filesystem::path root_ = std::filesystem::temp_directory_path() /
                                  ("farlinkctl-store-" + std::to_string(entropy_seed()));
    std::string store_ = root_ / "store";
    std::string words_ = "storage";
    bool custody_ = false;  ///< of the bundles of make_store()
    std::string out_;
    std::string err_;
};

}  // namespace farlink::test
