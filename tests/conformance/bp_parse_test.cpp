// SPDX-License-Identifier: Apache-2.0
// bp::parse() against the bundles of both vector files: verdicts, fields, cuts and slices.
#include <gtest/gtest.h>

#include "common/bp/parse.hpp"
#include "tests/support/slicing.hpp"
#include "tests/support/vectors.hpp"

namespace farlink::bp::bp_parse_test {
namespace {

using test::Json;

Result<BundleView, ParseError> parse_whole(ByteView octets) {
    return parse({&octets, 1});
}

Bytes bundle_of(const Json &item) {
    if (item.contains("hex")) return test::hex_of(item["hex"]);
    const Json &recipe = item["recipe"];
    Bytes bundle = test::hex_of(recipe["prefix_hex"]);
    append(bundle, test::recipe(recipe["payload_length"].get<std::size_t>(), 7, 3));
    append(bundle, test::hex_of(recipe["suffix_hex"]));
    return bundle;
}

/// The vectors write an allocator of 0 where it was encoded; it names the same endpoint.
std::string uri(const Json &value) {
    const auto eid = Eid::parse(value.get<std::string>());
    EXPECT_TRUE(eid) << value;
    return eid ? eid->to_string() : "";
}

void expect_primary(const BundleView &view, const Json &primary) {
    EXPECT_EQ(view.version, primary["version"]);
    EXPECT_EQ(view.flags, primary["flags"]);
    EXPECT_EQ(to_string(view.destination), uri(primary["destination"]));
    EXPECT_EQ(to_string(view.source), uri(primary["source"]));
    EXPECT_EQ(to_string(view.report_to), uri(primary["report_to"]));
    EXPECT_EQ(view.creation_time, primary["creation_time"]);
    EXPECT_EQ(view.sequence, primary["sequence"]);
    if (view.version == 7) {
        EXPECT_EQ(view.lifetime_ms, primary["lifetime"]);
        EXPECT_EQ(view.primary_without_crc, primary["crc_type"] == 0);
    } else {
        EXPECT_EQ(view.lifetime_ms, primary["lifetime_s"].get<std::uint64_t>() * 1000);
        EXPECT_EQ(static_cast<int>(view.priority), primary["priority"]);
        EXPECT_EQ(to_string(view.custodian), uri(primary["custodian"]));
    }
    EXPECT_EQ(view.is_fragment, primary.contains("fragment_offset"));
    if (view.is_fragment) {
        EXPECT_EQ(view.fragment_offset, primary["fragment_offset"]);
        EXPECT_EQ(view.total_adu_length, primary["total_adu_length"]);
    }
}

void expect_blocks(const BundleView &view, const Json &blocks) {
    bool age = false;
    bool hops = false;
    for (const Json &block : blocks) {
        if (block.contains("age_ms")) {
            age = true;
            EXPECT_EQ(view.age_ms, block["age_ms"]);
        }
        if (block.contains("hop_limit")) {
            hops = true;
            EXPECT_EQ(view.hop_limit, block["hop_limit"]);
            EXPECT_EQ(view.hop_count, block["hop_count"]);
        }
    }
    EXPECT_EQ(view.has_age, age);
    EXPECT_EQ(view.has_hop_count, hops);
}

void expect_same(const BundleView &a, const BundleView &b) {
    EXPECT_EQ(a.identity(), b.identity());
    EXPECT_EQ(a.size, b.size);
    EXPECT_EQ(a.primary_end, b.primary_end);
    EXPECT_EQ(a.head_end, b.head_end);
    EXPECT_EQ(a.payload_offset, b.payload_offset);
    EXPECT_EQ(a.payload_length, b.payload_length);
    EXPECT_EQ(to_string(a.destination), to_string(b.destination));
}

/// Two and three slices: the same view, or kHeadNotContiguous while the head is cut.
void expect_parses_in_slices(ByteView bundle, const BundleView &whole) {
    for (std::size_t cut = 0; cut <= bundle.size(); ++cut) {
        const std::size_t later = cut + (bundle.size() - cut) / 2;
        for (const auto &cuts : {std::vector{cut}, std::vector{cut, later}}) {
            const test::Sliced sliced(bundle, cuts);
            const auto view = parse(sliced.slices());
            if (view) {
                expect_same(*view, whole);
            } else {
                EXPECT_EQ(view.error(), ParseError::kHeadNotContiguous) << cut;
                EXPECT_TRUE(cut < whole.payload_offset || whole.trailing_blocks) << cut;
            }
        }
    }
}

/// Every beginning of the bundle is refused, whole and cut in two.
void expect_refused_when_truncated(ByteView bundle) {
    for (std::size_t size = 0; size < bundle.size(); ++size) {
        const test::Sliced prefix(bundle.first(size), {});
        EXPECT_FALSE(parse(prefix.slices())) << size;
        const test::Sliced halves(bundle.first(size), {size / 2});
        EXPECT_FALSE(parse(halves.slices())) << size;
    }
}

void check_refused(const Json &item) {
    if (item.contains("base_hex")) {
        Bytes base = test::hex_of(item["base_hex"]);
        expect_refused_when_truncated(base);
        if (item["id"].get<std::string>().find("flip") == std::string::npos) return;
        for (std::size_t bit = 0; bit < base.size() * 8; ++bit) {
            base[bit / 8] ^= static_cast<std::uint8_t>(0x80 >> (bit % 8));
            EXPECT_FALSE(parse_whole(base)) << "bit " << bit;
            base[bit / 8] ^= static_cast<std::uint8_t>(0x80 >> (bit % 8));
        }
        return;
    }
    const Bytes bundle = bundle_of(item);
    const auto view = parse_whole(bundle);
    // A BPv7 bundle is only wrong for a decoder of BPv6 alone.
    if (item["id"] == "x6-v7") {
        ASSERT_TRUE(view);
        EXPECT_EQ(view->version, 7);
        return;
    }
    ASSERT_FALSE(view) << "accepted";
    for (std::size_t cut = 0; cut <= bundle.size(); ++cut)
        EXPECT_FALSE(parse(test::Sliced(bundle, {cut}).slices()));
}

void check_accepted(const Json &item) {
    const Bytes bundle = bundle_of(item);
    const auto view = parse_whole(bundle);
    const bool lenient = item["verdict"] == "lenient";
    if (!view && lenient) return;
    ASSERT_TRUE(view) << to_string(view.error());
    EXPECT_EQ(view->size, bundle.size());
    if (item.contains("expect")) {
        const Json &expect = item["expect"];
        expect_primary(*view, expect["primary"]);
        expect_blocks(*view, expect["blocks"]);
        EXPECT_EQ(view->payload_length, expect["payload_length"]);
        if (expect.contains("payload_hex")) {
            EXPECT_EQ(
                test::to_hex(ByteView(bundle).subspan(view->payload_offset, view->payload_length)),
                expect["payload_hex"]);
        }
    }
    if (bundle.size() > 2000) return;
    expect_parses_in_slices(bundle, *view);
    expect_refused_when_truncated(bundle);
}

void check_file(const std::string &name) {
    const Json vectors = test::load_vectors(name);
    ASSERT_FALSE(vectors["decode_cases"].empty());
    for (const Json &item : vectors["decode_cases"]) {
        SCOPED_TRACE(item["id"].get<std::string>());
        if (item["verdict"] == "invalid")
            check_refused(item);
        else
            check_accepted(item);
    }
}

TEST(BpParseConformance, Bpv7) {
    check_file("bpv7_bundles.json");
}
TEST(BpParseConformance, Bpv6) {
    check_file("bpv6_bundles.json");
}

TEST(BpParseConformance, NamesTheReason) {
    const auto reason = [](const char *hex) {
        const auto view = parse_whole(test::from_hex(hex));
        return view ? "accepted" : std::string(to_string(view.error()));
    };
    EXPECT_EQ(reason(""), "empty");
    EXPECT_EQ(reason("4141"), "unknown_version");
    EXPECT_EQ(reason("9f"), "truncated");
    const Json v7 = test::load_vectors("bpv7_bundles.json");
    const std::map<std::string, std::string> expected{
        {"v7-len-def-001", "unknown_version"},
        {"x7-ver-6", "unknown_version"},
        {"x7-crctype-3", "bad_crc_type"},
        {"x7-badcrc-001", "crc_mismatch"},
        {"x7-badcrc-003", "crc_mismatch"},
        {"x7-pcount-frag8", "bad_item_count"},
        {"x7-eid-06", "bad_eid"},
        {"x7-eid-14", "bad_eid"},
        {"x7-blk-nopay", "no_payload"},
        {"x7-blk-first", "no_payload"},
        {"x7-blk-pnum", "bad_block_number"},
        {"x7-blk-num0", "bad_block_number"},
        {"x7-blk-dup", "bad_block_number"},
        {"x7-frame-trail", "trailing_octets"},
        {"x7-frame-nobreak", "truncated"},
        {"x7-huge-0", "truncated"},
        {"x7-hop-0", "bad_block_data"},
        {"x7-dup-age", "duplicate_block"},
        {"x7-flag-adminrep", "bad_flags"},
        {"x7-frag-over", "bad_fragment"},
    };
    std::size_t seen = 0;
    for (const Json &item : v7["decode_cases"])
        if (const auto found = expected.find(item["id"]); found != expected.end()) {
            EXPECT_EQ(reason(item["hex"].get<std::string>().c_str()), found->second)
                << found->first;
            ++seen;
        }
    EXPECT_EQ(seen, expected.size());
}

}  // namespace
}  // namespace farlink::bp::bp_parse_test
