// SPDX-License-Identifier: Apache-2.0
// What is lent to egress, and what becomes of it when it comes back.
#include "module/storage/core/release/lender.hpp"

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::lender_test {
namespace {

using storage::StorageCounter;
using Sequences = std::vector<std::uint64_t>;

// The link is one of the second instance of egress.
TEST(Lender, WhatLeavesIsBehindWhatEgressWasGivenBefore) {
    SimDirectory directory;
    Rig rig(directory);
    rig.send_at_once = false;
    config::NodeConfig config;
    config.threads.instances = 2;
    config.outducts.resize(1);
    config.outducts[0].id = kLink20;
    config.outducts[0].instance = 2;
    rig.core().set_placement(config::LinkPlacement(config));
    const auto store = [&](std::uint64_t number, std::uint8_t ingress, std::uint64_t behind) {
        BatchPtr batch = rig.make_batch({bundle_numbered(number)});
        batch->instance = ingress;
        batch->behind = {1, behind};
        rig.core().handle(bus::StoreBatch{std::move(batch)}, rig.now);
        rig.run_for(milliseconds(10));
    };
    const auto lend_again = [&] {
        rig.link_down(kLink20, kNode20);
        rig.set_outcome(0, Outcome::kNotSent);
        rig.link_up(kLink20, kNode20);
        rig.run_for(milliseconds(10));
    };
    store(1, 0, 700);
    store(2, 1, 900);
    store(3, 0, 800);
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    ASSERT_EQ(rig.lent.size(), 1U);
    using Numbers = decltype(Batch::behind);
    EXPECT_EQ(rig.lent[0]->behind, (Numbers{800, 900}));
    rig.core().handle(bus::ModuleLost{bus::AgentId::kIngress}, rig.now);
    lend_again();
    ASSERT_EQ(rig.lent.size(), 1U);
    EXPECT_EQ(rig.lent[0]->behind, (Numbers{0, 900}));
    rig.core().handle(bus::ModuleBack{bus::AgentId::kEgress2}, rig.now);
    lend_again();
    ASSERT_EQ(rig.lent.size(), 1U);
    EXPECT_EQ(rig.lent[0]->behind, Numbers{});
    rig.set_outcome(0, Outcome::kSent);
}

TEST(Lender, WhatWasNotSentKeepsItsPlaceAndIsNeverLentTwice) {
    SimDirectory directory;
    RigOptions options;
    options.limits.link_bundles = 4;
    Rig rig(directory, options);
    rig.send_at_once = false;
    rig.store(bundles_numbered(1, 10));
    rig.run_for(milliseconds(10));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    ASSERT_EQ(rig.lent.size(), 1U);
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2, 3, 4}));
    rig.link_down(kLink20, kNode20);
    rig.lent[0]->bundles[0].outcome = Outcome::kSent;
    for (std::size_t i = 1; i < 4; ++i) rig.lent[0]->bundles[i].outcome = Outcome::kNotSent;
    rig.set_outcome(0, Outcome::kPending);
    rig.released.clear();
    rig.send_at_once = true;
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{2, 3, 4, 5, 6, 7, 8, 9, 10}));
    EXPECT_EQ(rig.count(StorageCounter::kReturned), 3U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

/// Three bundles that a contact has taken and the first of which is on its way.
struct PartlySent {
    explicit PartlySent(SimDirectory &directory) : rig(directory, {}) {
        rig.send_at_once = false;
        rig.store(bundles_numbered(1, 3));
        rig.run_for(milliseconds(10));
        rig.routes_to_both();
        rig.link_up(kLink20, kNode20);
        rig.run_for(milliseconds(10));
        rig.released.clear();
    }
    /// Egress reports the outcomes of the other two.
    void publish(Outcome outcome) {
        auto part = std::make_unique<Batch>();
        part->owner = BatchOwner::kStorage;
        part->link = kLink20;
        part->sequence = rig.lent[0]->sequence;
        part->whole = rig.lent[0].get();
        part->bundles.resize(3);
        for (std::size_t place = 1; place < 3; ++place) {
            part->bundles[place].outcome = outcome;
            rig.lent[0]->bundles[place].outcome = Outcome::kReturnedEarly;
        }
        rig.core().handle(bus::BatchOutcome{std::move(part)}, rig.now);
        rig.run_for(milliseconds(10));
    }
    Rig rig;
};

TEST(Lender, WhatIsTooLateForAContactGoesWithTheNextBeforeTheRestIsAcknowledged) {
    SimDirectory directory;
    PartlySent story(directory);
    Rig &rig = story.rig;
    ASSERT_EQ(rig.lent.size(), 1U);
    story.publish(Outcome::kTooLate);
    EXPECT_TRUE(rig.released.empty()) << "the same contact";
    rig.link_down(kLink20, kNode20);
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{2, 3}));
    ASSERT_EQ(rig.lent.size(), 2U);

    rig.lent[0]->bundles[0].outcome = Outcome::kSent;
    rig.set_outcome(0, Outcome::kPending);
    EXPECT_EQ(rig.core().figures().held(), 2U)
        << "what was told before is lent again, and counts once";
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST(Lender, TooLateForAnEarlierContactIsNotTooLateForThisOne) {
    SimDirectory directory;
    PartlySent story(directory);
    Rig &rig = story.rig;
    ASSERT_EQ(rig.lent.size(), 1U);
    rig.link_down(kLink20, kNode20);
    rig.link_up(kLink20, kNode20);
    rig.set_outcome(0, Outcome::kTooLate);
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2, 3}));
    rig.released.clear();
    rig.set_outcome(0, Outcome::kTooLate);
    rig.run_for(milliseconds(10));
    EXPECT_TRUE(rig.released.empty());
    rig.link_up(kLink20, kNode20);  // it has another end
    rig.run_for(milliseconds(10));
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2, 3}));
    rig.set_outcome(0, Outcome::kSent);
}

