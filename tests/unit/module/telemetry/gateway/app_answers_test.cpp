// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/gateway/app_answers.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::app_answers_test {
namespace {

using client::ErrorCode;

std::string field(const Answer &answer, const std::string &name) {
    for (const auto &[key, value] : answer.headers)
        if (key == name) return value;
    return "(none)";
}

TEST(AppAnswers, EachOutcomeHasItsStatus) {
    const client::BundleId id{"ipn:10.42", 5, 6};
    const auto status = [&](ErrorCode code, bool open = true) {
        return answer_of(client::Sent{id, client::Error{code, "reason"}}, open).status;
    };
    EXPECT_EQ(answer_of(client::Sent{id, std::nullopt}, true).status, 201U);
    EXPECT_EQ(status(ErrorCode::kUnauthorized), 403U);
    EXPECT_EQ(status(ErrorCode::kInvalidRequest), 422U);
    EXPECT_EQ(status(ErrorCode::kRefused), 503U);
    EXPECT_EQ(status(ErrorCode::kConnectionLost), 503U);
    const client::Sent lost{id, client::Error{ErrorCode::kConnectionLost, "gone"}};
    EXPECT_NE(answer_of(lost, true).body.find("unknown whether"), std::string::npos);
    EXPECT_NE(answer_of(lost, false).body.find("bundle not accepted"), std::string::npos);
}

TEST(AppAnswers, NamesOfPeersMakeNoFields) {
    client::Adu adu;
    adu.source = "dtn://x/\r\nSet-Cookie: a=b";
    adu.destination = "ipn:10.42";
    const Answer answer = lease_answer(adu, "lease", seconds(30));
    EXPECT_EQ(field(answer, "Farlink-Source"), "dtn://x/%0D%0ASet-Cookie:%20a=b");
    EXPECT_EQ(field(answer, "Farlink-Lease-Seconds"), "30");
    EXPECT_EQ(field(answer, "Farlink-Hop-Limit"), "(none)");
    for (const auto &[name, value] : answer.headers)
        EXPECT_EQ(value.find_first_of("\r\n"), std::string::npos) << name;
}

TEST(AppAnswers, AMessageHasWhatTheRequestAsksFor) {
    SendRequest request{"ipn:10.42", "ipn:20.7"};
    request.lifetime_ms = 1000;
    request.priority = 2;
    request.creation_ms = 9;
    request.sequence = 4;
    const client::Message message = message_of(request);
    EXPECT_EQ(message.destination, "ipn:20.7");
    EXPECT_EQ(message.options.lifetime->count(), 1000);
    EXPECT_EQ(message.options.priority, client::Priority::kExpedited);
    EXPECT_EQ(message.options.id->to_string(), "ipn:10.42/9/4");
    EXPECT_FALSE(message.options.reports);
}

}  // namespace
}  // namespace farlink::telemetry::app_answers_test
