// SPDX-License-Identifier: Apache-2.0
#include "common/config/reload/differences.hpp"

#include <gtest/gtest.h>

namespace farlink::config::differences_test {
namespace {

using Json = nlohmann::ordered_json;

std::vector<SettingChange> changes(const Json &before, const Json &after) {
    return setting_changes(normal_form(before.dump()), normal_form(after.dump()));
}

std::string in_words(const std::vector<SettingChange> &changes) {
    std::string words;
    for (const SettingChange &change : changes)
        words += std::string(change.kind == ChangeKind::kAdded     ? "+"
                             : change.kind == ChangeKind::kRemoved ? "-"
                                                                   : "~") +
                 change.path + "|";
    return words;
}

TEST(Differences, ADefaultThatIsWrittenOutIsNone) {
    EXPECT_EQ(in_words(changes({{"myNodeId", 1}}, {{"myNodeId", 1}, {"logLevel", "info"}})), "");
    EXPECT_EQ(in_words(changes({{"myNodeId", 1}},
                               {{"myNodeId", 1}, {"storageConfig", {{"whenFull", "refuse"}}}})),
              "");
    EXPECT_EQ(in_words(changes({{"bufferBytes", "64M"}}, {{"bufferBytes", 64'000'000}})), "");
}

TEST(Differences, EachHasItsPathAndBothValues) {
    const auto found = changes({{"logLevel", "info"}, {"maxPauseMilliseconds", 5}},
                               {{"logLevel", "debug"}, {"maxPauseMilliseconds", 5}});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].path, "logLevel");
    EXPECT_EQ(found[0].text, R"("info" before, "debug" now)");
    EXPECT_EQ(found[0].before, "info");
    EXPECT_EQ(found[0].now, "debug");
    EXPECT_EQ(found[0].applied, Applied::kLogLevel);
}

TEST(Differences, ListsOfOneLengthAreComparedItemByItem) {
    const auto with = [](const Json &quotas) {
        return Json{{"storageConfig", {{"quotas", quotas}}}};
    };
    const Json one{{"source", "ipn:1.*"}, {"capacityBytes", 5}};
    const Json larger{{"source", "ipn:1.*"}, {"capacityBytes", 6}};
    EXPECT_EQ(in_words(changes(with(Json::array({one})), with(Json::array({larger})))),
              "~storageConfig.quotas[0].capacityBytes|");
    const auto more = changes(with(Json::array({one})), with(Json::array({one, one})));
    EXPECT_EQ(in_words(more), "~storageConfig.quotas|");
    EXPECT_EQ(more[0].text, "1 entries before, 2 now");
    EXPECT_EQ(more[0].applied, Applied::kRestart);
}

TEST(Differences, ValuesThatLeadToSecretsAreNotShown) {
    const auto found =
        changes({{"api", {{"tokensFile", "a.json"}}}}, {{"api", {{"tokensFile", "b.json"}}}});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].path, "api.tokensFile");
    EXPECT_EQ(found[0].text, "");
    EXPECT_TRUE(found[0].before.is_null());
    EXPECT_TRUE(found[0].now.is_null());
    const auto whole = changes({{"myNodeId", 1}}, {{"alarms", {{"webhook", "http://a/token"}}}});
    for (const SettingChange &change : whole) {
        EXPECT_EQ(change.now.dump().find("token"), std::string::npos) << change.path;
        EXPECT_EQ(change.text.find("token"), std::string::npos) << change.path;
    }
}

TEST(Differences, ValuesForTheAuditAreBounded) {
    EXPECT_EQ(audited_value(Json::array({1, 2})), Json::array({1, 2}));
    EXPECT_EQ(audited_value(Json(std::vector<int>(17, 1))), Json::parse(R"({"count":17})"));
    EXPECT_EQ(audited_value(std::string(2000, 'a')), Json::parse(R"({"bytes":2002})"));
    const Json before{{"url", "stcp://a:1"}, {"nextHopNodeId", 2}, {"key", "old.pem"}};
    const Json after{{"url", "stcp://a:9"}, {"nextHopNodeId", 2}, {"key", "new.pem"}};
    const DifferingValues values = differing_values(before, after);
    EXPECT_EQ(values.before, Json::parse(R"({"url":"stcp://a:1"})"));
    EXPECT_EQ(values.now, Json::parse(R"({"url":"stcp://a:9"})"));
    EXPECT_TRUE(differing_values(before, before).now.is_null());
}

TEST(Differences, LinksArePairedByUrlAndByNeighbour) {
    const auto file = [](const Json &outducts) {
        return normal_form(Json{{"outductsConfig", outducts}}.dump());
    };
    const auto link = [](int node, int port) {
        return Json{{"url", "stcp://a:" + std::to_string(port)}, {"nextHopNodeId", node}};
    };
    const auto pairs = pair_links(file({link(2, 1), link(3, 2), link(4, 3)}),
                                  file({link(4, 3), link(2, 9)}), true);
    ASSERT_EQ(pairs.size(), 3U);
    EXPECT_EQ(pairs[0].before, 2U);
    EXPECT_EQ(pairs[0].after, 0U);
    EXPECT_EQ(pairs[0].text, "");
    EXPECT_EQ(pairs[1].before, 0U);
    EXPECT_EQ(pairs[1].text, R"(url: "stcp://a:1" before, "stcp://a:9" now)");
    EXPECT_EQ(pairs[2].before, 1U);
    EXPECT_FALSE(pairs[2].after);
}

TEST(Differences, TwoInductsMayHaveOneUrl) {
    const Json any{{"url", "stcp://127.0.0.1:0"}};
    const Json strict{{"url", "stcp://127.0.0.1:0"}, {"strict", true}};
    const auto file = [](const Json &inducts) {
        return normal_form(Json{{"inductsConfig", inducts}}.dump());
    };
    const auto pairs = pair_links(file({any, any}), file({any, strict}), false);
    ASSERT_EQ(pairs.size(), 2U);
    EXPECT_EQ(pairs[0].text, "");
    EXPECT_EQ(pairs[1].before, 1U);
    EXPECT_EQ(pairs[1].text, "strict: false before, true now");
}

}  // namespace
}  // namespace farlink::config::differences_test
