// SPDX-License-Identifier: Apache-2.0
// The property: random bundles are cut at random limits, again and again; fragments are lost,
// repeated and reordered, and what is joined is the payload octet for octet.
#include "common/bp/fragmentation/fragmenter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "apps/shared/traffic/fragments/reassembler.hpp"
#include "common/bp/base/slices.hpp"
#include "common/bp/fragment.hpp"
#include "common/bp/fragmentation/fragment_rules.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v6/bundle.hpp"
#include "common/bp/v7/bundle.hpp"

namespace farlink::bp::fragmenter_test {
namespace {

using Random = std::mt19937_64;

std::uint64_t pick(Random &random, std::uint64_t least, std::uint64_t most) {
    return std::uniform_int_distribution<std::uint64_t>(least, most)(random);
}

Bytes random_octets(Random &random, std::size_t size) {
    Bytes octets(size);
    for (std::uint8_t &octet : octets) octet = static_cast<std::uint8_t>(random());
    return octets;
}

/// The octets in a few slices, the head in the first one.
std::vector<ByteView> sliced(ByteView octets, std::size_t head, Random &random) {
    std::vector<ByteView> slices;
    std::size_t at = pick(random, head, octets.size());
    slices.push_back(octets.first(at));
    while (at < octets.size()) {
        const std::size_t size = pick(random, 1, octets.size() - at);
        slices.push_back(octets.subspan(at, size));
        at += size;
    }
    return slices;
}

/// All fragments of a bundle, joined; empty when the limit is too low.
std::vector<Bytes> cut(const Bytes &octets, std::uint64_t max_bytes, Random &random) {
    const ByteView whole(octets);
    const auto view = parse({&whole, 1});
    EXPECT_TRUE(view.has_value());
    EXPECT_TRUE(may_be_fragmented(*view, whole.first(view->head_end)));
    const bool trailing = view->trailing_blocks;
    const auto slices = trailing
                            ? std::vector<ByteView>{whole}
                            : sliced(whole, static_cast<std::size_t>(view->payload_offset), random);
    std::vector<Bytes> fragments;
    std::uint64_t done = 0;
    while (done < view->payload_length) {
        // As egress does between two calls, each begins anew where the last one ended.
        Fragmenter fragmenter(*view, whole.first(view->head_end), slices, done);
        Bytes head(fragmenter.head_bound());
        Bytes tail(fragmenter.tail_bound());
        const auto next = fragmenter.next(max_bytes, head, tail);
        if (!next) return {};
        Bytes fragment(next->head.begin(), next->head.end());
        for_each_piece(slices, next->from, next->end,
                       [&](ByteView piece) { append(fragment, piece); });
        append(fragment, next->tail);
        EXPECT_EQ(fragment.size(), next->size);
        EXPECT_LE(fragment.size(), max_bytes);
        EXPECT_EQ(next->from, view->payload_offset + done);
        done = fragmenter.cut();
        fragments.push_back(std::move(fragment));
    }
    return fragments;
}

/// The same cuts by the reference, two parts at a time.
std::vector<Bytes> cut_by_reference(Bytes octets, const std::vector<Bytes> &like) {
    std::vector<Bytes> fragments;
    for (std::size_t i = 0; i + 1 < like.size(); ++i) {
        const ByteView slice(like[i]);
        const auto view = parse({&slice, 1});
        if (!view) return {};
        auto parts = fragment(octets, view->payload_length);
        if (!parts) return {};
        fragments.push_back(std::move(parts->first));
        octets = std::move(parts->second);
    }
    fragments.push_back(std::move(octets));
    return fragments;
}

Bytes bundle_v7(Random &random, ByteView payload) {
    v7::PrimaryFields primary;
    primary.crc_type = static_cast<v7::CrcType>(pick(random, 0, 2));
    primary.destination = ipn_eid(20, 1);
    primary.source = EidView{EidScheme::kDtn, 0, 0, "//a/x"};
    primary.creation_time_ms = pick(random, 1, 1'000'000'000'000);
    primary.sequence = pick(random, 0, 1000);
    primary.lifetime_ms = 1'000'000'000'000'000;
    v7::Builder builder(primary);
    for (std::uint64_t i = pick(random, 0, 3); i-- > 0;)
        builder.add_block(pick(random, 192, 255), pick(random, 0, 1),
                          static_cast<v7::CrcType>(pick(random, 0, 2)),
                          random_octets(random, pick(random, 0, 40)));
    if (pick(random, 0, 1) == 1) builder.add_bundle_age(pick(random, 0, 100'000));
    if (pick(random, 0, 1) == 1) builder.add_hop_count(30, 3);
    return std::move(builder).finish(payload, static_cast<v7::CrcType>(pick(random, 0, 2)),
                                     pick(random, 0, 1));
}

Bytes bundle_v6(Random &random, ByteView payload, bool trailing) {
    v6::PrimaryFields primary;
    primary.destination = ipn_eid(20, 1);
    primary.source =
        pick(random, 0, 1) == 1 ? ipn_eid(10, 1) : EidView{EidScheme::kDtn, 0, 0, "//a/x"};
    primary.creation_time_s = pick(random, 1, 1'000'000'000);
    primary.sequence = pick(random, 0, 1000);
    primary.lifetime_s = 1'000'000'000'000;
    v6::Builder builder(primary);
    const auto add = [&] {
        builder.add_block(static_cast<std::uint8_t>(pick(random, 192, 255)), pick(random, 0, 1),
                          random_octets(random, pick(random, 0, 40)));
    };
    if (pick(random, 0, 1) == 1) add();
    if (pick(random, 0, 1) == 1) builder.add_block(v6::kBundleAgeBlock, 0, Bytes{5});
    builder.add_block(v6::kPayloadBlock, 0, payload);
    if (trailing)
        for (std::uint64_t i = pick(random, 1, 3); i-- > 0;) add();
    return std::move(builder).finish();
}

Bytes random_bundle(Random &random, ByteView payload) {
    const std::uint64_t kind = pick(random, 0, 3);
    return kind < 2 ? bundle_v7(random, payload) : bundle_v6(random, payload, kind == 3);
}

/// Cuts some fragments again, with ever smaller limits.
std::vector<Bytes> cut_again(std::vector<Bytes> fragments, Random &random) {
    for (int round = 0; round < 3; ++round) {
        std::vector<Bytes> next;
        for (const Bytes &fragment : fragments) {
            std::vector<Bytes> parts;
            if (fragment.size() > 400 && pick(random, 0, 1) == 1)
                parts = cut(fragment, pick(random, 300, fragment.size() - 1), random);
            if (parts.empty()) parts.push_back(fragment);
            std::ranges::move(parts, std::back_inserter(next));
        }
        fragments = std::move(next);
    }
    return fragments;
}

std::optional<Bytes> join(const std::vector<Bytes> &fragments) {
    traffic::Reassembler reassembler({1 << 24, 8});
    for (const Bytes &fragment : fragments) {
        const ByteView slice(fragment);
        const auto view = parse({&slice, 1});
        if (!view || !view->is_fragment) return std::nullopt;
        const auto outcome = reassembler.handle_fragment(*view, {&slice, 1}, 1);
        if (outcome == traffic::Reassembler::Outcome::kComplete)
            return reassembler.poll_data_unit();
        if (outcome != traffic::Reassembler::Outcome::kPending &&
            outcome != traffic::Reassembler::Outcome::kDuplicate)
            return std::nullopt;
    }
    return std::nullopt;
}

TEST(Fragmenter, CutsLikeTheReference) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Bytes payload = random_octets(random, pick(random, 2, 5000));
        const Bytes octets = random_bundle(random, payload);
        const std::vector<Bytes> fragments =
            cut(octets, pick(random, octets.size() / 4, octets.size() - 1), random);
        if (fragments.empty()) continue;  // the limit is below the head
        ASSERT_GE(fragments.size(), 2U);
        EXPECT_EQ(fragments, cut_by_reference(octets, fragments));
    }
}

TEST(Fragmenter, WhatIsCutAgainAndAgainJoinsOctetForOctet) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const Bytes payload = random_octets(random, pick(random, 1000, 20'000));
        const Bytes octets = random_bundle(random, payload);
        // Two episodes: a fragment that the first one loses comes by the second one.
        std::vector<Bytes> all;
        for (int episode = 0; episode < 2; ++episode) {
            auto parts = cut(octets, pick(random, 500, octets.size() - 1), random);
            ASSERT_FALSE(parts.empty());
            parts = cut_again(std::move(parts), random);
            EXPECT_EQ(join(parts), payload);
            if (episode == 0) parts.erase(parts.begin() + pick(random, 0, parts.size() - 1));
            std::ranges::move(parts, std::back_inserter(all));
        }
        std::ranges::shuffle(all, random);
        EXPECT_EQ(join(all), payload);
    }
}

TEST(Fragmenter, ALimitBelowTheHeadCutsNothing) {
    Random random(1);
    const Bytes payload(1000, 0x55);
    for (const Bytes &octets : {bundle_v7(random, payload), bundle_v6(random, payload, false),
                                bundle_v6(random, payload, true)}) {
        EXPECT_TRUE(cut(octets, 10, random).empty());
        EXPECT_FALSE(cut(octets, 900, random).empty());
    }
}

TEST(Fragmenter, DescribingBlocksAreInEveryFragment) {
    v7::PrimaryFields primary;
    primary.destination = ipn_eid(20, 1);
    primary.source = ipn_eid(10, 1);
    v7::Builder builder(primary);
    builder.add_bundle_age(7);
    builder.add_hop_count(30, 3);
    builder.add_block(200, 0, v7::CrcType::kNone, Bytes{1});
    builder.add_block(201, v7::kReplicateBlock, v7::CrcType::kNone, Bytes{2});
    Random random(1);
    const auto fragments = cut(std::move(builder).finish(Bytes(1000, 0x55)), 400, random);
    ASSERT_GE(fragments.size(), 3U);
    for (std::size_t i = 0; i < fragments.size(); ++i) {
        const auto bundle = v7::decode(fragments[i]);
        ASSERT_TRUE(bundle);
        std::vector<std::uint64_t> types;
        for (const auto &block : bundle->blocks) types.push_back(block.type);
        EXPECT_EQ(types, i == 0 ? (std::vector<std::uint64_t>{7, 10, 200, 201, 1})
                                : (std::vector<std::uint64_t>{7, 10, 201, 1}));
    }
}

TEST(Fragmenter, AnEncodingLongerThanItsFragmentsLeavesTwoFragments) {
    v7::PrimaryFields primary;
    primary.destination = ipn_eid(20, 1);
    primary.source = ipn_eid(10, 1);
    Bytes octets = v7::Builder(primary).finish(Bytes(100, 0x55), v7::CrcType::kNone);
    // The payload's length in eight octets.
    const std::size_t length_at = octets.size() - 1 - 100 - 2;
    ASSERT_EQ(octets[length_at], 0x58);
    const Bytes longer{0x5b, 0, 0, 0, 0, 0, 0, 0, 100};
    octets.erase(octets.begin() + length_at, octets.begin() + length_at + 2);
    octets.insert(octets.begin() + length_at, longer.begin(), longer.end());
    Random random(1);
    EXPECT_EQ(cut(octets, octets.size() - 1, random).size(), 2U);
}

}  // namespace
}  // namespace farlink::bp::fragmenter_test
