// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/commands.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/audit/audit_log.hpp"
#include "common/runtime/clock.hpp"
#include "module/control/slow_work.hpp"
#include "module/control/state/contact_plan_store.hpp"
#include "module/control/state/held_destinations_file.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::control::commands_test {
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

/// Scheduler and router reply at their next turn.
class CommandsTest : public testing::Test {
protected:
    CommandsTest() {
        plan_ = std::make_unique<ContactPlanStore>(config_);
        EXPECT_EQ(plan_->open(0), "");
        plan_changes_.emplace(io_);
        long_replies_.emplace(io_);
        for (const bus::AgentId module : modules_.modules()) modules_.handle_ready(module);
        commands_ = std::make_unique<Commands>(
            config_,
            CommandParts{*plan_, requests_, holds_, drain_, modules_, *plan_changes_,
                         *long_replies_},
            CommandHooks{
                .confirm_clock = [] {},
                .log_level = [](const Json &, const Caller &) { return Json{{"ok", true}}; },
                .audit = [this](const AuditedChange &change) { audit_.push_back(change); },
                .audit_values = [](const Json &request,
                                   std::size_t bytes) { return audit_values(request, bytes); },
                .write_held = [this](const auto &held) { return holds_file_.write(held); },
                .find_past = {},
                .config = [](const Json &, const Caller &, const TakeReply &, const WallClock &) {},
                .config_in_force =
                    [this] { return std::make_shared<const config::NodeConfig>(config_); },
                .log = {.info = [this](const std::string &line) { log_ += line + '\n'; },
                        .error = [this](const std::string &line) { log_ += line + '\n'; }}},
            read_wall_clock());
    }
    void ask(const std::string &name, std::string request) {
        const auto take = [this, name](const std::string &reply) {
            order_ += name;
            replies_.push_back(Json::parse(reply));
        };
        commands_->handle({0, "root"}, std::move(request), take, read_wall_clock());
    }
    void run() {
        io_.restart();
        io_.run();
    }

    template <class Reply>
    void reply_later(Reply reply, bus::RequestId id) {
        reply.id = id;
        boost::asio::post(io_, [this, reply] { requests_.handle(reply, read_wall_clock()); });
    }
    void handle(bus::AgentId to, const bus::Message &message) {
        const auto reply_to_plan = [this](bus::RequestId id) {
            reply_later(bus::LinkSnapshot{}, id);
            reply_later(bus::RoutesPreview{}, id);
        };
        if (const auto *replace = std::get_if<bus::PlanReplace>(&message))
            reply_to_plan(replace->id);
        if (const auto *change = std::get_if<bus::PlanChange>(&message)) reply_to_plan(change->id);
        if (const auto *request = std::get_if<bus::SnapshotRequest>(&message)) {
            if (to == bus::AgentId::kScheduler) reply_later(bus::LinkSnapshot{}, request->id);
            if (to == bus::AgentId::kRouter) {
                // Of another request, of this one.
                reply_later(bus::BacklogReport{bus::AgentId::kStorage, {}}, bus::RequestId{1});
                reply_later(bus::BacklogReport{bus::AgentId::kStorage, waiting_}, request->id);
                reply_later(bus::RouteUpdate{}, request->id);
            }
        }
        if (const auto *change = std::get_if<bus::LinkChange>(&message);
            change != nullptr && to == bus::AgentId::kEgress)
            boost::asio::post(io_, [this, link = change->link, id = change->id] {
                commands_->handle(bus::LinkChangeResult{link, {}, 0, id});
            });
        if (const auto *report = std::get_if<bus::CommandReport>(&message))
            reports_.push_back(*report);
        if (const auto *request = std::get_if<bus::StateRequest>(&message)) {
            ++asked_telemetry_;
            const ByteView octets = as_bytes(telemetry_body_);
            reply_later(bus::StateReply{{}, 200, {octets.begin(), octets.end()}}, request->id);
        }
    }
    [[nodiscard]] config::NodeConfig configured() const {
        config::NodeConfig config;
        config.node = NodeNumber{10};
        config.state_folder = folder_ / "state";
        config.control_socket = folder_ / "control";
        return config;
    }

