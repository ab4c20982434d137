// SPDX-License-Identifier: Apache-2.0
#include "module/control/process/bus_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "tests/support/temp_folder.hpp"

namespace farlink::control::bus_folder_test {
namespace {

namespace fs = std::filesystem;

struct OpenFolder : BusFolder {
    explicit OpenFolder(const fs::path &place) { EXPECT_EQ(open(place), ""); }
};

class BusFolderTest : public testing::Test {
protected:
    /// The folder of a node whose processes were all killed.
    fs::path leave_behind(const std::string &name) const {
        const fs::path path = place / name;
        fs::create_directory(path);
        std::ofstream(path / "lock") << "";
        std::ofstream(path / "ingress") << "";
        return path;
    }

    test::TempFolder place;
};

TEST_F(BusFolderTest, HasMode0700AndIsRemovedByItsOwner) {
    fs::path path;
    {
        const OpenFolder folder(place.path());
        path = folder.path();
        struct stat status{};
        ASSERT_EQ(::stat(path.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777, 0700U);
    }
    EXPECT_FALSE(fs::exists(path));
}

TEST_F(BusFolderTest, RemovesFoldersThatAreNotInUse) {
    const fs::path dead = leave_behind("farlink-aaaaaa");
    const OpenFolder first(place.path());
    EXPECT_FALSE(fs::exists(dead));
    const OpenFolder second(place.path());
    EXPECT_TRUE(fs::exists(first.path())) << "its owner lives";
    EXPECT_TRUE(fs::exists(second.path()));
}

// Its owner is killed, and a process of the node goes on for a while.
TEST_F(BusFolderTest, IsInUseWhileAProcessOfTheNodeLives) {
    int ready[2];
    ASSERT_EQ(::pipe(ready), 0);
    const pid_t owner = ::fork();
    if (owner == 0) {
        const OpenFolder folder(place.path());
        const pid_t module = ::fork();
        if (module != 0) {
            (void)!::write(ready[1], &module, sizeof module);
        } else {
            ::execl("/bin/sleep", "sleep", "1000", nullptr);
        }
        ::_exit(0);  // without the destructor
    }
    pid_t module = 0;
    ASSERT_EQ(::read(ready[0], &module, sizeof module), static_cast<ssize_t>(sizeof module));
    ASSERT_EQ(::waitpid(owner, nullptr, 0), owner);
    const fs::path path = fs::directory_iterator(place.path())->path();
    {
        const OpenFolder next(place.path());
        EXPECT_TRUE(fs::exists(path));
    }
    ::kill(module, SIGKILL);
    for (int turn = 0; turn < 10'000 && fs::exists(path); ++turn)
        const OpenFolder next(place.path());
    EXPECT_FALSE(fs::exists(path));
    for (const int end : ready) ::close(end);
}

TEST_F(BusFolderTest, AnErrorNamesThePath) {
    BusFolder folder;
    EXPECT_NE(folder.open(place.path() / "missing").find("missing"), std::string::npos);
}

TEST_F(BusFolderTest, TouchesNothingElse) {
    const fs::path other_name = leave_behind("farlink_aaaaaa");
    const fs::path target = leave_behind("target");
    const fs::path without_lock = place.path() / "farlink-bbbbbb";
    const fs::path file = place.path() / "farlink-cccccc";
    const fs::path link = place.path() / "farlink-dddddd";
    fs::create_directory(without_lock);
    std::ofstream(file) << "precious";
    fs::create_directory_symlink(target, link);
    const OpenFolder folder(place.path());
    for (const fs::path &kept : {other_name, target / "ingress", without_lock, file, link})
        EXPECT_TRUE(fs::exists(kept)) << kept;
}

}  // namespace
}  // namespace farlink::control::bus_folder_test
