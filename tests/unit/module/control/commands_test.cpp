// SPDX-License-Identifier: Apache-2.0
#include "module/control/commands.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tests/support/temp_folder.hpp"

namespace farlink::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kManyContacts = 20'000;

/// A request that takes much longer to read than any other.
std::string long_plan(std::size_t contacts = kManyContacts) {
    std::string text = R"({"command":"plan replace","contacts":[)";
    for (std::size_t i = 0; i < contacts; ++i)
        text += (i == 0 ? "" : ",") + std::string(R"({"contact":)") + std::to_string(i) +
                R"(,"source":10,"dest":20,"startTime":)" + std::to_string(2 * i) +
                R"(,"endTime":)" + std::to_string(2 * i + 1) + R"(,"rateBitsPerSec":1000})";
    return text + "]}";
}

/// Scheduler and router answer at their next turn.
class CommandsTest : public testing::Test {
protected:
    CommandsTest() {
        plan_ = std::make_unique<ContactPlanStore>(config_);
        EXPECT_EQ(plan_->open(0), "");
        commands_ = std::make_unique<Commands>(
            io_, config_, *plan_, requests_, holds_,
            NodeHooks{[] {}, [](bool) {}, [] { return false; },
                      [](bus::AgentId) { return std::string_view("ready"); },
                      [](std::string_view, LogLevel) {},
                      [this](const AuditEntry &entry) { audit_.push_back(entry); }});
    }
    void ask(const std::string &name, std::string request) {
        commands_->handle({0, "root"}, std::move(request), [this, name](const std::string &reply) {
            order_ += name;
            replies_.push_back(Json::parse(reply));
        });
    }
    void run() {
        io_.restart();
        io_.run();
    }

    void handle(bus::AgentId to, const bus::Message &message) {
        const bool plan = std::holds_alternative<bus::PlanReplace>(message) ||
                          std::holds_alternative<bus::PlanChange>(message);
        const bool asked = std::holds_alternative<bus::SnapshotRequest>(message);
        if (plan || (asked && to == bus::AgentId::kScheduler))
            boost::asio::post(io_, [this] { requests_.handle(bus::LinkSnapshot{}); });
        if (plan) boost::asio::post(io_, [this] { requests_.handle(bus::RoutesPreview{}); });
        if (asked && to == bus::AgentId::kRouter)
            boost::asio::post(io_, [this] { requests_.handle(bus::RouteUpdate{}); });
    }
    [[nodiscard]] config::NodeConfig configured() const {
        config::NodeConfig config;
        config.node = NodeNumber{10};
        config.state_folder = folder_ / "state";
        config.control_socket = folder_ / "control";
        return config;
    }

    test::TempFolder folder_;
    config::NodeConfig config_ = configured();
    boost::asio::io_context io_;
    PendingRequests requests_{
        io_, [this](bus::AgentId to, const bus::Message &message) { handle(to, message); }};
    HeldDestinations holds_{config_};
    std::unique_ptr<ContactPlanStore> plan_;
    std::unique_ptr<Commands> commands_;
    std::string order_;  ///< of the answers
    std::vector<Json> replies_;
    std::vector<AuditEntry> audit_;
};

TEST_F(CommandsTest, OthersAreAnsweredWhileALongPlanIsRead) {
    ask("p", long_plan());
    EXPECT_EQ(plan_->plan(), nullptr) << "nobody has waited for it";
    for (int i = 0; i < 3; ++i) ask("c", R"({"command":"clock confirm"})");
    EXPECT_EQ(order_, "ccc");
    ask("s", R"({"command":"status"})");
    run();
    EXPECT_EQ(order_, "cccsp");
    EXPECT_EQ(replies_[4]["added"], kManyContacts) << replies_[4];
    EXPECT_EQ(plan_->version(), 1U);
    EXPECT_EQ(plan_->plan()->size(), kManyContacts);
}

