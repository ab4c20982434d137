// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceive/folder_output.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/support/temp_folder.hpp"

namespace farlink::bpreceive::folder_output_test {
namespace {

namespace fs = std::filesystem;

client::Adu adu_of(std::uint64_t sequence, std::string_view text) {
    client::Adu adu;
    adu.source = "ipn:10.1";
    adu.creation_ms = 7;
    adu.sequence = sequence;
    adu.payload.assign(text.begin(), text.end());
    return adu;
}

std::string content_of(const fs::path &path) {
    std::ifstream input(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(input), {}};
}

TEST(FolderOutput, EachBundleIsAFile) {
    const test::TempFolder folder;
    auto output = FolderOutput::open(folder / "new");
    ASSERT_TRUE(output.has_value()) << output.error();
    const std::string large(200'000, 'x');
    EXPECT_EQ(output->write(adu_of(1, "one")), "");
    EXPECT_EQ(output->write(adu_of(2, large)), "");
    EXPECT_EQ(output->write(adu_of(3, "")), "");
    EXPECT_EQ(output->write(adu_of(1, "one")), "");  // given again
    EXPECT_EQ(output->flush(), "");
    std::set<std::string> names;
    for (const auto &entry : fs::directory_iterator(folder / "new"))
        names.insert(entry.path().filename().string());
    EXPECT_EQ(names, (std::set<std::string>{"ipn:10.1,7,1", "ipn:10.1,7,2", "ipn:10.1,7,3"}));
    EXPECT_EQ(content_of(output->path_of(adu_of(1, ""))), "one");
    EXPECT_EQ(content_of(output->path_of(adu_of(2, ""))), large);
}

TEST(FolderOutput, WhatCannotBeWrittenLeavesNothing) {
    const test::TempFolder folder;
    EXPECT_FALSE(FolderOutput::open(folder / "absent/new").has_value());
    folder.write("file", "");
    EXPECT_FALSE(FolderOutput::open(folder / "file").has_value());
    auto output = FolderOutput::open(folder.path().string());
    ASSERT_TRUE(output.has_value()) << output.error();
    fs::create_directory(output->path_of(adu_of(1, "")));  // in the place of the file
    EXPECT_FALSE(output->write(adu_of(1, "one")).empty());
    std::size_t entries = 0;
    for ([[maybe_unused]] const auto &entry : fs::directory_iterator(folder.path())) ++entries;
    EXPECT_EQ(entries, 2U);
}

}  // namespace
}  // namespace farlink::bpreceive::folder_output_test
