// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/reload_commands.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "common/config/node/load_node_config.hpp"

namespace farlink::control::reload_commands_test {
namespace {

using bus::AgentId;
using Json = nlohmann::ordered_json;

/// Work runs at once, beside nothing.
class Inline final : public WorkQueue {
public:
    bool add(Work work, Then then, std::size_t) override {
        if (full) return false;
        work(std::stop_token());
        then(now);
        return true;
    }
    WallClock now{};
    bool full = false;
};

/// A plan in memory.
class Plan final : public PlanStore {
public:
    [[nodiscard]] const SharedPlan &plan() const override { return plan_; }
    [[nodiscard]] std::uint64_t version() const override { return version_; }
    [[nodiscard]] bool changed_by_command() const override { return by_command; }
    [[nodiscard]] const std::deque<Json> &history() const override { return history_; }
    [[nodiscard]] Result<NextPlan, std::string> write(const PlanDifference &, const std::string &,
                                                      const Caller &, DtnTime) override {
        return fail(std::string("not here"));
    }
    [[nodiscard]] Result<Contacts, std::string> plan_of(std::uint64_t) const override {
        return fail(std::string("no history"));
    }
    [[nodiscard]] Result<std::optional<ConfiguredPlan>, config::ConfigErrors> read_configured(
        const std::string &file, std::vector<config::NodeEndpoints>, bool always,
        DtnTime) const override {
        if (wrong) return fail(config::ConfigErrors{file, {{"contacts[0]", "found 1", "", ""}}});
        if (!always && !differs) return std::nullopt;
        ConfiguredPlan found;
        found.file = file;
        found.plan = std::make_shared<const Contacts>(file_plan);
        return found;
    }
    [[nodiscard]] Result<NextPlan, std::string> write_configured(ConfiguredPlan configured,
                                                                 const std::string &,
                                                                 const Caller &, DtnTime) override {
        if (disk_full) return fail(std::string("no space"));
        NextPlan next{configured.plan, Json::object()};
        next.configured = std::move(configured);
        return next;
    }
    void take(NextPlan next) override {
        plan_ = next.plan;
        ++version_;
        by_command = false;
        differs = false;
    }

    bool by_command = false;
    bool differs = false;
    bool wrong = false;
    bool disk_full = false;
    Contacts file_plan = Contacts(1);

private:
    SharedPlan plan_ = std::make_shared<const Contacts>();
    std::uint64_t version_ = 1;
    std::deque<Json> history_;
};

class ReloadCommandsTest : public testing::Test {
protected:
    ReloadCommandsTest() {
        for (const AgentId module : {AgentId::kIngress, AgentId::kEgress})
            links_.handle_ready(module, {});
    }

