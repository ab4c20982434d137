// SPDX-License-Identifier: Apache-2.0
#include "cfdp/disk/file_requests.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cfdp/disk/disk_filestore.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::cfdp::file_requests_test {
namespace {

namespace fs = std::filesystem;
using Action = FilestoreRequest::Action;
using enum FilestoreResult;

class CfdpFileRequests : public ::testing::Test {
protected:
    CfdpFileRequests() {
        root.emplace(*files::TargetFolder::open(folder));
        state.emplace(*EntityState::open(*root));
        fs::create_directories(folder / "in/sub");
        write("in/a", "first");
        write("in/b", "second");
        write("outside", "secret");
        fs::create_symlink("../outside", folder / "in/link");
        fs::create_directory_symlink("..", folder / "in/up");
    }
    void write(const std::string &name, std::string_view text) {
        std::ofstream(folder / name) << text;
    }
    std::string read(const std::string &name) {
        std::ifstream file(folder / name);
        return {std::istreambuf_iterator<char>(file), {}};
    }
    FilestoreResult run(Action action, std::string first, std::string second = {}) {
        return run_file_request(*root, *state, "in", {action, first, second});
    }

    const test::TempFolder temporary;
    const fs::path folder = temporary.path();
    std::optional<files::TargetFolder> root;
    std::optional<EntityState> state;
};

TEST_F(CfdpFileRequests, FilesAreCreatedDeletedAndRenamed) {
    EXPECT_EQ(run(Action::kCreate, "new"), kDone);
    EXPECT_EQ(read("in/new"), "");
    EXPECT_EQ(run(Action::kCreate, "a"), kExists);
    EXPECT_EQ(run(Action::kCreate, "none/new"), kFirstMissing);
    EXPECT_EQ(read("in/a"), "first");
    EXPECT_EQ(run(Action::kRename, "a", "b"), kExists);
    EXPECT_EQ(run(Action::kRename, "a", "sub/c"), kDone);
    EXPECT_EQ(read("in/sub/c"), "first");
    EXPECT_EQ(run(Action::kRename, "a", "d"), kFirstMissing);
    EXPECT_EQ(run(Action::kRename, "b", "none/d"), kSecondMissing);
    EXPECT_EQ(run(Action::kDelete, "b"), kDone);
    EXPECT_EQ(run(Action::kDelete, "b"), kFirstMissing);
    EXPECT_EQ(run(Action::kDenyFile, "b"), kFirstMissing);
    EXPECT_EQ(run(Action::kDelete, "sub"), kRefused);
}

TEST_F(CfdpFileRequests, FilesAreAppendedAndReplacedAsAWhole) {
    fs::permissions(folder / "in/a", fs::perms(0600));
    EXPECT_EQ(run(Action::kAppend, "a", "b"), kDone);
    EXPECT_EQ(read("in/a"), "firstsecond");
    EXPECT_EQ(run(Action::kAppend, "a", "a"), kDone);
    EXPECT_EQ(read("in/a"), "firstsecondfirstsecond");
    EXPECT_EQ(run(Action::kReplace, "a", "b"), kDone);
    EXPECT_EQ(read("in/a"), "second");
    EXPECT_EQ(fs::status(folder / "in/a").permissions(), fs::perms(0600));
    EXPECT_EQ(run(Action::kAppend, "none", "b"), kFirstMissing);
    EXPECT_EQ(run(Action::kReplace, "a", "none"), kSecondMissing);
    EXPECT_FALSE(fs::exists(folder / ".farlink-cfdp/new-request"));
}

TEST_F(CfdpFileRequests, FoldersAreMadeAndRemovedWhenTheyAreEmpty) {
    EXPECT_EQ(run(Action::kCreateFolder, "x"), kDone);
    EXPECT_EQ(run(Action::kCreateFolder, "x"), kExists);
    EXPECT_EQ(run(Action::kCreateFolder, "y/z"), kFirstMissing);
    EXPECT_EQ(run(Action::kCreate, "x/file"), kDone);
    EXPECT_EQ(run(Action::kRemoveFolder, "x"), kRefused);
    EXPECT_EQ(run(Action::kDelete, "x/file"), kDone);
    EXPECT_EQ(run(Action::kDenyFolder, "x"), kDone);
    EXPECT_EQ(run(Action::kRemoveFolder, "x"), kFirstMissing);
    EXPECT_EQ(run(Action::kRemoveFolder, "a"), kRefused);
}

TEST_F(CfdpFileRequests, NothingLeavesTheFolder) {
    for (const char *name : {"../outside", "/etc/passwd", "up/outside", "..", ".", "", "a/../b",
                             "up/.farlink-cfdp/sequence"}) {
        for (const Action action :
             {Action::kCreate, Action::kDelete, Action::kRename, Action::kAppend, Action::kReplace,
              Action::kCreateFolder, Action::kRemoveFolder, Action::kDenyFile,
              Action::kDenyFolder}) {
            EXPECT_NE(run(action, name, "a"), kDone) << name;
            if (has_second_name(action)) {
                EXPECT_NE(run(action, "a", name), kDone) << name;
            }
        }
    }
    EXPECT_EQ(run(Action::kAppend, "a", "link"), kSecondMissing);
    EXPECT_EQ(run(Action::kReplace, "link", "a"), kFirstMissing);
    EXPECT_EQ(run(Action::kDelete, "link"), kRefused);
    EXPECT_EQ(read("outside"), "secret");
    EXPECT_EQ(read("in/a"), "first");
}

TEST_F(CfdpFileRequests, AFolderIsListed) {
    write("in/sub/odd\x1b[2J", "x");
    const auto whole = list_folder(*root, "in", "");
    ASSERT_TRUE(whole);
    EXPECT_NE(whole->find("file 5 "), std::string::npos);
    EXPECT_NE(whole->find(" a\nfile 6 "), std::string::npos);
    EXPECT_NE(whole->find("folder 0 "), std::string::npos);
    EXPECT_EQ(list_folder(*root, "in", "."), whole);
    EXPECT_NE(list_folder(*root, "in", "sub")->find("odd\\x1b[2J"), std::string::npos);
    for (const char *name : {"..", "up", "a", "none", "/etc", "sub/.."})
        EXPECT_FALSE(list_folder(*root, "in", name)) << name;
}

TEST_F(CfdpFileRequests, EachEntityHasItsFolder) {
    DiskFilestore store(*root, *state, "inbox");
    store.set_folder(7, "in");
    EXPECT_EQ(store.execute(7, {Action::kDelete, "a", {}}), kDone);
    EXPECT_EQ(store.execute(8, {Action::kDelete, "b", {}}), kFirstMissing);
    EXPECT_EQ(store.name_for_open(7, "b"), "in/b");
    EXPECT_TRUE(store.open(store.name_for_open(7, "b")));
    EXPECT_FALSE(store.open(store.name_for_open(7, "../outside")));
    EXPECT_FALSE(store.open(store.name_for_open(7, "/outside")));
    auto copy = *store.create({7, 1});
    ASSERT_TRUE(copy->write(0, as_bytes("abc")));
    EXPECT_EQ(copy->finish("c"), "in/c");
}

}  // namespace
}  // namespace farlink::cfdp::file_requests_test
