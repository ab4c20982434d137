// SPDX-License-Identifier: Apache-2.0
#include "module/control/control_server.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <string>

#include "tests/support/temp_folder.hpp"

namespace farlink::control::control_server_test {
namespace {

namespace asio = boost::asio;
using Protocol = asio::local::stream_protocol;

class ControlServerTest : public testing::Test {
protected:
    void serve(ControlServer::Admits admits) {
        server_.emplace(
            io_, path_,
            [](const Caller &, const std::string &request, const ControlServer::Reply &reply) {
                reply(request);
            },
            std::move(admits));
        ASSERT_EQ(server_->open(), "");
    }
    /// What a client gets that asks once; empty: it is disconnected.
    std::string ask() {
        Protocol::socket client(io_);
        client.connect(Protocol::endpoint(path_));
        asio::write(client, asio::buffer(std::string("x\n")));
        std::string reply(2, ' ');
        bool done = false;
        asio::async_read(client, asio::buffer(reply), [&](auto error, std::size_t) {
            if (error) reply.clear();
            done = true;
        });
        while (!done) io_.run_one();
        return reply;
    }

    test::TempFolder folder_;
    std::string path_ = folder_ / "control.sock";
    asio::io_context io_;
    std::optional<ControlServer> server_;
};

TEST_F(ControlServerTest, AUserWhoMayNotGiveCommandsIsRefusedWithALine) {
    serve([](uid_t) { return false; });
    testing::internal::CaptureStderr();
    EXPECT_EQ(ask(), "");
    EXPECT_EQ(ask(), "");
    const std::string lines = testing::internal::GetCapturedStderr();
    EXPECT_NE(lines.find("1 connection at the control socket refused, most recently of user "),
              std::string::npos)
        << lines;
    EXPECT_EQ(std::ranges::count(lines, '\n'), 1) << lines;
}

TEST_F(ControlServerTest, TheOwnUserIsAnswered) {
    serve([](uid_t user) { return user == ::geteuid(); });
    EXPECT_EQ(ask(), "x\n");
}

}  // namespace
}  // namespace farlink::control::control_server_test
