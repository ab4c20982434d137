// SPDX-License-Identifier: Apache-2.0
// bpinspect as a program: every form of input, its output and its exit codes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "module/storage/core/fragments/piece_label.hpp"
#include "tests/support/build_folders.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/hex.hpp"
#include "tests/support/pcap.hpp"
#include "tests/support/store_writer.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::test::bpinspect_test {
namespace {

using nlohmann::json;

class Bpinspect : public testing::Test {
protected:
    static std::string program() { return std::string(FARLINK_BIN_DIR) + "/bpinspect"; }
    int run(const std::vector<std::string> &more) {
        std::vector<std::string> arguments{program()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return collect(arguments);
    }
    /// With the file as standard input.
    int run_piped(const std::string &file, const std::string &options) {
        return collect({"/bin/sh", "-c", program() + " " + options + " < " + file});
    }
    std::string write(const std::string &name, ByteView octets) {
        root_.write(name, as_text(octets));
        return root_ / name;
    }
    [[nodiscard]] std::vector<json> lines() const {
        std::vector<json> parsed;
        std::istringstream text(out_);
        for (std::string line; std::getline(text, line);) parsed.push_back(json::parse(line));
        return parsed;
    }

    static TestBundle bundle(std::uint64_t sequence) {
        TestBundle made;
        made.sequence = sequence;
        made.payload_bytes = 100;
        return made;
    }
    /// Bundles 1 to 3, of which the second is erased.
    static void make_store(const std::string &folder) {
        StoreWriter writer(folder);
        std::vector<RecordNumber> records;
        for (std::uint64_t sequence = 1; sequence <= 3; ++sequence) {
            RecordHead head;
            head.arrival = 1000 + sequence;
            head.identity = {sequence, 1};
            records.push_back(writer.append(head, bundle(sequence)));
        }
        writer.sync({records[1]});
    }

    TempFolder root_;
    std::string out_;
    std::string err_;

private:
    int collect(std::vector<std::string> arguments) {
        ChildProcess child(std::move(arguments));
        const int code = child.wait();
        out_ = child.unread(ChildProcess::kOut);
        err_ = child.unread(ChildProcess::kErr);
        return code;
    }
};

TEST_F(Bpinspect, ReadsOctetsHexAndBase64) {
    const Bytes octets = bundle(1).octets();
    const std::string binary = write("bundle", octets);
    EXPECT_EQ(run({binary}), 0) << out_ << err_;
    const std::string report = out_;
    EXPECT_NE(report.find("primary block"), std::string::npos);
    EXPECT_EQ(run({write("hex", as_bytes(to_hex(octets)))}), 0);
    EXPECT_EQ(out_, report);
    EXPECT_EQ(run_piped(binary, "-"), 0);
    EXPECT_EQ(out_, report);
    EXPECT_EQ(run_piped(binary, "--json"), 0);
    ASSERT_EQ(lines().size(), 2);
    EXPECT_EQ(lines()[0]["bytes"], octets.size());
    EXPECT_EQ(lines()[1]["count"], 1);
    // "BgBB..." would be hexadecimal by chance only; base64 of a BPv7 bundle begins with "n4".
    EXPECT_EQ(run({"--form", "base64", write("base64", as_bytes("n4gH"))}), 1);
    EXPECT_NE(out_.find("deviation"), std::string::npos);
}

TEST_F(Bpinspect, ReadsCaptures) {
    const std::vector<Bytes> datagrams{bundle(1).octets(), bundle(2).octets()};
    const std::string file = write("capture", pcap_of_datagrams(datagrams, 4556));
    EXPECT_EQ(run({"--json", "--brief", file}), 0) << err_;
    ASSERT_EQ(lines().size(), 3);
    EXPECT_TRUE(lines()[1]["where"].get<std::string>().starts_with("packet 2, UDP"));
    EXPECT_EQ(run({"--form", "hex", file}), 2);
}

TEST_F(Bpinspect, PiecesOfALargeBundleAreNamedOnly) {
    const std::string store = root_ / "store";
    make_store(store);
    {
        StoreWriter writer(store);
        const Bytes octets = bundle(4).octets();
        const Bytes endpoint = StoreWriter::label_of(bundle(4).to);
        const Bytes label = storage::encode_piece_label({.bundle_bytes = octets.size(),
                                                         .spool = {4, 7},
                                                         .bundle = {4, 1},
                                                         .endpoint = endpoint});
        RecordHead head;
        head.identity = {4, 1};
        writer.append(head, label, ByteView(octets).first(50));
        writer.close();
    }
    EXPECT_EQ(run({"--json", "--brief", store}), 0) << out_;
    EXPECT_EQ(lines().back()["count"], 2) << out_;
    EXPECT_NE(err_.find("1 pieces of bundles that are too large for memory; farlinkctl storage "
                        "export joins them"),
              std::string::npos)
        << err_;
}

TEST_F(Bpinspect, ReadsAStoreWithoutTakingItsLock) {
    const std::string store = root_ / "store";
    make_store(store);
    storage::PosixDirectory owner(store);
    ASSERT_TRUE(owner.lock());
    EXPECT_EQ(run({"--json", store}), 0) << err_;
    ASSERT_EQ(lines().size(), 3) << out_;
    EXPECT_EQ(lines()[0]["id"].get<std::string>().back(), '1');
    EXPECT_EQ(lines()[1]["id"].get<std::string>().back(), '3');
    EXPECT_EQ(run({"--brief", store + "/00000001.log"}), 0);
    EXPECT_NE(out_.find("2 bundles and records, 0 with deviations"), std::string::npos) << out_;
}

TEST_F(Bpinspect, ReportsWhatItCannotRead) {
    EXPECT_EQ(run({root_ / "absent"}), 2);
    EXPECT_NE(err_.find("cannot be opened"), std::string::npos);
    EXPECT_EQ(run({root_.path().string()}), 2);
    EXPECT_NE(err_.find("contains no log files of a store"), std::string::npos);
    EXPECT_EQ(run({"--form", "morse"}), 2);
    EXPECT_EQ(run({"--version"}), 0);
    EXPECT_EQ(run({write("empty", {})}), 1);
}

}  // namespace
}  // namespace farlink::test::bpinspect_test