    std::vector<bus::CommandReport> reports_;
    test::TempFolder folder_;
    config::NodeConfig config_ = configured();
    boost::asio::io_context io_;
    PendingRequests requests_{
        {}, [this](bus::AgentId to, const bus::Message &message) { handle(to, message); }};
    DrainMode drain_{1, [](bus::AgentId, const bus::Message &) {}};
    ModuleSupervision modules_{1};
    HeldDestinationsFile holds_file_{config_.node, config_.state_folder};
    HeldDestinations holds_;
    std::unique_ptr<ContactPlanStore> plan_;
    std::unique_ptr<Commands> commands_;
    /// They end before the commands.
    std::optional<SlowWork> plan_changes_;
    std::optional<SlowWork> long_replies_;
    std::string log_;
    std::string order_;  ///< of the answers
    std::vector<Json> replies_;
    std::vector<AuditedChange> audit_;
    std::vector<bus::WaitingBytes> waiting_;  ///< in storage
    std::string telemetry_body_;              ///< of the next reply of telemetry
    int asked_telemetry_ = 0;
};

TEST_F(CommandsTest, OthersAreAnsweredWhileALongPlanIsRead) {
    ask("p", long_plan());
    EXPECT_EQ(plan_->plan(), nullptr) << "it is not read yet";
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
    EXPECT_EQ(order_, "l") << "the loop does not wait for the disk";
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
    EXPECT_EQ(replies_[0]["error"], "`status` accepts a request of at most 65536 bytes");
    EXPECT_EQ(audit_.size(), 1U);
}

TEST_F(CommandsTest, AMissingLinkIsExplainedByWhatTelemetryShows) {
    waiting_ = {{NodeNumber{4}, Priority::kNormal, 700}};
    telemetry_body_ = R"({"links":[{"number":90,"proved":false,"claimedNode":4,)"
                      R"("reason":"node 4 is connected, but nothing proves its node id"}]})";
    const std::string explain = R"({"command":"routes explain","source":1,"destination":4})";
    ask("e", explain);
    run();
    ASSERT_EQ(order_, "e");
    EXPECT_EQ(replies_[0]["outcome"],
              "the bundle waits in storage: node 4 is connected, but nothing proves its node id");
    EXPECT_EQ(replies_[0]["waitingBytes"], 700);
    telemetry_body_ = "no JSON";
    ask("e", explain);
    run();
    EXPECT_EQ(replies_[1]["outcome"], "the bundle waits in storage: no rule has a route");
    EXPECT_EQ(asked_telemetry_, 2);
    ask("e", R"({"command":"routes explain","source":1,"destination":10})");
    ask("e", R"({"command":"routes explain","source":1})");
    run();
    EXPECT_EQ(replies_[2]["outcome"], "the bundle is delivered at this node");
    EXPECT_EQ(replies_[3]["ok"], false);
    EXPECT_EQ(asked_telemetry_, 2) << "without a decision nobody is asked";
}

TEST_F(CommandsTest, APeerThatClaimsANameIsExplained) {
    const std::string advice = "dtn://seven/ is connected from 127.0.0.1, but nothing proves it";
    telemetry_body_ = Json{{"links",
                            {{{"number", 90},
                              {"proved", false},
                              {"claimedName", "dtn://seven"},
                              {"reason", advice}}}}}
                          .dump();
    const auto outcome = [this](const std::string &destination) {
        ask("e", Json{{"command", "routes explain"}, {"source", 1}, {"destination", destination}}
                     .dump());
        run();
        return replies_.back()["outcome"];
    };
    EXPECT_EQ(outcome("dtn://seven/inbox"), "the bundle waits in storage: " + advice);
    EXPECT_EQ(outcome("dtn://seven/"), "the bundle waits in storage: " + advice);
    EXPECT_EQ(outcome("dtn://seventy/inbox"), "the bundle waits in storage: no rule has a route");
    EXPECT_EQ(outcome("ipn:7.1"), "the bundle waits in storage: no rule has a route");
    EXPECT_EQ(replies_.back().contains("destinationEndpoint"), false);
    EXPECT_EQ(outcome("dtn:none").get<std::string>().find("the bundle is deleted: "), 0U);
    EXPECT_EQ(outcome("ipn:!.1").get<std::string>().find("the bundle is deleted: "), 0U);
}

