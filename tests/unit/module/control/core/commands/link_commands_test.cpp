// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/link_commands.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "common/config/node/load_node_config.hpp"

namespace farlink::control::link_commands_test {
namespace {

using Json = nlohmann::ordered_json;
using bus::AgentId;
using bus::LinkVerb;

/// Node 10: induct 0, outduct 1 to node 20.
config::NodeConfig node_config(unsigned instances = 1) {
    const Json json{{"myNodeId", 10},
                    {"threads", {{"instances", instances}}},
                    {"inductsConfig", Json::array({{{"url", "stcp://127.0.0.1:4556"}}})},
                    {"outductsConfig",
                     Json::array({{{"url", "stcp://127.0.0.1:4557"}, {"nextHopNodeId", 20}}})}};
    auto config = config::parse_node_config(json.dump());
    EXPECT_TRUE(config) << config.error().to_string();
    return config ? std::move(*config) : config::NodeConfig{};
}

class Links : public testing::Test {
protected:
    Links() {
        for (const AgentId module : {AgentId::kIngress, AgentId::kEgress})
            commands.handle_ready(module, now);
    }
    struct Sent {
        AgentId to;
        bus::LinkChange change;
    };
    using Command = void (LinkCommands::*)(const Json &, const Caller &, const Answer &,
                                           const WallClock &);

    /// The reply, if it comes at once.
    Json ask(Command command, const Json &request) {
        replies.emplace_back();
        Json &reply = replies.back();
        // As from a client: an integer of C++ has a sign, a number in text only if negative.
        (commands.*command)(
            Json::parse(request.dump()), {0, "anna"}, [&reply](const Json &said) { reply = said; },
            now);
        return reply;
    }
    Json add(const Json &wanted, const char *direction = "outduct", const Json &link = {}) {
        return ask(&LinkCommands::add,
                   {{"direction", direction}, {"config", wanted}, {"link", link}});
    }
    Json change(std::uint64_t link, const Json &wanted) {
        return ask(&LinkCommands::change, {{"link", link}, {"config", wanted}});
    }
    Json remove(std::uint64_t link) { return ask(&LinkCommands::remove, {{"link", link}}); }
    /// The module's result of the oldest change; returns the reply to the last command.
    Json done(const std::string &error = "", std::uint16_t port = 0) {
        if (sent.empty()) {
            ADD_FAILURE() << "nothing was asked";
            return {};
        }
        bus::LinkChangeResult result{.link = sent.front().change.link,
                                     .error = {},
                                     .port = port,
                                     .id = sent.front().change.id};
        result.error.assign(error.begin(), error.end());
        sent.pop_front();
        commands.handle(result);
        return replies.back();
    }
    static Json outduct(std::uint64_t node, int port = 4600) {
        return {{"url", "stcp://127.0.0.1:" + std::to_string(port)}, {"nextHopNodeId", node}};
    }
    static Json induct(int port) { return {{"url", "stcp://127.0.0.1:" + std::to_string(port)}}; }
    static std::vector<std::string> paths(const Json &reply) {
        std::vector<std::string> found;
        for (const Json &error : reply.value("errors", Json::array()))
            found.push_back(error["path"].get<std::string>());
        return found;
    }
    using Paths = std::vector<std::string>;

    /// The scheduler has this link, at every request that waits.
    void answer_links(const bus::LinkEntry &link) {
        while (!asked.empty()) {
            bus::LinkSnapshot snapshot;
            snapshot.links.push_back(link);
            snapshot.id = asked.front();
            asked.pop_front();
            requests.handle(std::move(snapshot), now);
        }
    }

    void run_out_of_patience() {
        now.at = commands.next_timeout();
        commands.handle_timeout(now.at);
        EXPECT_EQ(commands.next_timeout(), kNever);
    }

