// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/decoded_bundle.hpp"

#include <gtest/gtest.h>

#include "tests/support/custody_bundle.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::control::decoded_bundle_test {
namespace {

using Json = nlohmann::ordered_json;

TEST(DecodedBundle, EveryBlockOfABpv7BundleIsTold) {
    test::TestBundle bundle;
    bundle.hop_limit = 30;
    bundle.hops = 2;
    bundle.age_ms = 258;
    bundle.previous_node = 7;
    bundle.unknown_block_bytes = 5;
    bundle.unknown_block_flags = bp::v7::kReplicateBlock | bp::v7::kDiscardBlockIfUnprocessable;
    bundle.flags = bp::v7::kReportDeletionFlag;
    const Bytes octets = bundle.octets();
    const Json decoded = decoded_json(octets);
    EXPECT_EQ(decoded["version"], 7);
    EXPECT_EQ(decoded["flags"], Json::array({"reportDeletion"}));
    EXPECT_EQ(decoded["destination"], "ipn:2.1");
    EXPECT_EQ(decoded["reportTo"], "ipn:1.0");
    EXPECT_EQ(decoded["created"], "2025-05-08T06:13:20.000Z");
    EXPECT_EQ(decoded["lifetimeMilliseconds"], 3'600'000);
    EXPECT_EQ(decoded["blocksComplete"], true);
    const Json &blocks = decoded["blocks"];
    ASSERT_EQ(blocks.size(), 5U) << decoded;
    EXPECT_EQ(blocks[0]["name"], "hopCount");
    EXPECT_EQ(blocks[0]["hopLimit"], 30);
    EXPECT_EQ(blocks[0]["hopCount"], 2);
    EXPECT_EQ(blocks[0]["offset"], decoded["primaryBytes"]);
    EXPECT_EQ(blocks[1]["ageMilliseconds"], 258);
    EXPECT_EQ(blocks[2]["node"], "ipn:7.0");
    EXPECT_EQ(blocks[2]["crc"], "crc32c");
    EXPECT_EQ(blocks[3]["type"], 200);
    EXPECT_FALSE(blocks[3].contains("name"));
    EXPECT_EQ(blocks[3]["flags"], Json::array({"replicate", "discardIfUnprocessable"}));
    EXPECT_EQ(blocks[3]["bytes"], 5);
    EXPECT_EQ(blocks[4]["name"], "payload");
    EXPECT_EQ(blocks[4]["number"], 1);
    EXPECT_EQ(blocks[4]["bytes"], 20);
}

TEST(DecodedBundle, ABpv6BundleIsToldToo) {
    test::CustodyBundle bundle;
    bundle.custody_id = 3;
    const Json decoded = decoded_json(bundle.octets());
    EXPECT_EQ(decoded["version"], 6);
    EXPECT_EQ(decoded["custodian"], "ipn:2.0");
    EXPECT_EQ(decoded["flags"], Json::array({"custodyRequested", "singletonDestination"}));
    EXPECT_EQ(decoded["lifetimeMilliseconds"], 3'600'000);
    EXPECT_EQ(decoded["blocksComplete"], true);
    ASSERT_EQ(decoded["blocks"].size(), 2U) << decoded;
    EXPECT_FALSE(decoded["blocks"][0].contains("number"));
    const auto is_payload = [](const Json &block) { return block["name"] == "payload"; };
    const auto payload = std::ranges::find_if(decoded["blocks"], is_payload);
    ASSERT_NE(payload, decoded["blocks"].end());
    EXPECT_EQ((*payload)["bytes"], 100);
}

TEST(DecodedBundle, ABeginningIsEnoughForWhatStandsInIt) {
    test::TestBundle bundle;
    bundle.payload_bytes = 100'000;
    bundle.unknown_block_bytes = 50;
    const Bytes octets = bundle.octets();
    const Json whole = decoded_json(octets);
    EXPECT_EQ(decoded_json(ByteView(octets).first(500)), whole) << "the payload is not looked at";
    for (std::size_t size = 0; size < 200; ++size) {
        const Json part = decoded_json(ByteView(octets).first(size));
        if (part.contains("decodeError")) continue;
        const std::size_t published = part["blocks"].size();
        EXPECT_LE(published, 2U);
        EXPECT_EQ(part["blocksComplete"], published == 2) << size;
    }
    EXPECT_EQ(decoded_json({})["decodeError"], "empty");
}

}  // namespace
}  // namespace farlink::control::decoded_bundle_test
