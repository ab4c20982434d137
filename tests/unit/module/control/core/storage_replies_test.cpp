// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/storage_replies.hpp"

#include <gtest/gtest.h>

#include "tests/support/custody_bundle.hpp"

namespace farlink::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kUsual = 100;
constexpr std::uint32_t kMost = 1000;

auto read(const char *text) {
    return store_request_of(Json::parse(text), kUsual, kMost);
}

TEST(StorageReplies, ARequestIsReadAsItIsMeant) {
    const auto asked = read(R"({"destination":"ipn:20.*","bundles":["18446744073709551615",3],
                                "after":"4294967297","limit":7,"force":true})");
    ASSERT_TRUE(asked);
    EXPECT_EQ(as_text(asked->destination), "ipn:20.*");
    EXPECT_EQ(asked->bundles, (std::vector<std::uint64_t>{~std::uint64_t{0}, 3}));
    EXPECT_EQ(asked->after, 4294967297U);
    EXPECT_EQ(asked->limit, 7U);
    EXPECT_TRUE(asked->force);
    EXPECT_EQ(read("{}")->limit, kUsual);
}

TEST(StorageReplies, WhatCannotBeMeantIsRefused) {
    for (const char *text :
         {R"({"destination":""})", R"({"destination":"*"})", R"({"destination":20})",
          R"({"destination":"ipn:*"})", R"({"bundles":[]})", R"({"bundles":"all"})",
          R"({"bundles":["0"]})", R"({"bundles":["-1"]})", R"({"bundles":["1 "]})",
          R"({"bundles":["18446744073709551616"]})", R"({"bundles":[1.5]})", R"({"after":"x"})",
          R"({"limit":0})", R"({"limit":1001})", R"({"limit":-1})", R"({"force":"yes"})"}) {
        const auto asked = read(text);
        ASSERT_FALSE(asked) << text;
        EXPECT_EQ(asked.error()["ok"], false);
    }
    Json many{{"bundles", Json::array()}};
    for (int i = 0; i < 1001; ++i) many["bundles"].push_back(i + 1);
    EXPECT_FALSE(store_request_of(many, kUsual, kMost));
}

TEST(StorageReplies, ABundleIsToldWithWhatItsHeadSays) {
    config::StorageConfig config;
    config.disks.push_back({"fast", "/fast", 0});
    bus::StoredBundle bundle;
    bundle.bundle = (std::uint64_t{1} << 53) + 1;
    bundle.bytes = 200;
    Json row = stored_json(bundle, config);
    EXPECT_EQ(row["bundle"], "9007199254740993");
    EXPECT_EQ(row["disk"], "fast");
    EXPECT_TRUE(row["destination"].is_null());
    EXPECT_TRUE(row["expires"].is_null());
    EXPECT_FALSE(row.contains("source"));

    test::CustodyBundle sent;
    sent.sequence = (std::uint64_t{1} << 53) + 1;
    bundle.head = sent.octets();
    bundle.disk = 9;
    row = stored_json(bundle, config);
    EXPECT_EQ(row["version"], 6);
    EXPECT_EQ(row["source"], "ipn:2.1");
    EXPECT_EQ(row["created"], "2025-05-08T06:13:21.000Z");
    EXPECT_EQ(row["sequence"], "9007199254740993");
    EXPECT_TRUE(row["disk"].is_null());
}

}  // namespace
}  // namespace farlink::app