/// Two bundles of 3000 octets, of the first of which a contact takes a part.
struct SentInPart {
    explicit SentInPart(SimDirectory &directory) : rig(directory, {}) {
        rig.send_at_once = false;
        BundleSpec large;
        large.payload_bytes = 3000;
        rig.store(bundles_numbered(1, 2, large));
        rig.run_for(milliseconds(10));
        rig.routes_to_both();
        rig.link_up(kLink20, kNode20);
        rig.run_for(milliseconds(10));
        rig.lent[0]->bundles[0].outcome = Outcome::kPartSent;
        rig.lent[0]->bundles[1].outcome = Outcome::kTooLate;
        rig.lent[0]->sent_payload = 1000;
        rig.set_outcome(0, Outcome::kPending);
        rig.run_for(milliseconds(200));
        rig.released.clear();
    }
    Rig rig;
};

TEST(Lender, TheRestOfABundleLeavesWithTheNextContact) {
    SimDirectory directory;
    SentInPart story(directory);
    Rig &rig = story.rig;
    EXPECT_TRUE(rig.lent.empty()) << "the same contact";
    EXPECT_EQ(rig.core().figures().held(), 2U);
    rig.link_down(kLink20, kNode20);
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    ASSERT_EQ(rig.lent.size(), 2U) << "the rest is a batch of its own";
    EXPECT_EQ(rig.released_sequences(), (Sequences{1, 2}));
    EXPECT_EQ(rig.lent[0]->sent_payload, 1000U);
    EXPECT_EQ(rig.lent[0]->bundles.size(), 1U);
    EXPECT_EQ(rig.lent[1]->sent_payload, 0U);

    rig.lent[0]->sent_payload = 2500;
    rig.set_outcome(0, Outcome::kPartSent);
    rig.set_outcome(0, Outcome::kTooLate);
    rig.link_down(kLink20, kNode20);
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    ASSERT_EQ(rig.lent.size(), 2U);
    EXPECT_EQ(rig.lent[0]->sent_payload, 2500U);
    rig.set_outcome(0, Outcome::kNotSent);
    rig.run_for(milliseconds(10));
    ASSERT_EQ(rig.lent.size(), 2U);
    EXPECT_EQ(rig.lent[1]->sent_payload, 2500U) << "that part has left all the same";
    rig.set_outcome(1, Outcome::kSent);
    rig.set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kReleased), 2U);
}

TEST(Lender, ALinkWithoutFragmentsGetsTheWhole) {
    SimDirectory directory;
    SentInPart story(directory);
    Rig &rig = story.rig;
    rig.link_up(kLink20, kNode20, ~std::uint64_t{0}, false);
    rig.run_for(milliseconds(10));
    ASSERT_EQ(rig.lent.size(), 1U);
    EXPECT_EQ(rig.lent[0]->sent_payload, 0U);
    EXPECT_EQ(rig.lent[0]->bundles.size(), 2U);
    rig.set_outcome(0, Outcome::kSent);
}

