// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/fragments/fragment_maker.hpp"

#include <gtest/gtest.h>

#include "apps/shared/traffic/verifier.hpp"
#include "common/bp/parse.hpp"

namespace farlink::traffic::fragment_maker_test {
namespace {

constexpr std::uint64_t kPayload = 10'000;
constexpr std::uint64_t kSentNs = 1'750'000'000'000'000'000;
const Pattern kPattern(7);

BundleOptions options(std::uint8_t version) {
    BundleOptions bundle;
    bundle.source = bp::Eid(1, 1).view();
    bundle.destination = bp::Eid(2, 1).view();
    bundle.version = version;
    bundle.payload_bytes = kPayload;
    bundle.may_fragment = true;
    return bundle;
}

PayloadHeader header(std::uint64_t total) {
    PayloadHeader header;
    header.length_bytes = kPayload;
    header.run = 1;
    header.sent_unix_ns = kSentNs;
    header.seed = kPattern.seed();
    header.total = total;
    return header;
}

std::vector<std::uint64_t> offsets(FragmentMaker &maker, std::uint64_t from) {
    std::vector<std::uint64_t> list;
    for (std::uint64_t i = 0; i < maker.per_bundle(); ++i) {
        const ByteView octets(maker.fragment(header(2), from + i));
        const auto view = bp::parse({&octets, 1});
        EXPECT_TRUE(view && view->is_fragment);
        if (view) list.push_back(view->fragment_offset);
    }
    return list;
}

TEST(FragmentMaker, TheSinkJoinsTheFragmentsOfEveryOrder) {
    for (const std::uint8_t version : {std::uint8_t{7}, std::uint8_t{6}})
        for (const FragmentOrder order :
             {FragmentOrder::kForward, FragmentOrder::kReverse, FragmentOrder::kShuffled}) {
            auto bundles = BundleTemplate::make(options(version), kPattern);
            ASSERT_TRUE(bundles);
            FragmentMaker maker(*bundles, kPattern, {1'000, order, 5});
            ASSERT_EQ(maker.per_bundle(), 10U);
            Verifier verifier(bp::Eid(2, 1));
            for (std::uint64_t number = 0; number < 20; ++number) {
                PayloadHeader later = header(2);
                later.sent_unix_ns += number * 1'000'000'000;
                const ByteView octets(maker.fragment(later, number));
                verifier.handle_bundle({&octets, 1}, {TimePoint{}, kSentNs});
            }
            const Totals totals = verifier.totals();
            EXPECT_TRUE(totals.flawless());
            EXPECT_EQ(totals.received, 2U);
            EXPECT_EQ(totals.fragments, 20U);
            EXPECT_EQ(totals.joined, 2U);
        }
}

TEST(FragmentMaker, ASeedMakesOneOrder) {
    auto bundles = BundleTemplate::make(options(7), kPattern);
    FragmentMaker forward(*bundles, kPattern, {1'500, FragmentOrder::kForward, 0});
    EXPECT_EQ(offsets(forward, 0),
              (std::vector<std::uint64_t>{0, 1500, 3000, 4500, 6000, 7500, 9000}));
    FragmentMaker reverse(*bundles, kPattern, {1'500, FragmentOrder::kReverse, 0});
    EXPECT_EQ(offsets(reverse, 7),
              (std::vector<std::uint64_t>{9000, 7500, 6000, 4500, 3000, 1500, 0}));
    FragmentMaker one(*bundles, kPattern, {100, FragmentOrder::kShuffled, 3});
    FragmentMaker same(*bundles, kPattern, {100, FragmentOrder::kShuffled, 3});
    FragmentMaker other(*bundles, kPattern, {100, FragmentOrder::kShuffled, 4});
    const auto order = offsets(one, 0);
    EXPECT_EQ(order, offsets(same, 0));
    EXPECT_NE(order, offsets(other, 0));
    EXPECT_NE(order, offsets(one, 100)) << "another bundle, another order";
}

TEST(FragmentMaker, WithoutASizeThereAreNoFragments) {
    auto bundles = BundleTemplate::make(options(7), kPattern);
    EXPECT_FALSE(FragmentMaker(*bundles, kPattern, {}).makes_fragments());
    EXPECT_FALSE(FragmentMaker(*bundles, kPattern, {.payload_bytes = kPayload}).makes_fragments());
}

}  // namespace
}  // namespace farlink::traffic::fragment_maker_test
