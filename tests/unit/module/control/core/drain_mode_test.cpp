// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/drain_mode.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace farlink::control::drain_mode_test {
namespace {

using bus::AgentId;

TEST(DrainMode, EveryIngressGetsTheMode) {
    std::string sent;
    DrainMode drain(2, [&](AgentId to, const bus::Message &message) {
        sent += std::to_string(static_cast<int>(to)) +
                (std::get<bus::DrainMode>(message).held ? "+ " : "- ");
    });
    drain.handle_back(AgentId::kIngress);
    drain.handle_ready(AgentId::kEgress);
    EXPECT_EQ(sent, "");
    drain.handle_ready(AgentId::kIngress);
    EXPECT_EQ(std::exchange(sent, {}), "0- ") << "it may have another mode";
    drain.set(true);
    EXPECT_TRUE(drain.on());
    EXPECT_EQ(std::exchange(sent, {}), "0+ 7+ ");
    drain.handle_back(AgentId::kIngress2);
    drain.handle_back(AgentId::kStorage);
    EXPECT_EQ(std::exchange(sent, {}), "7+ ");
    drain.set(false);
    EXPECT_EQ(sent, "0- 7- ");
}

}  // namespace
}  // namespace farlink::control::drain_mode_test
