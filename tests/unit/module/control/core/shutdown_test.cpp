// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/shutdown.hpp"

#include <gtest/gtest.h>

#include <string>

namespace farlink::control::shutdown_test {
namespace {

using bus::AgentId;

TimePoint at(int seconds_later) {
    return TimePoint{} + seconds(seconds_later);
}

class ShutdownTest : public testing::Test {
protected:
    /// Stops since the last call: "drain 1", "stop 0" by the number of the module.
    std::string sent() { return std::exchange(sent_, {}); }
    void end(AgentId module, int when = 1) { shutdown_.handle_ended(module, at(when)); }

    std::string sent_;
    ModuleSupervision modules_{1};
    Shutdown shutdown_{modules_,
                       {AgentId::kIngress, AgentId::kScheduler},
                       [this](AgentId to, const bus::Message &message) {
                           sent_ += std::get<bus::Stop>(message).drain ? "drain " : "stop ";
                           sent_ += std::to_string(static_cast<int>(to)) + ' ';
                       }};
};

TEST_F(ShutdownTest, ModulesEndOneAfterTheOther) {
    EXPECT_FALSE(shutdown_.begun());
    shutdown_.begin(at(0));
    EXPECT_EQ(sent(), "drain 5 drain 2 drain 1 stop 0 ");
    shutdown_.begin(at(0));
    EXPECT_EQ(sent(), "") << "it has begun";
    EXPECT_EQ(shutdown_.next_timeout(), kNever) << "ingress is a module of this process";
    end(AgentId::kRouter);
    EXPECT_EQ(sent(), "") << "not expected yet";
    end(AgentId::kIngress);
    EXPECT_EQ(sent(), "stop 2 ");
    EXPECT_EQ(shutdown_.next_timeout(), at(21));
    end(AgentId::kStorage);
    EXPECT_EQ(sent(), "stop 1 ");
    end(AgentId::kEgress);
    EXPECT_EQ(sent(), "stop 3 ") << "the router has ended before";
    end(AgentId::kScheduler);
    EXPECT_FALSE(shutdown_.complete());
    end(AgentId::kTelemetry);
    EXPECT_TRUE(shutdown_.complete());
    EXPECT_EQ(shutdown_.next_timeout(), kNever);
}

TEST_F(ShutdownTest, AModuleThatDoesNotConfirmCountsAsEnded) {
    shutdown_.begin(at(0));
    end(AgentId::kIngress, 0);
    EXPECT_EQ(shutdown_.handle_timeout(at(19)), std::nullopt);
    EXPECT_EQ(shutdown_.handle_timeout(at(20)), AgentId::kStorage);
    EXPECT_EQ(shutdown_.next_timeout(), at(40));
    EXPECT_EQ(shutdown_.handle_timeout(at(40)), AgentId::kEgress);
    EXPECT_EQ(shutdown_.next_timeout(), at(45)) << "the limit of the node";
    EXPECT_EQ(shutdown_.handle_timeout(at(50)), AgentId::kRouter);
    end(AgentId::kScheduler, 50);
    EXPECT_EQ(shutdown_.next_timeout(), at(51)) << "a second at least";
    EXPECT_EQ(shutdown_.handle_timeout(at(51)), AgentId::kTelemetry);
    EXPECT_TRUE(shutdown_.complete());
}

TEST_F(ShutdownTest, LostModulesAreSkippedAndReturningOnesGetStop) {
    modules_.handle_lost(AgentId::kStorage);
    shutdown_.begin(at(0));
    (void)sent();
    end(AgentId::kIngress);
    EXPECT_EQ(sent(), "stop 1 ");
    shutdown_.handle_back(AgentId::kStorage);
    EXPECT_EQ(sent(), "stop 2 ");
    shutdown_.handle_back(AgentId::kIngress);
    EXPECT_EQ(sent(), "") << "it has ended";
}

TEST_F(ShutdownTest, ModulesThatHaveNotStartedAreSkipped) {
    shutdown_.begin_without_local(at(0));
    EXPECT_EQ(sent(), "drain 5 drain 2 drain 1 stop 2 ");
}

TEST_F(ShutdownTest, AModuleThatStartsAgainEndsAgain) {
    end(AgentId::kIngress);
    shutdown_.handle_back(AgentId::kIngress);
    EXPECT_EQ(sent(), "") << "no shutdown has begun";
    shutdown_.handle_ready(AgentId::kIngress);
    shutdown_.begin(at(1));
    EXPECT_EQ(sent(), "drain 5 drain 2 drain 1 stop 0 ");
}

}  // namespace
}  // namespace farlink::control::shutdown_test
