// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/custody/custodian.hpp"

#include <gtest/gtest.h>

#include <set>

#include "common/bp/parse.hpp"
#include "tests/unit/module/storage/core/custody/custody_rig.hpp"

namespace farlink::test::custodian_test {
namespace {

using bp::v6::AggregateCustodySignal;
using bp::v6::CustodySignal;
using storage::StorageCounter;
using test::CustodyBundle;

constexpr std::uint8_t kRedundant = 3;
constexpr std::uint8_t kDepleted = 4;
constexpr std::uint8_t kNoRoute = 6;

class CustodianTest : public CustodyRig {
protected:
    void restart(bool power_cut = true) {
        const TimePoint now = rig().now;
        if (!power_cut) rig().drain();
        rig_.reset();
        power_cut ? directory.crash(1) : directory.close();
        options.wall_ms += 1000;
        rig().now = now;
    }
    void open_link() {
        rig().routes_to_both();
        rig().link_up(kLink20, kNode20);
        rig().run_for(kRigMoment);
    }
    bp::BundleView released_view() {
        return bp::parse(std::array{ByteView(rig().released.back().octets)}).value();
    }
    static Bytes aggregate(bool succeeded, std::uint8_t reason, std::uint64_t first,
                           std::uint64_t last) {
        return encode(AggregateCustodySignal{succeeded, reason, {{first, last}}});
    }
    /// The only signal that storage has sent since the last call.
    bus::OriginateRequest only_signal() {
        EXPECT_EQ(rig().signals.size(), 1U);
        bus::OriginateRequest signal =
            rig().signals.empty() ? bus::OriginateRequest{} : rig().signals.front();
        rig().signals.clear();
        return signal;
    }
};

TEST_F(CustodianTest, AFlushedBundleIsInCustodyAndItsCustodianGetsASignal) {
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kStored);
    EXPECT_EQ(count(StorageCounter::kCustodyAccepted), 1U);
    EXPECT_EQ(count(StorageCounter::kCustodyHeld), 1U);
    const bus::OriginateRequest request = only_signal();
    EXPECT_EQ(as_text(request.destination), "ipn:2.0");
    const CustodySignal signal = bp::v6::decode_custody_signal(request.record).value();
    EXPECT_TRUE(signal.succeeded);
    EXPECT_EQ(signal.subject, bundle.signal(true).subject);
}

TEST_F(CustodianTest, NothingIsAcceptedBeforeTheFlush) {
    rig();
    directory.faults().fail_at(0, storage::FileError::kIo);
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kIoError);
    EXPECT_TRUE(rig().signals.empty());
    EXPECT_EQ(count(StorageCounter::kCustodyAccepted), 0U);
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kStored);
    EXPECT_EQ(rig().signals.size(), 1U);
}

TEST_F(CustodianTest, WhatLeavesNamesThisNodeAndItsOwnId) {
    bundle.custody_id = 99;
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kStored);
    open_link();
    ASSERT_EQ(rig().released.size(), 1U);
    const bp::BundleView view = released_view();
    EXPECT_EQ(view.custodian, bp::ipn_eid(10, 0));
    EXPECT_NE(released_id(), 99U);
    const Bytes &octets = rig().released.back().octets;
    const Bytes payload = bundle.payload();
    EXPECT_TRUE(std::ranges::equal(ByteView(octets).last(payload.size()), payload));
}

TEST_F(CustodianTest, ManyBundlesAreOneSignal) {
    for (std::uint64_t i = 0; i < 20; ++i) {
        bundle.sequence = i;
        bundle.custody_id = 500 + i;
        EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kStored);
    }
    EXPECT_TRUE(rig().signals.empty());
    rig().run_for(seconds(1));
    const bus::OriginateRequest request = only_signal();
    EXPECT_EQ(bp::v6::decode_aggregate_custody_signal(request.record).value(),
              (AggregateCustodySignal{true, 0, {{500, 519}}}));
    EXPECT_EQ(count(StorageCounter::kCustodyAggregatesSent), 1U);
    open_link();
    EXPECT_EQ(rig().released.size(), 20U);
    const std::uint64_t last = released_id();
    rig().signal_custody("ipn:20.0", aggregate(true, 0, last - 19, last));
    EXPECT_EQ(rig().core().figures().held(), 0U) << "their ids were one run, too";
    EXPECT_EQ(count(StorageCounter::kCustodyReleased), 20U);
    EXPECT_EQ(count(StorageCounter::kCustodyHeld), 0U);
}

