// SPDX-License-Identifier: Apache-2.0
// tshark reads what farlink passes on: the valid bundles of the vectors, as they leave the node.
#include "tests/support/tshark.hpp"
#include "tests/support/build_folders.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "common/bp/forwarding_editor.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v6/bundle.hpp"
#include "common/bp/v6/custody.hpp"
#include "common/bp/v6/custody_signal_collector.hpp"
#include "tests/support/custody_bundle.hpp"

namespace farlink::tshark_test {
namespace {

using nlohmann::json;

constexpr std::uint16_t kBundlePort = 4556;  // RFC 7122 section 3.3
constexpr std::uint64_t kResidenceMs = 1500;
const bp::Eid kLocalNode{15, 0};

/// A vector and what left the node for it.
struct Passed {
    json vector;
    Bytes octets;
};

Bytes from_hex(const std::string &hex) {
    Bytes octets;
    for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
        octets.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(at, 2), nullptr, 16)));
    return octets;
}

/// The bundle as the next hop gets it; empty when the node deletes it instead (a block that it
/// does not know demands that, RFC 9171 section 4.2.4).
Bytes pass_on(const Bytes &bundle) {
    const ByteView slice(bundle);
    const auto view = bp::parse(std::span(&slice, 1));
    if (!view) {
        ADD_FAILURE() << "refused: " << bp::to_string(view.error());
        return {};
    }
    if (view->unknown.delete_bundle) return {};
    const bp::ForwardingEditor editor(kLocalNode.view());
    const bp::BundleHead head{slice.first(view->head_end), view->primary_end, view->version};
    Bytes out(editor.bound(head));
    const auto size = editor.render(head, kResidenceMs, out);
    if (!size) {
        ADD_FAILURE() << "not passed on: " << bp::to_string(size.error());
        return {};
    }
    out.resize(*size);
    append(out, slice.subspan(view->head_end));
    return out;
}

/// The valid bundles of a vector file that fit a datagram and that the node passes on.
std::vector<Passed> pass_on_vectors(const std::string &file) {
    std::ifstream stream(FARLINK_SOURCE_DIR "/tests/vectors/" + file);
    const json vectors = json::parse(stream);
    std::vector<Passed> passed;
    for (const json &vector : vectors.at("decode_cases")) {
        if (vector.at("verdict") != "valid" || !vector.contains("hex")) continue;
        SCOPED_TRACE(vector.at("id").get<std::string>());
        Bytes octets = pass_on(from_hex(vector.at("hex")));
        if (!octets.empty()) passed.push_back({vector, std::move(octets)});
    }
    return passed;
}

std::vector<Bytes> octets_of(const std::vector<Passed> &passed) {
    std::vector<Bytes> octets;
    for (const Passed &one : passed) octets.push_back(one.octets);
    return octets;
}

void expect_no_fault(const std::vector<std::string> &marks) {
    for (const std::string &mark : marks) EXPECT_TRUE(test::is_remark(mark)) << mark;
}

/// The value of `key` in the block that has it, raised by `more`; empty when no block has it.
std::vector<std::string> raised(const json &vector, const char *key, std::uint64_t more) {
    for (const json &block : vector.at("expect").at("blocks"))
        if (block.contains(key)) return {std::to_string(block.at(key).get<std::uint64_t>() + more)};
    return {};
}