TEST_F(CommandsTest, DrainModeIsSetAndShown) {
    ask("d", R"({"command":"drain"})");
    EXPECT_EQ(replies_[0]["drained"], true);
    EXPECT_TRUE(drain_.on());
    ask("d", R"({"command":"drain"})");
    EXPECT_EQ(log_,
              "drain mode on, by root: new bundles for other nodes are not accepted until "
              "`farlinkctl resume`\n")
        << "once";
    ask("s", R"({"command":"status"})");
    run();
    EXPECT_EQ(replies_.back()["drained"], true);
    EXPECT_EQ(replies_.back()["modules"]["router"], "ready");
    ask("r", R"({"command":"resume"})");
    EXPECT_FALSE(drain_.on());
    EXPECT_EQ(audit_.size(), 3U);
    ASSERT_EQ(reports_.size(), 2U) << "events, whose changes alone count";
    EXPECT_EQ(reports_[0].kind, bus::CommandKind::kDrain);
    EXPECT_EQ(reports_[1].kind, bus::CommandKind::kResume);
}

TEST_F(CommandsTest, TheAuditHasALinkAsItWas) {
    commands_->handle_ready(bus::ModuleReady{.module = bus::AgentId::kEgress}, read_wall_clock());
    ask("a", R"({"command":"link add","direction":"outduct",
                 "config":{"url":"stcp://127.0.0.1:4600","nextHopNodeId":30}})");
    run();
    const std::string link = replies_.back()["link"]["link"].dump();
    ask("r", R"({"command":"link remove","link":)" + link + "}");
    run();
    EXPECT_EQ(Json::parse(audit_.back().values)["before"],
              Json::parse(R"({"direction":"outduct","url":"stcp://127.0.0.1:4600",
                              "configured":false,"neighbour":30})"));
    ask("r", R"({"command":"link remove","link":99})");
    EXPECT_EQ(audit_.back().values, R"({"link":99})");
}

TEST_F(CommandsTest, TheStatusHasWhatDegradesTheNode) {
    const auto status = [this] {
        ask("s", R"({"command":"status"})");
        run();
        return replies_.back();
    };
    telemetry_body_ = R"({"ready":true,"notReady":[],"degraded":"storage full",)"
                      R"("alarms":{"critical":2,"warning":0}})";
    EXPECT_EQ(status()["degraded"], "storage full");
    EXPECT_EQ(replies_.back()["alarms"]["critical"], 2);
    EXPECT_FALSE(replies_.back().contains("notReady"));
    telemetry_body_ = R"({"ready":true,"notReady":[],"degraded":""})";
    EXPECT_EQ(status()["degraded"], "");
    telemetry_body_ = "no JSON";
    EXPECT_FALSE(status().contains("degraded"));
    EXPECT_EQ(asked_telemetry_, 3);
    modules_.handle_lost(bus::AgentId::kTelemetry);
    const Json reply = status();
    EXPECT_EQ(reply["ok"], true);
    EXPECT_EQ(reply["modules"]["telemetry"], "lost");
    EXPECT_FALSE(reply.contains("degraded") || reply.contains("alarms"));
    EXPECT_EQ(asked_telemetry_, 3) << "it cannot reply";
}

TEST_F(CommandsTest, ModulesThatDoNotReplyMakeAnError) {
    EXPECT_EQ(commands_->next_timeout(), kNever);
    ask("p", R"({"command":"ping","destination":20,"timeoutSeconds":2})");
    EXPECT_NE(commands_->next_timeout(), kNever);
    WallClock later = read_wall_clock();
    later.at += seconds(3);
    commands_->handle_timeout(later);
    EXPECT_EQ(replies_.at(0)["answered"], false);
    EXPECT_EQ(commands_->next_timeout(), kNever);
}

TEST_F(CommandsTest, TheAuditHasALineForALongPlan) {
    const std::string plan = long_plan();
    ask("p", plan);
    run();
    ASSERT_EQ(audit_.size(), 1U);
    EXPECT_EQ(audit_[0].command, "plan replace");
    EXPECT_EQ(audit_[0].values, R"({"bytes":)" + std::to_string(plan.size()) + "}");
    EXPECT_TRUE(audit_[0].done);
    std::string wrong = plan;
    wrong.replace(wrong.find(R"("dest":20)"), 9, R"("dest":-1)");
    ask("w", wrong);
    run();
    ASSERT_EQ(audit_.size(), 2U);
    EXPECT_FALSE(audit_[1].done);
    EXPECT_EQ(audit_[1].error, replies_[1]["error"]);
}

