// SPDX-License-Identifier: Apache-2.0
// Bundles of a batch that come back while the others are on their way to the next hop.
#include <gtest/gtest.h>

#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress::batch_outcomes_test {
namespace {

using Arrivals = std::vector<std::uint64_t>;

class IngressParts : public IngressFixture {
protected:
    /// Egress tells of a part of its oldest batch; kPending: nothing.
    void egress_publishes(const Outcomes &outcomes) {
        Batch &whole = *at_egress.front();
        ASSERT_EQ(whole.bundles.size(), outcomes.size());
        auto part = std::make_unique<Batch>();
        part->link = whole.link;
        part->sequence = whole.sequence;
        part->whole = &whole;
        part->bundles.resize(outcomes.size());
        for (std::size_t place = 0; place < outcomes.size(); ++place) {
            part->bundles[place].outcome = outcomes[place];
            if (outcomes[place] != Outcome::kPending)
                whole.bundles[place].outcome = Outcome::kReturnedEarly;
        }
        core().handle(bus::BatchOutcome{std::move(part)}, now);
        collect();
    }
    /// A session that waits for its acknowledgements, and a next hop at two seconds.
    void far_next_hop() {
        config.acknowledge_within = milliseconds(20);
        route(2, kLinkA);
        bus::LinkUp event;
        event.link = kLinkA;
        event.neighbour = NodeNumber{2};
        event.owlt = seconds(2);
        core().handle(event, now);
        core().handle_upstream_opened(kUp, true);
    }
    std::size_t edited() {
        std::size_t count = 0;
        while (const auto run = core().upstreams().poll_disposition()) count += run->count;
        return count;
    }
    /// What storage does with copies of which it hears.
    void storage_drops(std::size_t copies) {
        storage.subtract(telemetry::StorageCounter::kStoredNow, copies);
        storage.add(telemetry::StorageCounter::kCopiesDropped, copies);
    }
};

constexpr Outcome kLater = Outcome::kPending;

TEST_F(IngressParts, AreStoredWhileTheRestIsOnItsWay) {
    all_up();
    const std::vector<Bytes> sent = bundles(4);
    receive(sent);
    egress_publishes({kLater, Outcome::kTooLate, kLater, Outcome::kNotSent});
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(content(*at_storage[0]), (std::vector<Bytes>{sent[1], sent[3]}));
    EXPECT_EQ(arrivals(*at_storage[0]), (Arrivals{1001, 1003}));
    EXPECT_EQ(at_storage[0]->bytes, sent[1].size() + sent[3].size());
    storage_answers(Outcome::kStored);
    EXPECT_EQ(value(IngressCounter::kInFlight), 2U);

    egress_answers(
        {Outcome::kSent, Outcome::kReturnedEarly, Outcome::kNotSent, Outcome::kReturnedEarly});
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(arrivals(*at_storage[0]), (Arrivals{1002}));
    EXPECT_EQ(value(IngressCounter::kCutThrough), 1U);
}

TEST_F(IngressParts, OfWhichStorageHasACopyLeaveItToThat) {
    far_next_hop();
    receive(bundles(3));
    advance({});
    ASSERT_EQ(at_storage.size(), 1U) << "the copies";
    storage_answers(Outcome::kStored);
    EXPECT_EQ(edited(), 3U);
    egress_publishes({kLater, kLater, Outcome::kTooLate});
    ASSERT_EQ(fates.size(), 1U);
    EXPECT_EQ(fates[0].arrival, 1002U);
    EXPECT_FALSE(fates[0].sent);
    EXPECT_TRUE(at_storage.empty());
    close(kUp);

    egress_answers({Outcome::kSent, Outcome::kSent, Outcome::kReturnedEarly});
    EXPECT_EQ(fates.size(), 3U);
    storage_drops(2);
}

TEST_F(IngressParts, WaitForTheAnswerToTheirCopy) {
    far_next_hop();
    const std::vector<Bytes> sent = bundles(4);
    receive(sent);
    advance({});
    ASSERT_EQ(at_storage.size(), 1U);
    egress_publishes({kLater, kLater, Outcome::kTooLate, Outcome::kTooLate});
    EXPECT_TRUE(fates.empty());
    egress_answers(
        {Outcome::kSent, Outcome::kSent, Outcome::kReturnedEarly, Outcome::kReturnedEarly});
    storage_answers({Outcome::kStored, Outcome::kNoSpace, Outcome::kStored, Outcome::kNoSpace});
    EXPECT_EQ(edited(), 3U);
    ASSERT_EQ(fates.size(), 2U);
    EXPECT_EQ(fates[0].arrival, 1002U);
    EXPECT_FALSE(fates[0].sent);
    EXPECT_EQ(fates[1].arrival, 1000U);
    EXPECT_TRUE(fates[1].sent);
    storage_drops(1);
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(content(*at_storage[0]), std::vector<Bytes>{sent[3]});
}

TEST_F(IngressParts, AreLeftOutOfACopyThatIsMadeLater) {
    config.acknowledge_within = milliseconds(20);
    all_up();
    core().handle_upstream_opened(kUp, true);
    receive(bundles(3));
    egress_publishes({kLater, Outcome::kNotSent, kLater});
    ASSERT_EQ(at_storage.size(), 1U);
    EXPECT_EQ(arrivals(*at_storage[0]), (Arrivals{1001}));
    for (int round = 0; round < 10 && at_storage.size() < 2; ++round) advance(milliseconds(15));
    ASSERT_EQ(at_storage.size(), 2U);
    EXPECT_TRUE(at_storage[1]->copy);
    EXPECT_EQ(arrivals(*at_storage[1]), (Arrivals{1000, 1002}));
    storage_answers(Outcome::kStored);
    storage_answers({Outcome::kNoSpace, Outcome::kStored});
    EXPECT_EQ(edited(), 2U);
    egress_answers({Outcome::kSent, Outcome::kReturnedEarly, Outcome::kNotSent});
    ASSERT_EQ(fates.size(), 1U);
    EXPECT_EQ(fates[0].arrival, 1002U);
    EXPECT_FALSE(fates[0].sent);
    EXPECT_EQ(edited(), 1U);
}

}  // namespace
}  // namespace farlink::ingress::batch_outcomes_test
