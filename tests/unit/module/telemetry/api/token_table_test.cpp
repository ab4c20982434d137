// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/token_table.hpp"

#include <gtest/gtest.h>

namespace farlink::telemetry::token_table_test {
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

TEST(TokenTable, EndpointsOfATokenAreItsRights) {
    const auto tokens = parse_tokens(
        write_tokens({{"app", Role::kApplications, {}, {{"ipn:10.42"}, {}, {"ipn:20.*"}}, {}},
                      {"operator", Role::kOperate, {}},
                      {"bound", Role::kOperate, {}, {{}, {"ipn:10.7"}, {}}, {}},
                      {"reader", Role::kRead, {}},
                      {"idle", Role::kApplications, {}}}));
    ASSERT_TRUE(tokens) << tokens.error();
    EXPECT_EQ((*tokens)[0].role, Role::kApplications);
    EXPECT_EQ((*tokens)[0].endpoints.send_to, std::vector<std::string>{"ipn:20.*"});
    EXPECT_TRUE((*tokens)[0].rights->may_receive(bp::ipn_eid(10, 42)));
    EXPECT_TRUE((*tokens)[1].rights->may_receive(bp::ipn_eid(99, 1)));
    EXPECT_FALSE((*tokens)[2].rights->may_receive(bp::ipn_eid(10, 7)));
    EXPECT_EQ((*tokens)[3].rights, nullptr);
    EXPECT_EQ((*tokens)[4].rights, nullptr);
    for (const char *member :
         {R"("register":"ipn:10.42")", R"("sendAs":[1])", R"("sendTo":["nothing"])"})
        EXPECT_FALSE(parse_tokens(R"({"tokens":[{"role":"read","sha256":")" + std::string(64, '0') +
                                  "\"," + member + "}]}"))
            << member;
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
}  // namespace farlink::telemetry::token_table_test
