// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/static_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace farlink::telemetry::static_folder_test {
namespace {

class StaticFolderTest : public testing::Test {
protected:
    StaticFolderTest() {
        std::filesystem::create_directories(folder_ / "assets");
        put("index.html", "<html>");
        put("assets/a.js", "plain");
        put("assets/a.js.gz", "packed");
    }
    ~StaticFolderTest() override { std::filesystem::remove_all(folder_); }

    void put(const std::string &name, const std::string &octets) const {
        std::ofstream(folder_ / name) << octets;
    }
    [[nodiscard]] Answer serve(const std::vector<std::string> &path, const Call &call = {}) const {
        return StaticFolder(folder_.string()).serve(path, call);
    }

    std::filesystem::path folder_ = std::filesystem::path(testing::TempDir()) /
                                    testing::UnitTest::GetInstance()->current_test_info()->name();
};

std::string header(const Answer &answer, std::string_view name) {
    for (const auto &[key, value] : answer.headers)
        if (key == name) return value;
    return {};
}

TEST_F(StaticFolderTest, ServesFilesWithTheirTypes) {
    const Answer page = serve({""});
    EXPECT_EQ(page.status, 200U);
    EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
    EXPECT_EQ(page.body, "<html>");
    EXPECT_EQ(header(page, "Cache-Control"), "no-cache");
    EXPECT_EQ(serve({"missing.txt"}).status, 404U);
    EXPECT_EQ(StaticFolder("").serve({""}, {}).status, 404U);
}

TEST_F(StaticFolderTest, HasAPageIfItHasAnIndex) {
    EXPECT_TRUE(StaticFolder(folder_.string()).has_page());
    EXPECT_FALSE(StaticFolder((folder_ / "assets").string()).has_page());
    EXPECT_FALSE(StaticFolder("").has_page());
}

TEST_F(StaticFolderTest, ServesTheCompressedCopyToCallersThatAcceptIt) {
    Call call;
    EXPECT_EQ(serve({"assets", "a.js"}, call).body, "plain");
    call.takes_gzip = true;
    const Answer packed = serve({"assets", "a.js"}, call);
    EXPECT_EQ(packed.body, "packed");
    EXPECT_EQ(header(packed, "Content-Encoding"), "gzip");
    EXPECT_NE(header(packed, "Cache-Control").find("immutable"), std::string::npos);
    call.if_none_match = header(packed, "ETag");
    const Answer same = serve({"assets", "a.js"}, call);
    EXPECT_EQ(same.status, 304U);
    EXPECT_TRUE(same.body.empty());
}

TEST_F(StaticFolderTest, APathCannotLeaveTheFolder) {
    for (const char *name : {"..", ".hidden", "", "a/b", "a b", "%2e"})
        EXPECT_FALSE(StaticFolder::is_plain_name(name)) << name;
    EXPECT_TRUE(StaticFolder::is_plain_name("a-B.1_c"));
    EXPECT_EQ(serve({"..", "index.html"}).status, 404U);
    EXPECT_EQ(serve({"a", "b", "c", "d", "e"}).status, 404U);
    std::filesystem::create_symlink("index.html", folder_ / "link.html");
    EXPECT_EQ(serve({"link.html"}).status, 404U);
}

}  // namespace
}  // namespace farlink::telemetry::static_folder_test
