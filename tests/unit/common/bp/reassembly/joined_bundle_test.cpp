// SPDX-License-Identifier: Apache-2.0
// The property: whatever a bundle is cut into, what is joined is the bundle octet for octet.
#include "common/bp/reassembly/joined_bundle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "common/bp/fragment.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v6/bundle.hpp"
#include "common/bp/v7/bundle.hpp"

namespace farlink::bp::joined_bundle_test {
namespace {

using Random = std::mt19937_64;

std::uint64_t pick(Random &random, std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, most)(random);
}

Bytes random_payload(Random &random) {
    Bytes octets(pick(random, 2, 4000));
    for (std::uint8_t &octet : octets) octet = static_cast<std::uint8_t>(random());
    return octets;
}

Bytes random_v7(Random &random) {
    v7::PrimaryFields primary;
    primary.crc_type = static_cast<v7::CrcType>(pick(random, 0, 2));
    primary.destination = ipn_eid(pick(random, 1, 100'000), 7);
    primary.source = ipn_eid(5, pick(random, 1, 300));
    primary.creation_time_ms = pick(random, 1, 1'000'000'000'000);
    primary.sequence = pick(random, 0, 70'000);
    primary.lifetime_ms = pick(random, 1, 1'000'000'000);
    v7::Builder builder(primary);
    if (pick(random, 0, 1) == 1) builder.add_hop_count(30);
    if (pick(random, 0, 1) == 1) builder.add_bundle_age(pick(random, 0, 100'000));
    return std::move(builder).finish(random_payload(random),
                                     static_cast<v7::CrcType>(pick(random, 0, 2)));
}

Bytes random_v6(Random &random) {
    v6::PrimaryFields primary;
    primary.flags = v6::kSingletonDestination;
    primary.destination = ipn_eid(pick(random, 1, 100'000), 7);
    primary.source = ipn_eid(5, pick(random, 1, 300));
    primary.creation_time_s = pick(random, 1, 1'000'000'000);
    primary.sequence = pick(random, 0, 70'000);
    primary.lifetime_s = pick(random, 1, 1'000'000);
    v6::Builder builder(primary);
    if (pick(random, 0, 1) == 1) builder.add_block(v6::kMetadataBlock, 0, random_payload(random));
    builder.add_block(v6::kPayloadBlock, 0, random_payload(random));
    return std::move(builder).finish();
}

/// Cuts every part again until all are small.
std::vector<Bytes> cut(const Bytes &bundle, std::uint64_t most, Random &random) {
    const auto view = parse(std::array{ByteView(bundle)});
    if (view->payload_length <= most) return {bundle};
    auto parts = fragment(bundle, pick(random, 1, view->payload_length - 1));
    std::vector<Bytes> all = cut(parts->first, most, random);
    for (Bytes &each : cut(parts->second, most, random)) all.push_back(std::move(each));
    return all;
}

std::uint64_t offset_of(const Bytes &fragment) {
    return parse(std::array{ByteView(fragment)})->fragment_offset;
}

Bytes octets_of(const JoinedBundle &joined) {
    Bytes octets = joined.head;
    for (const ByteView piece : joined.payload) append(octets, piece);
    append(octets, joined.tail);
    return octets;
}

std::optional<JoinedBundle> join_all(const std::vector<Bytes> &fragments) {
    const std::vector<ByteView> views(fragments.begin(), fragments.end());
    return join(views);
}

class JoinedBundleTest : public ::testing::TestWithParam<Bytes (*)(Random &)> {};

TEST_P(JoinedBundleTest, IsTheBundleThatWasCut) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        const Bytes whole = GetParam()(random);
        const std::uint64_t payload = parse(std::array{ByteView(whole)})->payload_length;
        const auto fragments = cut(whole, pick(random, 1, payload - 1), random);
        ASSERT_GT(fragments.size(), 1U);
        const auto joined = join_all(fragments);
        ASSERT_TRUE(joined.has_value()) << "seed " << seed;
        EXPECT_EQ(octets_of(*joined), whole) << "seed " << seed;
    }
}

TEST_P(JoinedBundleTest, FragmentsMayOverlap) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Random random(seed);
        const Bytes whole = GetParam()(random);
        const std::uint64_t payload = parse(std::array{ByteView(whole)})->payload_length;
        auto fragments = cut(whole, pick(random, 1 + payload / 5, payload - 1), random);
        for (Bytes &other : cut(whole, pick(random, 1 + payload / 5, payload - 1), random))
            fragments.push_back(std::move(other));
        std::ranges::stable_sort(fragments, {}, offset_of);
        const auto joined = join_all(fragments);
        ASSERT_TRUE(joined.has_value()) << "seed " << seed;
        EXPECT_EQ(octets_of(*joined), whole) << "seed " << seed;
    }
}

TEST_P(JoinedBundleTest, AGapIsNoBundle) {
    Random random(7);
    const Bytes whole = GetParam()(random);
    const std::uint64_t payload = parse(std::array{ByteView(whole)})->payload_length;
    auto fragments = cut(whole, payload / 4 + 1, random);
    for (std::size_t missing = 0; missing < fragments.size(); ++missing) {
        auto rest = fragments;
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(missing));
        EXPECT_FALSE(join_all(rest).has_value()) << missing;
    }
    EXPECT_FALSE(join({}).has_value());
    EXPECT_FALSE(join_all({whole}).has_value());
}

TEST_P(JoinedBundleTest, FragmentsOfAnotherBundleDoNotJoin) {
    Random random(7);
    const Bytes one = GetParam()(random);
    const Bytes other = GetParam()(random);
    auto fragments = cut(one, 1 + parse(std::array{ByteView(one)})->payload_length / 2, random);
    fragments.back() =
        cut(other, 1 + parse(std::array{ByteView(other)})->payload_length / 2, random).back();
    EXPECT_FALSE(join_all(fragments).has_value());
}

INSTANTIATE_TEST_SUITE_P(Versions, JoinedBundleTest, ::testing::Values(&random_v6, &random_v7),
                         [](const auto &test) {
                             return test.index == 0 ? std::string("Bpv6") : std::string("Bpv7");
                         });

}  // namespace
}  // namespace farlink::bp::joined_bundle_test
