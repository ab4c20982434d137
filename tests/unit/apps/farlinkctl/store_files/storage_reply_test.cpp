// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_files/storage_reply.hpp"

#include <gtest/gtest.h>

#include <string>

namespace farlink::ctl::storage_reply_test {
namespace {

using Json = nlohmann::ordered_json;

std::string printed(const Json &reply) {
    testing::internal::CaptureStdout();
    print_storage("storage sets", reply);
    return testing::internal::GetCapturedStdout();
}

TEST(FragmentSetsTable, ShowsWhatIsMissing) {
    const Json missing{{{"from", 50}, {"to", 60}}, {{"from", 70}, {"to", 80}}};
    const Json incomplete{
        {"set", "4294967297"}, {"state", "incomplete"}, {"source", "ipn:10.1"},
        {"created", "T1"},     {"sequence", 7},         {"destination", "ipn:20.1"},
        {"storedBytes", 100},  {"totalBytes", 400},     {"fragments", 2},
        {"gaps", 3},           {"expires", "T2"},       {"missing", missing}};
    Json whole = incomplete;
    whole["state"] = "waiting";
    whole["gaps"] = 0;
    whole["missing"] = Json::array();
    Json reply{{"more", true}, {"next", "9"}};
    reply["sets"].push_back(incomplete);
    reply["sets"].push_back(whole);
    const std::string table = printed(reply);
    EXPECT_NE(table.find("50-60, 70-80 and 1 more"), std::string::npos) << table;
    EXPECT_NE(table.find("waiting"), std::string::npos) << table;
    EXPECT_NE(table.find("2 sets shown; for more use --after 9"), std::string::npos) << table;
}

TEST(FragmentSetsTable, SaysThatThereIsNone) {
    EXPECT_EQ(printed({{"sets", Json::array()}, {"more", false}}), "no fragment sets\n");
}

}  // namespace
}  // namespace farlink::ctl::storage_reply_test
