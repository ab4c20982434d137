// SPDX-License-Identifier: Apache-2.0
#include "common/bus/zmq/ipc_address.hpp"

#include <gtest/gtest.h>

#include "tests/support/temp_folder.hpp"

namespace farlink::bus::ipc_address_test {
namespace {

TEST(IpcAddress, HasAPath) {
    EXPECT_EQ(ipc_path("ipc:///run/farlink/router"), "/run/farlink/router");
    EXPECT_EQ(ipc_path("tcp://127.0.0.1:4000"), "");
    EXPECT_EQ(ipc_path("inproc"), "");
}

TEST(IpcAddress, IsRefusedByItsPath) {
    const test::TempFolder folder;
    const std::string good = "ipc://" + (folder.path() / "router").string();
    EXPECT_EQ(wrong_ipc_address(good, AgentId::kRouter), "");
    EXPECT_EQ(wrong_ipc_address("tcp://127.0.0.1:4000", AgentId::kRouter), "");
    const std::string none = (folder.path() / "none/router").string();
    EXPECT_EQ(wrong_ipc_address("ipc://" + none, AgentId::kRouter),
              "cannot listen on ipc://" + none + " for router: " + none +
                  ": the folder does not exist; create it, or choose another path");
}

}  // namespace
}  // namespace farlink::bus::ipc_address_test
