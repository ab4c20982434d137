// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/store_review.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_folder.hpp"

namespace farlink::storage::store_review_test {
namespace {

class StoreReview : public testing::Test {
protected:
    void write(FileNumber file, const std::string &name, std::uint32_t version, NodeNumber node) {
        FileHeader header;
        header.version = version;
        header.node = node;
        header.file = file;
        std::array<std::uint8_t, kFileHeaderBytes> octets{};
        encode_file_header(header, octets);
        std::ofstream(folder_.path() / name, std::ios::binary)
            .write(as_text(octets).data(), static_cast<std::streamsize>(octets.size()));
    }
    [[nodiscard]] std::vector<std::string> review(NodeNumber node) const {
        config::StorageConfig config;
        config.disks.push_back({.name = "first", .directory = folder_.path().string()});
        config.disks.push_back({.name = "none", .directory = (folder_.path() / "none").string()});
        return review_store(config, node);
    }

    test::TempFolder folder_;
};

TEST_F(StoreReview, AStoreOfThisNodeOrNoneIsUsable) {
    EXPECT_TRUE(review(NodeNumber{10}).empty());
    write(1, "00000001.log", kLogVersion, NodeNumber{10});
    EXPECT_TRUE(review(NodeNumber{10}).empty());
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "lock")) << "nothing is changed";
}

TEST_F(StoreReview, AStoreOfAnotherNodeIsNamed) {
    write(1, "00000001.log", kLogVersion, NodeNumber{10});
    EXPECT_EQ(review(NodeNumber{11}),
              std::vector<std::string>{"disk first: the folder of the store contains the bundles "
                                       "of a node with another number; the node does not start"});
}

TEST_F(StoreReview, TheNewestFileThatCanBeReadCounts) {
    write(1, "00000001.log", kLogVersion, NodeNumber{10});
    write(2, "00000002.log", kLogVersion + 1, NodeNumber{10});
    std::ofstream(folder_.path() / "00000003.log") << "damaged";
    EXPECT_EQ(review(NodeNumber{10}),
              std::vector<std::string>{refusal_of("first", StoreError::kUnknownVersion)});
}

}  // namespace
}  // namespace farlink::storage::store_review_test