TEST(Tshark, ReadsBpv7AsPassedOn) {
    enum Field { kMarks, kCrcs, kPrevious, kLimit, kCount, kAge, kDestination, kSource };
    constexpr std::array<std::string_view, 8> kFields{
        "_ws.expert.message",   "bpv7.crc_status",        "bpv7.previous_node.uri",
        "bpv7.hop_count.limit", "bpv7.hop_count.current", "bpv7.bundle_age.time",
        "bpv7.primary.dst_uri", "bpv7.primary.src_uri"};
    const auto passed = pass_on_vectors("bpv7_bundles.json");
    ASSERT_GT(passed.size(), 30U);
    const auto packets = test::dissect("tshark_bpv7", octets_of(passed), kBundlePort, kFields);
    ASSERT_TRUE(packets.has_value()) << "tshark did not run";
    ASSERT_EQ(packets->size(), passed.size());
    for (std::size_t i = 0; i < passed.size(); ++i) {
        const json &vector = passed[i].vector;
        const test::Dissection &read = packets->at(i);
        SCOPED_TRACE(vector.at("id").get<std::string>());
        ASSERT_EQ(read.size(), kFields.size());
        expect_no_fault(read[kMarks]);
        EXPECT_TRUE(std::ranges::all_of(read[kCrcs], [](const auto &crc) { return crc == "1"; }));
        EXPECT_EQ(read[kPrevious], std::vector<std::string>{"ipn:15.0"});
        EXPECT_EQ(read[kLimit], raised(vector, "hop_limit", 0));
        EXPECT_EQ(read[kCount], raised(vector, "hop_count", 1));
        // The age that RFC 9173 appendix A.3 signs is not ours to change.
        const bool is_signed = vector.at("id") == "rfc9173-A3";
        EXPECT_EQ(read[kAge], raised(vector, "age_ms", is_signed ? 0 : kResidenceMs));
        // It shows no URI for an ipn endpoint of three elements (RFC 9758).
        if (vector.at("id").get<std::string>().starts_with("v7-ipn3")) continue;
        const json &primary = vector.at("expect").at("primary");
        EXPECT_EQ(read[kDestination], std::vector<std::string>{primary.at("destination")});
        EXPECT_EQ(read[kSource], std::vector<std::string>{primary.at("source")});
    }
}

TEST(Tshark, ReadsBpv6AsPassedOn) {
    enum Field { kMarks, kVersion, kScheme, kPrevious, kLength };
    constexpr std::array<std::string_view, 5> kFields{
        "_ws.expert.message", "bundle.version", "bundle.block.previous_hop_scheme",
        "bundle.block.previous_hop_eid", "bundle.payload.length"};
    const auto passed = pass_on_vectors("bpv6_bundles.json");
    ASSERT_GT(passed.size(), 20U);
    const auto packets = test::dissect("tshark_bpv6", octets_of(passed), kBundlePort, kFields);
    ASSERT_TRUE(packets.has_value()) << "tshark did not run";
    ASSERT_EQ(packets->size(), passed.size());
    for (std::size_t i = 0; i < passed.size(); ++i) {
        const json &expected = passed[i].vector.at("expect");
        const test::Dissection &read = packets->at(i);
        SCOPED_TRACE(passed[i].vector.at("id").get<std::string>());
        ASSERT_EQ(read.size(), kFields.size());
        expect_no_fault(read[kMarks]);
        EXPECT_EQ(read[kVersion], std::vector<std::string>{"6"});
        EXPECT_EQ(read[kScheme], std::vector<std::string>{"ipn"});
        EXPECT_EQ(read[kPrevious], std::vector<std::string>{"15.0"});
        const auto length = expected.at("payload_length").get<std::uint64_t>();
        EXPECT_EQ(read[kLength], std::vector<std::string>{std::to_string(length)});
    }
}

Bytes signal_bundle(const Bytes &record) {
    test::CustodyBundle bundle;
    bundle.flags = bp::v6::kSingletonDestination | bp::v6::kIsAdminRecord;
    bundle.payload_bytes = 0;
    bp::v6::Bundle value = bp::v6::decode(bundle.octets()).value();
    value.blocks.back().data = record;
    return encode(value);
}

