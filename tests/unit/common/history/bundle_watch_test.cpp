// SPDX-License-Identifier: Apache-2.0
#include "common/history/bundle_watch.hpp"

#include <gtest/gtest.h>

#include <set>

namespace farlink::history::bundle_watch_test {
namespace {

FoundBundle bundle(std::uint64_t from, std::uint64_t to, std::uint64_t sequence = 0,
                   Ending ending = Ending::kSent) {
    FoundBundle made;
    made.module = "egress";
    made.bundle.id = {bp::Eid(from, 1), 1000, sequence, {}};
    made.bundle.destination = bp::Eid(to, 1);
    made.bundle.passage.ending = ending;
    made.bundle.passage.time = 1500;
    return made;
}

std::size_t shown(BundleWatch &watch, const std::vector<FoundBundle> &found, TimePoint now = {}) {
    return watch.select(found, now).size();
}

TEST(BundleWatch, ShowsAllWithoutRules) {
    BundleWatch watch({});
    EXPECT_EQ(shown(watch, {bundle(10, 20), bundle(30, 40, 1, Ending::kExpired)}), 2U);
    EXPECT_EQ(watch.seen(), 2U);
    EXPECT_FALSE(watch.done());
}

TEST(BundleWatch, SelectsByPatterns) {
    const std::vector<FoundBundle> found{bundle(10, 20), bundle(20, 10), bundle(30, 40)};
    const auto pattern = [](const char *text) { return bp::EidPattern::parse(text); };
    BundleWatch either({.either = pattern("ipn:20.*")});
    EXPECT_EQ(shown(either, found), 2U);
    BundleWatch source({.source = pattern("ipn:20.*")});
    EXPECT_EQ(shown(source, found), 1U);
    BundleWatch destination({.destination = pattern("ipn:40.1")});
    EXPECT_EQ(shown(destination, found), 1U);
    BundleWatch ending({.ending = Ending::kDelivered});
    EXPECT_EQ(shown(ending, found), 0U);
    EXPECT_EQ(ending.seen(), 3U);
    EXPECT_EQ(ending.matched(), 0U);
}

TEST(BundleWatch, SamplesTheSameBundlesEverywhere) {
    constexpr std::uint64_t kBundles = 10'000;
    std::vector<FoundBundle> found;
    for (std::uint64_t i = 0; i < kBundles; ++i) found.push_back(bundle(10, 20, i));
    BundleWatch here({.sample = 10});
    BundleWatch there({.sample = 10});
    std::set<std::uint64_t> sequences;
    for (const FoundBundle *each : here.select(found, {}))
        sequences.insert(each->bundle.id.sequence);
    EXPECT_GT(sequences.size(), 800U);
    EXPECT_LT(sequences.size(), 1200U);
    for (FoundBundle &each : found) {
        each.bundle.passage.ending = Ending::kDelivered;
        each.bundle.id.fragment = bp::FragmentExtent{0, 5};
    }
    const auto again = there.select(found, {});
    ASSERT_EQ(again.size(), sequences.size());
    for (const FoundBundle *each : again) EXPECT_TRUE(sequences.contains(each->bundle.id.sequence));
}

TEST(BundleWatch, CountsWhatIsBeyondTheLimitOfASecond) {
    BundleWatch watch({.per_second = 3});
    const std::vector<FoundBundle> five(5, bundle(10, 20));
    const TimePoint begin{seconds(100)};
    EXPECT_EQ(shown(watch, five, begin), 3U);
    EXPECT_EQ(shown(watch, five, begin + milliseconds(900)), 0U);
    EXPECT_EQ(watch.beyond_limit(), 7U);
    EXPECT_EQ(shown(watch, five, begin + seconds(1)), 3U);
    EXPECT_EQ(watch.beyond_limit(), 9U);
    EXPECT_EQ(watch.matched(), 15U);
}

TEST(BundleWatch, ReadsItsRules) {
    const auto rules = watch_rules({"ipn:20.*", "ipn:10.1", "", "delivered"});
    ASSERT_TRUE(rules) << rules.error();
    EXPECT_TRUE(rules->either && rules->source && !rules->destination);
    EXPECT_EQ(rules->ending, Ending::kDelivered);
    EXPECT_EQ(
        watch_rules({"", "", "x", ""}).error(),
        "destination: found x; expected an endpoint or a pattern, such as ipn:20.1, ipn:20.* or "
        "dtn://node/*");
    EXPECT_TRUE(watch_rules({"", "", "", "gone"}).error().starts_with("outcome: found gone; "));
}

TEST(BundleWatch, EndsAfterANumberOfBundles) {
    BundleWatch watch({.most = 7});
    const std::vector<FoundBundle> five(5, bundle(10, 20));
    EXPECT_EQ(shown(watch, five), 5U);
    EXPECT_FALSE(watch.done());
    EXPECT_EQ(shown(watch, five), 2U);
    EXPECT_TRUE(watch.done());
    EXPECT_EQ(shown(watch, five), 0U);
}

TEST(BundleWatch, KnowsTheAgeWhereTheSourceHasAClock) {
    FoundBundle found = bundle(10, 20);
    EXPECT_EQ(age_ms_of(found.bundle), 500U);
    found.bundle.id.creation_time = 2000;
    EXPECT_EQ(age_ms_of(found.bundle), 0U) << "its clock is ahead";
    found.bundle.version = 6;
    found.bundle.id.creation_time = 1;
    EXPECT_EQ(age_ms_of(found.bundle), 500U) << "seconds";
    found.bundle.id.creation_time = ~std::uint64_t{0};
    EXPECT_FALSE(age_ms_of(found.bundle));
    found.bundle.id.creation_time = 0;
    EXPECT_FALSE(age_ms_of(found.bundle));
}

}  // namespace
}  // namespace farlink::history::bundle_watch_test