TEST_F(CommandsTest, ChangesOfThePlanAreMadeInTheirOrder) {
    ask("p", long_plan());
    ask("r", R"({"command":"plan remove","contacts":[0]})");
    ask("d", R"({"command":"plan remove","contacts":[1],"dryRun":true})");
    ask("h", R"({"command":"plan history"})");
    run();
    EXPECT_EQ(order_.front(), 'h');
    std::string changes = order_.substr(1);
    EXPECT_EQ(changes, "prd");
    EXPECT_EQ(replies_[2]["version"], 2);
    EXPECT_EQ(replies_[2]["contacts"], kManyContacts - 1);
    EXPECT_EQ(replies_[3]["contacts"], kManyContacts - 2);
    EXPECT_EQ(plan_->plan()->size(), kManyContacts - 1);
    ask("s", R"({"command":"plan show"})");
    run();
    EXPECT_EQ(replies_.back()["contacts"].size(), kManyContacts - 1);
}

TEST_F(CommandsTest, HoldsAreWrittenInTheirOrder) {
    ask("h", R"({"command":"storage hold","destination":20})");
    ask("r", R"({"command":"storage release","destination":20})");
    ask("a", R"({"command":"storage release","destination":20})");
    ask("l", R"({"command":"storage holds"})");
    EXPECT_EQ(order_, "l") << "nobody waits for the disk";
    EXPECT_EQ(replies_[0]["held"], Json::array());
    run();
    ASSERT_EQ(order_, "lhra");
    EXPECT_EQ(replies_[1]["held"], Json::array({20}));
    EXPECT_EQ(replies_[2]["held"], Json::array());
    EXPECT_EQ(replies_[3]["reason"], "notFound");
    EXPECT_EQ(holds_.held(), HeldDestinations::Nodes{});
}

TEST_F(CommandsTest, TooManyChangesOfThePlanAreRefused) {
    ask("p", long_plan());
    std::size_t asked = 0;
    while (order_.empty() && asked < 2 * SlowWork::kMostWaiting) {
        ask("r", R"({"command":"plan remove","contacts":[0]})");
        ++asked;
    }
    EXPECT_EQ(asked, SlowWork::kMostWaiting + 1);
    EXPECT_EQ(replies_[0]["reason"], "unavailable");
    run();
    EXPECT_EQ(order_.size(), asked + 1);
}

TEST_F(CommandsTest, OnlyAPlanIsLong) {
    const std::string filling(100'000, 'x');
    ask("s", R"({"command":"status","path":")" + filling + "\"}");
    ask("u", R"({"command":")" + filling + "\"}");
    ask("n", filling);
    ask("k", R"({"command":"plan add","contacts":[],"more":")" + filling + "\"}");
    run();
    EXPECT_EQ(order_, "sunk");
    for (const Json &reply : replies_) EXPECT_EQ(reply["reason"], "malformed") << reply;
    EXPECT_EQ(replies_[0]["error"], "`status` takes a request of at most 65536 octets");
    EXPECT_EQ(audit_.size(), 1U);
}

TEST_F(CommandsTest, TheAuditTellsOfALongPlan) {
    const std::string plan = long_plan();
    ask("p", plan);
    run();
    ASSERT_EQ(audit_.size(), 1U);
    EXPECT_EQ(audit_[0].change, "plan replace");
    EXPECT_EQ(audit_[0].values, R"({"bytes":)" + std::to_string(plan.size()) + "}");
    EXPECT_TRUE(audit_[0].done);
    std::string wrong = plan;
    wrong.replace(wrong.find(R"("dest":20)"), 9, R"("dest":-1)");
    ask("w", wrong);
    run();
    ASSERT_EQ(audit_.size(), 2U);
    EXPECT_FALSE(audit_[1].done);
    EXPECT_EQ(audit_[1].detail, replies_[1]["error"]);
}

TEST_F(CommandsTest, TheirEndDoesNotWaitForALongPlan) {
    ask("p", long_plan());
    commands_.reset();
    EXPECT_EQ(order_, "");
}

}  // namespace
}  // namespace farlink::app
