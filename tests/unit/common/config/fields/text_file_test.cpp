// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/text_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_folder.hpp"

namespace farlink::config::text_file_test {
namespace {

class TextFile : public testing::Test {
protected:
    test::TempFolder folder_;
    const std::string path_ = folder_ / "file";
};

TEST_F(TextFile, ComesBackOctetForOctet) {
    std::string text;
    for (int i = 0; i < 200'000; ++i) text += static_cast<char>(i * 7);
    std::ofstream(path_, std::ios::binary) << text;
    EXPECT_EQ(read_text_file(path_), text);
}

TEST_F(TextFile, MayBeEmpty) {
    std::ofstream(path_, std::ios::binary).flush();
    EXPECT_EQ(read_text_file(path_), "");
}

TEST_F(TextFile, HasNoByteOrderMark) {
    std::ofstream(path_, std::ios::binary) << "\xef\xbb\xbf{}";
    EXPECT_EQ(read_text_file(path_), "{}");
    for (const std::string_view mark : {"\xff\xfe", "\xfe\xff"}) {
        std::ofstream(path_, std::ios::binary) << mark << "{}";
        const auto text = read_text_file(path_);
        ASSERT_FALSE(text);
        EXPECT_EQ(text.error().to_string(),
                  "found the byte order mark of UTF-16; expected a file in UTF-8");
    }
}

TEST_F(TextFile, IsBounded) {
    std::ofstream(path_, std::ios::binary).flush();
    std::filesystem::resize_file(path_, kLargestFileBytes + 1);
    const auto text = read_text_file(path_);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().to_string(), "the file is too large; expected at most 67108864 bytes");
}

TEST_F(TextFile, SaysWhyItCannotBeRead) {
    EXPECT_EQ(read_text_file("/nonexistent/x").error().to_string(),
              "cannot open the file: No such file or directory");
    EXPECT_EQ(read_text_file("/").error().to_string(), "found a folder; expected a file");
}

}  // namespace
}  // namespace farlink::config::text_file_test
