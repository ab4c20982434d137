// SPDX-License-Identifier: Apache-2.0
// What a node turns bundles into: forwarding, fragments, reassembly, reports, identity, custody.
#include <gtest/gtest.h>

#include "apps/shared/traffic/fragments/reassembler.hpp"
#include "common/bp/forwarding_editor.hpp"
#include "common/bp/fragment.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/status_reports.hpp"
#include "common/bp/v6/admin_record_codec.hpp"
#include "common/bp/v6/bundle.hpp"
#include "common/bp/v7/admin_record_codec.hpp"
#include "common/bp/v7/bundle.hpp"
#include "common/bp/v7/extension_data.hpp"
#include "tests/support/vectors.hpp"

namespace farlink::bp::bp_processing_test {
namespace {

using test::Json;

constexpr DtnTime kNow = 757000001623;

Result<BundleView, ParseError> parse_whole(ByteView octets) {
    return parse({&octets, 1});
}

/// The bundle as it leaves node `local`.
Bytes forward(ByteView bundle, const BundleView &view, const Eid &local, std::uint64_t elapsed) {
    const ForwardingEditor editor(local.view());
    const BundleHead head{bundle.first(view.head_end), view.primary_end, view.version};
    Bytes out(editor.bound(head));
    const auto size = editor.render(head, elapsed, out);
    EXPECT_TRUE(size);
    out.resize(size.value_or(0));
    append(out, bundle.subspan(view.head_end));
    return out;
}

void check_forward(const Json &item) {
    const Bytes input = test::hex_of(item["input_hex"]);
    const auto view = parse_whole(input);
    ASSERT_TRUE(view);
    const Eid local = *Eid::parse(item["local_node"].get<std::string>());
    const std::uint64_t elapsed = item["elapsed_ms_between_reception_and_transmission"];
    const Bytes output = forward(input, *view, local, elapsed);
    const auto sent = parse_whole(output);
    ASSERT_TRUE(sent) << to_string(sent.error());
    EXPECT_EQ(sent->identity(), view->identity());

    const Json &expected = item["expected"];
    const ByteView octets(output);
    EXPECT_EQ(test::to_hex(octets.subspan(1, sent->primary_end - 1)),
              expected["primary_block_hex"]);
    if (expected.contains("payload_block_hex")) {
        EXPECT_EQ(test::to_hex(octets.subspan(sent->head_end, octets.size() - sent->head_end - 1)),
                  expected["payload_block_hex"]);
    }
    if (expected.contains("hop_count")) {
        EXPECT_EQ(sent->hop_limit, expected["hop_count"]["limit"]);
        EXPECT_EQ(sent->hop_count, expected["hop_count"]["count"]);
    }
    if (expected.contains("bundle_age_ms_range")) {
        EXPECT_GE(sent->age_ms, expected["bundle_age_ms_range"][0]);
        EXPECT_LE(sent->age_ms, expected["bundle_age_ms_range"][1]);
    }
    if (const auto hops = expected.find("hop_count_block_if_number_and_crc_kept_hex");
        hops != expected.end()) {
        EXPECT_NE(test::to_hex(output).find(hops->get<std::string>()), std::string::npos);
    }
    const auto decoded = v7::decode(output);
    const auto &first = decoded->blocks.front();
    EXPECT_EQ(first.type, v7::kPreviousNodeBlock);
    EXPECT_EQ(test::to_hex(first.data), "8202820f00");
    EXPECT_EQ(
        std::ranges::count(decoded->blocks, v7::kPreviousNodeBlock, &v7::CanonicalBlock::type), 1);
}

void check_fragment(const Json &item) {
    const Bytes input = test::hex_of(item["input_hex"]);
    const Json &expected = item["expected_fragments_hex"];
    const auto parts = fragment(input, item["split_payload_at"].get<std::uint64_t>());
    ASSERT_EQ(parts.has_value(), !expected.empty());
    if (!parts) return;
    const Bytes first = test::hex_of(expected[0]);
    const Bytes second = test::hex_of(expected[1]);
    if (input[0] == 0x9f) {
        EXPECT_EQ(*v7::decode(parts->first), *v7::decode(first));
        EXPECT_EQ(*v7::decode(parts->second), *v7::decode(second));
    } else {
        EXPECT_EQ(*v6::decode(parts->first), *v6::decode(first));
        EXPECT_EQ(*v6::decode(parts->second), *v6::decode(second));
    }
}

void check_reassemble(const Json &item) {
    traffic::Reassembler reassembler({1 << 20, 16});
    std::optional<Bytes> whole;
    for (const Json &hex : item["fragments_hex"]) {
        const Bytes octets = test::hex_of(hex);
        const ByteView slice = octets;
        const auto view = parse_whole(octets);
        ASSERT_TRUE(view);
        const auto outcome = reassembler.handle_fragment(*view, {&slice, 1}, kNow);
        if (outcome == traffic::Reassembler::Outcome::kComplete)
            whole = reassembler.poll_data_unit();
    }
    ASSERT_EQ(whole.has_value(), item["complete"].get<bool>());
    if (whole) {
        EXPECT_EQ(test::to_hex(*whole), item["adu_hex"]);
    }
    EXPECT_EQ(reassembler.held_bytes() == 0, whole.has_value());
}

void check_status_report(const Json &item) {
    const std::map<std::string, ReportEvent> events{{"received", ReportEvent::kReceived},
                                                    {"forwarded", ReportEvent::kForwarded},
                                                    {"delivered", ReportEvent::kDelivered},
                                                    {"deleted", ReportEvent::kDeleted}};
    const Bytes input = test::hex_of(item["input_hex"]);
    const auto view = parse_whole(input);
    ASSERT_TRUE(view);
    const ReportEvent event = events.at(item["event"]);
    EXPECT_TRUE(wants_report(*view, event));
    const auto made =
        make_status_report(*view, event, ReportReason::kNone, kNow, 5, ipn_eid(20, 0));
    ASSERT_TRUE(made);
    const auto bundle = v7::decode(*made);
    ASSERT_TRUE(bundle);
    const Json &expected = item["expected"];
    EXPECT_EQ(bundle->destination.to_string(), expected["destination"]);
    EXPECT_TRUE((bundle->flags & v7::kIsAdminRecord) != 0);
    EXPECT_EQ(bundle->flags & v7::kReportFlags, expected["bundle_status_request_flags"]);
    const auto report = v7::decode_status_report(bundle->payload().data);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->source.to_string(), expected["subject_source"]);
    EXPECT_EQ(report->creation_time_ms, expected["subject_creation_time"]);
    EXPECT_EQ(report->sequence, expected["subject_sequence"]);
    EXPECT_EQ(report->reason, expected["reason"]);
    for (std::size_t i = 0; i < report->items.size(); ++i) {
        EXPECT_EQ(report->items[i].asserted, expected["status"][i]["asserted"]) << i;
        EXPECT_EQ(report->items[i].time_ms.has_value(), expected["status"][i]["has_time"]) << i;
    }
}

void check_identity(const Json &item, bool same) {
    const Bytes octets_a = test::hex_of(item["bundles_hex"][0]);
    const Bytes octets_b = test::hex_of(item["bundles_hex"][1]);
    const auto a = parse_whole(octets_a);
    const auto b = parse_whole(octets_b);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(a->identity() == b->identity(), same);
    EXPECT_EQ(a->destination, b->destination);
    EXPECT_EQ(a->source, b->source);
}

void check_custody(const Json &item) {
    const Bytes input = test::hex_of(item["input_hex"]);
    const auto view = parse_whole(input);
    ASSERT_TRUE(view);
    EXPECT_TRUE(view->custody_requested);
    const Json &expected = item["expected"]["custody_signal"];
    EXPECT_EQ(to_string(view->custodian), expected["destination"]);
    const v6::CustodySignal signal{
        true, 0, {kNow / 1000, 0}, {Eid(view->source), view->creation_time, view->sequence, {}}};
    const auto decoded = v6::decode_custody_signal(v6::encode(signal));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->succeeded, expected["succeeded"]);
    EXPECT_EQ(decoded->reason, expected["reason"]);
    EXPECT_EQ(decoded->subject.source.to_string(), expected["subject_source"]);
    EXPECT_EQ(decoded->subject.creation_time_s, expected["subject_creation_time"]);
    EXPECT_EQ(decoded->subject.sequence, expected["subject_sequence"]);

