// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/access/admission.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include "module/telemetry/http/access/token_digest.hpp"
#include "tests/support/temp_folder.hpp"

#if FARLINK_TLS

namespace farlink::telemetry::admission_test {
namespace {

TEST(Admission, SettingsReplaceTokensAndHostNames) {
    const test::TempFolder folder;
    const auto file = [&folder](const std::string &name, const std::string &token) {
        folder.write(name, write_tokens({{token, Role::kOperate, *digest_of(token)}}));
        EXPECT_EQ(::chmod((folder / name).c_str(), 0600), 0);
        return folder / name;
    };
    config::ApiConfig config;
    config.listen = "127.0.0.1:8080";
    config.allowed_hosts = {"old.example"};
    config.tokens_file = file("old.json", "old");
    Admission admission(config);
    ASSERT_EQ(admission.open(), "");
    const TimePoint now = TimePoint{} + seconds(100);
    const auto status = [&](const std::string &host, const std::string &token) {
        Call call;
        call.host = host;
        Credentials credentials;
        credentials.address = "127.0.0.1";
        credentials.authorization = "Bearer " + token;
        const auto refusal = admission.admit(call, credentials, now);
        EXPECT_TRUE(refusal || call.role == Role::kOperate);
        return refusal ? refusal->status : 200U;
    };
    EXPECT_EQ(status("old.example", "old"), 200U);
    EXPECT_EQ(status("new.example", "old"), 421U);
    config.allowed_hosts = {"new.example"};
    config.tokens_file = file("new.json", "new");
    admission.set_settings(config);
    EXPECT_EQ(status("old.example", "new"), 421U);
    EXPECT_EQ(status("new.example", "old"), 401U);
    EXPECT_EQ(status("new.example", "new"), 200U);
}

TEST(Admission, WrongTokensAreOneLineWithTheirNumber) {
    const test::TempFolder folder;
    folder.write("tokens.json", write_tokens({{"anna", Role::kOperate, *digest_of("right")}}));
    ASSERT_EQ(::chmod((folder / "tokens.json").c_str(), 0600), 0);
    config::ApiConfig config;
    config.listen = "127.0.0.1:8080";
    config.tokens_file = folder / "tokens.json";
    Admission admission(config);
    ASSERT_EQ(admission.open(), "");
    TimePoint now = TimePoint{} + seconds(100);
    const auto ask = [&](const std::string &token) {
        Call call;
        call.host = "127.0.0.1:8080";
        (void)admission.admit(call, {"192.0.2.9", "Bearer " + token, {}}, now);
    };
    const auto lines_of = [](const auto &action) {
        testing::internal::CaptureStderr();
        action();
        return testing::internal::GetCapturedStderr();
    };
    const std::string first = lines_of([&] { ask("secret-guess"); });
    EXPECT_NE(first.find("1 request refused, most recently from 192.0.2.9: the token is not valid"),
              std::string::npos)
        << first;
    EXPECT_EQ(first.find("secret"), std::string::npos);
    EXPECT_EQ(lines_of([&] {
                  for (int guess = 0; guess < 20; ++guess) ask("wrong" + std::to_string(guess));
                  ask("right");
                  now += seconds(9);
                  admission.handle_second(now);
              }),
              "");
    now += seconds(1);
    const std::string rest = lines_of([&] { admission.handle_second(now); });
    EXPECT_NE(rest.find("20 requests refused"), std::string::npos) << rest;
}

}  // namespace
}  // namespace farlink::telemetry::admission_test

#endif
