// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/paths/app_paths.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/telemetry/api_fixture.hpp"

namespace farlink::telemetry::app_paths_test {
namespace {

struct AppPaths : testing::Test {
    Outcome ask(const std::string &method, const std::string &target, const char *key = "") {
        Call call;
        call.method = method;
        call.target = target;
        call.role = Role::kApplications;
        call.token = "anna";
        call.idempotency_key = key;
        call.rights = rights;
        return fixture.api.handle(call, fixture.moment);
    }
    unsigned status(const std::string &method, const std::string &target, const char *key = "") {
        const Outcome outcome = ask(method, target, key);
        const auto *answer = std::get_if<Answer>(&outcome);
        return answer == nullptr ? 0 : answer->status;
    }

    ApiFixture fixture;
    std::shared_ptr<const EndpointRights> rights = std::make_shared<EndpointRights>(
        EndpointRights::parse({{"ipn:10.42", "dtn://here/**"}, {}, {"ipn:20.*"}}).value());
};

const std::string kPost = "/api/v1/bundles?source=ipn:10.42&destination=ipn:20.7";

TEST_F(AppPaths, APostIsABundle) {
    const Outcome outcome =
        ask("POST", kPost +
                        "&lifetimeSeconds=60&priority=bulk&hopLimit=9&reportTo=ipn:10.42&"
                        "reports=delivery,deletion");
    const auto &send = std::get<SendRequest>(outcome);
    EXPECT_EQ(send.source, "ipn:10.42");
    EXPECT_EQ(send.destination, "ipn:20.7");
    EXPECT_EQ(send.report_to, "ipn:10.42");
    EXPECT_EQ(send.lifetime_ms, 60'000U);
    EXPECT_EQ(send.priority, 0);
    EXPECT_EQ(send.hop_limit, 9);
    EXPECT_EQ(send.reports, 10);
    EXPECT_EQ(send.key, "");
}

TEST_F(AppPaths, AKeyBelongsToTokenAndSource) {
    EXPECT_EQ(std::get<SendRequest>(ask("POST", kPost, "k")).key, "anna\nipn:10.42\nk");
    EXPECT_EQ(status("POST", kPost, std::string(256, 'k').c_str()), 400U);
    EXPECT_EQ(status("POST", kPost, "k\x80"), 400U);
    EXPECT_EQ(status("POST", kPost + "&creationTime=5&sequence=6", "k"), 400U);
    const auto own = std::get<SendRequest>(ask("POST", kPost + "&creationTime=5&sequence=6"));
    EXPECT_EQ(own.creation_ms, 5U);
    EXPECT_EQ(own.sequence, 6U);
}

TEST_F(AppPaths, EndpointsAreThoseOfTheToken) {
    EXPECT_EQ(status("POST", "/api/v1/bundles?source=ipn:10.43&destination=ipn:20.7"), 403U);
    EXPECT_EQ(status("POST", "/api/v1/bundles?source=ipn:10.42&destination=ipn:21.7"), 403U);
    EXPECT_EQ(status("POST", kPost + "&reportTo=ipn:30.1"), 403U);
    EXPECT_EQ(status("POST", "/api/v1/endpoints/ipn:10.43/receive"), 403U);
    EXPECT_EQ(status("GET", "/api/v1/endpoints/ipn:10.43/messages"), 403U);
    const auto dtn =
        std::get<ReceiveRequest>(ask("POST", "/api/v1/endpoints/dtn%3A%2F%2Fhere%2Fapp/receive"));
    EXPECT_EQ(dtn.endpoint, "dtn://here/app");
    rights = nullptr;
    EXPECT_EQ(status("POST", kPost), 403U);
    EXPECT_EQ(status("DELETE", "/api/v1/leases/1"), 403U);
}

TEST_F(AppPaths, TimesAreBounded) {
    const auto receive = std::get<ReceiveRequest>(
        ask("POST", "/api/v1/endpoints/ipn:10.42/receive?waitSeconds=60&leaseSeconds=300"));
    EXPECT_EQ(receive.wait, seconds(60));
    EXPECT_EQ(receive.lease, seconds(300));
    for (const char *query : {"waitSeconds=61", "leaseSeconds=0", "leaseSeconds=301",
                              "staySeconds=3601", "waitSeconds=-1", "waitSeconds="})
        EXPECT_EQ(status("POST", std::string("/api/v1/endpoints/ipn:10.42/receive?") + query), 400U)
            << query;
    EXPECT_EQ(status("GET", "/api/v1/endpoints/ipn:10.42/messages?window=65"), 400U);
    EXPECT_EQ(std::get<MessagesRequest>(ask("GET", "/api/v1/endpoints/ipn:10.42/messages")).window,
              16U);
}

TEST_F(AppPaths, ATokenForApplicationsReadsNothingElse) {
    EXPECT_EQ(status("GET", "/api/v1/state"), 403U);
    EXPECT_EQ(status("POST", "/api/v1/drain"), 403U);
    EXPECT_EQ(status("GET", "/api/v1/bundles"), 403U);
}

}  // namespace
}  // namespace farlink::telemetry::app_paths_test
