// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceive/bundle_json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace farlink::bpreceive::bundle_json_test {
namespace {

TEST(BundleJson, Base64HasTheVectorsOfItsStandard) {
    EXPECT_EQ(base64(as_bytes("")), "");
    EXPECT_EQ(base64(as_bytes("f")), "Zg==");
    EXPECT_EQ(base64(as_bytes("fo")), "Zm8=");
    EXPECT_EQ(base64(as_bytes("foo")), "Zm9v");
    EXPECT_EQ(base64(as_bytes("foob")), "Zm9vYg==");
    EXPECT_EQ(base64(Bytes{0xff, 0xef, 0xbe}), "/+++");
}

TEST(BundleJson, ALineIsOneObject) {
    client::Adu adu;
    adu.source = "ipn:10.1";
    adu.destination = "ipn:10.42";
    adu.creation_ms = 7;
    adu.sequence = 3;
    adu.payload = {'h', 'i'};
    const std::string line = line_of(adu, "folder/name", true);
    EXPECT_EQ(line.back(), '\n');
    const auto json = nlohmann::json::parse(line);
    EXPECT_EQ(json["id"], "ipn:10.1/7/3");
    EXPECT_EQ(json["bytes"], 2);
    EXPECT_EQ(json["payload"], "aGk=");
    EXPECT_EQ(json["file"], "folder/name");
    EXPECT_FALSE(json.contains("reportTo"));
    adu.source = "\xff";
    EXPECT_FALSE(nlohmann::json::parse(line_of(adu, "", false)).contains("payload"));
}

}  // namespace
}  // namespace farlink::bpreceive::bundle_json_test