    static Json file(const Json &more = Json::object()) {
        Json whole{{"myNodeId", 10},
                   {"contactPlanFile", "plan.json"},
                   {"inductsConfig", Json::array({{{"url", "stcp://127.0.0.1:4556"}}})},
                   {"outductsConfig", Json::array({outduct(20), outduct(30)})}};
        whole.update(more);
        return whole;
    }
    static Json outduct(int node) {
        return {{"url", "tcpclv4://127.0.0.1:4600"}, {"nextHopNodeId", node}};
    }
    ConfigSource source() {
        return {
            .path = "/etc/farlink/node.json",
            .text = disk_,
            .read = [this]() -> Result<std::string, config::ConfigError> {
                if (disk_ == "gone")
                    return fail(config::ConfigError{"", "cannot open the file", "", ""});
                return disk_;
            },
            .write =
                [this](const std::string &text) {
                    disk_ = text;
                    return std::string();
                },
            .digest = [this](const std::string &name) { return digests_[name]; },
            .check_files =
                [this](const config::NodeConfig &) {
                    return review_.empty() ? std::vector<std::string>{} : std::vector{review_};
                },
            .check_induct = [](const config::InductConfig &) { return std::nullopt; },
            .check_outduct = [this](const config::OutductConfig &) -> std::optional<std::string> {
                if (bad_certificate_) return "TLS: me.pem: no certificate";
                return std::nullopt;
            }};
    }
    ReloadHooks hooks() {
        return {.set_log_level = [this](const std::string &level) { did("level " + level); },
                .revert_log_levels = [this] { levels_.clear(); },
                .note_saved_level = [this] { levels_.erase(levels_.begin()); },
                .log_changes = [this] { return levels_; },
                .send_settings = [this](const std::string &) { did("settings"); },
                .report =
                    [this](const Caller &, const std::string &command, const std::string &values,
                           const bus::ReloadReport &report) {
                        reported_ = command + (report.done ? " done " : " refused ") + values;
                        shown_ = as_text(report.shown);
                    },
                .busy = [this](bool begins) { busy_ += begins ? 1 : -1; }};
    }
    void did(const std::string &what) { done_ += what + '|'; }
    void send(AgentId to, const bus::Message &message) {
        if (to == AgentId::kTelemetry) return;  // it watches the links and answers nothing
        if (const auto *change = std::get_if<bus::LinkChange>(&message)) {
            did(std::string(change->verb == bus::LinkVerb::kAdd      ? "+"
                            : change->verb == bus::LinkVerb::kRemove ? "-"
                                                                     : "~") +
                std::to_string(change->link.value()));
            waiting_.push_back({.link = change->link, .error = {}, .port = 0, .id = change->id});
        }
        if (const auto *order = std::get_if<bus::LinkOverride>(&message))
            did("override " + std::to_string(order->link.value()));
        if (const auto *change = std::get_if<bus::PlanChange>(&message)) {
            did("plan +" + std::to_string(change->added.size()));
            plan_id_ = change->id;
        }
        if (const auto *request = std::get_if<bus::SnapshotRequest>(&message))
            asked_.push_back(request->id);
    }
    /// Modules answer, `refusing` the changes of one link.
    void answer(LinkId refusing = kNoLink) {
        while (!waiting_.empty() || !asked_.empty() || plan_id_ != bus::kNoRequest) {
            if (!waiting_.empty()) {
                bus::LinkChangeResult result = waiting_.front();
                waiting_.pop_front();
                const std::string error = "cannot listen";
                if (result.link == refusing) result.error.assign(error.begin(), error.end());
                links_.handle(result);
            } else if (!asked_.empty()) {
                bus::LinkSnapshot snapshot = links_now_;
                snapshot.id = asked_.front();
                asked_.pop_front();
                requests_.handle(std::move(snapshot), {});
            } else {
                const bus::RequestId id = std::exchange(plan_id_, bus::kNoRequest);
                bus::LinkSnapshot snapshot;
                snapshot.id = id;
                requests_.handle(std::move(snapshot), {});
                bus::RoutesPreview preview;
                preview.id = id;
                requests_.handle(std::move(preview), {});
            }
        }
    }
    Json reload(const Json &text, bool partial = false, LinkId refusing = kNoLink) {
        disk_ = text.is_string() ? text.get<std::string>() : text.dump();
        reply_ = {};
        done_.clear();
        commands_.reload(partial, {0, "anna"}, take(), {});
        answer(refusing);
        return reply_;
    }
    /// The changes in the last line of the audit, which begins with `words`.
    [[nodiscard]] Json audited(const std::string &words) const {
        EXPECT_TRUE(reported_.starts_with(words + ' ')) << reported_;
        return Json::parse(reported_.substr(words.size() + 1))["changed"];
    }
    TakeReply take() {
        return [this](const WrittenReply &reply) { reply_ = Json::parse(reply.text); };
    }
    static std::string paths(const Json &list) {
        std::string text;
        for (const Json &each : list) text += each["path"].get<std::string>() + '|';
        return text;
    }

