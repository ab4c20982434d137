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

}  // namespace
}  // namespace farlink::telemetry::admission_test

#endif
