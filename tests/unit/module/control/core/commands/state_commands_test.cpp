// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/state_commands.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace farlink::control::state_commands_test {
namespace {

using Json = nlohmann::ordered_json;

TEST(StateCommands, AnAnswerBecomesAReply) {
    EXPECT_EQ(shown(200, R"({"z":1.5,"a":[{}]})").dump(), R"({"ok":true,"z":1.5,"a":[{}]})");
    EXPECT_EQ(shown(200, "{}").dump(), R"({"ok":true})");
    EXPECT_EQ(shown(200, "x 1\ny 2\n"), (Json{{"ok", true}, {"text", "x 1\ny 2\n"}}));
    EXPECT_EQ(shown(200, "{cut").dump(), R"({"ok":true,"text":"{cut"})");
    EXPECT_EQ(shown(200, "two\nlines").dump().find('\n'), std::string::npos);
    const Json refused = shown(404, R"({"detail":"no such link"})");
    EXPECT_EQ(refused["ok"], false);
    EXPECT_EQ(refused["reason"], "notFound");
    EXPECT_EQ(refused["error"], "no such link");
    EXPECT_EQ(shown(400, "?")["reason"], "malformed");
    EXPECT_EQ(shown(503, "{}")["reason"], "unavailable");
}

class StateRequests : public testing::Test {
protected:
    void ask(const Json &request) {
        show_state(
            requests_, request, [this](const Json &reply) { replies_.push_back(reply); }, now_);
    }

    WallClock now_{TimePoint{} + seconds(1), 1000};
    std::vector<bus::StateRequest> asked_;
    std::vector<Json> replies_;
    PendingRequests requests_{{}, [this](bus::AgentId to, const bus::Message &message) {
                                  EXPECT_EQ(to, bus::AgentId::kTelemetry);
                                  asked_.push_back(std::get<bus::StateRequest>(message));
                              }};
};

TEST_F(StateRequests, RepliesAreMatchedInAnyOrder) {
    ask({{"path", "/one"}});
    ask({{"path", "/two"}});
    ASSERT_EQ(asked_.size(), 2U);
    EXPECT_EQ(as_text(asked_[1].target), "/two");
    requests_.handle(bus::StateReply{asked_[1].id, 200, {'{', '}'}}, now_);
    requests_.handle(bus::StateReply{asked_[1].id, 200, {'{', '}'}}, now_);
    requests_.handle(bus::StateReply{bus::RequestId{77}, 200, {'{', '}'}}, now_);
    ASSERT_EQ(replies_.size(), 1U) << "each once";
    requests_.handle(bus::StateReply{asked_[0].id, 404, {'{', '}'}}, now_);
    ASSERT_EQ(replies_.size(), 2U);
    EXPECT_EQ(replies_[1]["ok"], false);
}

TEST_F(StateRequests, ARequestWithoutReplyFails) {
    ask({{"path", "/one"}});
    now_.at += seconds(5);
    requests_.handle_timeout(now_);
    ASSERT_EQ(replies_.size(), 1U);
    EXPECT_EQ(replies_[0]["reason"], "unavailable");
}

TEST_F(StateRequests, ThePathIsAText) {
    ask(Json::object());
    ask({{"path", 7}});
    ask({{"path", std::string(5'000, 'x')}});
    EXPECT_TRUE(asked_.empty());
    ASSERT_EQ(replies_.size(), 3U);
    for (const Json &reply : replies_) EXPECT_EQ(reply["reason"], "malformed");
}

}  // namespace
}  // namespace farlink::control::state_commands_test