    std::string disk_ = file().dump();
    std::map<std::string, std::uint64_t> digests_;
    std::string review_;
    bool bad_certificate_ = false;
    std::vector<LogLevelChange> levels_;
    std::string done_;
    std::string reported_;
    std::string shown_;
    int busy_ = 0;
    Json reply_;
    std::deque<bus::LinkChangeResult> waiting_;
    std::deque<bus::RequestId> asked_;
    bus::RequestId plan_id_ = bus::kNoRequest;
    bus::LinkSnapshot links_now_;
    Plan plan_;
    Inline queue_;
    ControlLog log_{.info = [](const std::string &) {}, .error = [](const std::string &) {}};
    PendingRequests requests_{
        {}, [this](AgentId to, const bus::Message &message) { send(to, message); }};
    config::NodeConfig config_ = *config::parse_node_config(disk_, "/etc/farlink");
    LinkCommands links_{config_, requests_, log_};
    ReloadCommands commands_{config_, source(), plan_, requests_, links_, queue_, hooks(), log_};
};

TEST_F(ReloadCommandsTest, NothingIsTouchedWhereNothingDiffers) {
    EXPECT_EQ(reload(file()),
              Json::parse(R"({"ok":true,"changed":[],"needsRestart":[],"unchanged":true})"));
    EXPECT_EQ(done_, "");
    EXPECT_EQ(reported_, R"(reload done {"changed":[]})");
    EXPECT_EQ(busy_, 0);
}

TEST_F(ReloadCommandsTest, EachKindOfChangeIsAppliedInItsWay) {
    plan_.differs = true;
    const Json reply = reload(file({{"logLevel", "debug"},
                                    {"maxPauseMilliseconds", 5},
                                    {"outductsConfig", Json::array({outduct(20), outduct(40)})}}));
    EXPECT_EQ(paths(reply["changed"]),
              "maxPauseMilliseconds|logLevel|outductsConfig[1]|outductsConfig[1]|"
              "contactPlanFile|");
    EXPECT_EQ(done_, "-2|+3|plan +1|level debug|settings|");
    const Json lines = audited("reload done");
    EXPECT_EQ(lines[1], Json::parse(R"({"path":"logLevel","before":"info","now":"debug"})"));
    EXPECT_EQ(lines[2]["now"]["nextHopNodeId"], 40);
    EXPECT_EQ(lines[3]["before"]["nextHopNodeId"], 30);
    EXPECT_EQ(lines[4]["now"], Json::parse(R"({"contacts":1})"));
    EXPECT_EQ(commands_.config()->max_pause, milliseconds(5));
    EXPECT_NE(shown_.find("debug"), std::string::npos);
    EXPECT_TRUE(commands_.settings());
    EXPECT_EQ(reload(Json::parse(disk_))["unchanged"], true);
}

TEST_F(ReloadCommandsTest, BadFilesChangeNothing) {
    EXPECT_EQ(reload(Json("{\"myNodeId\": 10,"))["reason"], "invalid");
    EXPECT_EQ(reported_, "reload refused ") << "nothing was compared";
    EXPECT_EQ(reload(Json(""))["reason"], "invalid");
    EXPECT_EQ(reload(Json("gone"))["errors"][0]["problem"], "cannot open the file");
    EXPECT_EQ(reload(file({{"bufferBytes", 1}}))["errors"][0]["path"], "bufferBytes");
    const Json another = reload(file({{"myNodeId", 11}}), true);
    EXPECT_EQ(another["reason"], "needs-restart");
    EXPECT_EQ(paths(another["needsRestart"]), "myNodeId|");
    review_ = "api.tokensFile: t.json: no such file";
    EXPECT_EQ(paths(reload(file({{"logLevel", "debug"}}))["errors"]), "api.tokensFile|");
    review_.clear();
    plan_.wrong = true;
    EXPECT_EQ(paths(reload(file({{"logLevel", "debug"}}))["errors"]), "contactPlanFile|");
    plan_.wrong = false;
    bad_certificate_ = true;
    const Json wrong = reload(file({{"outductsConfig", Json::array({outduct(20), outduct(40)})}}));
    EXPECT_EQ(paths(wrong["errors"]), "outductsConfig[1]|");
    EXPECT_EQ(done_, "");
    EXPECT_TRUE(reported_.starts_with("reload refused"));
    EXPECT_EQ(busy_, 0);
    bad_certificate_ = false;
    EXPECT_EQ(reload(file())["unchanged"], true);
}

TEST_F(ReloadCommandsTest, APartLeavesWhatNeedsARestart) {
    const Json changed = file({{"bufferBytes", "32M"}, {"logLevel", "debug"}});
    EXPECT_EQ(reload(changed)["reason"], "needs-restart");
    EXPECT_EQ(done_, "");
    const Json reply = reload(changed, true);
    EXPECT_EQ(paths(reply["changed"]), "logLevel|");
    EXPECT_EQ(paths(reply["needsRestart"]), "bufferBytes|");
    EXPECT_EQ(done_, "level debug|");
    EXPECT_EQ(reload(changed)["reason"], "needs-restart") << "still";
}

TEST_F(ReloadCommandsTest, ALinkThatFailsUndoesTheOthers) {
    const Json reply = reload(
        file({{"logLevel", "debug"}, {"outductsConfig", Json::array({outduct(20), outduct(40)})}}),
        false, LinkId{3});
    EXPECT_EQ(reply["reason"], "invalid");
    EXPECT_EQ(reply["errors"][0]["problem"], "cannot listen");
    EXPECT_EQ(done_, "-2|+3|+2|");
    EXPECT_NE(links_.links().find(LinkId{2}), nullptr);
    EXPECT_EQ(links_.links().find(LinkId{3}), nullptr);
    EXPECT_EQ(reload(file())["unchanged"], true);
}

TEST_F(ReloadCommandsTest, APlanThatCannotBeWrittenUndoesTheLinks) {
    plan_.differs = true;
    plan_.disk_full = true;
    const Json reply = reload(file({{"outductsConfig", Json::array({outduct(20)})}}));
    EXPECT_EQ(reply["errors"][0]["problem"], "no space");
    EXPECT_EQ(done_, "-2|+2|");
}

TEST_F(ReloadCommandsTest, ChangesByCommandsAreShownRevertedAndSaved) {
    const auto add = [this](int node) {
        links_.add(Json{{"direction", "outduct"}, {"config", outduct(node)}}, {0, "anna"},
                   [](const Json &reply) { EXPECT_TRUE(reply["ok"]) << reply; }, {});
        answer();
    };
    const auto ask = [this](auto command) {
        reply_ = {};
        done_.clear();
        (commands_.*command)({0, "anna"}, take(), {});
        answer();
        return reply_;
    };
    const auto diff = [this] {
        commands_.diff(take(), {});
        answer();
        return reply_;
    };
    EXPECT_EQ(diff()["unchanged"], true);
    add(50);
    levels_ = {{"", "debug", "info"}, {"ltp", "trace", "info"}};
    plan_.by_command = true;
    links_now_.links.emplace_back();
    links_now_.links.back().link = LinkId{1};
    links_now_.links.back().overridden = true;
    EXPECT_EQ(paths(diff()["changed"]),
              "outductsConfig[2]|logLevel|logLevel|contactPlanFile|outductsConfig[0]|");
    EXPECT_EQ(reply_["fileChanged"], false);
    EXPECT_EQ(reload(file({{"maxPauseMilliseconds", 3}}))["ok"], true) << "they stay";
    EXPECT_EQ(diff()["changed"].size(), 5U);

    const Json reverted = ask(&ReloadCommands::revert);
    EXPECT_EQ(reverted["changed"].size(), 5U);
    EXPECT_EQ(done_, "-3|plan +1|override 1|");
    const Json undone = audited("config revert done");
    EXPECT_EQ(undone[0]["before"]["nextHopNodeId"], 50) << undone;
    EXPECT_FALSE(undone[0].contains("now"));
    EXPECT_EQ(undone[1], Json::parse(R"({"path":"logLevel","before":"debug","now":"info"})"));
    EXPECT_EQ(undone[2]["before"], Json::parse(R"({"ltp":"trace"})"));
    EXPECT_EQ(undone[3]["now"], Json::parse(R"({"contacts":1})"));
    EXPECT_EQ(undone[4]["before"]["owlt"], 0.0) << "of `link set`";
    links_now_.links.clear();
    EXPECT_EQ(diff()["unchanged"], true);

    add(60);
    levels_ = {{"", "debug", "info"}, {"ltp", "trace", "info"}};
    disk_ += " ";
    EXPECT_EQ(ask(&ReloadCommands::save)["reason"], "conflict");
    disk_.pop_back();
    const Json saved = ask(&ReloadCommands::save);
    EXPECT_EQ(paths(saved["changed"]), "outductsConfig[2]|logLevel|");
    EXPECT_EQ(paths(saved["notSaved"]), "logLevel|");
    EXPECT_EQ(audited("config save done")[0]["now"]["nextHopNodeId"], 60);
    EXPECT_EQ(audited("config save done")[1]["before"], "info");
    EXPECT_EQ(Json::parse(disk_)["outductsConfig"][2]["nextHopNodeId"], 60);
    EXPECT_EQ(Json::parse(disk_)["logLevel"], "debug");
    EXPECT_EQ(reload(Json::parse(disk_).dump())["unchanged"], true);
}

TEST_F(ReloadCommandsTest, TheRateOfALinkThatIsReplacedStays) {
    links_now_.links.emplace_back();
    links_now_.links.back().link = LinkId{1};
    links_.set(Json::parse(R"({"command":"link set","link":1,"rateBitsPerSec":5000})"), {0, "anna"},
               [](const Json &reply) { EXPECT_TRUE(reply["ok"]) << reply; }, {});
    answer();
    Json slower = outduct(20);
    slower["rateLimitBitsPerSec"] = 9000;
    EXPECT_TRUE(reload(file({{"outductsConfig", Json::array({slower, outduct(30)})}}))["ok"]);
    EXPECT_EQ(done_, "~1|");
    links_now_.links.front().overridden = true;
    links_.handle_second({});
    answer();
    EXPECT_EQ(done_, "~1|") << "the old link closes";
    links_now_.links.front().overridden = false;
    links_.handle_second({});
    answer();
    EXPECT_EQ(done_, "~1|override 1|");
    links_.handle_second({});
    EXPECT_TRUE(asked_.empty());
}

TEST_F(ReloadCommandsTest, OneRunsAtATime) {
    disk_ = file({{"outductsConfig", Json::array({outduct(20)})}}).dump();
    commands_.reload(false, {0, "anna"}, take(), {});
    Json second;
    commands_.reload(false, {0, "anna"},
                     [&second](const WrittenReply &reply) { second = Json::parse(reply.text); },
                     {});
    EXPECT_EQ(second["reason"], "unavailable");
    Json command;
    links_.add(Json{{"direction", "outduct"}, {"config", outduct(50)}}, {0, "anna"},
               [&command](const Json &reply) { command = reply; }, {});
    EXPECT_EQ(command["reason"], "unavailable");
    answer();
    EXPECT_TRUE(reply_["ok"]);
    queue_.full = true;
    EXPECT_EQ(reload(file())["reason"], "unavailable");
    EXPECT_EQ(busy_, 0);
}

TEST_F(ReloadCommandsTest, AModuleThatDoesNotRunGetsTheLinksWhenItStarts) {
    links_.handle_lost(AgentId::kEgress);
    EXPECT_TRUE(reload(file({{"outductsConfig", Json::array({outduct(20), outduct(40)})}}))["ok"]);
    EXPECT_EQ(done_, "");
    links_.handle_ready(AgentId::kEgress, {});
    EXPECT_EQ(done_, "-2|+3|");
}

}  // namespace
}  // namespace farlink::control::reload_commands_test
