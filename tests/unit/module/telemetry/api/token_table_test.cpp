// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/token_table.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry {
namespace {

TEST(TokenTable, ReadsWhatItWrites) {
    TokenEntry entry{"someone", Role::kOperate, {}};
    entry.digest.fill(0xa5);
    const auto tokens = parse_tokens(write_tokens({entry, {"other", Role::kRead, {}}}));
    ASSERT_TRUE(tokens) << tokens.error();
    ASSERT_EQ(tokens->size(), 2U);
    EXPECT_EQ((*tokens)[0].name, "someone");
    EXPECT_EQ((*tokens)[0].role, Role::kOperate);
    EXPECT_EQ((*tokens)[0].digest, entry.digest);
    EXPECT_EQ((*tokens)[1].role, Role::kRead);
}

TEST(TokenTable, ADamagedFileIsRefusedWhole) {
    const std::string digest(64, '0');
    for (const std::string &text :
         {std::string(), std::string("[]"), std::string("{}"), std::string(R"({"tokens":1})"),
          std::string(R"({"tokens":[1]})"),
          R"({"tokens":[{"role":"root","sha256":")" + digest + R"("}]})",
          std::string(R"({"tokens":[{"role":"read","sha256":"12"}]})"),
          R"({"tokens":[{"role":"read","sha256":")" + std::string(64, 'x') + R"("}]})",
          std::string(100'000, '[')})
        EXPECT_FALSE(parse_tokens(text)) << text.substr(0, 80);
}

}  // namespace
}  // namespace farlink::telemetry
