// SPDX-License-Identifier: Apache-2.0
#include "common/config/node/shown_config.hpp"

#include <gtest/gtest.h>

namespace farlink::config::shown_config_test {
namespace {

TEST(ShownConfig, PlacesOfSecretsAreLeftOutAtEveryDepth) {
    EXPECT_EQ(shown_config(R"({"$schema":"x","myNodeId":1,"bus":{"publicKey":"p",
                               "secretKeyFile":"s"},"outductsConfig":[{"url":"u","key":"k",
                               "ltpAuthenticationKeyFile":"f","ltpAuthenticationKeyId":"00"}],
                               "api":{"listen":"l","tokensFile":"t","tls":{"key":"k"}}})"),
              R"({"myNodeId":1,"bus":{"publicKey":"p"},"outductsConfig":[{"url":"u"}],)"
              R"("api":{"listen":"l","tls":{}}})");
}

TEST(ShownConfig, WithoutAnObjectItIsEmpty) {
    EXPECT_EQ(shown_config("[1]"), "{}");
    EXPECT_EQ(shown_config("{"), "{}");
}

}  // namespace
}  // namespace farlink::config::shown_config_test
