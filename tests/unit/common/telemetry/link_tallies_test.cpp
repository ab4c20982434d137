// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/link_tallies.hpp"

#include <gtest/gtest.h>

#include <string>

namespace farlink::telemetry::link_tallies_test {
namespace {

TEST(LinkTallies, CountForEachNeighbourOfALink) {
    LinkTallies tallies;
    tallies.of(LinkId{1}, "ipn:7.0").increment(LinkCounter::kDeparture, 2);
    tallies.of(LinkId{1}, "ipn:8.0").increment(LinkCounter::kDeparture, 2);
    tallies.of(LinkId{1}, "ipn:7.0").increment(LinkCounter::kDeparture, 2);
    tallies.of(LinkId{2}, "ipn:7.0").increment(LinkCounter::kDeparture, 3);
    EXPECT_EQ(tallies.of(LinkId{1}, "ipn:7.0").value(LinkCounter::kDeparture, 2), 2U);
    EXPECT_EQ(tallies.of(LinkId{1}, "ipn:8.0").value(LinkCounter::kDeparture, 2), 1U);
    EXPECT_EQ(tallies.of(LinkId{2}, "ipn:7.0").value(LinkCounter::kDeparture, 2), 0U);
}

TEST(LinkTallies, AFamilyGrowsAndItsLevelsFall) {
    LinkTallies tallies;
    LinkCounters &counters = tallies.of(LinkId{1}, "ipn:7.0");
    const std::uint64_t first[] = {5, 7};
    const std::uint64_t then[] = {~std::uint64_t{0}, 1};  // one less
    counters.add(LinkCounter::kLtp, first);
    counters.add(LinkCounter::kLtp, then);
    EXPECT_EQ(counters.value(LinkCounter::kLtp, 0), 4U);
    EXPECT_EQ(counters.value(LinkCounter::kLtp, 1), 8U);
}

TEST(LinkTallies, NameWhatHasChangedOnce) {
    LinkTallies tallies;
    EXPECT_FALSE(tallies.poll_changed());
    tallies.of(LinkId{1}, "a").add(LinkCounter::kDatagramsLost, 5);
    tallies.of(LinkId{1}, "a").add(LinkCounter::kDatagramsLost, 5);
    const auto changed = tallies.poll_changed();
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed->link, LinkId{1});
    EXPECT_EQ(changed->neighbour, "a");
    EXPECT_EQ(changed->counters.value(LinkCounter::kDatagramsLost), 10U);
    EXPECT_FALSE(tallies.poll_changed());
    tallies.of(LinkId{1}, "a").add(LinkCounter::kDatagramsLost, 1);
    EXPECT_TRUE(tallies.poll_changed());
}

TEST(LinkTallies, KeepABoundedNumberOfNames) {
    LinkTallies tallies;
    for (std::size_t i = 0; i < LinkTallies::kMaxNeighbours + 10; ++i)
        tallies.of(LinkId{1}, "peer " + std::to_string(i)).add(LinkCounter::kDatagramsLost, 1);
    EXPECT_EQ(tallies.of(LinkId{1}, LinkTallies::kOthers).value(LinkCounter::kDatagramsLost), 10U);
    const std::string endless(100'000, 'x');
    LinkTallies fresh;
    fresh.of(LinkId{1}, endless).add(LinkCounter::kDatagramsLost, 1);
    EXPECT_EQ(fresh.poll_changed()->neighbour.size(), LinkTallies::kMaxNameBytes);
}

TEST(LinkTallies, AnEntryThatIsKeptIsTheSame) {
    LinkTallies tallies;
    LinkTallies::Entry &kept = tallies.entry(LinkId{1});
    EXPECT_FALSE(tallies.poll_changed()) << "to find it is no change";
    for (std::uint32_t link = 2; link < 100; ++link)
        tallies.of(LinkId{link}, "a").increment(LinkCounter::kReceived);
    while (tallies.poll_changed()) {
    }
    tallies.change(kept).add(LinkCounter::kReceived, 7);
    const auto changed = tallies.poll_changed();
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed->link, LinkId{1});
    EXPECT_EQ(changed->neighbour, "");
    EXPECT_EQ(changed->counters.value(LinkCounter::kReceived), 7U);
    EXPECT_EQ(&tallies.entry(LinkId{1}), &kept);
}

TEST(LinkTallies, LinksAreNotNeighboursAndAreNotBounded) {
    LinkTallies tallies;
    for (std::uint32_t link = 0; link < 2 * LinkTallies::kMaxNeighbours; ++link)
        tallies.of(LinkId{link}, {}).increment(LinkCounter::kSent);
    EXPECT_EQ(tallies.of(LinkId{1}, "a").value(LinkCounter::kSent), 0U);
    EXPECT_EQ(tallies.of(LinkId{2 * LinkTallies::kMaxNeighbours - 1}, {}).value(LinkCounter::kSent),
              1U);
}

TEST(LinkTallies, ForgetALinkAndMakeRoom) {
    LinkTallies tallies;
    for (std::size_t i = 0; i < LinkTallies::kMaxNeighbours; ++i)
        tallies.of(LinkId{1}, "peer " + std::to_string(i)).increment(LinkCounter::kSent);
    tallies.of(LinkId{2}, {}).increment(LinkCounter::kSent);
    tallies.forget(LinkId{1});
    const auto changed = tallies.poll_changed();
    ASSERT_TRUE(changed);
    EXPECT_EQ(changed->link, LinkId{2});
    EXPECT_FALSE(tallies.poll_changed());
    EXPECT_EQ(tallies.of(LinkId{1}, "peer 5").value(LinkCounter::kSent), 0U);
}

}  // namespace
}  // namespace farlink::telemetry::link_tallies_test
