// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsendfile/scanner.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_folder.hpp"

namespace farlink::bpsendfile::scanner_test {
namespace {

using Names = std::vector<std::string>;

class ScannerTest : public testing::Test {
protected:
    ScannerTest() {
        std::filesystem::create_directories(folder_.path() / "top/in/deep");
        for (const char *name : {"top/a", "top/in/b", "top/in/deep/c"}) folder_.write(name, "text");
        std::filesystem::create_symlink("/etc", folder_.path() / "top/link");
        std::filesystem::create_symlink("top/a", folder_.path() / "to_a");
    }
    /// Files, then folders in brackets, then what is left out.
    [[nodiscard]] Names scan(const std::string &path, std::uint64_t depth = 9) const {
        Names names;
        const Finder finder{.on_file =
                                [&](const Source &source, const files::FileVersion &version) {
                                    EXPECT_EQ(version.size, 4U);
                                    names.push_back(source.name);
                                    return true;
                                },
                            .on_folder =
                                [&](const Source &source) {
                                    names.push_back("[" + source.name + "]");
                                    return true;
                                },
                            .on_other = [&](const std::string &name,
                                            const std::string &) { names.push_back("-" + name); }};
        EXPECT_TRUE(Scanner({folder_ / path}, depth).scan(finder));
        return names;
    }
    test::TempFolder folder_;
};

TEST_F(ScannerTest, AFolderWithItsName) {
    EXPECT_EQ(scan("top"), (Names{"[top]", "top/a", "[top/in]", "top/in/b", "[top/in/deep]",
                                  "top/in/deep/c", "-top/link"}));
    EXPECT_EQ(scan("top/"), scan("top"));
}

TEST_F(ScannerTest, WithoutItsNameAndToADepth) {
    EXPECT_EQ(scan("top/.", 0), (Names{"[]", "a", "-link"}));
    EXPECT_EQ(scan("top/.", 1), (Names{"[]", "a", "[in]", "in/b", "-link"}));
}

TEST_F(ScannerTest, OneFile) {
    EXPECT_EQ(scan("top/in/b"), (Names{"b"}));
    EXPECT_EQ(scan("to_a"), (Names{"to_a"}));
}

TEST_F(ScannerTest, WrongPaths) {
    EXPECT_EQ(Scanner({folder_ / "top", folder_ / "to_a"}, 0).wrong_path(), "");
    EXPECT_NE(Scanner({folder_ / "absent"}, 0).wrong_path(), "");
    EXPECT_NE(Scanner({"/dev/null"}, 0).wrong_path(), "");
}

}  // namespace
}  // namespace farlink::bpsendfile::scanner_test
