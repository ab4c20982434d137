// SPDX-License-Identifier: Apache-2.0
#include "module/applications/app_server.hpp"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <string>

#include "tests/support/temp_folder.hpp"
#include "tests/unit/module/applications/core/app_fixture.hpp"

namespace farlink::applications::app_server_test {
namespace {

class AppServerTest : public AppFixture {
protected:
    AppServerTest() { config.applications.socket = folder_ / "app.sock"; }
    std::string opened() {
        std::string wrong = AppServer(config.applications, io_, buffer, core, [] {}).open();
        io_.poll();  // handlers of closed sockets
        return wrong;
    }

    test::TempFolder folder_;
    boost::asio::io_context io_;
};

TEST_F(AppServerTest, AnUnknownGroupIsNamedByItsKeyOnly) {
    EXPECT_EQ(opened(), "");
    config.applications.socket_group = "nobody has this";
    EXPECT_EQ(opened(), "applications.socketGroup: no such group: nobody has this");
    EXPECT_FALSE(std::filesystem::exists(config.applications.socket));
}

TEST_F(AppServerTest, AGroupOfOthersIsRefusedBeforeThereIsASocket) {
    if (::geteuid() == 0) GTEST_SKIP() << "may set any group";
    config.applications.socket_group = std::to_string(::getegid());
    EXPECT_EQ(opened(), "");
    config.applications.socket_group = "0";
    EXPECT_EQ(opened(),
              "applications.socketGroup: the user of the node is not a member of the group 0");
    EXPECT_FALSE(std::filesystem::exists(config.applications.socket));
}

}  // namespace
}  // namespace farlink::applications::app_server_test