TEST_F(CommandsTest, APlanIsTakenInIonsCommands) {
    ask("p", R"({"command":"plan replace","ion":"a contact +10 +20 10 20 1000\n"})");
    run();
    EXPECT_EQ(replies_.at(0)["ok"], true) << replies_[0];
    EXPECT_EQ(replies_[0]["added"], 1);
    for (const char *wrong : {R"({"command":"plan replace","ion":"a contact +10\n"})",
                              R"({"command":"plan replace","ion":7})",
                              R"({"command":"plan replace","ion":"# nothing\n"})",
                              R"({"command":"plan replace","ion":"","contacts":[]})",
                              R"({"command":"plan add","ion":"a contact +10 +20 10 20 1\n"})"}) {
        ask("w", wrong);
        run();
        EXPECT_EQ(replies_.back()["ok"], false) << wrong;
    }
}

TEST_F(CommandsTest, ARollbackIsAChangeThatCanBeTried) {
    const auto reply_to = [this](const char *request) {
        ask("p", request);
        run();
        return replies_.back();
    };
    (void)reply_to(R"({"command":"plan replace","contacts":[)"
                   R"({"contact":1,"source":10,"dest":20,"startTime":10,"endTime":20}]})");
    (void)reply_to(R"({"command":"plan change","contacts":[{"contact":1,"owlt":1}]})");
    (void)reply_to(R"({"command":"plan add","contacts":[)"
                   R"({"contact":2,"source":20,"dest":10,"startTime":10,"endTime":20,)"
                   R"("repeatSeconds":60}]})");
    const Json tried = reply_to(R"({"command":"plan rollback","version":1,"dryRun":true})");
    EXPECT_EQ(tried["ok"], true) << tried;
    EXPECT_EQ(tried["changed"], 1);
    EXPECT_EQ(tried["removed"], 1);
    EXPECT_EQ(plan_->version(), 3U);
    const Json done = reply_to(R"({"command":"plan rollback","version":1})");
    EXPECT_EQ(done["version"], 4) << done;
    ASSERT_EQ(plan_->plan()->size(), 1U);
    EXPECT_EQ(plan_->plan()->front().owlt, Duration{});
    EXPECT_EQ(reply_to(R"({"command":"plan rollback","version":4})")["nothingChanges"], true);
    for (const char *wrong :
         {R"({"command":"plan rollback"})", R"({"command":"plan rollback","version":"1"})",
          R"({"command":"plan rollback","version":-1})",
          R"({"command":"plan rollback","version":0})",
          R"({"command":"plan rollback","version":5})",
          R"({"command":"plan rollback","version":1,"contacts":[]})"})
        EXPECT_EQ(reply_to(wrong)["ok"], false) << wrong;
}

TEST_F(CommandsTest, ContactsThatNoLinkLeadsToAreWarnedOf) {
    const auto warnings = [this](const std::string &request) {
        ask("p", request);
        run();
        return replies_.back()["warnings"];
    };
    const std::string wait =
        ": no outduct leads to node 20, and no induct has it as a neighbour: no bundle is "
        "forwarded to it; bundles without another route wait";
    EXPECT_EQ(warnings(R"({"command":"plan replace","contacts":[)"
                       R"({"contact":1,"source":10,"dest":20,"startTime":10,"endTime":20},)"
                       R"({"contact":2,"source":10,"dest":20,"startTime":30,"endTime":40},)"
                       R"({"contact":3,"source":20,"dest":30,"startTime":10,"endTime":20}]})"),
              Json::array({"contact 1" + wait}))
        << "each neighbour is named once";
    EXPECT_EQ(warnings(R"({"command":"plan change","contacts":[{"contact":2,"owlt":1}]})"),
              Json::array({"contact 2" + wait}));
    EXPECT_EQ(warnings(R"({"command":"plan change","contacts":[{"contact":3,"owlt":1}]})"),
              Json::array());
    commands_->handle_ready({.module = bus::AgentId::kEgress}, read_wall_clock());
    ask("l", R"({"command":"link add","direction":"outduct",)"
             R"("config":{"url":"stcp://127.0.0.1:1","nextHopNodeId":20}})");
    run();
    EXPECT_EQ(replies_.back()["ok"], true) << replies_.back();
    EXPECT_EQ(warnings(R"({"command":"plan change","contacts":[{"contact":2,"owlt":2}]})"),
              Json::array());
}

TEST_F(CommandsTest, TheirEndDoesNotWaitForALongPlan) {
    ask("p", long_plan());
    plan_changes_.reset();
    commands_.reset();
    EXPECT_EQ(order_, "");
}

}  // namespace
}  // namespace farlink::control::commands_test
