// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/ping_commands.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace farlink::control::ping_commands_test {
namespace {

using Json = nlohmann::ordered_json;

class Ping : public testing::Test {
protected:
    Ping() {
        config.node = NodeNumber{10};
        config.echo_service = 77;
    }
    /// As from a client: an integer of C++ has a sign, a number in text has it only if negative.
    static Json parsed(const Json &request) { return Json::parse(request.dump()); }
    /// The reply, when it comes.
    Json &ask(const Json &request) {
        Json &reply = replies.emplace_back();
        commands.ping(parsed(request), [&reply](const Json &said) { reply = said; }, now);
        return reply;
    }
    [[nodiscard]] std::string destination(const Json &named) const {
        const auto order = read_ping(parsed({{"destination", named}}), config);
        return order ? order->destination : "";
    }

    WallClock now{TimePoint{} + seconds(1), 1000};
    config::NodeConfig config;
    std::deque<bus::PingRequest> sent;
    std::deque<Json> replies;
    PendingRequests requests{{}, [this](bus::AgentId to, bus::Message message) {
                                 EXPECT_EQ(to, bus::AgentId::kIngress);
                                 sent.push_back(std::get<bus::PingRequest>(std::move(message)));
                             }};
    PingCommands commands{config, requests};
};

TEST_F(Ping, ANodeAloneMeansItsEchoService) {
    EXPECT_EQ(destination("ipn:20.5"), "ipn:20.5");
    EXPECT_EQ(destination("ipn:20"), "ipn:20.2047");
    EXPECT_EQ(destination("20"), "ipn:20.2047");
    EXPECT_EQ(destination(20), "ipn:20.2047");
    EXPECT_EQ(destination(10), "ipn:10.77") << "that of the configuration";
    EXPECT_EQ(destination("ipn:977000.100.1"), "ipn:977000.100.1");
    for (const Json &wrong : {Json(), Json(0), Json(-4), Json(1.5), Json(""), Json("20x"),
                              Json("ipn:"), Json("ipn:0.0"), Json("dtn:none"), Json("dtn://a/b"),
                              Json("99999999999999999999"), Json::array()})
        EXPECT_EQ(destination(wrong), "") << wrong;
}

TEST_F(Ping, WrongRequestsAreRefusedAndSendNothing) {
    for (const Json &wrong :
         {Json{{"sizeBytes", 15}}, Json{{"sizeBytes", 65537}}, Json{{"sizeBytes", "64"}},
          Json{{"timeoutSeconds", 0}}, Json{{"timeoutSeconds", 60.5}},
          Json{{"timeoutSeconds", "5"}}, Json{{"version", 5}}, Json{{"version", "7"}}}) {
        Json request = wrong;
        request["destination"] = 20;
        EXPECT_EQ(ask(request)["reason"], "invalid") << wrong;
    }
    EXPECT_TRUE(sent.empty());
}

TEST_F(Ping, AnEchoAnswersItsOwnRequest) {
    const Json &first = ask({{"destination", 20}});
    const Json &second =
        ask({{"destination", 30}, {"sizeBytes", 1000}, {"timeoutSeconds", 0.5}, {"version", 6}});
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_EQ(as_text(sent[0].destination), "ipn:20.2047");
    EXPECT_EQ(sent[0].payload_bytes, 64U);
    EXPECT_EQ(sent[0].lifetime, seconds(65));
    EXPECT_EQ(sent[0].version, 7);
    EXPECT_EQ(sent[1].payload_bytes, 1000U);
    EXPECT_EQ(sent[1].version, 6);
    commands.handle(bus::PingReply{sent[1].id, {}, milliseconds(42)});
    EXPECT_TRUE(first.is_null());
    EXPECT_EQ(second, (Json{{"ok", true},
                            {"destination", "ipn:30.2047"},
                            {"sizeBytes", 1000},
                            {"answered", true},
                            {"milliseconds", 42.0}}));
    commands.handle(bus::PingReply{sent[1].id, {}, milliseconds(43)});
    commands.handle(bus::PingReply{bus::RequestId{sent[0].id.value() + 9}, {}, milliseconds(43)});
    EXPECT_TRUE(first.is_null()) << "replies to other requests";
}

TEST_F(Ping, ARequestWithoutEchoFailsInTime) {
    const Json &reply = ask({{"destination", 20}, {"timeoutSeconds", 0.5}});
    const Json &patient = ask({{"destination", 20}, {"timeoutSeconds", 60}});
    EXPECT_EQ(commands.next_timeout(), now.at + milliseconds(500));
    commands.handle_timeout(now.at + milliseconds(499));
    EXPECT_TRUE(reply.is_null());
    commands.handle_timeout(now.at + milliseconds(500));
    EXPECT_EQ(reply["answered"], false);
    EXPECT_NE(reply["why"].get<std::string>().find("no echo within the time limit"),
              std::string::npos);
    EXPECT_TRUE(patient.is_null());
    EXPECT_EQ(commands.next_timeout(), now.at + seconds(60));
    commands.handle(bus::PingReply{sent[0].id, {}, milliseconds(43)});
    EXPECT_EQ(reply["answered"], false) << "too late";
    const Json &refused = ask({{"destination", 20}});
    bus::PingReply error{.id = sent[2].id, .error = {'n', 'o'}, .taken = {}};
    commands.handle(error);
    EXPECT_EQ(refused["why"], "no");
}

TEST_F(Ping, RequestsFailWhenIngressIsLost) {
    const Json &reply = ask({{"destination", 20}});
    commands.handle_lost(bus::AgentId::kEgress);
    EXPECT_TRUE(reply.is_null());
    commands.handle_lost(bus::AgentId::kIngress);
    EXPECT_EQ(reply["answered"], false);
}

TEST_F(Ping, PingsAreBounded) {
    for (std::size_t i = 0; i < PingCommands::kMost; ++i) (void)ask({{"destination", 20}});
    EXPECT_EQ(sent.size(), PingCommands::kMost);
    EXPECT_EQ(ask({{"destination", 20}})["reason"], "unavailable");
    EXPECT_EQ(sent.size(), PingCommands::kMost);
    commands.handle(bus::PingReply{sent[0].id, {}, milliseconds(1)});
    (void)ask({{"destination", 20}});
    EXPECT_EQ(sent.size(), PingCommands::kMost + 1);
}

}  // namespace
}  // namespace farlink::control::ping_commands_test
