// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/cert/keys_make.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "apps/farlinkctl/shared/exit_code.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::ctl::keys_make_test {
namespace {

namespace fs = std::filesystem;

TEST(KeysMake, OnlyTheOwnerReadsTheKeysAndNoneIsReplaced) {
    const test::TempFolder folder;
    const std::string keys = folder / "a/b";
    EXPECT_EQ(make_keys(keys), kExitClean);
    constexpr auto kOwner = fs::perms::owner_read | fs::perms::owner_write;
    for (const char *name : {"bus.secret", "bus.public"})
        EXPECT_EQ(fs::status(fs::path(keys) / name).permissions(), kOwner) << name;
    testing::internal::CaptureStderr();
    EXPECT_EQ(make_keys(keys), kExitFailed);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "farlinkctl: " + keys + "/bus.secret: already exists\n");
    // A public key alone is not replaced either.
    fs::remove(fs::path(keys) / "bus.secret");
    EXPECT_EQ(make_keys(keys), kExitFailed);
}

TEST(KeysMake, AFolderThatCannotBeMadeIsNamed) {
    const test::TempFolder folder;
    folder.write("file", "no folder");
    testing::internal::CaptureStderr();
    EXPECT_EQ(make_keys(folder / "file/keys"), kExitFailed);
    EXPECT_TRUE(testing::internal::GetCapturedStderr().starts_with(
        "farlinkctl: " + folder / "file/keys" + ": "));
}

}  // namespace
}  // namespace farlink::ctl::keys_make_test