TEST_F(CustodianTest, ItStaysUntilTheNextCustodianAnswers) {
    rig().store_octets(bundle.octets());
    open_link();
    ASSERT_EQ(rig().released.size(), 1U);
    EXPECT_EQ(rig().core().figures().held(), 1U) << "sent is not taken over";
    EXPECT_EQ(count(StorageCounter::kCustodyHeld), 1U);
    rig().signal_custody("ipn:20.0", encode(bundle.signal(true)));
    EXPECT_EQ(rig().core().figures().held(), 0U);
    rig().run_for(seconds(100));
    EXPECT_EQ(rig().released.size(), 1U);
    EXPECT_EQ(count(StorageCounter::kCustodySignalsReceived), 1U);
}

TEST_F(CustodianTest, WithoutAnAnswerItIsSentAgainAtLongerIntervals) {
    rig().store_octets(bundle.octets());
    open_link();
    std::vector<std::size_t> sent;
    for (const int wait : {9, 2, 20, 41}) {
        sent.push_back(rig().released.size());
        rig().run_for(seconds(wait));
    }
    EXPECT_EQ(sent, (std::vector<std::size_t>{1, 1, 2, 3}));
    EXPECT_EQ(rig().released.size(), 4U);
    EXPECT_EQ(count(StorageCounter::kCustodyRetransmissions), 3U);
    rig().signal_custody("ipn:20.0", encode(bundle.signal(true)));
    EXPECT_EQ(rig().core().figures().held(), 0U);
}

TEST_F(CustodianTest, TheOneWayLightTimeIsAllowedFor) {
    rig().store_octets(bundle.octets());
    rig().routes_to_both();
    rig().core().handle(bus::LinkUp{{}, kLink20, kNode20, {}, seconds(600)}, rig().now);
    rig().run_for(seconds(1209));
    EXPECT_EQ(rig().released.size(), 1U);
    rig().run_for(seconds(2));
    EXPECT_EQ(rig().released.size(), 2U);
}

TEST_F(CustodianTest, RedundantReceptionMeansThatTheNextHopHasIt) {
    rig().store_octets(bundle.octets());
    open_link();
    rig().signal_custody("ipn:20.0", encode(bundle.signal(false, kRedundant)));
    EXPECT_EQ(rig().core().figures().held(), 0U);
}

TEST_F(CustodianTest, AnAnswerThatComesLateStillCounts) {
    rig().store_octets(bundle.octets());
    open_link();
    rig().link_down(kLink20, kNode20);
    rig().run_for(seconds(60));
    EXPECT_EQ(rig().released.size(), 1U);
    rig().signal_custody("ipn:20.0", aggregate(true, 0, released_id(), released_id()));
    EXPECT_EQ(rig().core().figures().held(), 0U) << "it was waiting to be sent again";
}

TEST_F(CustodianTest, AnAnswerMayOvertakeTheLink) {
    rig().send_at_once = false;
    rig().store_octets(bundle.octets());
    open_link();
    ASSERT_EQ(rig().lent.size(), 1U);
    rig().signal_custody("ipn:20.0", encode(bundle.signal(true)));
    EXPECT_EQ(rig().core().figures().held(), 1U) << "egress has it";
    rig().set_outcome(0, Outcome::kSent);
    EXPECT_EQ(rig().core().figures().held(), 0U);
    bundle.sequence = 2;
    rig().store_octets(bundle.octets());
    rig().signal_custody("ipn:20.0", encode(bundle.signal(true)));
    rig().set_outcome(0, Outcome::kNotSent);
    EXPECT_EQ(rig().core().figures().held(), 0U) << "nor is it sent again";
}

TEST_F(CustodianTest, AnAnswerBeforeItWasSentIsAboutAnotherTime) {
    rig().store_octets(bundle.octets());
    rig().signal_custody("ipn:20.0", encode(bundle.signal(true)));
    EXPECT_EQ(rig().core().figures().held(), 1U);
}

TEST_F(CustodianTest, AFullNeighbourIsLeftAlone) {
    rig().store_octets(bundle.octets());
    open_link();
    rig().signal_custody("ipn:20.0", encode(bundle.signal(false, kDepleted)));
    EXPECT_EQ(count(StorageCounter::kCustodyFailures), 1U);
    bundle.sequence = 2;
    rig().store_octets(bundle.octets());
    rig().run_for(seconds(29));
    EXPECT_EQ(rig().released.size(), 1U) << "others wait, too";
    rig().run_for(seconds(2));
    EXPECT_EQ(rig().released.size(), 3U);
}

