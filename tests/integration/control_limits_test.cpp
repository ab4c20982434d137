// SPDX-License-Identifier: Apache-2.0
// Requests at the control socket that are wrong, too long, or take long: each gets the answer of
// docs/formats/control.md, and other clients are served meanwhile.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/integration/control_fixture.hpp"

namespace farlink::test::control_limits_test {
namespace {

TEST_F(Control, AnErrorInARequestChangesNothing) {
    begin(Json::array({contact(1, 10, 20, 0, 3600)}));
    RawClient client(folder_ / "control");
    for (const char *request : {R"({"command":"plan remove","contacts":[1],"dryRun":"yes"})",
                                R"({"command":"plan remove","contacts":[1],"dryRun":1})",
                                R"({"command":"plan remove","contacts":[1],"dryRun":null})"}) {
        EXPECT_TRUE(client.say(std::string(request) + "\n"));
        EXPECT_NE(client.line().find("`dryRun`: expected true or false"), std::string::npos);
    }
    for (const char *request : {R"({"command":"plan remove","contacts":[1],"dryrun":true})",
                                R"({"command":"plan replace","contacts":[],"link":1})",
                                R"({"command":"link down","link":1,"dryRun":true})"}) {
        EXPECT_TRUE(client.say(std::string(request) + "\n"));
        EXPECT_NE(client.line().find("` has no key "), std::string::npos) << request;
    }
    EXPECT_EQ(ask({"status"})["plan"]["version"], 1);
    EXPECT_TRUE(link(kFirst)["planned"]);
}

/// A plan that takes much longer to read and to check than any other command.
std::string long_request() {
    constexpr int kContacts = 100'000;
    std::string text = R"({"command":"plan replace","contacts":[)";
    for (int i = 0; i < kContacts; ++i)
        text += (i == 0 ? "" : ",") + std::string(R"({"contact":)") + std::to_string(i) +
                R"(,"source":10,"dest":)" + std::to_string(20 + 10 * (i % 2)) + R"(,"startTime":)" +
                std::to_string(100 + 2 * i) + R"(,"endTime":)" + std::to_string(101 + 2 * i) +
                R"(,"rateBitsPerSec":1000000,"owlt":0.25})";
    return text + "]}\n";
}

// The test counts answers, not time: on a slow machine both take longer.
TEST_F(Control, OtherClientsAreServedWhileALongPlanIsRead) {
    constexpr int kAnswers = 20;
    begin(Json::array({contact(1, 10, 20, 0, 3600)}));
    RawClient planner(folder_ / "control");
    RawClient other(folder_ / "control");
    ASSERT_TRUE(planner.say(long_request()));
    int answered = 0;
    for (int version = 1; version == 1; ++answered) {
        ASSERT_TRUE(other.say("{\"command\":\"status\"}\n"));
        const Json status = Json::parse(other.line(), nullptr, false);
        ASSERT_TRUE(status.is_object()) << answered;
        version = status["plan"]["version"];
    }
    EXPECT_GT(answered, kAnswers) << "answers with the former plan";
    EXPECT_NE(planner.line().find(R"("ok":true,"dryRun":false)"), std::string::npos);
    EXPECT_EQ(ask({"status"})["plan"]["contacts"], 100'000);
}

TEST_F(Control, ANodeEndsWhileALongPlanIsRead) {
    begin(Json::array({contact(1, 10, 20, 0, 3600)}));
    {
        RawClient planner(folder_ / "control");
        ASSERT_TRUE(planner.say(long_request()));
        node_->stop();
    }
    start();
    const Json plan = ask({"status"})["plan"];
    EXPECT_EQ(plan["contacts"], plan["version"] == 1 ? 1 : 100'000)
        << "the whole plan or none of it";
}

TEST_F(Control, ARequestWithAnOctetTooManyIsRefusedUnread) {
    constexpr std::size_t kMost = 16UL * 1024 * 1024;
    begin(Json::array({contact(1, 10, 20, 0, 3600)}));
    RawClient client(folder_ / "control");
    ASSERT_TRUE(client.say(std::string(kMost - 1, ' ') + "\n"));
    EXPECT_NE(client.line().find("not a JSON object"), std::string::npos)
        << "a request that is read";
    (void)client.say(std::string(kMost, ' ') + "\n");
    EXPECT_NE(client.line().find("the request is too long"), std::string::npos);
    EXPECT_EQ(client.line(), "") << "the connection ends";
    EXPECT_TRUE(link(kFirst)["planned"]);
}

TEST_F(Control, HostileClientsAreBounded) {
    begin(Json::array({contact(1, 10, 20, 0, 3600)}));
    const std::string path = folder_ / "control";
    {
        RawClient client(path);
        EXPECT_TRUE(client.say("no json\n{\"command\":7}\n\n{\"command\":\"status\"}\n[1]\n"));
        EXPECT_NE(client.line().find("not a JSON object"), std::string::npos);
        EXPECT_NE(client.line().find("no such command"), std::string::npos);
        EXPECT_NE(client.line().find("not a JSON object"), std::string::npos);
        EXPECT_NE(client.line().find("\"ok\":true"), std::string::npos);
        EXPECT_NE(client.line().find("not a JSON object"), std::string::npos);
        const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
        for (const std::string &text : {std::string(200'000, '['), deep,
                                        R"({"command":"plan replace","contacts":)" + deep + "}"}) {
            EXPECT_TRUE(client.say(text + "\n"));
            EXPECT_NE(client.line().find("nested too deeply"), std::string::npos);
        }
    }
    folder_.write("deep.json",
                  "{\"contacts\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}");
    EXPECT_NE(published({"plan", "replace", folder_ / "deep.json"}).find("nested too deeply"),
              std::string::npos);
    EXPECT_EQ(code_, 1);
    {
        RawClient client(path);
        const std::string much(1 << 20, 'x');
        bool taken = true;
        for (int i = 0; i < 64 && taken; ++i) taken = client.say(much);
        EXPECT_FALSE(taken) << "64 MiB without an end";
    }
    std::vector<std::unique_ptr<RawClient>> crowd;
    for (int i = 0; i < 8; ++i) crowd.push_back(std::make_unique<RawClient>(path));
    for (const auto &client : crowd) EXPECT_TRUE(client->say("{\"command\":\"stat"));
    RawClient late(path);
    EXPECT_NE(late.line().find("too many clients"), std::string::npos);
    crowd.clear();
    EXPECT_TRUE(becomes(kFirst, true));
    node_->stop();
}

}  // namespace
}  // namespace farlink::test::control_limits_test
