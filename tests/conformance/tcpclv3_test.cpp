// SPDX-License-Identifier: Apache-2.0
// TCPCLv3 against the vectors: each message both ways, and the dialogues.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <optional>

#include "cla/tcpcl/v3/core/session.hpp"
#include "tests/support/core_dialogue.hpp"
#include "tests/support/vectors.hpp"

namespace farlink::cla::tcpclv3::tcpclv3_test {
namespace {

using test::hex_of;
using test::Json;
using test::to_hex;

const Json &vectors() {
    static const Json loaded = test::load_vectors("tcpcl3.json");
    return loaded;
}

/// Reads `octets` as the message that the vector says they are; returns what farlink writes for it.
using Again = std::function<Bytes(const Json &fields, ByteView octets)>;

Bytes contact_again(const Json &fields, ByteView octets) {
    EXPECT_EQ(fields.at("version"), kProtocolVersion);
    ContactReader reader;
    auto status = ContactReader::Status::kIncomplete;
    for (ByteView rest = octets; !rest.empty();) {
        const MutableBytes space = reader.space();
        const std::size_t size = std::min(space.size(), rest.size());
        std::ranges::copy(rest.first(size), space.begin());
        rest = rest.subspan(size);
        status = reader.handle_bytes(size);
    }
    EXPECT_EQ(status, ContactReader::Status::kComplete);
    EXPECT_EQ(reader.header().flags, fields.at("flags").get<unsigned>());
    EXPECT_EQ(reader.header().keep_alive_s, fields.at("keepalive").get<unsigned>());
    EXPECT_EQ(reader.header().node_id, fields.at("eid").get<std::string>());
    return encode_contact(reader.header());
}

/// A message that begins with a number.
Bytes numbered_again(MessageType type, std::uint8_t flags, const Json &fields, ByteView octets) {
    const auto head = decode_head(octets);
    EXPECT_TRUE(head.has_value());
    if (!head) return {};
    EXPECT_EQ(head->type, type);
    EXPECT_EQ(head->flags, flags);
    EXPECT_EQ(head->number, fields.at("length").get<std::uint64_t>());
    Bytes again(kMaxHeadBytes);
    again.resize(encode_head(type, flags, head->number, again.data()));
    if (type == MessageType::kDataSegment) {
        EXPECT_EQ(octets.size() - head->size, head->number);
        append(again, octets.subspan(head->size));
    }
    return again;
}

Bytes segment_again(const Json &fields, ByteView octets) {
    std::uint8_t flags = 0;
    if (fields.at("start").get<bool>()) flags |= kStartFlag;
    if (fields.at("end").get<bool>()) flags |= kEndFlag;
    return numbered_again(MessageType::kDataSegment, flags, fields, octets);
}

Bytes refusal_again(const Json &fields, ByteView octets) {
    const auto head = decode_head(octets);
    EXPECT_EQ(head->type, MessageType::kRefuseBundle);
    EXPECT_EQ(head->flags, fields.at("reason").get<unsigned>());
    return {one_octet(MessageType::kRefuseBundle, head->flags)};
}

Bytes keep_alive_again(const Json &, ByteView octets) {
    EXPECT_EQ(decode_head(octets)->type, MessageType::kKeepAlive);
    return {one_octet(MessageType::kKeepAlive)};
}

template <class Number>
std::optional<Number> optional(const Json &value) {
    return value.is_null() ? std::nullopt : std::optional<Number>(value.get<Number>());
}

Bytes shutdown_again(const Json &fields, ByteView octets) {
    EXPECT_EQ(decode_head(octets)->type, MessageType::kShutdown);
    const auto message = decode_shutdown(octets);
    EXPECT_TRUE(message.has_value());
    if (!message) return {};
    EXPECT_EQ(message->reason, optional<std::uint8_t>(fields.at("reason")));
    EXPECT_EQ(message->reconnection_delay_s, optional<std::uint64_t>(fields.at("delay")));
    Bytes again(kMaxShutdownBytes);
    again.resize(encode_shutdown(*message, again.data()));
    return again;
}

TEST(Tcpclv3Conformance, EveryMessageIsReadAndWritten) {
    const auto numbered = [](MessageType type) {
        return [type](const Json &fields, ByteView octets) {
            return numbered_again(type, 0, fields, octets);
        };
    };
    const std::map<std::string, Again> known{
        {"contact_header", contact_again},
        {"DATA_SEGMENT", segment_again},
        {"ACK_SEGMENT", numbered(MessageType::kAckSegment)},
        {"REFUSE_BUNDLE", refusal_again},
        {"KEEPALIVE", keep_alive_again},
        {"SHUTDOWN", shutdown_again},
        {"LENGTH", numbered(MessageType::kLength)},
    };
    ASSERT_FALSE(vectors().at("messages").empty());
    for (const Json &example : vectors().at("messages")) {
        SCOPED_TRACE(example.at("id").get<std::string>());
        const auto again = known.find(example.at("message").get<std::string>());
        ASSERT_NE(again, known.end()) << "an unknown kind of message";
        const Bytes octets = hex_of(example.at("hex"));
        ASSERT_EQ(octets.size(), example.at("length").get<std::size_t>());
        EXPECT_EQ(to_hex(again->second(example.at("fields"), octets)), to_hex(octets));
    }
}

SessionConfig config_of(SessionRole role) {
    SessionConfig config;
    config.role = role;
    config.node_id = "ipn:10.0";
    config.keep_alive = seconds(15);
    config.transfer_mru = config.max_unsent = config.max_unacknowledged = 1048576;
    config.max_segment = 65536;
    config.max_transfers = 100;
    config.handshake_limit = config.termination_limit = seconds(10);
    return config;
}

/// With one session of this version.
struct Dialogue : test::CoreDialogue {
    explicit Dialogue(SessionRole role)
        : CoreDialogue(std::make_unique<Session>(config_of(role), UpstreamId{1})) {}
    void expect_delivered(const char *bundle) {
        ASSERT_FALSE(host.received.empty());
        EXPECT_EQ(to_hex(host.received.back()), vectors().at("bundles").at(bundle));
    }
};

using Check = std::function<void(Dialogue &)>;

/// Magic, version, flags (acknowledgements, refusal, LENGTH), keepalive, "ipn:10.0".
constexpr const char *kOwnContact = "64746e21030d000f0869706e3a31302e30";

Check says(const std::string &hex) {
    return [hex](Dialogue &dialogue) {
        dialogue.expect_said(hex);
        EXPECT_FALSE(dialogue.host.ended);
    };
}

Check says_of_bundle(const std::string &hex, const char *bundle) {
    return [hex, bundle](Dialogue &dialogue) {
        says(hex)(dialogue);
        dialogue.expect_delivered(bundle);
    };
}

void answers_shutdown_and_ends(Dialogue &dialogue) {
    dialogue.expect_said("50");
    EXPECT_TRUE(dialogue.host.ended);
    EXPECT_EQ(dialogue.host.fault, LinkFault::kPeerTerminated);
}

void ends_without_a_word(Dialogue &dialogue) {
    dialogue.expect_said(kOwnContact);
    EXPECT_TRUE(dialogue.host.ended);
    EXPECT_EQ(dialogue.host.fault, LinkFault::kNotTcpcl);
}

/// What the vectors ask for in words. A step that is not here fails.
const std::map<std::string, Check> &checks() {
    static const std::map<std::string, Check> known{
        {"contact header: 64746e2103, flags, keepalive, own EID (each side sends immediately, no "
         "waiting)",
         says(kOwnContact)},
        {"contact header", says(kOwnContact)},
        {"ACK_SEGMENT 2026 iff both contact headers have flag 0x01; bundle handed to the BPA",
         says_of_bundle("2026", "B6")},
        {"close (SHUTDOWN 50.. optional)", answers_shutdown_and_ends},
        {"208310", says("208310")},
        {"208620", says("208620")},
        {"208804", says_of_bundle("208804", "B6b")},
        {"no ACK_SEGMENT; bundle delivered", says_of_bundle("", "B6")},
        {"terminate the connection", ends_without_a_word},
    };
    return known;
}

TEST(Tcpclv3Conformance, DialoguesGoAsTheyMust) {
    ASSERT_FALSE(vectors().at("dialogues").empty());
    for (const Json &example : vectors().at("dialogues")) {
        SCOPED_TRACE(example.at("id").get<std::string>());
        const auto role =
            example.at("product_role") == "active" ? SessionRole::kActive : SessionRole::kPassive;
        Dialogue dialogue(role);
        for (const Json &step : example.at("steps")) {
            SCOPED_TRACE(step.dump());
            ASSERT_EQ(step.size(), 1U);
            if (step.contains("tester_sends")) {
                dialogue.send(hex_of(step.at("tester_sends")));
                continue;
            }
            ASSERT_TRUE(step.contains("product_must")) << "an unknown kind of step";
            const auto check = checks().find(step.at("product_must").get<std::string>());
            ASSERT_NE(check, checks().end()) << "an unknown demand";
            check->second(dialogue);
        }
    }
}

TEST(Tcpclv3Conformance, ThereIsNothingElseInTheVectors) {
    for (const auto &[name, value] : vectors().items())
        EXPECT_TRUE(name == "about" || name == "bundles" || name == "messages" ||
                    name == "dialogues" || (name == "captures" && value.empty()))
            << name;
}

}  // namespace
}  // namespace farlink::cla::tcpclv3::tcpclv3_test