    auto bundle = v6::decode(input);
    bundle->set_custodian(Eid::parse(item["local_node"].get<std::string>())->view());
    const Bytes output = v6::encode(*bundle);
    const auto forwarded = parse_whole(output);
    ASSERT_TRUE(forwarded);
    EXPECT_EQ(to_string(forwarded->custodian), item["expected"]["forwarded_custodian"]);
    EXPECT_EQ(forwarded->identity(), view->identity());
}

void check_file(const std::string &name) {
    const Json vectors = test::load_vectors(name);
    ASSERT_FALSE(vectors["processing_cases"].empty());
    for (const Json &item : vectors["processing_cases"]) {
        SCOPED_TRACE(item["id"].get<std::string>());
        const std::string kind = item["kind"];
        if (kind == "forward")
            check_forward(item);
        else if (kind == "fragment")
            check_fragment(item);
        else if (kind == "reassemble")
            check_reassemble(item);
        else if (kind == "status_report")
            check_status_report(item);
        else if (kind == "identity")
            check_identity(item, item["same_bundle"]);
        else if (kind == "equivalent")
            check_identity(item, true);
        else if (kind == "custody")
            check_custody(item);
        else
            ADD_FAILURE() << "no check for cases of kind " << kind;
    }
}

TEST(ProcessingConformance, Bpv7) {
    check_file("bpv7_bundles.json");
}
TEST(ProcessingConformance, Bpv6) {
    check_file("bpv6_bundles.json");
}

}  // namespace
}  // namespace farlink::bp::bp_processing_test
