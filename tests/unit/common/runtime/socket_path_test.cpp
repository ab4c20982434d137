// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/socket_path.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

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

}  // namespace
}  // namespace farlink::socket_path_test
