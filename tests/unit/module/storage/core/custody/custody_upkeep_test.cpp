// SPDX-License-Identifier: Apache-2.0
// What is in custody while other things happen to its record and its way: a neighbour without room,
// a damaged disk, compaction; and reports of custody acceptance.
#include <gtest/gtest.h>

#include "common/bp/parse.hpp"
#include "module/storage/core/custody/custodian.hpp"
#include "tests/unit/module/storage/core/custody/custody_rig.hpp"

namespace farlink::test::custody_upkeep_test {
namespace {

using bp::v6::AggregateCustodySignal;
using storage::StorageCounter;

constexpr std::uint8_t kDepleted = 4;

class CustodyUpkeep : public CustodyRig {
protected:
    void store(std::uint64_t sequence) {
        bundle.sequence = sequence;
        EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kStored);
    }
    /// To node 20 by that neighbour or, less well, by node 30.
    void two_ways() {
        bus::RouteUpdate update;
        update.routes.push_back({kNode20, {{kNode20, kLink20, 0}, {kNode30, kLink30, 1}}});
        rig().core().handle(update, rig().now);
        rig().link_up(kLink20, kNode20);
        rig().link_up(kLink30, kNode30);
        rig().run_for(kRigMoment);
    }
    std::vector<LinkId> ways_taken() {
        std::vector<LinkId> links;
        for (const Released &each : rig().released) links.push_back(each.link);
        return links;
    }
    void answer(std::uint64_t id, bool succeeded = true, std::uint8_t reason = 0) {
        rig().signal_custody("ipn:20.0",
                             encode(AggregateCustodySignal{succeeded, reason, {{id, id}}}));
        rig().run_for(kRigMoment);
    }
    /// Damages the record that holds this payload.
    void damage(const Bytes &payload) {
        for (const FileNumber file : directory.files()) {
            Bytes &content = directory.content(file);
            const auto at = std::ranges::search(content, payload);
            if (!at.empty()) at.front() ^= 1;
        }
    }
};

// ---- a neighbour without room

TEST_F(CustodyUpkeep, RoundAFullNeighbourThereIsAnotherWay) {
    store(1);
    two_ways();
    EXPECT_EQ(ways_taken(), (std::vector{kLink20}));
    answer(released_id(), false, kDepleted);
    EXPECT_EQ(ways_taken(), (std::vector{kLink20, kLink30})) << "at once";
    store(2);
    rig().run_for(kRigMoment);
    EXPECT_EQ(ways_taken(), (std::vector{kLink20, kLink30, kLink30}));
    // A table that comes meanwhile changes nothing about it.
    two_ways();
    store(3);
    EXPECT_EQ(rig().released.back().link, kLink30);
    rig().run_for(seconds(30));
    store(4);
    EXPECT_EQ(rig().released.back().link, kLink20) << "it has been left alone long enough";
}

TEST_F(CustodyUpkeep, WithoutAnotherWayItWaits) {
    store(1);
    rig().routes_to_both();
    rig().link_up(kLink20, kNode20);
    rig().link_up(kLink30, kNode30);
    rig().run_for(kRigMoment);
    answer(released_id(), false, kDepleted);
    store(2);
    rig().run_for(seconds(29));
    EXPECT_EQ(ways_taken(), (std::vector{kLink20}));
    rig().run_for(seconds(2));
    EXPECT_EQ(ways_taken(), (std::vector{kLink20, kLink20, kLink20}));
}

TEST_F(CustodyUpkeep, WhenAllAreFullItWaitsForTheBestWay) {
    store(1);
    two_ways();
    answer(released_id(), false, kDepleted);
    EXPECT_EQ(ways_taken(), (std::vector{kLink20, kLink30}));
    rig().run_for(seconds(1));
    const Bytes refusal =
        encode(AggregateCustodySignal{false, kDepleted, {{released_id(), released_id()}}});
    rig().signal_custody("ipn:30.0", refusal);
    rig().run_for(seconds(28));
    EXPECT_EQ(rig().released.size(), 2U);
    rig().run_for(seconds(40));
    EXPECT_GT(rig().released.size(), 2U);
    EXPECT_EQ(rig().released[2].link, kLink20);
}

// ---- a damaged disk

TEST_F(CustodyUpkeep, NothingIsKnownOfWhatCannotBeReadAnyMore) {
    store(1);
    rig().routes_to_both();
    rig().link_up(kLink20, kNode20);
    rig().run_for(kRigMoment);
    ASSERT_EQ(rig().released.size(), 1U);
    const std::uint64_t id = released_id();
    damage(bundle.payload());
    rig().run_for(seconds(11));  // to be sent again, it is read again
    EXPECT_EQ(count(StorageCounter::kDeletedUnreadable), 1U);
    EXPECT_EQ(count(StorageCounter::kCustodyHeld), 0U);
    answer(id);
    EXPECT_EQ(count(StorageCounter::kCustodyReleased), 0U);
    // Its lifetime ends; another bundle takes its place in the table, and not its custody id.
    rig().run_for(seconds(2 * 3600));
    rig().link_down(kLink20, kNode20);
    bundle.created_s += 2 * 3600;
    store(2);
    answer(id);
    EXPECT_EQ(count(StorageCounter::kCustodyHeld), 1U);
    EXPECT_EQ(rig().core().figures().held(), 1U);
}

TEST_F(CustodyUpkeep, ABundleInThePlaceOfAReleasedOneBeginsAnew) {
    store(1);
    rig().routes_to_both();
    rig().link_up(kLink20, kNode20);
    rig().run_for(kRigMoment);
    const std::uint64_t id = released_id();
    answer(id);
    EXPECT_EQ(count(StorageCounter::kCustodyHeld), 0U);
    rig().link_down(kLink20, kNode20);
    store(2);
    answer(id);
    rig().signal_custody("ipn:20.0", encode(bundle.signal(true)));
    EXPECT_EQ(count(StorageCounter::kCustodyHeld), 1U) << "it has not been sent yet";
    rig().link_up(kLink20, kNode20);
    rig().run_for(seconds(11));
    EXPECT_EQ(rig().released.size(), 3U) << "and is sent again after its own time";
}

// ---- compaction

class CustodyCompaction : public CustodyUpkeep {
protected:
    CustodyCompaction() {
        options.segment_bytes = 16 * 1024;
        options.compaction_threshold_bytes = 64 * 1024;
        options.custody.config.retransmit_after = seconds(1000);
    }
    /// Node 40 lies behind node 20; the link to node 30 is down.
    void open_links() {
        bus::RouteUpdate update;
        for (const auto &[to, by, link] : {std::tuple{kNode20, kNode20, kLink20},
                                           {kNode40, kNode20, kLink20},
                                           {kNode30, kNode30, kLink30}})
            update.routes.push_back({to, {{by, link, 0}}});
        rig().core().handle(update, rig().now);
        rig().link_up(kLink20, kNode20);
    }
    static constexpr NodeNumber kNode40{40};
    /// Of every twenty bundles that go to node 20, two go on living: one in custody that waits for
    /// node 30, one that has been sent and was not answered.
    void leave_a_few_in_custody() {
        open_links();
        bundle.payload_bytes = 300;
        for (std::uint64_t sequence = 1; sequence <= 600; ++sequence) {
            BundleSpec one;
            one.sequence = sequence;
            one.payload_bytes = 300;
            if (sequence % 20 == 0) {
                bundle.to = bp::ipn_eid(30, 1);
                store(10'000 + sequence);
                bundle.to = bp::ipn_eid(40, 1);
                store(20'000 + sequence);
                ids_.push_back(released_id());
            }
            rig().store({one});
            rig().run_for(kRigMoment);
        }
        rig().run_for(seconds(20));
        EXPECT_GT(count(StorageCounter::kMoved), 20U);
        EXPECT_EQ(count(StorageCounter::kCustodyHeld), 60U);
    }
    std::vector<std::uint64_t> ids_;
};

TEST_F(CustodyCompaction, WhatHasMovedIsStillInCustodyAndAnswered) {
    leave_a_few_in_custody();
    for (const std::uint64_t id : ids_) answer(id);
    EXPECT_EQ(count(StorageCounter::kCustodyReleased), ids_.size());
    EXPECT_EQ(count(StorageCounter::kCustodyHeld), 30U);
    rig().released.clear();
    rig().link_up(kLink30, kNode30);
    rig().run_for(seconds(1));
    EXPECT_EQ(rig().released.size(), 30U);
    EXPECT_EQ(count(StorageCounter::kCustodyHeld), 30U) << "sent is not answered";
}

TEST_F(CustodyCompaction, WhatHasMovedIsStillInCustodyAfterAPowerCut) {
    leave_a_few_in_custody();
    rig_.reset();
    directory.crash(5);
    EXPECT_EQ(count(StorageCounter::kCustodyHeld), 60U);
    open_links();
    rig().link_up(kLink30, kNode30);
    rig().run_for(seconds(1));
    EXPECT_EQ(rig().released.size(), 60U);
    for (const Released &each : rig().released) {
        const auto view = bp::parse(std::array{ByteView(each.octets)}).value();
        EXPECT_EQ(view.custodian, bp::ipn_eid(10, 0));
    }
    EXPECT_EQ(rig().core().figures().held(), 60U);
}

// ---- reports

TEST_F(CustodyUpkeep, AcceptanceIsReportedWhereTheBundleRequestsIt) {
    options.reports = true;
    bundle.custodian = {};  // no node expects a signal
    store(1);
    EXPECT_TRUE(rig().signals.empty());
    bundle.flags |= bp::v6::kReportCustodyFlag;
    store(2);
    EXPECT_TRUE(rig().signals.empty()) << "to whom?";
    bundle.report_to = bp::ipn_eid(5, 3);
    store(3);
    ASSERT_EQ(rig().signals.size(), 1U);
    EXPECT_EQ(as_text(rig().signals[0].destination), "ipn:5.3");
    const auto report = bp::v6::decode_status_report(rig().signals[0].record);
    ASSERT_TRUE(report);
    for (std::size_t at = 0; at < report->times.size(); ++at)
        EXPECT_EQ(report->times[at].has_value(), at == 1) << at;
    EXPECT_EQ(report->reason, 0);
    EXPECT_EQ(report->subject, bundle.signal(true).subject);
    EXPECT_GE(report->times[1]->seconds, kRigStartMs / 1000);
}

TEST_F(CustodyUpkeep, NothingIsReportedByANodeThatDoesNotReport) {
    bundle.custodian = {};
    bundle.flags |= bp::v6::kReportCustodyFlag;
    bundle.report_to = bp::ipn_eid(5, 3);
    store(1);
    EXPECT_TRUE(rig().signals.empty());
}

TEST_F(CustodyUpkeep, WhatIsRefusedIsNotReportedAsAccepted) {
    options.reports = true;
    options.capacity_bytes = 100;
    bundle.flags |= bp::v6::kReportCustodyFlag;
    bundle.report_to = bp::ipn_eid(5, 3);
    EXPECT_EQ(rig().store_octets(bundle.octets()), Outcome::kNoSpace);
    ASSERT_EQ(rig().signals.size(), 1U);
    EXPECT_TRUE(bp::v6::decode_custody_signal(rig().signals[0].record));
}

}  // namespace
}  // namespace farlink::test::custody_upkeep_test
