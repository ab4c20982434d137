// SPDX-License-Identifier: Apache-2.0
#include "module/control/log_steering.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace farlink::control::log_steering_test {
namespace {

using Json = nlohmann::ordered_json;
using Sent = std::vector<std::pair<bus::AgentId, std::string>>;

class LogSteeringTest : public testing::Test {
protected:
    void TearDown() override { set_log_level(LogLevel::kInfo); }

    Json reply(const Json &request) { return steering_.handle_command(request, {0, "anna"}); }
    Sent taken() { return std::exchange(sent_, {}); }

    Sent sent_;
    LogSteering steering_{{bus::AgentId::kIngress, bus::AgentId::kEgress},
                          [this](bus::AgentId to, const bus::Message &message) {
                              const auto &change = std::get<bus::LogChange>(message);
                              sent_.emplace_back(to, std::string(as_text(change.logger)) + '=' +
                                                         std::to_string(change.level));
                          }};
};

TEST_F(LogSteeringTest, AChangeGoesToThisProcessAndToTheOthers) {
    const Json done = reply({{"logger", "ltp"}, {"level", "debug"}});
    EXPECT_EQ(done["ok"], true);
    EXPECT_EQ(done["levels"]["ltp"], "debug");
    EXPECT_EQ(done["levels"]["all"], "info");
    EXPECT_EQ(log_levels().of("ltp"), LogLevel::kDebug);
    EXPECT_EQ(taken(), (Sent{{bus::AgentId::kIngress, "ltp=1"}, {bus::AgentId::kEgress, "ltp=1"}}));
    EXPECT_EQ(reply({{"logger", "all"}, {"level", "warn"}})["levels"]["ltp"], "warn");
    EXPECT_EQ(taken()[0].second, "=3");
}

TEST_F(LogSteeringTest, AModuleThatIsBackGetsTheChangesInForce) {
    steering_.handle_back(bus::AgentId::kEgress);
    EXPECT_TRUE(taken().empty()) << "there are none";
    (void)reply({{"logger", "udp"}, {"level", "off"}});
    (void)reply({{"level", "warn"}});
    (void)reply({{"logger", "ltp"}, {"level", "debug"}});
    (void)reply({{"logger", "ltp"}, {"level", "trace"}});
    (void)taken();
    steering_.handle_back(bus::AgentId::kEgress);
    EXPECT_EQ(taken(), (Sent{{bus::AgentId::kEgress, "=3"}, {bus::AgentId::kEgress, "ltp=0"}}));
}

TEST_F(LogSteeringTest, AReloadChangesTheLevelsBelowThoseOfCommands) {
    (void)reply({{"logger", "ltp"}, {"level", "debug"}});
    (void)taken();
    steering_.set_configured({LogLevel::kWarn, {{"udp", LogLevel::kError}}});
    EXPECT_EQ(log_levels().all, LogLevel::kWarn);
    EXPECT_EQ(log_levels().of("udp"), LogLevel::kError);
    EXPECT_EQ(log_levels().of("ltp"), LogLevel::kDebug) << "by command";
    (void)taken();
    steering_.handle_back(bus::AgentId::kEgress);
    EXPECT_EQ(taken(), (Sent{{bus::AgentId::kEgress, "=3"},
                             {bus::AgentId::kEgress, "udp=4"},
                             {bus::AgentId::kEgress, "ltp=1"}}));
}

TEST_F(LogSteeringTest, ARevertUndoesTheCommands) {
    steering_.revert();
    EXPECT_TRUE(taken().empty()) << "there are none";
    (void)reply({{"level", "debug"}});
    (void)reply({{"logger", "ltp"}, {"level", "trace"}});
    EXPECT_EQ(steering_.changes(), (std::vector<std::pair<std::string, LogLevel>>{
                                       {"", LogLevel::kDebug}, {"ltp", LogLevel::kTrace}}));
    steering_.revert();
    EXPECT_EQ(log_levels(), LogLevels{});
    EXPECT_TRUE(steering_.changes().empty());
}

TEST_F(LogSteeringTest, WrongRequestsAreRefused) {
    EXPECT_EQ(reply(Json::object())["levels"].size(), kLoggerNames.size() + 1);
    EXPECT_EQ(reply({{"level", "loud"}})["reason"], "invalid");
    EXPECT_EQ(reply({{"level", 3}})["reason"], "malformed");
    EXPECT_EQ(reply({{"logger", nullptr}, {"level", "info"}})["reason"], "malformed");
    EXPECT_EQ(reply({{"logger", "nobody"}, {"level", "info"}})["reason"], "notFound");
    EXPECT_EQ(reply({{"logger", "ltp"}})["reason"], "malformed") << "without a level";
    EXPECT_TRUE(taken().empty());
}

}  // namespace
}  // namespace farlink::control::log_steering_test
