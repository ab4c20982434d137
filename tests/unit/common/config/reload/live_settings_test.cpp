// SPDX-License-Identifier: Apache-2.0
#include "common/config/reload/live_settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "common/config/fields/field_table.hpp"
#include "common/config/node/node_fields.hpp"

namespace farlink::config::live_settings_test {
namespace {

Applied changed(std::string_view path) {
    return applied_of(path, ChangeKind::kChanged);
}

/// Whether the tables have a setting with this path, as `quotas[].capacityBytes`.
bool exists(const SectionInfo &section, std::string_view path) {
    const std::size_t dot = path.find('.');
    const std::string_view first = path.substr(0, dot);
    const std::string_view key = first.substr(0, first.find('['));
    const auto field = std::ranges::find(section.fields, key, &FieldInfo::key);
    if (field == section.fields.end()) return false;
    if (dot == std::string_view::npos) return true;
    return field->section != nullptr && exists(*field->section, path.substr(dot + 1));
}

TEST(LiveSettings, TheLongestPathCounts) {
    EXPECT_EQ(changed("routing.defaultGateway"), Applied::kRouting);
    EXPECT_EQ(changed("routing.nodeEndpoints[2].nodeId"), Applied::kRestart);
    EXPECT_EQ(changed("storageConfig.quotas[3].capacityBytes"), Applied::kLimits);
    EXPECT_EQ(changed("storageConfig.quotas[3].source"), Applied::kRestart);
    EXPECT_EQ(changed("storageConfig.quotas"), Applied::kRestart);
    EXPECT_EQ(changed("outductsConfig[17].tls"), Applied::kLinks);
}

TEST(LiveSettings, WhatTheTableDoesNotNameNeedsARestart) {
    for (const char *path :
         {"myNodeId", "bufferBytes", "bus.ingress", "threads.instances", "api.listen",
          "storageConfig.storeFilePath", "stateFolder", "routingX", "unknown"})
        EXPECT_EQ(changed(path), Applied::kRestart) << path;
}

TEST(LiveSettings, SomeMayNotComeOrGo) {
    EXPECT_EQ(applied_of("api.tls.certificate", ChangeKind::kAdded), Applied::kRestart);
    EXPECT_EQ(changed("api.tls.certificate"), Applied::kApi);
    EXPECT_EQ(applied_of("contactPlanFile", ChangeKind::kRemoved), Applied::kRestart);
    EXPECT_EQ(applied_of("contactPlanFile", ChangeKind::kAdded), Applied::kContactPlan);
    EXPECT_EQ(applied_of("api.tokensFile", ChangeKind::kRemoved), Applied::kApi);
}

TEST(LiveSettings, EachIsASettingOfTheFile) {
    for (const LiveSetting &setting : live_settings()) {
        EXPECT_TRUE(exists(node_table().info(), setting.path)) << setting.path;
        EXPECT_EQ(setting.effect.empty(), setting.applied == Applied::kRestart) << setting.path;
    }
}

}  // namespace
}  // namespace farlink::config::live_settings_test