TEST_F(CustodianTest, ARefusalForAnotherReasonIsTriedAgainLater) {
    rig().store_octets(bundle.octets());
    open_link();
    rig().signal_custody("ipn:20.0", encode(bundle.signal(false, kNoRoute)));
    EXPECT_EQ(rig().released.size(), 1U);
    rig().run_for(seconds(11));
    EXPECT_EQ(rig().released.size(), 2U);
    EXPECT_EQ(rig().core().figures().held(), 1U);
}

TEST_F(CustodianTest, WithoutSpaceCustodyIsRefusedOnce) {
    options.capacity_bytes = 300;
    bundle.custody_id = 7;
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kStored);
    bundle.sequence = 2;
    bundle.custody_id = 8;
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kNoSpace);
    rig().run_for(seconds(1));
    ASSERT_EQ(rig().signals.size(), 2U);
    EXPECT_EQ(bp::v6::decode_aggregate_custody_signal(rig().signals[1].record).value(),
              (AggregateCustodySignal{false, kDepleted, {{8, 8}}}));
    EXPECT_EQ(count(StorageCounter::kCustodyRefused), 1U);
}

TEST_F(CustodianTest, TheSameAgainFromTheSameCustodianIsRedundant) {
    bundle.custody_id = 7;
    rig().store_octets(bundle.octets());
    open_link();
    rig().run_for(seconds(1));
    rig().signals.clear();
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kDuplicate);
    rig().run_for(seconds(1));
    EXPECT_EQ(bp::v6::decode_aggregate_custody_signal(only_signal().record).value(),
              (AggregateCustodySignal{false, kRedundant, {{7, 7}}}));
    EXPECT_EQ(count(StorageCounter::kCustodyRedundant), 1U);
}

TEST_F(CustodianTest, ACustodianThatMayHaveItFromHereIsNotReleased) {
    rig().store_octets(bundle.octets());
    open_link();
    rig().signals.clear();
    // The next custodian took it and sends it back; its own answer is still on the way.
    Bytes back = rig().released.back().octets;
    const auto view = bp::parse(std::array{ByteView(back)}).value();
    Bytes theirs(bp::v6::custody_head_bound(view.head_end, bp::ipn_eid(20, 0)));
    theirs.resize(bp::v6::write_custody_head(ByteView(back).first(view.head_end),
                                             bp::ipn_eid(20, 0), 1234, theirs));
    append(theirs, ByteView(back).subspan(view.head_end));
    EXPECT_EQ(rig().store_octets(theirs), Outcome::kDuplicate);
    rig().run_for(seconds(2));
    EXPECT_TRUE(rig().signals.empty()) << "both would let go of it";
    rig().signal_custody("ipn:20.0", aggregate(true, 0, released_id(), released_id()));
    EXPECT_EQ(rig().core().figures().held(), 0U);
    rig().link_down(kLink20, kNode20);
    EXPECT_EQ(rig().store_octets(theirs), Outcome::kStored) << "now this node takes it back";
    rig().run_for(seconds(2));
    EXPECT_EQ(rig().signals.size(), 1U);
}

TEST_F(CustodianTest, BeforeItWasSentAnyCustodianMayLetGo) {
    rig().store_octets(bundle.octets());
    rig().signals.clear();
    CustodyBundle other = bundle;
    other.custodian = bp::ipn_eid(3, 0);
    EXPECT_EQ(rig().store_octets(other.octets()), Outcome::kDuplicate);
    const bus::OriginateRequest request = only_signal();
    EXPECT_EQ(as_text(request.destination), "ipn:3.0");
    EXPECT_EQ(bp::v6::decode_custody_signal(request.record)->reason, kRedundant);
}

