// SPDX-License-Identifier: Apache-2.0
#include "module/control/state_commands.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace farlink::app {
namespace {

using Json = nlohmann::ordered_json;

Json read(const std::string &reply) {
    return Json::parse(reply, nullptr, false);
}

TEST(StateCommands, AnAnswerBecomesAReply) {
    EXPECT_EQ(shown(200, R"({"a":1})"), R"({"ok":true,"a":1})");
    EXPECT_EQ(shown(200, "{}"), R"({"ok":true})");
    EXPECT_EQ(read(shown(200, "x 1\ny 2\n")), (Json{{"ok", true}, {"text", "x 1\ny 2\n"}}));
    EXPECT_EQ(shown(200, "two\nlines").find('\n'), std::string::npos);
    const Json refused = read(shown(404, R"({"detail":"no such link"})"));
    EXPECT_EQ(refused["ok"], false);
    EXPECT_EQ(refused["reason"], "notFound");
    EXPECT_EQ(refused["error"], "no such link");
    EXPECT_EQ(read(shown(400, "?"))["reason"], "malformed");
    EXPECT_EQ(read(shown(503, "{}"))["reason"], "unavailable");
}

class StateQuestions : public testing::Test {
protected:
    void ask(const Json &request) {
        show_state(requests_, request,
                   [this](const std::string &reply) { replies_.push_back(read(reply)); });
    }

    boost::asio::io_context io_;
    std::vector<bus::StateRequest> asked_;
    std::vector<Json> replies_;
    PendingRequests requests_{io_, [this](bus::AgentId to, const bus::Message &message) {
                                  EXPECT_EQ(to, bus::AgentId::kTelemetry);
                                  asked_.push_back(std::get<bus::StateRequest>(message));
                              }};
};

TEST_F(StateQuestions, AnswersFindTheirQuestionsInAnyOrder) {
    ask({{"path", "/one"}});
    ask({{"path", "/two"}});
    ASSERT_EQ(asked_.size(), 2U);
    EXPECT_EQ(as_text(asked_[1].target), "/two");
    requests_.handle(bus::StateReply{asked_[1].id, 200, {'{', '}'}});
    requests_.handle(bus::StateReply{asked_[1].id, 200, {'{', '}'}});
    requests_.handle(bus::StateReply{77, 200, {'{', '}'}});
    ASSERT_EQ(replies_.size(), 1U) << "each once";
    requests_.handle(bus::StateReply{asked_[0].id, 404, {'{', '}'}});
    ASSERT_EQ(replies_.size(), 2U);
    EXPECT_EQ(replies_[1]["ok"], false);
}

TEST_F(StateQuestions, APathIsAText) {
    ask(Json::object());
    ask({{"path", 7}});
    ask({{"path", std::string(5'000, 'x')}});
    EXPECT_TRUE(asked_.empty());
    ASSERT_EQ(replies_.size(), 3U);
    for (const Json &reply : replies_) EXPECT_EQ(reply["reason"], "malformed");
}

}  // namespace
}  // namespace farlink::app