    WallClock now{TimePoint{} + seconds(1), 1000};
    config::NodeConfig config = node_config();
    std::deque<Sent> sent;
    std::vector<bus::LinkChange> published;  ///< to telemetry
    std::vector<bus::CommandReport> reported;
    std::deque<bus::RequestId> asked;  ///< requests for the links
    std::string log_;
    ControlLog log{.info = [this](const std::string &line) { log_ += line + '\n'; },
                   .error = [this](const std::string &line) { log_ += line + '\n'; }};
    PendingRequests requests{{}, [this](AgentId to, bus::Message message) {
                                 if (auto *about = std::get_if<bus::SnapshotRequest>(&message))
                                     asked.push_back(about->id);
                                 if (auto *report = std::get_if<bus::CommandReport>(&message))
                                     reported.push_back(*report);
                                 auto *change = std::get_if<bus::LinkChange>(&message);
                                 if (change == nullptr) return;
                                 if (to == AgentId::kTelemetry)
                                     published.push_back(std::move(*change));
                                 else
                                     sent.push_back({to, std::move(*change)});
                             }};
    LinkCommands commands{config, requests, log, milliseconds(20)};
    std::deque<Json> replies;
};

TEST_F(Links, TelemetryHasTheLinksOfTheRunningNode) {
    add(outduct(30));
    EXPECT_TRUE(published.empty()) << "the module has not answered";
    done("no such host");
    EXPECT_TRUE(published.empty());
    add(outduct(30));
    done();
    ASSERT_EQ(published.size(), 1U);
    const LinkId link = published[0].link;
    EXPECT_TRUE(published[0].outduct);
    EXPECT_NE(as_text(published[0].config).find("127.0.0.1:4600"), std::string_view::npos);
    commands.handle_ready(AgentId::kTelemetry, now);
    ASSERT_EQ(published.size(), 2U) << "one that has restarted";
    EXPECT_EQ(published[1].config, published[0].config);
    EXPECT_TRUE(sent.empty());
    remove(link.value());
    done();
    ASSERT_EQ(published.size(), 3U);
    EXPECT_EQ(published[2].link, link);
    EXPECT_EQ(published[2].verb, LinkVerb::kRemove);
}

TEST_F(Links, AnOutductIsAddedUnderAFreeNumber) {
    EXPECT_TRUE(add(outduct(30)).is_null()) << "the module has not answered";
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].to, AgentId::kEgress);
    EXPECT_EQ(sent[0].change.verb, LinkVerb::kAdd);
    EXPECT_EQ(sent[0].change.link, LinkId{2});
    EXPECT_EQ(Json::parse(as_text(sent[0].change.config)), outduct(30));
    EXPECT_EQ(done(), (Json{{"ok", true},
                            {"link",
                             {{"link", 2},
                              {"direction", "outduct"},
                              {"url", "stcp://127.0.0.1:4600"},
                              {"configured", false},
                              {"neighbour", 30}}},
                            {"lasts", "untilTheNodeEnds"}}));
    (void)add(outduct(40));
    EXPECT_EQ(sent[0].change.link, LinkId{3});
}

TEST_F(Links, AnInductIsListedWithItsPort) {
    (void)add(induct(0), "induct", 77);
    EXPECT_EQ(sent[0].to, AgentId::kIngress);
    const Json reply = done("", 4999);
    EXPECT_EQ(reply["link"]["url"], "stcp://127.0.0.1:4999");
    EXPECT_EQ(reply["link"]["link"], 77);
    const Json listed = commands.inducts();
    ASSERT_EQ(listed.size(), 2U);
    EXPECT_EQ(listed[0]["configured"], true);
    EXPECT_EQ(listed[1], reply["link"]);
    (void)remove(77);
    EXPECT_EQ(done()["link"], reply["link"]) << "as it was";
    EXPECT_EQ(commands.inducts().size(), 1U);
    (void)add(outduct(30));
    EXPECT_EQ(sent[0].change.link, LinkId{2}) << "the least that was never used";
}

TEST_F(Links, ErrorsNameTheirPath) {
    const Json reply = add({{"url", "nonsense"}, {"nextHopNodeId", 0}, {"rate", 1}});
    EXPECT_EQ(reply["reason"], "invalid");
    EXPECT_EQ(reply["error"], "link refused; nothing has changed");
    EXPECT_EQ(paths(reply), (Paths{"config.url", "config.nextHopNodeId", "config.rate"})) << reply;
    EXPECT_EQ(paths(add(outduct(20))), Paths{"config.nextHopNodeId"}) << "link 1 leads there";
    EXPECT_EQ(paths(add(induct(4556), "induct")), Paths{"config.url"}) << "link 0 has it";
    Json second = outduct(30);
    second["instance"] = 2;
    EXPECT_EQ(paths(add(second)), Paths{"config.instance"});
    EXPECT_TRUE(sent.empty());
}

