// SPDX-License-Identifier: Apache-2.0
// `farlinkctl storage --dir` on bundles that are stored in pieces.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "module/storage/core/fragments/piece_label.hpp"
#include "tests/integration/farlinkctl_store_fixture.hpp"

namespace farlink::test::farlinkctl_store_pieces_test {
namespace {

namespace fs = std::filesystem;

class FarlinkctlStorePieces : public FarlinkctlStore {
protected:
    /// Octets of a bundle as records that each hold a piece: at an offset so many.
    using Extents = std::vector<std::pair<std::size_t, std::size_t>>;
    static void make_pieces(const std::string &folder, const TestBundle &made,
                            const Extents &extents) {
        StoreWriter writer(folder);
        const Bytes octets = made.octets();
        const Bytes endpoint = StoreWriter::label_of(made.to);
        for (const auto &[offset, size] : extents) {
            const Bytes label = storage::encode_piece_label({.offset = offset,
                                                             .bundle_bytes = octets.size(),
                                                             .spool = {made.sequence, 7},
                                                             .bundle = {made.sequence, 1},
                                                             .endpoint = endpoint});
            RecordHead head;
            head.arrival = 1000 + made.sequence;
            head.expiry = kStart;
            head.received = kStart;
            head.identity = {made.sequence, 100 + offset};
            writer.append(
                head, label,
                ByteView(octets).subspan(offset).first(std::min(size, octets.size() - offset)));
        }
        writer.close();
    }
};

TEST_F(FarlinkctlStorePieces, JoinsThePiecesOfALargeBundle) {
    const TestBundle made = bundle(2);
    constexpr std::size_t kRest = kPayloadBytes;  // all that is left
    make_pieces(store_, made, {{2000, kRest}, {0, 1000}, {1000, 1000}});
    ASSERT_EQ(run("verify", {"--json"}), 0) << out_ << err_;
    EXPECT_EQ(lines().back()["bundles"], 1);
    EXPECT_EQ(lines().back()["pieces"], 3);
    EXPECT_EQ(lines().back()["incomplete"], 0);
    ASSERT_EQ(run("list", {"--json"}), 0) << err_;
    EXPECT_EQ(reply()["bundles"].size(), 3U) << "a row for each record";
    EXPECT_EQ(reply()["bundles"][0]["pieceOffset"], 2000);
    EXPECT_EQ(reply()["bundles"][0]["bundleBytes"], made.octets().size());
    EXPECT_FALSE(reply()["bundles"][0].contains("source")) << "it does not begin the bundle";
    ASSERT_EQ(run("show", {"--json"}), 0) << err_;
    EXPECT_EQ(reply()["storage"]["bundles"], 1);
    ASSERT_EQ(run("show", {"1:1", "--json"}), 0) << err_;
    ASSERT_EQ(reply()["bundles"].size(), 1U);
    EXPECT_EQ(reply()["bundles"][0]["sequence"], 2);
    const fs::path out = root_ / "out";
    ASSERT_EQ(run("export", {"--all", "--out", out}), 0) << err_;
    EXPECT_EQ(content(out / "1-2.bundle"), made.octets()) << "named by its first piece";
    EXPECT_EQ(std::distance(fs::directory_iterator(out), {}), 1);
    ASSERT_EQ(run("delete", {"1:3", "--json"}), 0) << err_;
    EXPECT_EQ(lines().at(0)["deleted"], 1);
    EXPECT_EQ(lines().at(0)["deletedBytes"], made.octets().size());
    EXPECT_TRUE(listed().empty());
}

TEST_F(FarlinkctlStorePieces, NamesTheOctetsOfAPieceThatIsMissing) {
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
    EXPECT_FALSE(reply()["bundles"][0].contains("source"));
    ASSERT_EQ(run("verify"), 0) << out_;
    EXPECT_NE(out_.find("0 bundles intact (large bundles: 2 pieces in this folder), 1 incomplete"),
              std::string::npos)
        << out_;
    ASSERT_EQ(run("export", {"--all", "--out", out, "--other-disk", other}), 0) << err_;
    EXPECT_EQ(content(out / "1-1.bundle"), made.octets());
}

TEST_F(FarlinkctlStorePieces, APieceThatOverlapsAnotherOneIsDamage) {
    make_pieces(store_, bundle(2), {{0, 1000}, {900, 1000}});
    ASSERT_EQ(run("verify", {"--json"}), 1);
    EXPECT_EQ(lines().front()["kind"], "piece");
    EXPECT_EQ(lines().front()["record"], "1:2");
    EXPECT_EQ(lines().back()["bundles"], 0);
    EXPECT_EQ(lines().back()["damaged"], 1);
}

TEST_F(FarlinkctlStorePieces, ADamagedPieceIsNotExported) {
    const TestBundle made = bundle(2);
    make_pieces(store_, made, {{0, 1000}, {1000, kPayloadBytes}});
    {
        words_ = "store";  // the old list has the offset
        ASSERT_EQ(run("ls", {"--json"}), 0) << err_;
        words_ = "storage";
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

}  // namespace
}  // namespace farlink::test::farlinkctl_store_pieces_test
