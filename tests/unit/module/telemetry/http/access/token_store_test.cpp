// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/access/token_store.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "module/telemetry/http/access/token_digest.hpp"
#include "tests/support/temp_folder.hpp"

#if FARLINK_TLS

namespace farlink::telemetry::token_store_test {
namespace {

class TokenFiles : public testing::Test {
protected:
    /// A file with this token only.
    std::string file(const std::string &name, const std::string &token, mode_t mode = 0600) {
        folder_.write(name, write_tokens({{token, Role::kOperate, *digest_of(token)}}));
        EXPECT_EQ(::chmod((folder_ / name).c_str(), mode), 0);
        return folder_ / name;
    }
    bool knows(const std::string &token) { return store_.find(token, now_).has_value(); }

    test::TempFolder folder_;
    TokenStore store_{file("first.json", "one")};
    TimePoint now_ = TimePoint{} + seconds(100);
};

TEST_F(TokenFiles, AnotherFileTakesThePlaceOfTheFirstAtOnce) {
    ASSERT_EQ(store_.open(), "");
    EXPECT_TRUE(knows("one"));
    store_.set_file(file("second.json", "two"));
    EXPECT_FALSE(knows("one")) << "without the pause between two looks";
    EXPECT_TRUE(knows("two"));
    store_.set_file(folder_ / "first.json");
    EXPECT_TRUE(knows("one"));
    EXPECT_FALSE(knows("two"));
}

TEST_F(TokenFiles, AFileThatIsNotUsableHasNoTokens) {
    ASSERT_EQ(store_.open(), "");
    for (const std::string &wrong :
         {folder_ / "none.json", file("open.json", "one", 0644), std::string()}) {
        store_.set_file(wrong);
        EXPECT_FALSE(knows("one")) << wrong;
    }
    store_.set_file(folder_ / "none.json");
    EXPECT_FALSE(knows("late"));
    file("none.json", "late");
    now_ += seconds(2);
    EXPECT_TRUE(knows("late")) << "it was made meanwhile";
}

TEST_F(TokenFiles, AFileIsReadWhenOnlyItsModeHasChanged) {
    ASSERT_EQ(store_.open(), "");
    ASSERT_EQ(::chmod((folder_ / "first.json").c_str(), 0644), 0);
    EXPECT_FALSE(knows("one"));
    ASSERT_EQ(::chmod((folder_ / "first.json").c_str(), 0600), 0);
    now_ += seconds(2);
    EXPECT_TRUE(knows("one"));
}

TEST_F(TokenFiles, AFileIsReadAgainWhenItChanges) {
    ASSERT_EQ(store_.open(), "");
    EXPECT_TRUE(knows("one"));
    file("first.json", "another");
    EXPECT_FALSE(knows("another")) << "looked at within the second";
    now_ += seconds(2);
    EXPECT_TRUE(knows("another"));
    EXPECT_FALSE(knows("one"));
}

}  // namespace
}  // namespace farlink::telemetry::token_store_test

#endif
