// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/request/command_body.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::command_body_test {
namespace {

Result<std::string, Answer> command(const std::string &body,
                                    const std::string &type = "application/json") {
    Call call;
    call.body = body;
    call.content_type = type;
    return command_of(call, {{"command", "ping"}}, "{...}");
}

TEST(CommandBody, MembersOfTheBodyFollowTheCommand) {
    EXPECT_EQ(command(R"( {"a":1})").value(), R"({"command":"ping","a":1})");
    EXPECT_EQ(command("{ }").value(), R"({"command":"ping" })");
}

TEST(CommandBody, RefusesBodiesThatAreNoJsonObject) {
    EXPECT_EQ(command("{}", "text/plain").error().status, 415U);
    EXPECT_EQ(command("").error().status, 400U);
    EXPECT_EQ(command("[1]").error().status, 400U);
}

}  // namespace
}  // namespace farlink::telemetry::command_body_test
