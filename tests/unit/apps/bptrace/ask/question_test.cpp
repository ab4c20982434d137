// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/ask/question.hpp"

#include <gtest/gtest.h>

namespace farlink::bptrace::question_test {
namespace {

using Json = nlohmann::ordered_json;

NodeAnswer with(const char *held, const char *past) {
    return {"a",
            {{"id", "ipn:10.1/5/6"}, {"held", Json::parse(held)}, {"past", Json::parse(past)}},
            ""};
}

TEST(Question, ADeliveryOutweighsAll) {
    EXPECT_EQ(fate_of({with("[{}]", "[]"),
                       with("[]", R"([{"outcome":"sent","time":"2026-02-01T00:00:00Z"},
                                      {"outcome":"delivered","time":"2026-01-01T00:00:00Z"}])")}),
              "delivered");
}

TEST(Question, OtherwiseItIsHeldOrTheNewestRecordCounts) {
    const NodeAnswer old = with("[]", R"([{"outcome":"sent","time":"2026-01-01T00:00:00Z"}])");
    const NodeAnswer newer = with("[]", R"([{"outcome":"expired","time":"2026-01-02T00:00:00Z"}])");
    EXPECT_EQ(fate_of({newer, old}), "expired");
    EXPECT_EQ(fate_of({old, newer}), "expired");
    EXPECT_EQ(fate_of({old, newer, with("[{}]", "[]")}), "held");
}

TEST(Question, WhatANodeDoesNotAnswerIsNotKnown) {
    EXPECT_EQ(fate_of({with("[]", "[]")}), "not found");
    EXPECT_EQ(fate_of({with("[]", "[]"), {"b", {}, "no reply in time"}}), "unknown");
    EXPECT_EQ(fate_of({}), "not found");
    // An answer of another form.
    EXPECT_EQ(fate_of({{"c", {{"held", 3}, {"past", "x"}}, ""}}), "not found");
}

TEST(Question, WritesJson) {
    const Json json =
        answers_json("ipn:10.1/5/6", {with("[]", "[]"), {"b", {}, "no reply in time"}});
    EXPECT_EQ(json["outcome"], "unknown");
    EXPECT_EQ(json["nodes"][0]["past"], Json::array());
    EXPECT_EQ(json["nodes"][1]["error"], "no reply in time");
}

}  // namespace
}  // namespace farlink::bptrace::question_test