TEST_F(Links, ChangesUnderWayCount) {
    (void)add(outduct(30));
    EXPECT_EQ(paths(add(outduct(30))), Paths{"config.nextHopNodeId"});
    EXPECT_EQ(add(outduct(40), "outduct", 2)["reason"], "conflict");
    (void)remove(1);
    EXPECT_EQ(change(1, outduct(20))["reason"], "conflict") << "one change at a time";
    (void)add(induct(4700), "induct");
    EXPECT_EQ(paths(add(induct(4700), "induct")), Paths{"config.url"});
}

TEST_F(Links, WrongNumbersAreRefused) {
    EXPECT_EQ(add(outduct(30), "outduct", 1)["reason"], "conflict");
    EXPECT_EQ(add(outduct(30), "outduct", 0x40000000)["reason"], "conflict");
    EXPECT_EQ(add(outduct(30), "outduct", 0xffffffff)["reason"], "conflict");
    EXPECT_EQ(add(outduct(30), "outduct", -1)["reason"], "malformed");
    EXPECT_EQ(add(outduct(30), "outduct", "2")["reason"], "malformed");
    EXPECT_EQ(add(outduct(30), "sideways")["reason"], "malformed");
    EXPECT_EQ(add("tcp", "outduct")["reason"], "malformed");
    EXPECT_EQ(ask(&LinkCommands::remove, Json::object())["reason"], "malformed");
    EXPECT_EQ(remove(9)["reason"], "notFound");
    EXPECT_EQ(change(0xffffffffff, outduct(30))["reason"], "notFound");
    EXPECT_EQ(remove(0x40000001)["reason"], "conflict") << "a session of a neighbour";
    (void)remove(1);
    (void)done();
    EXPECT_EQ(add(induct(4700), "induct", 1)["reason"], "conflict") << "it is one for outducts";
    EXPECT_TRUE(add(outduct(20), "outduct", 1).is_null());
    EXPECT_EQ(sent[0].change.link, LinkId{1});
}

TEST_F(Links, ARefusedChangeHasNotHappened) {
    (void)add(outduct(30));
    const Json reply = done("it is too late");
    EXPECT_EQ(reply["reason"], "conflict");
    EXPECT_EQ(reply["error"], "it is too late");
    EXPECT_TRUE(add(outduct(30)).is_null()) << "nobody has the neighbour";
    (void)done();
    (void)change(1, outduct(20, 4800));
    (void)done("no");
    commands.handle_ready(AgentId::kEgress, now);
    ASSERT_EQ(sent.size(), 1U) << "only the one that was added";
    EXPECT_EQ(sent[0].change.verb, LinkVerb::kAdd);
}

TEST_F(Links, AModuleThatRestartsGetsTheDifferences) {
    commands.handle_ready(AgentId::kEgress, now);
    EXPECT_TRUE(sent.empty()) << "nothing is";
    (void)add(outduct(30));
    (void)done();
    (void)change(1, outduct(20, 4800));
    (void)done();
    (void)remove(0);
    (void)done();
    commands.handle_ready(AgentId::kEgress, now);
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[0].change.verb, LinkVerb::kChange);
    EXPECT_EQ(Json::parse(as_text(sent[0].change.config)), outduct(20, 4800));
    EXPECT_EQ(sent[1].change.verb, LinkVerb::kAdd);
    EXPECT_EQ(sent[1].change.link, LinkId{2});
    sent.clear();
    commands.handle_ready(AgentId::kIngress, now);
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].change.verb, LinkVerb::kRemove);
    EXPECT_EQ(sent[0].change.link, LinkId{0});
    (void)done();
    EXPECT_TRUE(commands.inducts().empty());
    commands.handle_ready(AgentId::kStorage, now);
    EXPECT_TRUE(sent.empty());
}

TEST_F(Links, ALinkThatCannotBeRepeatedIsForgotten) {
    (void)add(induct(4700), "induct");
    (void)done("", 4700);
    commands.handle_ready(AgentId::kIngress, now);
    ASSERT_EQ(sent.size(), 1U);
    (void)done("cannot listen");
    EXPECT_EQ(commands.inducts().size(), 1U);
    EXPECT_EQ(remove(2)["reason"], "notFound");
}

TEST_F(Links, ChangesFailWhenTheirModuleIsLost) {
    (void)add(outduct(30));
    (void)add(induct(4700), "induct");
    commands.handle_lost(AgentId::kEgress);
    EXPECT_EQ(replies[0]["reason"], "unavailable");
    EXPECT_TRUE(replies[1].is_null()) << "ingress lives";
    commands.handle_ready(AgentId::kEgress, now);
    EXPECT_TRUE(add(outduct(30)).is_null()) << "it is not under way any more";
}