// Node 20 is the destination. In a mesh its neighbours have copies from each other.
TEST_F(CustodianTest, WhileOnlyItsDestinationGotItAnyOtherCustodianMayLetGo) {
    rig().store_octets(bundle.octets());
    open_link();
    ASSERT_EQ(rig().released.size(), 1U);
    rig().signals.clear();
    CustodyBundle other = bundle;
    other.custodian = bp::ipn_eid(3, 0);
    EXPECT_EQ(rig().store_octets(other.octets()), Outcome::kDuplicate);
    const bus::OriginateRequest request = only_signal();
    EXPECT_EQ(as_text(request.destination), "ipn:3.0");
    EXPECT_EQ(bp::v6::decode_custody_signal(request.record)->reason, kRedundant);

    rig().route_by({{kNode20, kLink30}}, kNode30);
    rig().link_up(kLink30, kNode30);
    rig().run_for(seconds(11));
    ASSERT_EQ(rig().released.size(), 2U);
    EXPECT_EQ(rig().store_octets(other.octets()), Outcome::kDuplicate);
    rig().run_for(seconds(2));
    EXPECT_TRUE(rig().signals.empty()) << "node 3 may have it from node 30";
}

TEST_F(CustodianTest, CustodyOutlivesAPowerCut) {
    rig().store_octets(bundle.octets());
    open_link();
    EXPECT_EQ(rig().released.size(), 1U);
    const std::uint64_t id = released_id();
    restart();
    EXPECT_EQ(rig().core().figures().held(), 1U);
    EXPECT_EQ(count(StorageCounter::kCustodyHeld), 1U);
    open_link();
    ASSERT_EQ(rig().released.size(), 1U) << "sent again: what was answered is not known";
    EXPECT_EQ(released_view().custodian, bp::ipn_eid(10, 0));
    EXPECT_EQ(released_id(), id);
    rig().signal_custody("ipn:20.0", aggregate(true, 0, id, id));
    EXPECT_EQ(rig().core().figures().held(), 0U);
    bundle.sequence = 2;
    rig().store_octets(bundle.octets());
    EXPECT_GT(released_id(), id) << "no id is used twice";
}

TEST_F(CustodianTest, WhatWasAcceptedSurvivesAPowerCutAtAnyOperation) {
    std::size_t accepted_in_all = 0;
    for (std::uint64_t operation = 0; operation < 40; ++operation) {
        SCOPED_TRACE(operation);
        SimDirectory disk;
        std::set<std::uint64_t> accepted;
        {
            Rig before(disk, options);
            disk.faults().power_off_at(operation);
            for (bundle.sequence = 1; bundle.sequence <= 4; ++bundle.sequence)
                before.store_octets(bundle.octets());
            for (const bus::OriginateRequest &signal : before.signals) {
                const auto read = bp::v6::decode_custody_signal(signal.record).value();
                if (read.succeeded) accepted.insert(read.subject.sequence);
            }
        }
        disk.crash(operation);
        Rig after(disk, options);
        after.routes_to_both();
        after.link_up(kLink20, kNode20);
        after.run_for(kRigMoment);
        const auto released = after.released_sequences();
        for (const std::uint64_t sequence : accepted)
            EXPECT_TRUE(std::ranges::find(released, sequence) != released.end()) << sequence;
        accepted_in_all += accepted.size();
    }
    EXPECT_GT(accepted_in_all, 40U);
}

TEST_F(CustodianTest, TheLifetimeEndsCustody) {
    bundle.lifetime_s = 60;
    rig().store_octets(bundle.octets());
    open_link();
    rig().run_for(seconds(200));
    EXPECT_EQ(rig().core().figures().held(), 0U);
    EXPECT_EQ(count(StorageCounter::kExpired), 1U);
    EXPECT_EQ(count(StorageCounter::kCustodyHeld), 0U);
    rig().signal_custody("ipn:20.0", encode(bundle.signal(true)));
    EXPECT_EQ(count(StorageCounter::kCustodyReleased), 0U);
}

TEST_F(CustodianTest, WhatIsInCustodyHoldsNothingElseBack) {
    rig().store_octets(bundle.octets());
    open_link();
    EXPECT_EQ(rig().released.size(), 1U);
    ASSERT_FALSE(rig().backlogs.empty());
    EXPECT_EQ(rig().backlogs.back().waiting, 0U);
    EXPECT_EQ(rig().core().figures().held(), 1U);
}

