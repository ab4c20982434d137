// SPDX-License-Identifier: Apache-2.0
// Who has asked the router is told what came of it, also when the router dies over it.
#include "module/control/pending_requests.hpp"

#include <gtest/gtest.h>

#include <string>

namespace farlink::app {
namespace {

using bus::AgentId;

class RouterQuestions : public testing::Test {
protected:
    void ask_routes(char name) {
        requests_.ask_routes([this, name](const auto &routes) { publish(name, bool(routes)); });
    }
    void change_plan(char name) {
        requests_.change_plan(
            bus::PlanChange{}, [](const auto &) {},
            [this, name](const auto &routes) { publish(name, bool(routes)); });
    }
    void publish(char name, bool answered) { published_ += {name, answered ? '+' : '-'}; }

    boost::asio::io_context io_;
    std::string published_;  ///< who was told, and + for an answer
    int asked_ = 0;          ///< how often the router
    PendingRequests requests_{io_,
                              [this](AgentId to, const bus::Message &) {
                                  if (to == AgentId::kRouter) ++asked_;
                              },
                              milliseconds(1)};
};

TEST_F(RouterQuestions, OneAnswerIsForAllThatWait) {
    ask_routes('a');
    ask_routes('b');
    EXPECT_EQ(asked_, 1);
    requests_.handle(bus::RouteUpdate{});
    EXPECT_EQ(published_, "a+b+");
    ask_routes('c');
    EXPECT_EQ(asked_, 2);
}

TEST_F(RouterQuestions, ARouterThatIsBackIsAskedAgain) {
    ask_routes('a');
    requests_.handle_lost(AgentId::kRouter);
    ask_routes('b');
    requests_.handle_back(AgentId::kStorage);
    EXPECT_EQ(asked_, 1);
    requests_.handle_back(AgentId::kRouter);
    EXPECT_EQ(asked_, 2);
    requests_.handle(bus::RouteUpdate{});
    EXPECT_EQ(published_, "a+b+");
    requests_.handle_back(AgentId::kRouter);
    EXPECT_EQ(asked_, 2) << "nobody waits";
}

TEST_F(RouterQuestions, AChangeOfThePlanDoesNotTakeTheAnswerToTheOneBefore) {
    change_plan('a');
    requests_.handle_lost(AgentId::kStorage);
    EXPECT_EQ(published_, "");
    requests_.handle_lost(AgentId::kRouter);
    change_plan('b');
    requests_.handle_back(AgentId::kRouter);
    EXPECT_EQ(published_, "a-b-");
    change_plan('c');
    requests_.handle(bus::RoutesPreview{});
    EXPECT_EQ(published_, "a-b-c+");
}

TEST_F(RouterQuestions, AQuestionWithoutAnswerDoesNotStandForTheNext) {
    ask_routes('a');
    io_.run();
    EXPECT_EQ(published_, "a-");
    ask_routes('b');
    EXPECT_EQ(asked_, 2);
    requests_.handle(bus::RouteUpdate{});
    EXPECT_EQ(published_, "a-b+");
}

}  // namespace
}  // namespace farlink::app