// A module that is starting could get the change before it is ready.
TEST_F(Links, AModuleThatIsNotReadyGetsNoChange) {
    commands.handle_lost(AgentId::kEgress);
    for (const Json &reply : {add(outduct(30)), change(1, outduct(20, 4800)), remove(1)}) {
        EXPECT_EQ(reply["reason"], "unavailable");
        EXPECT_EQ(reply["error"], "the module of the link is not ready; try again");
    }
    EXPECT_TRUE(sent.empty());
    commands.handle_ready(AgentId::kEgress, now);
    EXPECT_TRUE(remove(1).is_null());
    ASSERT_EQ(sent.size(), 1U);
}

TEST_F(Links, AChangeToALostModuleHasNotHappened) {
    (void)remove(1);
    run_out_of_patience();
    EXPECT_EQ(replies[0]["reason"], "unavailable");
    EXPECT_EQ(remove(1)["reason"], "conflict") << "the answer may come yet";
    sent.clear();
    commands.handle_ready(AgentId::kEgress, now);
    EXPECT_TRUE(sent.empty()) << "the link is there";
    EXPECT_TRUE(remove(1).is_null());
}

TEST_F(Links, ALateRefusalChangesNothing) {
    (void)change(1, outduct(20, 4800));
    (void)done();
    (void)change(1, outduct(20, 4900));
    run_out_of_patience();
    (void)done("no");
    commands.handle_ready(AgentId::kEgress, now);
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(Json::parse(as_text(sent[0].change.config)), outduct(20, 4800));
}

TEST_F(Links, AResultOfAnotherRequestIsIgnored) {
    (void)add(outduct(30));
    commands.handle(bus::LinkChangeResult{.link = sent[0].change.link,
                                          .error = {},
                                          .port = 0,
                                          .id = bus::RequestId{sent[0].change.id.value() - 1}});
    EXPECT_TRUE(replies[0].is_null());
    EXPECT_EQ(done()["ok"], true);
    EXPECT_EQ(log_, "link 2 is being added, by anna\nlink 2 added\n");
}

TEST_F(Links, TheLogHasBothValuesOfALink) {
    bus::LinkEntry link;
    link.link = LinkId{1};
    ask(&LinkCommands::set, {{"link", 1}, {"rateBitsPerSec", 5000}});
    answer_links(link);
    ask(&LinkCommands::set, {{"link", 1}, {"owlt", 2}});
    answer_links(link);
    EXPECT_EQ(log_,
              "link 1: rate set to 5000 bit/s, one-way light time follows the contact plan, by "
              "anna\n"
              "link 1: rate follows the contact plan, one-way light time set to 2 s, by anna\n");
}

TEST_F(Links, OnlyAChangeOfTheStateIsLogged) {
    bus::LinkEntry link;
    link.link = LinkId{1};
    ask(&LinkCommands::enable, {{"command", "link up"}, {"link", 1}});
    answer_links(link);
    EXPECT_EQ(log_, "") << "it was not down";
    EXPECT_EQ(replies.back()["ok"], true);
    ask(&LinkCommands::enable, {{"command", "link down"}, {"link", 1}});
    answer_links(link);
    EXPECT_EQ(log_, "link 1: taken down, by anna\n");
    ASSERT_EQ(reported.size(), 1U) << "an event for telemetry";
    EXPECT_EQ(reported[0].kind, bus::CommandKind::kLinkDown);
    EXPECT_EQ(reported[0].link, LinkId{1});
}

TEST_F(Links, ALateResultCounts) {
    (void)add(outduct(30));
    EXPECT_TRUE(replies[0].is_null());
    run_out_of_patience();
    EXPECT_EQ(replies[0]["reason"], "unavailable");
    (void)done();
    EXPECT_TRUE(remove(2).is_null()) << "it is there";
}

/// An LTP outduct that leaves by this port.
Json by_port(int port, std::uint64_t node = 30) {
    return {{"url", "ltp://127.0.0.1:4700"}, {"nextHopNodeId", node}, {"ltpSenderBoundPort", port}};
}