TEST_F(CustodianTest, ANodeThatDoesNotAggregateWritesNoIds) {
    options.custody.config.acs_aware = false;
    bundle.custody_id = 7;
    rig().store_octets(bundle.octets());
    EXPECT_TRUE(bp::v6::decode_custody_signal(only_signal().record).has_value());
    open_link();
    const Bytes &octets = rig().released.back().octets;
    const auto view = released_view();
    EXPECT_EQ(view.custodian, bp::ipn_eid(10, 0));
    EXPECT_FALSE(bp::v6::custody_id_of(view, ByteView(octets).first(view.head_end)));
    rig().signal_custody("ipn:20.0", encode(bundle.signal(true)));
    EXPECT_EQ(rig().core().figures().held(), 0U);
}

TEST_F(CustodianTest, SignalsAboutNothingAndNonsenseAreCounted) {
    rig().signal_custody("ipn:20.0", aggregate(true, 0, 0, ~0ULL - 1));
    rig().signal_custody("ipn:20.0", encode(bundle.signal(true)));
    rig().signal_custody("ipn:20.0", encode(bundle.signal(false, kDepleted)));
    rig().signal_custody("nobody", {0x40});
    rig().signal_custody("ipn:20.0", {});
    EXPECT_EQ(count(StorageCounter::kCustodyAggregatesReceived), 1U);
    EXPECT_EQ(count(StorageCounter::kCustodySignalsReceived), 2U);
    EXPECT_EQ(count(StorageCounter::kCustodySignalsMalformed), 2U);
}

TEST_F(CustodianTest, AnEndInGoodOrderSendsTheSignalsThatWait) {
    bundle.custody_id = 7;
    rig().store_octets(bundle.octets());
    EXPECT_TRUE(rig().signals.empty());
    rig().drain();
    EXPECT_EQ(rig().signals.size(), 1U);
}

TEST_F(CustodianTest, HoldingsAreCountedForEachDestination) {
    rig().store_octets(bundle.octets());
    bundle.to = bp::ipn_eid(30, 1);
    bundle.sequence = 2;
    bundle.lifetime_s = 1800;
    rig().store_octets(bundle.octets());
    rig().store({BundleSpec{.destination_node = 30, .sequence = 3}});
    open_link();
    const std::vector<storage::Holding> holdings = rig().core().figures().holdings();
    ASSERT_EQ(holdings.size(), 2U);
    EXPECT_EQ(holdings[0].destination, "ipn:20.1");
    EXPECT_EQ(holdings[0].pending.bundles, 0U) << "sent";
    EXPECT_EQ(holdings[0].in_custody.bundles, 1U);
    EXPECT_EQ(holdings[0].in_custody.next_expiry, kRigStartMs + 3'600'001);
    EXPECT_EQ(holdings[1].destination, "ipn:30.1");
    EXPECT_EQ(holdings[1].pending.bundles, 2U);
    EXPECT_EQ(holdings[1].pending.next_expiry, kRigStartMs + 1'800'001);
    EXPECT_EQ(holdings[1].in_custody.bundles, 1U);
    EXPECT_GT(holdings[1].pending.bytes, holdings[1].in_custody.bytes);
}

TEST_F(CustodianTest, WhatIsInCustodyMakesNoRoom) {
    options.when_full = config::WhenFull::kMakeRoom;
    options.capacity_bytes = 2000;
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kStored);
    rig().store({BundleSpec{.sequence = 2, .payload_bytes = 1000}});
    rig().run_for(kRigMoment);
    EXPECT_EQ(rig().outcome(2), Outcome::kStored);
    rig().store({BundleSpec{.sequence = 3, .payload_bytes = 1000}});
    rig().run_for(kRigMoment);
    EXPECT_EQ(rig().outcome(3), Outcome::kStored);
    EXPECT_EQ(count(StorageCounter::kDeletedToMakeRoom), 1U);
    EXPECT_EQ(count(StorageCounter::kCustodyHeld), 1U);
}

TEST_F(CustodianTest, WhatEgressDeletesIsSentNoMore) {
    rig().send_at_once = false;
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kStored);
    open_link();
    ASSERT_EQ(rig().lent.size(), 1U);
    rig().set_outcome(0, Outcome::kDeletedUnreadable);
    rig().run_for(seconds(60));
    EXPECT_TRUE(rig().lent.empty()) << "no signal is awaited";
    EXPECT_EQ(rig().core().figures().held(), 0U);
    EXPECT_EQ(count(StorageCounter::kCustodySent), 0U);
    EXPECT_EQ(count(StorageCounter::kCustodyHeld), 0U);
    EXPECT_EQ(count(StorageCounter::kUnsendable), 1U);
}

}  // namespace
}  // namespace farlink::test::custodian_test
