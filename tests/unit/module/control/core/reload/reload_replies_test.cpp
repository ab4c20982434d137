// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/reload/reload_replies.hpp"

#include <gtest/gtest.h>

namespace farlink::control::reload_replies_test {
namespace {

using config::Applied;
using config::ChangeKind;
using Json = nlohmann::ordered_json;

const SettingChanges kChanges{
    {"outductsConfig[2]", ChangeKind::kAdded, Applied::kLinks, "stcp://a:1"},
    {"logLevel", ChangeKind::kChanged, Applied::kLogLevel, ""}};

TEST(ReloadReplies, TheyListChangesAndWhatWaits) {
    EXPECT_EQ(
        changes_reply(kChanges, {{"bufferBytes", ChangeKind::kChanged, Applied::kRestart, "1"}}),
        Json::parse(R"({"ok":true,"changed":[
            {"path":"outductsConfig[2]","change":"added","text":"stcp://a:1"},
            {"path":"logLevel","change":"changed","text":""}],
            "needsRestart":[{"path":"bufferBytes","text":"1"}]})"));
    EXPECT_EQ(changes_reply({}, {}),
              Json::parse(R"({"ok":true,"changed":[],"needsRestart":[],"unchanged":true})"));
}

TEST(ReloadReplies, RefusalsHaveAReason) {
    const Json restart = restart_reply(
        "/node.json", {{"myNodeId", ChangeKind::kChanged, Applied::kRestart, "1 before, 2 now"}});
    EXPECT_EQ(restart["reason"], "needs-restart");
    EXPECT_EQ(restart["needsRestart"][0]["path"], "myNodeId");
    EXPECT_EQ(restart["error"].get<std::string>().find("--partial"), std::string::npos)
        << "it is refused then, too";
    const Json other =
        restart_reply("/node.json", {{"bufferBytes", ChangeKind::kChanged, Applied::kRestart, ""}});
    EXPECT_NE(other["error"].get<std::string>().find("--partial"), std::string::npos);
    const Json invalid = invalid_reply({{}, {{"logLevel", "found 3", "a text", ""}}}, "/node.json");
    EXPECT_EQ(invalid["reason"], "invalid");
    EXPECT_EQ(invalid["errors"][0]["path"], "logLevel");
    EXPECT_TRUE(invalid["error"].get<std::string>().starts_with(
        "/node.json: no change was applied: logLevel: found 3"));
}

TEST(ReloadReplies, WordsForTheLogAreBounded) {
    EXPECT_EQ(in_words({}), "no setting changed");
    EXPECT_EQ(in_words(kChanges), "2 settings changed: outductsConfig[2], logLevel");
    EXPECT_EQ(in_words(SettingChanges(2000, kChanges[1])).size(),
              in_words(SettingChanges(9000, kChanges[1])).size());
}

TEST(ReloadReplies, TheAuditHasBothValuesOfEachChange) {
    EXPECT_EQ(values_json(kChanges),
              R"({"changed":[{"path":"outductsConfig[2]"},{"path":"logLevel"}]})")
        << "what is secret has none";
    const SettingChanges levels{
        {"logLevel", ChangeKind::kChanged, Applied::kLogLevel, "", "info", "debug"}};
    EXPECT_EQ(values_json(levels),
              R"({"changed":[{"path":"logLevel","before":"info","now":"debug"}]})");
    EXPECT_EQ(values_json(swapped(levels)),
              R"({"changed":[{"path":"logLevel","before":"debug","now":"info"}]})");
}

TEST(ReloadReplies, TheLineOfTheAuditIsBounded) {
    const SettingChanges large(2000, {"logLevel", ChangeKind::kChanged, Applied::kLogLevel, "",
                                      std::string(1000, 'a'), std::string(1000, 'b')});
    const std::string line = values_json(large);
    EXPECT_LT(line.size(), 20'000U);
    const Json values = Json::parse(line);
    EXPECT_EQ(values["changed"][0]["now"], std::string(1000, 'b'));
    EXPECT_EQ(values["changed"][99]["now"], Json::parse(R"({"bytes":1002})"));
    EXPECT_EQ(values["changed"].size(), 100U);
    EXPECT_EQ(values["others"], 1900U);
}

}  // namespace
}  // namespace farlink::control::reload_replies_test