TEST_F(Links, AnLtpOutductByThePortOfAnInductIsTheInductsModules) {
    (void)add({{"url", "ltp://127.0.0.1:0"}}, "induct");
    (void)done("", 1113);
    (void)add(by_port(1113));
    ASSERT_EQ(sent.size(), 1U) << replies.back();
    EXPECT_EQ(sent[0].to, AgentId::kIngress);
    EXPECT_TRUE(sent[0].change.outduct);
    EXPECT_EQ(sent[0].change.link, LinkId{3});
    EXPECT_EQ(done()["link"]["direction"], "outduct");
    EXPECT_EQ(remove(2)["error"], "link 3 uses the port of this induct; remove that link first");
    EXPECT_EQ(change(3, by_port(0))["reason"], "conflict");

    // Ingress begins anew.
    commands.handle_ready(AgentId::kIngress, now);
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[1].to, AgentId::kIngress);
    EXPECT_EQ(sent[1].change.link, LinkId{3});
    (void)done("", 1113);
    (void)done();
    (void)remove(3);
    EXPECT_EQ(sent.front().to, AgentId::kIngress);
    (void)done();
    EXPECT_TRUE(remove(2).is_null());
}

// The number of the outduct is lower than that of its induct.
TEST_F(Links, AnInductComesBackBeforeWhatLeavesByItsPort) {
    (void)add({{"url", "ltp://127.0.0.1:0"}}, "induct", 7);
    (void)done("", 1113);
    (void)add(by_port(1113), "outduct", 5);
    (void)done();
    commands.handle_ready(AgentId::kIngress, now);
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(sent[0].change.link, LinkId{7});
    EXPECT_EQ(sent[1].change.link, LinkId{5});
    EXPECT_TRUE(sent[1].change.outduct);
}

TEST_F(Links, AnOutductOfTheFileByThePortOfAnInductHasANumberOfItsOwn) {
    const Json own_port{{"url", "stcp://127.0.0.1:1"}, {"nextHopNodeId", 40}};
    const Json json{{"myNodeId", 10},
                    {"inductsConfig", Json::array({{{"url", "ltp://127.0.0.1:1113"}}})},
                    {"outductsConfig", Json::array({by_port(1113), own_port})}};
    const auto parsed = config::parse_node_config(json.dump());
    ASSERT_TRUE(parsed) << parsed.error().to_string();
    const config::NodeConfig &file = *parsed;
    ASSERT_EQ(file.spans.size(), 1U);
    EXPECT_EQ(file.outducts.at(0).id, LinkId{1});
    EXPECT_EQ(file.spans.at(0).id, LinkId{2});
    LinkOverrides book(file);
    ASSERT_NE(book.find(LinkId{2}), nullptr);
    EXPECT_EQ(book.find(LinkId{2})->carrier, LinkId{0});
    EXPECT_EQ(book.find(LinkId{2})->to_json()["carrier"], 0);
    EXPECT_EQ(book.carried_by(LinkId{0}), (std::vector<LinkId>{LinkId{2}}));
    EXPECT_TRUE(book.differences(AgentId::kIngress).empty());

    // It may be changed, and its neighbour is nobody else's.
    const auto changed = book.read(by_port(1113).dump(), true, LinkId{2});
    ASSERT_TRUE(changed) << changed.error().to_string();
    EXPECT_EQ(changed->carrier, LinkId{0});
    EXPECT_FALSE(book.read(Json{{"url", "stcp://127.0.0.1:2"}, {"nextHopNodeId", 30}}.dump(), true,
                           kNoLink));
    book.remove(LinkId{2});
    const auto gone = book.differences(AgentId::kIngress);
    ASSERT_EQ(gone.size(), 1U);
    EXPECT_EQ(gone[0].verb, bus::LinkVerb::kRemove);
    EXPECT_TRUE(gone[0].outduct);
    EXPECT_TRUE(book.differences(AgentId::kEgress).empty());
    const auto other = book.read(Json{{"url", "stcp://127.0.0.1:2"}, {"nextHopNodeId", 30}}.dump(),
                                 true, LinkId{2});
    ASSERT_TRUE(other) << other.error().to_string();
    EXPECT_NE(book.goes_over(*other), "") << "it is known to another module";
}

TEST_F(Links, AnLtpOutductHasTheOptionsOfTheInductWhosePortItUses) {
    (void)add({{"url", "ltp://127.0.0.1:1113"}}, "induct");
    (void)done("", 1113);
    Json other = by_port(1113);
    other["oneWayLightTimeMs"] = 1000;
    EXPECT_EQ(paths(add(other)), (Paths{"config.oneWayLightTimeMs"}));
    EXPECT_TRUE(sent.empty());
}

}  // namespace
}  // namespace farlink::control::link_commands_test
