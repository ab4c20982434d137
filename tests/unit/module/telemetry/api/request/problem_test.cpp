// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/request/problem.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::problem_test {
namespace {

TEST(Problem, ARefusalOfTheControlSocketHasTheStatusOfItsReason) {
    const std::pair<const char *, unsigned> cases[] = {
        {"malformed", 400}, {"invalid", 422},     {"notFound", 404},
        {"conflict", 409},  {"unavailable", 503}, {"another", 503},
    };
    for (const auto &[reason, status] : cases) {
        const Answer answer = problem_of({{"ok", false}, {"error", "why"}, {"reason", reason}});
        EXPECT_EQ(answer.status, status) << reason;
        EXPECT_EQ(answer.content_type, "application/problem+json");
        EXPECT_EQ(Json::parse(answer.body)["detail"], "why");
    }
    const Json errors = Json::array({{{"path", "a"}, {"problem", "b"}}});
    const Answer answer = problem_of({{"reason", "invalid"}, {"errors", errors}});
    EXPECT_EQ(Json::parse(answer.body)["errors"], errors);
}

TEST(Problem, StatusesHaveTheirPhrases) {
    EXPECT_EQ(phrase(421), "Misdirected Request");
    EXPECT_EQ(phrase(418), "Error");
}

TEST(Problem, ContentTypesOfJson) {
    EXPECT_TRUE(is_json("application/json"));
    EXPECT_TRUE(is_json("application/json; charset=utf-8"));
    EXPECT_FALSE(is_json("application/jsonp"));
    EXPECT_FALSE(is_json("text/plain"));
}

}  // namespace
}  // namespace farlink::telemetry::problem_test
