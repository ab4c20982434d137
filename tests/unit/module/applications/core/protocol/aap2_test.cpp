// SPDX-License-Identifier: Apache-2.0
// The octets are those of the protocol's own encoder, the protobuf package of Python.
#include "module/applications/core/protocol/aap2.hpp"

#include <gtest/gtest.h>

#include "tests/support/hex.hpp"

namespace farlink::applications::aap2_test {
namespace {

using test::from_hex;

TEST(Aap2, ReadsAConfiguration) {
    // config {is_subscriber: true, secret: "s3", endpoint_id: "ipn:10.42", keepalive_seconds: 5}
    const Bytes octets = from_hex(
        "121308011a0273332209"
        "69706e3a31302e3432"
        "2805");
    const auto message = decode_message(octets);
    ASSERT_TRUE(message);
    const auto &config = std::get<ConnectionConfig>(*message);
    EXPECT_TRUE(config.subscribes);
    EXPECT_EQ(config.secret, "s3");
    EXPECT_EQ(config.endpoint, "ipn:10.42");
    EXPECT_EQ(config.keep_alive_seconds, 5U);
    EXPECT_EQ(config.auth_type, 0U);
}

TEST(Aap2, ReadsAnAdu) {
    // adu {dst_eid: "ipn:1.2", payload_length: 3, adu_flags: [NORMAL, STATUS_REPORT]}
    const Bytes octets = from_hex(
        "1a0f1207"
        "69706e3a312e32"
        "2803"
        "32020003");
    const auto message = decode_message(octets);
    ASSERT_TRUE(message);
    const auto &adu = std::get<BundleAdu>(*message);
    EXPECT_EQ(adu.destination, "ipn:1.2");
    EXPECT_EQ(adu.payload_bytes, 3U);
    EXPECT_EQ(adu.flags, kAduIsStatusReport);
}

TEST(Aap2, ReadsWhatASenderAsksFor) {
    // adu {1000: 9, 1001: 2, 1002: 24, 1003: 1, 1004: 5, 1005: 6}
    const auto message = decode_message(from_hex("1a12c03e09c83e02d03e18d83e01e03e05e83e06"));
    ASSERT_TRUE(message);
    const SendOptions &options = std::get<BundleAdu>(*message).options;
    EXPECT_EQ(options.lifetime_ms, 9U);
    EXPECT_EQ(options.priority, Priority::kExpedited);
    EXPECT_EQ(options.reports, 24);
    EXPECT_EQ(options.crc_type, 1U);
    EXPECT_EQ(options.hop_limit, 5U);
    EXPECT_EQ(options.version, 6U);
}

TEST(Aap2, AnAduComesBackAsItWasWritten) {
    Bytes octets;
    const Reception reception{.previous_node = 7, .repeated = true, .identity = 99};
    Aap2Writer().adu(octets, {"ipn:1.1", "dtn://n/a", "ipn:1.0", 12, 13, 14, kAduIsBpdu, {}},
                     &reception);
    ASSERT_EQ(octets[0], octets.size() - 1);
    const auto message = decode_message(ByteView(octets).subspan(1));
    ASSERT_TRUE(message);
    const auto &adu = std::get<BundleAdu>(*message);
    EXPECT_EQ(adu.source, "ipn:1.1");
    EXPECT_EQ(adu.destination, "dtn://n/a");
    EXPECT_EQ(adu.report_to, "ipn:1.0");
    EXPECT_EQ(adu.creation_ms, 12U);
    EXPECT_EQ(adu.sequence, 13U);
    EXPECT_EQ(adu.payload_bytes, 14U);
    EXPECT_EQ(adu.flags, kAduIsBpdu);
}

TEST(Aap2, AResponseHasACountWhereItAnswersSeveral) {
    Bytes octets;
    Aap2Writer writer;
    writer.response(octets, {ResponseStatus::kSuccess, 1, {}});
    EXPECT_EQ(octets, from_hex("020801"));
    octets.clear();
    writer.response(octets, {ResponseStatus::kUnauthorized, 3, "no"});
    const auto response = decode_response(ByteView(octets).subspan(1));
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, ResponseStatus::kUnauthorized);
    EXPECT_EQ(response->count, 3U);
    EXPECT_EQ(response->reason, "no");
}

TEST(Aap2, GreetsWithTheNodeId) {
    Bytes octets;
    Aap2Writer().welcome(octets, "ipn:10.0");
    EXPECT_EQ(octets, from_hex("0c0a0a0a08"
                               "69706e3a31302e30"));
    octets.clear();
    Aap2Writer().keep_alive(octets);
    EXPECT_EQ(octets, from_hex("023200"));
}

TEST(Aap2, RefusesWhatIsNotWellFormed) {
    EXPECT_FALSE(decode_message({}));
    EXPECT_FALSE(decode_message(from_hex("0801"))) << "a number in place of a message";
    EXPECT_FALSE(decode_message(from_hex("1205"))) << "cut";
    EXPECT_FALSE(decode_message(from_hex("12021a05"))) << "cut within";
    EXPECT_FALSE(decode_message(from_hex("1a023005"))) << "no such flag";
    EXPECT_FALSE(decode_message(from_hex("1a021001"))) << "a number in place of a text";
    EXPECT_FALSE(decode_response(from_hex("0a00")));
    EXPECT_TRUE(std::holds_alternative<OtherMessage>(*decode_message(from_hex("2200"))));
}

}  // namespace
}  // namespace farlink::applications::aap2_test
