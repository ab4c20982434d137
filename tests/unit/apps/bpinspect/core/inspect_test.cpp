// SPDX-License-Identifier: Apache-2.0
// The conformance vectors of both versions, taken apart: what conforms has no deviation, what does
// not has one, and all octet ranges nest.
#include "apps/bpinspect/core/inspect.hpp"

#include <gtest/gtest.h>

#include "common/bp/parse.hpp"
#include "tests/support/vectors.hpp"

namespace farlink::inspect::inspect_test {
namespace {

using test::from_hex;
using test::hex_of;
using test::Json;

/// Fields lie in the field that they are a part of, one behind the other.
void expect_nested(const Field &field, const std::string &name) {
    std::uint64_t at = field.octets.at;
    for (const Field &each : field.fields) {
        EXPECT_GE(each.octets.at, at) << name << ": " << each.name;
        EXPECT_LE(each.octets.end(), field.octets.end()) << name << ": " << each.name;
        at = each.octets.end();
        expect_nested(each, name);
    }
}

void expect_ranges(const Inspection &inspection, std::size_t size, const std::string &name) {
    EXPECT_LE(inspection.root.octets.end(), size) << name;
    expect_nested(inspection.root, name);
    for (const Deviation &each : inspection.deviations) {
        EXPECT_LE(each.octets.end(), size) << name << ": " << each.what;
        EXPECT_FALSE(each.section.empty() || each.what.empty()) << name;
    }
}

std::string all_deviations(const Inspection &inspection) {
    std::string text;
    for (const Deviation &each : inspection.deviations)
        if (each.weight == Weight::kRequirement) text += each.section + ": " + each.what + "; ";
    return text;
}

Inspection inspect_any(ByteView octets) {
    return inspect(octets, guess_kind(octets));
}

/// Bundles that published texts call valid, though they lack what another text requires.
bool lacks_protection_only(const Inspection &inspection) {
    for (const Deviation &each : inspection.deviations)
        if (each.weight == Weight::kRequirement && each.section != "RFC 9171 section 4.3.1" &&
            each.section != "RFC 9171 section 4.4.2")
            return false;
    return true;
}

const Field *find(const Field &field, const std::string &name) {
    if (field.name == name) return &field;
    for (const Field &each : field.fields)
        if (const Field *const found = find(each, name)) return found;
    return nullptr;
}

std::string text_of(const Inspection &inspection, const std::string &name) {
    const Field *const field = find(inspection.root, name);
    if (field == nullptr) return "no " + name;
    if (const auto *number = std::get_if<std::uint64_t>(&field->value))
        return std::to_string(*number);
    const auto *text = std::get_if<std::string>(&field->value);
    return text == nullptr ? "" : *text;
}

Json cases(const char *file) {
    return test::load_vectors(file)["decode_cases"];
}

class VectorFile : public testing::TestWithParam<const char *> {};

TEST_P(VectorFile, ConformingBundlesHaveNoDeviation) {
    for (const Json &each : cases(GetParam())) {
        const std::string verdict = each["verdict"];
        if (!each.contains("hex") || !verdict.starts_with("valid")) continue;
        const Bytes octets = hex_of(each["hex"]);
        const Inspection inspection = inspect_any(octets);
        const std::string id = each["id"];
        if (each.value("kind", "") == "bpsec" || id.starts_with("rfc9173"))
            EXPECT_TRUE(lacks_protection_only(inspection)) << id << all_deviations(inspection);
        else
            EXPECT_TRUE(inspection.conforms()) << id << ": " << all_deviations(inspection);
        expect_ranges(inspection, octets.size(), id);
        EXPECT_EQ(inspection.root.octets.size, octets.size()) << id;
    }
}

TEST_P(VectorFile, OthersHaveOne) {
    for (const Json &each : cases(GetParam())) {
        if (!each.contains("hex") || each["verdict"] != "invalid") continue;
        const Bytes octets = hex_of(each["hex"]);
        const Inspection inspection = inspect_any(octets);
        EXPECT_FALSE(inspection.conforms()) << each["id"];
        expect_ranges(inspection, octets.size(), each["id"]);
    }
}

TEST_P(VectorFile, EveryPrefixOfABundleDeviates) {
    for (const Json &each : cases(GetParam())) {
        if (!each.contains("hex") || each["verdict"] != "valid") continue;
        const Bytes whole = hex_of(each["hex"]);
        for (std::size_t size = 0; size < std::min<std::size_t>(whole.size(), 200); ++size) {
            const ByteView octets = ByteView(whole).first(size);
            const Inspection inspection = inspect(octets, guess_kind(whole));
            EXPECT_FALSE(inspection.conforms()) << each["id"] << " up to " << size;
            expect_ranges(inspection, size, each["id"]);
        }
    }
}

TEST_P(VectorFile, TheIdIsThatOfTheDataPath) {
    for (const Json &each : cases(GetParam())) {
        if (!each.contains("hex")) continue;
        const Bytes octets = hex_of(each["hex"]);
        const ByteView view(octets);
        const auto parsed = bp::parse({&view, 1});
        if (!parsed) continue;
        const Inspection inspection = inspect_any(octets);
        ASSERT_TRUE(inspection.id) << each["id"];
        EXPECT_EQ(bp::to_string(*inspection.id), bp::to_string(bp::id_of(*parsed))) << each["id"];
        EXPECT_EQ(inspection.destination, bp::to_string(parsed->destination)) << each["id"];
    }
}

INSTANTIATE_TEST_SUITE_P(Both, VectorFile,
                         testing::Values("bpv6_bundles.json", "bpv7_bundles.json"));

TEST(Inspect, EveryFlippedBitOfAProtectedBundleIsFound) {
    for (const Json &each : cases("bpv7_bundles.json")) {
        if (each["id"] != "x7-flip-all-1") continue;
        const Bytes base = hex_of(each["base_hex"]);
        for (std::size_t bit = 0; bit < 8 * base.size(); ++bit) {
            Bytes flipped = base;
            flipped[bit / 8] ^= static_cast<std::uint8_t>(0x80 >> bit % 8);
            EXPECT_FALSE(inspect(flipped, Kind::kBundle7).conforms()) << bit;
        }
        return;
    }
    FAIL() << "no such vector";
}

TEST(Inspect, NamesTheFieldsOfABundle) {
    // ipn:10.1 to ipn:20.2, hop count 3 of 32, "abc"; CRC-32C in the primary block only.
    Bytes octets = from_hex(
        "9f"
        "8907040182028214028202820a018202820a00821b000000b040d8f00003190e10"
        "440000000085"
        "0a020000448218200385010100004361626"
        "3ff");
    Inspection inspection = inspect_any(octets);
    EXPECT_EQ(inspection.version, 7);
    EXPECT_EQ(text_of(inspection, "destination"), "ipn:20.2");
    EXPECT_EQ(text_of(inspection, "source"), "ipn:10.1");
    EXPECT_EQ(text_of(inspection, "hop limit"), "32");
    EXPECT_EQ(text_of(inspection, "hop count"), "3");
    EXPECT_EQ(inspection.block_names,
              (std::vector<std::string>{"hop count block", "payload block"}));
    const Field *const destination = find(inspection.root, "destination");
    ASSERT_NE(destination, nullptr);
    EXPECT_EQ(destination->octets, (OctetRange{5, 5}));
    const Field *const payload = find(inspection.root, "payload block");
    ASSERT_NE(payload, nullptr);
    EXPECT_EQ(std::get<std::string>(payload->fields.back().value), "abc");
}

TEST(Inspect, NamesASectionForEachDeviation) {
    struct Case {
        const char *what;
        const char *hex;
        const char *section;
    };
    const Case cases[] = {
        {"definite array",
         "82880700008202820102820282020182028202018200000018648501010000416"
         "1",
         "RFC 9171 section 4.1"},
        {"hop limit 0",
         "9f88070000820282010282028202018202820201820a000018648"
         "50a020000438200008501010000"
         "4161ff",
         "RFC 9171 section 4.4.3"},
    };
    for (const Case &each : cases) {
        const Inspection inspection = inspect_any(from_hex(each.hex));
        EXPECT_NE(all_deviations(inspection).find(each.section), std::string::npos)
            << each.what << ": " << all_deviations(inspection);
    }
}

TEST(Inspect, TakesRecordsApart) {
    // BPv7: received at 1000, about ipn:2.1 757000000000 7.
    const Bytes report = from_hex(
        "8201848482f51903e881f481f481f400820282020182"
        "1b000000b040d8f00007");
    const Inspection seven = inspect_any(report);
    EXPECT_TRUE(seven.is_record);
    EXPECT_TRUE(seven.conforms()) << all_deviations(seven);
    ASSERT_TRUE(seven.subject_id);
    EXPECT_EQ(bp::to_string(*seven.subject_id), "ipn:2.1/757002203136/7");

    const Inspection signals =
        inspect_any(from_hex("4080008200820"
                             "1820f"));
    EXPECT_EQ(signals.version, 6);
    EXPECT_TRUE(signals.conforms()) << all_deviations(signals);
    ASSERT_EQ(signals.root.fields.size(), 4);
    EXPECT_EQ(signals.root.fields[2].meaning, "custody ids 0 to 255");
    EXPECT_EQ(signals.root.fields[3].meaning, "custody ids 512 to 782");
}

TEST(Inspect, CountsDeviationsThatAreNotListed) {
    Deviations deviations;
    for (std::size_t at = 0; at < Deviations::kMost; ++at) deviations.advise({at, 1}, "", "");
    deviations.add({0, 1}, "", "");
    Inspection inspection;
    inspection.counts = deviations.counts();
    inspection.deviations = deviations.take();
    EXPECT_EQ(inspection.deviations.size(), Deviations::kMost);
    EXPECT_EQ(inspection.unlisted(), 1U);
    EXPECT_FALSE(inspection.conforms());
}

TEST(Inspect, BoundsWhatHostileOctetsCost) {
    Bytes nested(100'000, 0x81);
    EXPECT_FALSE(inspect(nested, Kind::kBundle7).conforms());
    Bytes many(1'000'000, 0x00);
    many[0] = 0x9f;
    const Inspection counted = inspect(many, Kind::kBundle7);
    EXPECT_LE(counted.deviations.size(), Deviations::kMost);
    EXPECT_EQ(counted.unlisted() + counted.deviations.size(), counted.counts.all());
    for (unsigned first = 0; first < 256; ++first) {
        const Bytes octet{static_cast<std::uint8_t>(first)};
        for (const Kind kind : {Kind::kBundle6, Kind::kBundle7, Kind::kRecord6, Kind::kRecord7})
            expect_ranges(inspect(octet, kind), 1, "one octet");
    }
}

}  // namespace
}  // namespace farlink::inspect::inspect_test
