// SPDX-License-Identifier: Apache-2.0
#include "common/config/operations/history_fields.hpp"

#include <gtest/gtest.h>

#include "common/config/node/load_node_config.hpp"

namespace farlink::config::history_fields_test {
namespace {

Result<NodeConfig, ConfigErrors> node_with(const std::string &more) {
    return parse_node_config(
        R"({"myNodeId": 10, "inductsConfig": [{"url": "stcp://127.0.0.1:0"}])" + more + "}",
        "/etc/farlink");
}

TEST(HistoryFields, ItIsKeptBesideTheState) {
    const auto config = node_with("");
    ASSERT_TRUE(config) << config.error().to_string();
    EXPECT_TRUE(config->history.enabled);
    EXPECT_EQ(config->history.folder, "/etc/farlink/farlink-state-10/history");
    EXPECT_EQ(config->history.event_days, 30U);
    EXPECT_EQ(config->history.rate_days, 7U);
    EXPECT_EQ(config->history.max_bytes, 128ULL << 20);
    EXPECT_EQ(config->history.free_space_bytes, 256ULL << 20);
}

TEST(HistoryFields, EachSettingIsRead) {
    const auto config = node_with(R"(, "history": {"enabled": false, "folder": "past",
        "eventDays": 1, "rateDays": 2, "maxBytes": "5M", "freeSpaceBytes": 0})");
    ASSERT_TRUE(config) << config.error().to_string();
    EXPECT_FALSE(config->history.enabled);
    EXPECT_EQ(config->history.folder, "/etc/farlink/past");
    EXPECT_EQ(config->history.event_days, 1U);
    EXPECT_EQ(config->history.rate_days, 2U);
    EXPECT_EQ(config->history.max_bytes, 5'000'000U);
    EXPECT_EQ(config->history.free_space_bytes, 0U);
}

TEST(HistoryFields, AFolderOfTheStoreIsRefused) {
    for (const char *store : {R"("storeFilePath": "store")",
                              R"("storageDiskConfigVector": [{"storeFilePath": "store"}])"}) {
        const auto config = node_with(R"(, "storageConfig": {)" + std::string(store) +
                                      R"(}, "history": {"folder": "./store/"})");
        ASSERT_FALSE(config);
        EXPECT_NE(config.error().to_string().find("history.folder"), std::string::npos);
    }
}

TEST(HistoryFields, WrongNumbersAreRefused) {
    for (const char *wrong : {R"("eventDays": 0)", R"("rateDays": 367)", R"("maxBytes": 1000)"})
        EXPECT_FALSE(node_with(R"(, "history": {)" + std::string(wrong) + "}")) << wrong;
}

}  // namespace
}  // namespace farlink::config::history_fields_test