TEST(Lender, APartOfMoreThanTheBundleIsNotBelieved) {
    SimDirectory directory;
    SentInPart story(directory);
    Rig &rig = story.rig;
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    rig.lent[0]->sent_payload = 1'000'000;
    rig.set_outcome(0, Outcome::kPartSent);
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    ASSERT_EQ(rig.lent.size(), 2U);
    EXPECT_EQ(rig.lent[1]->sent_payload, 1000U);
    while (!rig.lent.empty()) rig.set_outcome(0, Outcome::kSent);
}

TEST(Lender, WhatWasReadAheadComesBackWhenTheLinkGoes) {
    SimDirectory directory;
    RigOptions options;
    options.limits.link_bytes = 3000;
    Rig rig(directory, options);
    rig.send_at_once = false;
    BundleSpec large;
    large.payload_bytes = 900;
    rig.store(bundles_numbered(1, 20, large));
    rig.run_for(milliseconds(10));
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(10));
    // The link shows how fast it is, so more is read than it may have in hand.
    while (rig.released.size() < 9) {
        ASSERT_FALSE(rig.lent.empty());
        rig.set_outcome(0, Outcome::kSent);
        rig.run_for(milliseconds(1));
    }
    rig.link_down(kLink20, kNode20);
    while (!rig.lent.empty()) {
        rig.set_outcome(0, Outcome::kNotSent);
        rig.run_for(milliseconds(1));
    }
    Sequences left;
    for (std::uint64_t at = rig.count(StorageCounter::kReleased) + 1; at <= 20; ++at)
        left.push_back(at);
    rig.released.clear();
    rig.send_at_once = true;
    rig.link_up(kLink20, kNode20);
    rig.run_for(milliseconds(100));
    EXPECT_EQ(rig.released_sequences(), left);
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

// The log does not keep the sender of a bundle; the bundle names it (RFC 9171 section 4.4.1).
TEST(Lender, AfterARestartABundleDoesNotGoBackToTheNodeBefore) {
    constexpr NodeNumber kFar{40};
    SimDirectory directory;
    {
        Rig rig(directory);
        for (const std::uint64_t sequence : {1, 2, 3, 4}) {
            BundleSpec spec = bundle_numbered(sequence);
            spec.destination_node = sequence == 4 ? kNode20.value() : kFar.value();
            spec.previous_node = sequence % 2 == 0 ? kNode20.value() : 0;
            rig.store({spec});
        }
        rig.run_for(kRigMoment);
    }
    directory.crash(3);
    Rig rig(directory);
    rig.route_by({{kFar, kLink20}, {kNode20, kLink20}}, kNode20);
    rig.link_up(kLink20, kNode20);
    rig.run_for(seconds(1));
    Sequences released = rig.released_sequences();
    std::ranges::sort(released);
    EXPECT_EQ(released, (Sequences{1, 3, 4})) << "4 is for that node itself";
    ASSERT_EQ(rig.core().figures().held(), 1U);
    rig.route_by({{kFar, kLink30}}, kNode30);
    rig.link_up(kLink30, kNode30);
    rig.run_for(seconds(1));
    EXPECT_EQ(rig.released.back().sequence, 2U);
    EXPECT_EQ(rig.released.back().link, kLink30);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kStoredNow), 0U);
}

// Egress counts and reports them.
TEST(Lender, WhatEgressDeletesIsNeitherSentNorKept) {
    for (const Outcome outcome : {Outcome::kDeletedHopLimit, Outcome::kDeletedUnreadable}) {
        SimDirectory directory;
        Rig rig(directory);
        rig.send_at_once = false;
        rig.store(bundles_numbered(1, 1));
        rig.run_for(milliseconds(10));
        rig.routes_to_both();
        rig.link_up(kLink20, kNode20);
        rig.run_for(milliseconds(10));
        ASSERT_EQ(rig.lent.size(), 1U);
        rig.set_outcome(0, outcome);
        EXPECT_EQ(rig.core().figures().held(), 0U);
        EXPECT_EQ(rig.count(StorageCounter::kReleased), 0U);
        EXPECT_EQ(rig.count(StorageCounter::kUnsendable), 1U);
    }
}

}  // namespace
}  // namespace farlink::test::lender_test
