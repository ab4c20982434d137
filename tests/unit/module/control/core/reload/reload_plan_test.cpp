// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/reload/reload_plan.hpp"

#include <gtest/gtest.h>

namespace farlink::control::reload_plan_test {
namespace {

using config::Applied;
using Json = nlohmann::ordered_json;

ComparedFile file(const Json &more) {
    Json whole{{"myNodeId", 10}, {"inductsConfig", Json::array({{{"url", "stcp://a:1"}}})}};
    whole.update(more);
    return {whole, config::normal_form(whole.dump())};
}

TEST(ReloadPlan, EachKindOfSettingIsAppliedInItsWay) {
    const struct {
        const char *after;
        Applied applied;
        const char *path;
    } kinds[] = {
        {R"({"logLevel":"debug"})", Applied::kLogLevel, "logLevel"},
        {R"({"contactPlanFile":"plan.json"})", Applied::kContactPlan, "contactPlanFile"},
        {R"({"routing":{"defaultGateway":20}})", Applied::kRouting, "routing.defaultGateway"},
        {R"({"maxPauseMilliseconds":1})", Applied::kLimits, "maxPauseMilliseconds"},
        {R"({"storageConfig":{"whenFull":"makeRoom"}})", Applied::kLimits,
         "storageConfig.whenFull"},
        {R"({"api":{"tokensFile":"t"}})", Applied::kApi, "api.tokensFile"},
        {R"({"$schema":"farlink.schema.json"})", Applied::kNothing, "$schema"},
    };
    for (const auto &kind : kinds) {
        const SettingsPlan plan =
            find_setting_changes(file(Json::object()), file(Json::parse(kind.after)));
        ASSERT_EQ(plan.changes.size(), 1U) << kind.path;
        EXPECT_EQ(plan.changes[0].path, kind.path);
        EXPECT_TRUE(plan.has(kind.applied)) << kind.path;
        EXPECT_TRUE(plan.needs_restart.empty()) << kind.path;
    }
}

TEST(ReloadPlan, WhatNeedsARestartStaysInAPartialReload) {
    const ComparedFile before =
        file({{"bufferBytes", "64M"}, {"storageConfig", {{"segmentBytes", "1M"}}}});
    const ComparedFile after = file({{"bufferBytes", "32M"},
                                     {"threads", {{"instances", 2}}},
                                     {"storageConfig", {{"whenFull", "makeRoom"}}},
                                     {"logLevel", "warn"}});
    const SettingsPlan plan = find_setting_changes(before, after);
    EXPECT_EQ(plan.needs_restart.size(), 3U);
    const std::string merged = without_restart(before, after, plan.needs_restart);
    const ComparedFile applied{Json::parse(merged), config::normal_form(merged)};
    const SettingsPlan now = find_setting_changes(before, applied);
    EXPECT_TRUE(now.needs_restart.empty());
    EXPECT_EQ(now.changes.size(), 2U);
    EXPECT_EQ(applied.document["storageConfig"],
              (Json{{"whenFull", "makeRoom"}, {"segmentBytes", "1M"}}));
    EXPECT_EQ(find_setting_changes(applied, after).needs_restart.size(), 3U);
}

TEST(ReloadPlan, AFileIsCheckedAsAtTheStart) {
    const auto good = check_file(R"({"myNodeId":10,"inductsConfig":[{"url":"stcp://a:1"}]})", "/x");
    ASSERT_TRUE(good);
    EXPECT_EQ(good->config.node, NodeNumber{10});
    const auto bad = check_file(R"({"myNodeId":10,"inductsConfig":[{"url":"stcp//a:1"}]})", "/x");
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().errors[0].path, "inductsConfig[0].url");
    EXPECT_FALSE(check_file("{", "/x"));
    EXPECT_FALSE(check_file("", "/x"));
}

TEST(ReloadPlan, ContactsThatAPlanLacks) {
    config::PlanContact one;
    one.id = 1;
    one.end = 9;
    config::PlanContact longer = one;
    longer.end = 10;
    config::PlanContact two;
    two.id = 2;
    EXPECT_EQ(contacts_missing_in({one, two}, {longer, two}), (std::vector{one}));
    EXPECT_TRUE(contacts_missing_in({}, {one}).empty());
}

TEST(ReloadPlan, ALineOfAReviewIsAnErrorWithItsPath) {
    const config::ConfigError error = error_in_line("api.tokensFile: t.json: no such file");
    EXPECT_EQ(error.path, "api.tokensFile");
    EXPECT_EQ(error.problem, "t.json: no such file");
}

}  // namespace
}  // namespace farlink::control::reload_plan_test
