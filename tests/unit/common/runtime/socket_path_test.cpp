// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/socket_path.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/runtime/file_descriptor.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::socket_path_test {
namespace {

class SocketPath : public ::testing::Test {
protected:
    [[nodiscard]] FileDescriptor bound() const {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path_.data(), path_.size());
        FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
        const auto *to = reinterpret_cast<const sockaddr *>(&address);
        EXPECT_EQ(::bind(socket.get(), to, sizeof address), 0);
        return socket;
    }

    test::TempFolder folder_;
    std::string path_ = folder_.path() / "socket";
};

TEST_F(SocketPath, OneThatNobodyListensAtIsRemoved) {
    EXPECT_EQ(make_room_for_socket(path_), "") << "there is nothing";
    {
        const FileDescriptor killed = bound();
    }
    ASSERT_TRUE(std::filesystem::exists(path_));
    EXPECT_EQ(make_room_for_socket(path_), "");
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SocketPath, OneThatIsListenedAtStays) {
    const FileDescriptor socket = bound();
    ASSERT_EQ(::listen(socket.get(), 0), 0);
    for (int connection = 0; connection < 3; ++connection)  // also with a full queue
        EXPECT_NE(make_room_for_socket(path_).find("in use"), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(SocketPath, FilesAndLongPathsAreRefused) {
    std::ofstream(path_) << "a file";
    EXPECT_NE(make_room_for_socket(path_).find("is not a socket"), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(path_));
    EXPECT_NE(wrong_socket_path(std::string(108, 'a')).find("at most 107"), std::string::npos);
}

TEST_F(SocketPath, TheFolderMustExistAndBeAFolder) {
    EXPECT_EQ(wrong_socket_path(path_), "");
    EXPECT_EQ(wrong_socket_path("socket"), "") << "the working folder";
    const std::string nowhere = folder_.path() / "none/socket";
    EXPECT_EQ(wrong_socket_path(nowhere),
              nowhere + ": the folder does not exist; create it, or choose another path");
    EXPECT_EQ(make_room_for_socket(nowhere), wrong_socket_path(nowhere));
    EXPECT_EQ(wrong_socket_name(nowhere), "") << "it may be made until then";
    std::ofstream(path_) << "a file";
    const std::string beneath = path_ + "/socket";
    EXPECT_EQ(wrong_socket_path(beneath),
              beneath + ": no socket can be made in the folder: Not a directory");
    EXPECT_EQ(socket_folder("/socket"), "/");
    EXPECT_EQ(socket_folder("a/b/socket"), "a/b");
}

TEST_F(SocketPath, TheFolderMustBeWritable) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
    std::filesystem::permissions(
        folder_.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    EXPECT_NE(wrong_socket_path(path_).find("Permission denied"), std::string::npos);
    std::filesystem::permissions(folder_.path(), std::filesystem::perms::owner_all);
}

}  // namespace
}  // namespace farlink::socket_path_test
