// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/control/control_client.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>

#include "common/runtime/file_descriptor.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::ctl::control_client_test {
namespace {

/// A socket that listens.
class ControlClient : public testing::Test {
protected:
    ControlClient() {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, path_.data(), path_.size());
        EXPECT_EQ(
            ::bind(listener_.get(), reinterpret_cast<const sockaddr *>(&address), sizeof address),
            0);
        EXPECT_EQ(::listen(listener_.get(), 8), 0);
    }
    [[nodiscard]] FileDescriptor accept() const {
        return FileDescriptor(::accept(listener_.get(), nullptr, nullptr));
    }

    test::TempFolder folder_;
    std::string path_ = folder_ / "s";
    FileDescriptor listener_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

TEST_F(ControlClient, AProcessThatRepliesToNothingIsNamed) {
    const auto reply = ask_node(path_, {{"command", "status"}});
    ASSERT_FALSE(reply);
    EXPECT_NE(reply.error().find("the scheduler and the supervisor, in process " +
                                 std::to_string(::getpid()) + ", do not reply"),
              std::string::npos)
        << reply.error();
}

TEST_F(ControlClient, ASlowReplyIsAwaitedWhileTheNodeWorks) {
    std::thread node([this] {
        const FileDescriptor slow = accept();
        const FileDescriptor probe = accept();
        EXPECT_EQ(::write(probe.get(), "{\"ok\":false}\n", 13), 13);
        EXPECT_EQ(::write(slow.get(), "{\"ok\":true}\n", 12), 12);
        pollfd closed{slow.get(), POLLRDHUP, 0};
        (void)::poll(&closed, 1, 10'000);
    });
    const auto reply = ask_node(path_, {{"command", "reload"}});
    node.join();
    ASSERT_TRUE(reply) << reply.error();
    EXPECT_EQ((*reply)["ok"], true);
}

}  // namespace
}  // namespace farlink::ctl::control_client_test
