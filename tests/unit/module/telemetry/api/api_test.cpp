// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/api.hpp"

#include <gtest/gtest.h>

#include "module/telemetry/api/request/problem.hpp"
#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::api_test {
namespace {

Json asked(const Outcome &outcome) {
    const auto *command = std::get_if<Command>(&outcome);
    return command == nullptr ? Json() : Json::parse(command->request, nullptr, false);
}

TEST(Api, AnswersWhatItKnows) {
    ApiFixture node;
    EXPECT_EQ(node.answer("GET", "/healthz", Role::kNone).status, 200U);
    EXPECT_EQ(node.answer("GET", "/readyz", Role::kNone).status, 503U);
    const Json state = Json::parse(node.answer("GET", "/api/v1/state").body);
    EXPECT_EQ(state["node"]["id"], "ipn:10.0");
    EXPECT_EQ(state["node"]["uptimeSeconds"], 12.0);
    EXPECT_EQ(node.answer("HEAD", "/api/v1/state").status, 200U);
    EXPECT_EQ(node.answer("GET", "/api/v1/links/1").status, 200U);
    EXPECT_EQ(node.answer("GET", "/api/v1/links/7").status, 404U);
    EXPECT_EQ(node.answer("GET", "/api/v1/config").body.find("secret-place"), std::string::npos);
}

TEST(Api, ReadyWhenAllModulesAre) {
    ApiFixture node;
    Json modules;
    for (const char *name : {"ingress", "egress", "storage", "scheduler", "router", "telemetry"})
        modules[name] = "ready";
    node.view.handle_status({{"modules", modules}}, node.moment);
    EXPECT_EQ(node.answer("GET", "/readyz").status, 200U);
    modules["storage"] = "lost";
    node.view.handle_status({{"modules", modules}}, node.moment);
    const Answer answer = node.answer("GET", "/readyz");
    EXPECT_EQ(answer.status, 503U);
    EXPECT_EQ(Json::parse(answer.body)["notReady"], Json({{"storage", "lost"}}));
}

TEST(Api, EventsAreTheLastOnesOrThoseBehindANumber) {
    ApiFixture node;
    for (int i = 1; i <= 300; ++i)
        node.view.note({"info", "egress", "link-up", kNoLink, std::to_string(i)}, node.moment);
    const auto ids = [&](const std::string &query) {
        const Json body = Json::parse(node.answer("GET", "/api/v1/events" + query).body);
        const Json &events = body["events"];
        return std::pair(events.front()["id"].get<int>(), events.back()["id"].get<int>());
    };
    EXPECT_EQ(ids(""), std::pair(101, 300));
    EXPECT_EQ(ids("?limit=3"), std::pair(298, 300));
    EXPECT_EQ(ids("?limit=1000"), std::pair(1, 300));
    EXPECT_EQ(ids("?limit=3&after=0"), std::pair(1, 3));
    EXPECT_EQ(ids("?after=299"), std::pair(300, 300));
}

TEST(Api, RolesAreHeeded) {
    ApiFixture node;
    EXPECT_EQ(node.answer("GET", "/api/v1/state", Role::kNone).status, 401U);
    EXPECT_EQ(node.answer("GET", "/metrics", Role::kNone).status, 401U);
    EXPECT_EQ(node.answer("POST", "/api/v1/links/1/down", Role::kNone).status, 401U);
    EXPECT_EQ(node.answer("POST", "/api/v1/links/1/down", Role::kRead).status, 403U);
    EXPECT_EQ(node.answer("PUT", "/api/v1/contact-plan", Role::kRead, "{}").status, 403U);
    EXPECT_EQ(Json::parse(node.answer("GET", "/api/v1/session", Role::kNone).body)["role"], "none");
}

TEST(Api, CommandsAreThoseOfTheControlSocket) {
    ApiFixture node;
    EXPECT_EQ(asked(node.ask("POST", "/api/v1/links/3/down")),
              Json({{"command", "link down"}, {"link", 3}}));
    EXPECT_EQ(asked(node.ask("DELETE", "/api/v1/contact-plan/contacts/9?dryRun=true")),
              Json({{"command", "plan remove"}, {"contacts", {9}}, {"dryRun", true}}));
    EXPECT_EQ(
        asked(node.ask("PUT", "/api/v1/contact-plan", Role::kOperate, " { \"contacts\":[] }")),
        Json({{"command", "plan replace"}, {"contacts", Json::array()}, {"dryRun", false}}));
    EXPECT_EQ(asked(node.ask("PATCH", "/api/v1/contact-plan", Role::kOperate, "{}")),
              Json({{"command", "plan change"}, {"dryRun", false}}));
    EXPECT_EQ(asked(node.ask("GET", "/api/v1/routes/explain?source=1&destination=2&critical=true")),
              Json({{"command", "routes explain"},
                    {"source", 1},
                    {"destination", 2},
                    {"critical", true}}));
    for (const char *endpoint : {"dtn://mars/inbox", "ipn:40.1"})
        EXPECT_EQ(
            asked(node.ask("GET", std::string("/api/v1/routes/explain?source=1&destination=") +
                                      endpoint))["destination"],
            endpoint);
    EXPECT_EQ(asked(node.ask("GET", "/api/v1/log")), Json({{"command", "log level"}}));
    const Outcome log = node.ask("PUT", "/api/v1/log/ltp", Role::kOperate, R"({"level":"debug"})");
    EXPECT_EQ(asked(log), Json({{"command", "log level"}, {"logger", "ltp"}, {"level", "debug"}}));
    EXPECT_EQ(std::get<Command>(log).change, "log level ltp debug");
    const Outcome dry = node.ask("PUT", "/api/v1/contact-plan?dryRun=true", Role::kOperate, "{}");
    EXPECT_EQ(std::get<Command>(dry).change, "");
    const Outcome wet = node.ask("PUT", "/api/v1/contact-plan", Role::kOperate, "{}");
    EXPECT_EQ(std::get<Command>(wet).change, "plan replace");
}

TEST(Api, APlanIsTakenAsTextInIonsCommands) {
    ApiFixture node;
    Call call;
    call.method = "PUT";
    call.target = "/api/v1/contact-plan?dryRun=true";
    call.role = Role::kOperate;
    call.body = "a contact +0 +10 10 20 1000\n";
    for (const char *type : {"text/plain", "text/plain; charset=utf-8"}) {
        call.content_type = type;
        EXPECT_EQ(asked(node.api.handle(call, node.moment)),
                  Json({{"command", "plan replace"}, {"dryRun", true}, {"ion", call.body}}));
    }
    call.content_type = "text/plainly";
    EXPECT_EQ(std::get<Answer>(node.api.handle(call, node.moment)).status, 415U);
    call.content_type = "text/plain";
    call.method = "PATCH";
    EXPECT_EQ(std::get<Answer>(node.api.handle(call, node.moment)).status, 415U);
}

TEST(Api, LinksAreChangedByCommands) {
    ApiFixture node;
    EXPECT_EQ(asked(node.ask("POST", "/api/v1/links", Role::kOperate,
                             R"({"direction":"induct","config":{}})")),
              Json({{"command", "link add"}, {"direction", "induct"}, {"config", Json::object()}}));
    EXPECT_EQ(asked(node.ask("PUT", "/api/v1/links/5", Role::kOperate, R"({"config":{}})")),
              Json({{"command", "link change"}, {"link", 5}, {"config", Json::object()}}));
    EXPECT_EQ(asked(node.ask("DELETE", "/api/v1/links/5")),
              Json({{"command", "link remove"}, {"link", 5}}));
    EXPECT_EQ(
        asked(node.ask("PUT", "/api/v1/links/5/override", Role::kOperate,
                       R"({"rateBitsPerSec":0,"owlt":null})")),
        Json({{"command", "link set"}, {"link", 5}, {"rateBitsPerSec", 0}, {"owlt", nullptr}}));
    const Outcome removed = node.ask("DELETE", "/api/v1/links/5");
    EXPECT_EQ(std::get<Command>(removed).change, "link remove 5");
    EXPECT_EQ(std::get<Command>(removed).link, LinkId{5});
    const Answer published = Api::answer_of(
        std::get<Command>(removed), R"({"ok":true,"link":{"link":5},"lasts":"untilTheNodeEnds"})");
    EXPECT_EQ(published.status, 200U);
    EXPECT_EQ(Json::parse(published.body),
              Json({{"link", {{"link", 5}}}, {"lasts", "untilTheNodeEnds"}}));
    for (const char *path : {"/api/v1/links/5", "/api/v1/links/5/override"}) {
        EXPECT_EQ(node.answer("PUT", path, Role::kRead, "{}").status, 403U) << path;
        EXPECT_EQ(node.answer("PUT", path).status, 415U) << path;
        EXPECT_EQ(node.answer("PUT", path, Role::kOperate, "[]").status, 400U) << path;
    }
    EXPECT_EQ(node.answer("DELETE", "/api/v1/links/99999999999").status, 404U);
}

TEST(Api, APingMayTakeLongerThanOtherCommands) {
    ApiFixture node;
    EXPECT_EQ(node.answer("POST", "/api/v1/ping", Role::kRead, "{}").status, 403U);
    const Outcome outcome =
        node.ask("POST", "/api/v1/ping", Role::kOperate, R"({"destination":20})");
    EXPECT_EQ(asked(outcome), Json({{"command", "ping"}, {"destination", 20}}));
    EXPECT_GT(std::get<Command>(outcome).patience, seconds(60));
    EXPECT_EQ(std::get<Command>(outcome).change, "ping");
}

TEST(Api, ABodyCannotSayAnotherCommand) {
    ApiFixture node;
    const Outcome outcome = node.ask("PUT", "/api/v1/contact-plan?dryRun=true", Role::kOperate,
                                     R"({"dryRun":false,"command":"clock confirm"})");
    // The supervisor refuses an object with a key that stands twice.
    const std::string &request = std::get<Command>(outcome).request;
    EXPECT_NE(request.find("dryRun"), request.rfind("dryRun"));
    EXPECT_NE(request.find("\"command\""), request.rfind("\"command\""));
    for (const char *body : {"", "[]", "7", "x{}"})
        EXPECT_GE(node.answer("PUT", "/api/v1/contact-plan", Role::kOperate, body).status, 400U);
}

TEST(Api, SlipsAreExplained) {
    ApiFixture node;
    EXPECT_EQ(node.answer("GET", "/api/v1/nothing").status, 404U);
    EXPECT_EQ(node.answer("DELETE", "/api/v1/state").status, 405U);
    EXPECT_EQ(node.answer("GET", "/api/v1/state?x=1").status, 400U);
    EXPECT_EQ(node.answer("GET", "/api/v1/history?seconds=3601").status, 400U);
    EXPECT_EQ(node.answer("GET", "/api/v1/routes/explain?source=x&destination=1").status, 400U);
    for (const char *wrong : {"mars", ""})
        EXPECT_EQ(
            node.answer("GET", std::string("/api/v1/routes/explain?source=1&destination=") + wrong)
                .status,
            400U);
    EXPECT_EQ(node.answer("GET", "/api/v1/links/-1").status, 404U);
    EXPECT_EQ(node.answer("POST", "/api/v1/links/99999999999/up").status, 404U);
    EXPECT_EQ(node.answer("BREW", "/coffee").status, 405U);
    EXPECT_EQ(node.answer("PUT", "/api/v1/log/ltp").status, 415U);
    for (const char *body : {"[]", "{}", R"({"level":7})", R"({"level":"info","x":1})", "{"})
        EXPECT_EQ(node.answer("PUT", "/api/v1/log/ltp", Role::kOperate, body).status, 400U);
    EXPECT_EQ(node.answer("PUT", "/api/v1/log/", Role::kOperate, R"({"level":"info"})").status,
              404U);
    const Answer allowed = node.answer("POST", "/api/v1/contact-plan");
    ASSERT_EQ(allowed.headers.size(), 1U);
    EXPECT_EQ(allowed.headers[0].second, "GET, PUT, PATCH");
}

TEST(Api, RepliesBecomeAnswers) {
    const Command whole{"", "", kNoLink, nullptr};
    EXPECT_EQ(Api::answer_of(whole, R"({"ok":true,"version":3})").body, R"({"version":3})");
    EXPECT_EQ(Api::answer_of(whole, R"({"ok":true})").body, "{}");
    EXPECT_EQ(Api::answer_of(whole, "").status, 503U);
    for (const auto &[reason, status] :
         std::initializer_list<std::pair<const char *, unsigned>>{{"malformed", 400},
                                                                  {"invalid", 422},
                                                                  {"notFound", 404},
                                                                  {"conflict", 409},
                                                                  {"unavailable", 503}}) {
        const Json reply{{"ok", false},
                         {"reason", reason},
                         {"error", "why"},
                         {"errors", {{{"path", "p"}, {"problem", "q"}}}}};
        const Answer answer = Api::answer_of(whole, to_text(reply));
        EXPECT_EQ(answer.status, status);
        EXPECT_EQ(answer.content_type, "application/problem+json");
        const Json body = Json::parse(answer.body);
        EXPECT_EQ(body["detail"], "why");
        EXPECT_EQ(body["status"], status);
        EXPECT_EQ(body["errors"][0]["path"], "p");
    }
}

TEST(Api, OnlyPlansMayBeLarge) {
    EXPECT_EQ(Api::body_limit("PUT", "/api/v1/contact-plan?dryRun=true"), Api::kMostPlanBytes);
    EXPECT_EQ(Api::body_limit("GET", "/api/v1/contact-plan"), Api::kMostBodyBytes);
    EXPECT_EQ(Api::body_limit("POST", "/api/v1/links/1/up"), Api::kMostBodyBytes);
}

TEST(Api, EverythingElseIsAFile) {
    ApiFixture node;
    const Outcome outcome = node.ask("GET", "/assets/app.js", Role::kNone);
    ASSERT_TRUE(std::holds_alternative<StaticFile>(outcome));
    EXPECT_EQ(std::get<StaticFile>(outcome).path, (std::vector<std::string>{"assets", "app.js"}));
}

}  // namespace
}  // namespace farlink::telemetry::api_test