// Custody ids above 31 bits, and any but the first range, are beyond it.
TEST(Tshark, ReadsCustody) {
    enum Field { kMarks, kCustodian, kId, kCreator, kSucceeded, kReason, kFirst };
    constexpr std::array<std::string_view, 7> kFields{
        "_ws.expert.message",           "bundle.primary.custodian",
        "bundle.block.cteb_custody_id", "bundle.block.cteb_creator_custodian_eid",
        "bundle.custody_trf_succ_flg",  "bundle.custody_signal_reason_code",
        "bundle.custody_id_range_start"};
    test::CustodyBundle bundle;
    bundle.custody_id = 5;
    const Bytes octets = bundle.octets();
    const auto view = bp::parse(std::array{ByteView(octets)}).value();
    const ByteView head = ByteView(octets).first(view.head_end);
    Bytes taken(bp::v6::custody_head_bound(head.size(), kLocalNode.view()));
    taken.resize(bp::v6::write_custody_head(head, kLocalNode.view(), 77, taken));
    append(taken, ByteView(octets).subspan(head.size()));

    bp::v6::CustodySignalCollector signals(kLocalNode, {});
    signals.add(view, head, {false, bp::v6::CustodyReason::kDepletedStorage}, 0, TimePoint{});
    signals.expedite();
    const Bytes many = signal_bundle(signals.poll(TimePoint{})->record);
    const Bytes one = signal_bundle(encode(bundle.signal(true)));

    const auto packets =
        test::dissect("tshark_custody", std::array{taken, many, one}, kBundlePort, kFields);
    ASSERT_TRUE(packets.has_value()) << "tshark did not run";
    ASSERT_EQ(packets->size(), 3U);
    using Values = std::vector<std::string>;
    const test::Dissection &stored = packets->at(0);
    expect_no_fault(stored[kMarks]);
    EXPECT_EQ(stored[kId], Values{"77"});
    EXPECT_EQ(stored[kCreator], Values{"ipn:15.0"});
    const test::Dissection &aggregate = packets->at(1);
    expect_no_fault(aggregate[kMarks]);
    EXPECT_EQ(aggregate[kSucceeded], Values{"0"});
    EXPECT_EQ(aggregate[kReason], Values{"4"});
    EXPECT_EQ(aggregate[kFirst], Values{"5"});
    const test::Dissection &single = packets->at(2);
    expect_no_fault(single[kMarks]);
    EXPECT_EQ(single[kSucceeded], Values{"1"});
}

TEST(Tshark, ReadsTheExtendedClassOfService) {
    enum Field { kMarks, kCritical, kStreaming, kHasLabel, kReliable, kLabel, kOrdinal };
    constexpr std::array<std::string_view, 7> kFields{"_ws.expert.message",
                                                      "bundle.block.ecos.flags.critical",
                                                      "bundle.block.ecos.flags.streaming",
                                                      "bundle.block.ecos.flags.flowlabel",
                                                      "bundle.block.ecos.flags.reliable",
                                                      "bundle.block.ecos.flow_label",
                                                      "bundle.block.ecos.ordinal"};
    test::CustodyBundle critical;
    critical.critical = true;
    bp::v6::Bundle labelled = bp::v6::decode(critical.octets()).value();
    labelled.blocks.front().data = encode(bp::v6::ExtendedClass{
        .streaming = true, .reliable = true, .ordinal = 254, .flow_label = 300});
    const auto packets = test::dissect(
        "tshark_ecos", std::array{pass_on(critical.octets()), pass_on(encode(labelled))},
        kBundlePort, kFields);
    ASSERT_TRUE(packets.has_value()) << "tshark did not run";
    ASSERT_EQ(packets->size(), 2U);
    using Values = std::vector<std::string>;
    const test::Dissection &first = packets->at(0);
    expect_no_fault(first[kMarks]);
    EXPECT_EQ(first[kCritical], Values{"1"});
    EXPECT_EQ(first[kHasLabel], Values{"0"});
    EXPECT_EQ(first[kOrdinal], Values{"0"});
    const test::Dissection &second = packets->at(1);
    expect_no_fault(second[kMarks]);
    EXPECT_EQ(second[kCritical], Values{"0"});
    EXPECT_EQ(second[kStreaming], Values{"1"});
    EXPECT_EQ(second[kReliable], Values{"1"});
    EXPECT_EQ(second[kLabel], Values{"300"});
    EXPECT_EQ(second[kOrdinal], Values{"254"});
}

// Without this, a judge that says nothing would look like one that agrees.
TEST(Tshark, SeesAWrongCrc) {
    constexpr std::array<std::string_view, 1> kFields{"bpv7.crc_status"};
    std::vector<Bytes> bundle;
    for (const Passed &one : pass_on_vectors("bpv7_bundles.json"))
        if (one.vector.at("id") == "v7-basic-003") bundle = {one.octets};  // CRC-32C on each block
    ASSERT_EQ(bundle.size(), 1U);
    const auto whole = test::dissect("tshark_crc", bundle, kBundlePort, kFields);
    ASSERT_TRUE(whole.has_value()) << "tshark did not run";
    bundle.front()[bundle.front().size() - 2] ^= 1;
    const auto broken = test::dissect("tshark_crc", bundle, kBundlePort, kFields);
    ASSERT_TRUE(broken.has_value());
    EXPECT_EQ(whole->at(0).at(0).back(), "1");
    EXPECT_EQ(broken->at(0).at(0).back(), "0");  // the payload block's
}

}  // namespace
}  // namespace farlink::tshark_test
