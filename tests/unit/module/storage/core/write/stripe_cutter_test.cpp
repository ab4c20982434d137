// SPDX-License-Identifier: Apache-2.0
// Large bundles in stripes: one bundle is as fast as all disks together, and is safe, moved, sent
// and deleted as a whole.
#include "module/storage/core/write/stripe_cutter.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <utility>

#include "common/bp/parse.hpp"
#include "module/storage/core/index/endpoint_label.hpp"
#include "tests/support/custody_bundle.hpp"
#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::stripe_cutter_test {
namespace {

using storage::StorageCounter;
using Sequences = std::vector<std::uint64_t>;

constexpr std::uint64_t kMegabyte = 1'000'000;
constexpr std::uint64_t kLarge = 10'000;

BundleSpec spec(std::uint64_t sequence, std::uint64_t payload = kLarge) {
    BundleSpec one;
    one.sequence = sequence;
    one.payload_bytes = payload;
    return one;
}

/// Disks that outlive their node; whatever is larger than 4 kB is cut in stripes.
class Stripes : public ::testing::Test {
protected:
    void use(std::size_t count) {
        all.clear();
        disks.clear();
        options = {};
        for (std::size_t at = 0; at < count; ++at) all.push_back(&disks.emplace_back());
        options.segment_bytes = 64 * 1024;
        options.stripe_above_bytes = 4096;
    }
    Rig start() { return {all, options}; }
    Rig start_without(std::size_t missing) {
        std::vector<SimDirectory *> left = all;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(missing));
        return {left, options};
    }
    void close() {
        for (SimDirectory &disk : disks) disk.close();
    }
    void store(std::uint64_t first, std::uint64_t last) {
        Rig rig = start();
        for (std::uint64_t sequence = first; sequence <= last; ++sequence) {
            rig.store({spec(sequence)});
            rig.run_for(kRigMoment);
            ASSERT_EQ(rig.outcome(sequence), Outcome::kStored);
        }
    }
    static Sequences send_all(Rig &rig, Duration within = seconds(2)) {
        rig.routes_to_both();
        rig.link_up(kLink20, kNode20);
        rig.run_for(within);
        return rig.released_sequences();
    }

    std::deque<SimDirectory> disks;
    std::vector<SimDirectory *> all;
    RigOptions options;
};

SimDiskSpeed rate(std::uint64_t megabytes_per_second) {
    SimDiskSpeed speed;
    speed.bytes_per_second = megabytes_per_second * kMegabyte;
    return speed;
}

TEST_F(Stripes, OneBundleIsWrittenAndReadAtTheRatesOfAllDisks) {
    constexpr std::uint64_t kBytes = 20 * kMegabyte;
    const std::vector<std::vector<std::uint64_t>> cases{
        {100}, {100, 100}, {100, 100, 100, 100}, {50, 150}};
    for (const std::vector<std::uint64_t> &rates : cases) {
        use(rates.size());
        options.limits.link_bytes = 2 * kBytes;
        double sum = 0;
        for (const std::uint64_t one : rates) {
            options.speeds.push_back(rate(one));
            sum += static_cast<double>(one);
        }
        Rig rig = start();
        // The first one shows how fast the disks are.
        rig.store({spec(1, kBytes)});
        rig.run_for(seconds(1));
        ASSERT_EQ(rig.outcome(1), Outcome::kStored);
        TimePoint begin = rig.now;
        rig.store({spec(2, kBytes)});
        while (rig.outcome(2) != Outcome::kStored && rig.now < begin + seconds(5))
            rig.run_for(microseconds(100));
        const auto speed = [&begin, &rig](std::uint64_t bytes) {
            const double taken = std::chrono::duration<double>(rig.now - begin).count();
            return static_cast<double>(bytes) / kMegabyte / taken;
        };
        EXPECT_GT(speed(kBytes), 0.9 * sum) << rates.size() << " disks";
        EXPECT_LE(speed(kBytes), 1.01 * sum);
        RecordProperty("write_" + std::to_string(rates.size()), std::to_string(speed(kBytes)));

        rig.routes_to_both();
        begin = rig.now;
        rig.link_up(kLink20, kNode20);
        while (rig.released.size() < 2 && rig.now < begin + seconds(5))
            rig.run_for(microseconds(100));
        // The first one was cut in equal parts.
        const double slowest = static_cast<double>(*std::ranges::min_element(rates));
        const double expected = 2 / (1 / sum + 1 / (slowest * static_cast<double>(rates.size())));
        EXPECT_GT(speed(2 * kBytes), 0.9 * expected) << rates.size() << " disks";
        ASSERT_EQ(rig.released.size(), 2U);
        EXPECT_EQ(rig.released[1].octets, encode(spec(2, kBytes)));
    }
}

TEST_F(Stripes, EachDiskHasItsPartAndOnlyLargeBundlesAreCut) {
    use(3);
    Rig rig = start();
    rig.store({spec(1, 100), spec(2), spec(3, 4000)});
    rig.run_for(kRigMoment);
    for (const std::uint64_t sequence : {1, 2, 3})
        EXPECT_EQ(rig.outcome(sequence), Outcome::kStored);
    EXPECT_EQ(rig.count(StorageCounter::kStoredTotal), 3U);
    EXPECT_EQ(rig.core().figures().held(), 3U);
    for (SimDirectory &disk : disks) ASSERT_EQ(disk.files().size(), 1U);
    EXPECT_EQ(send_all(rig), (Sequences{1, 2, 3}));
    EXPECT_EQ(rig.released[0].octets, encode(spec(1, 100)));
    EXPECT_EQ(rig.released[1].octets, encode(spec(2)));
    EXPECT_EQ(rig.released[2].octets, encode(spec(3, 4000)));
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kStoredBytes), 0U);
}

TEST_F(Stripes, ABundleIsStoredWhenTheLastOfItsDisksHasFlushed) {
    std::uint64_t lost = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        use(2);
        store(9, 9);
        close();
        SimDiskSpeed slow;
        slow.sync = milliseconds(100);
        options.speeds = {{}, slow};
        {
            Rig rig = start();
            rig.store({spec(1)});
            rig.run_for(milliseconds(50));
            EXPECT_EQ(rig.outcome(1), Outcome::kPending);
        }
        // Power goes between the flushes: no answer was sent, so nothing need be left, and nothing
        // is complained of.
        for (SimDirectory &disk : disks) disk.crash(seed);
        {
            Rig rig = start();
            lost += rig.ready == Sequences{1} ? 1 : 0;
            // A file whose header is lost may hold anything.
            EXPECT_EQ(rig.core().restorer().lone_stripes().size(),
                      rig.ready == Sequences{1} ? rig.unreadable_files : 0);
            EXPECT_EQ(rig.core().figures().held(),
                      rig.ready[0] + rig.core().restorer().lone_stripes().size());
            rig.store({spec(1)});
            rig.run_for(milliseconds(150));
            EXPECT_EQ(rig.outcome(1),
                      rig.ready == Sequences{1} ? Outcome::kStored : Outcome::kDuplicate);
        }
        for (SimDirectory &disk : disks) disk.crash(seed + 1);
        Rig rig = start();
        EXPECT_EQ(rig.ready, Sequences{2});
        for (const std::uint64_t sequence : send_all(rig))
            EXPECT_TRUE(sequence == 1 || sequence == 9);
        EXPECT_EQ(rig.released.back().octets, encode(spec(rig.released.back().sequence)));
    }
    EXPECT_GT(lost, 0U);
}

TEST_F(Stripes, WhatOneDiskRefusesGoesToAnother) {
    for (const bool full : {false, true}) {
        use(2);
        Rig rig = start();
        if (full)
            disks[1].set_capacity(0);
        else
            disks[1].faults().set_removed(true);
        rig.store({spec(1)});
        rig.run_for(kRigMoment);
        EXPECT_EQ(rig.outcome(1), full ? Outcome::kNoSpace : Outcome::kIoError);
        rig.store({spec(1)});
        rig.run_for(kRigMoment);
        EXPECT_EQ(rig.outcome(1), Outcome::kStored);
        EXPECT_EQ(rig.core().figures().held(), 1U);
        EXPECT_EQ(send_all(rig), Sequences{1}) << "whole, from the other one";
    }
}

TEST_F(Stripes, AMissingDiskIsNamedAndItsBundlesAreBackWithIt) {
    use(3);
    store(1, 4);
    close();
    for (const bool replaced : {false, true}) {
        SimDirectory empty;
        std::vector<SimDirectory *> some{&disks[2], &disks[0]};
        if (replaced) some.push_back(&empty);
        Rig rig(some, options);
        EXPECT_EQ(rig.ready, Sequences{0});
        EXPECT_EQ(rig.core().restorer().lone_stripes().size(), 8U);
        EXPECT_EQ(rig.core().figures().held(), 8U) << "each stripe takes room";
        EXPECT_EQ(rig.core().restorer().lone_stripes()[0].count, 3U);
        EXPECT_EQ(send_all(rig), Sequences{});
        rig.store({spec(5)});
        rig.run_for(kRigMoment);
        EXPECT_EQ(send_all(rig), Sequences{5}) << "the node works as ever";
        rig.drain();
        for (SimDirectory *disk : some) disk->close();
    }
    close();
    std::swap(all[0], all[2]);
    Rig rig = start();
    EXPECT_EQ(rig.ready, Sequences{4});
    EXPECT_TRUE(rig.core().restorer().lone_stripes().empty());
    EXPECT_EQ(send_all(rig), (Sequences{1, 2, 3, 4}));
    for (const Released &bundle : rig.released)
        EXPECT_EQ(bundle.octets, encode(spec(bundle.sequence)));
}

TEST_F(Stripes, LoneStripesExpire) {
    use(2);
    store(1, 1);
    close();
    {
        Rig rig = start_without(1);
        EXPECT_EQ(rig.core().figures().held(), 1U);
        rig.run_for(seconds(3700));
        EXPECT_EQ(rig.core().figures().held(), 0U);
        rig.drain();
    }
    close();
    Rig rig = start();
    EXPECT_EQ(rig.core().figures().held(), 0U) << "the other one is of no use any more";
    EXPECT_TRUE(rig.core().restorer().lone_stripes().empty());
}

TEST_F(Stripes, AFlippedBitCostsItsBundleAndIsNamed) {
    use(2);
    store(1, 3);
    close();
    disks[1].index(1).clear();
    Bytes &log = disks[1].content(1);
    // In the second record: behind the first one, behind a header and a label.
    const auto first = std::ranges::search(log, ByteView(encode(spec(1))).last(1000));
    ASSERT_FALSE(first.empty());
    log[static_cast<std::size_t>(first.end() - log.begin()) + 1000] ^= 4;
    Rig rig = start();
    ASSERT_EQ(rig.opened->damages.size(), 1U);
    EXPECT_EQ(rig.opened->damages[0].kind, storage::DamageKind::kPayload);
    EXPECT_EQ(rig.ready, Sequences{2});
    ASSERT_EQ(rig.core().restorer().lone_stripes().size(), 1U);
    EXPECT_EQ(rig.core().restorer().lone_stripes()[0].disk, 0U);
    EXPECT_EQ(send_all(rig), (Sequences{1, 3}));
}

TEST_F(Stripes, ADiskThatIsPulledOutCostsNothingButTime) {
    use(2);
    store(1, 2);
    close();
    {
        Rig rig = start();
        disks[0].faults().set_removed(true);
        EXPECT_EQ(send_all(rig), Sequences{});
        EXPECT_EQ(rig.count(StorageCounter::kDeletedUnreadable), 2U);
        EXPECT_EQ(rig.core().figures().held(), 2U);
    }
    disks[0].faults().set_removed(false);
    close();
    Rig rig = start();
    EXPECT_EQ(send_all(rig), (Sequences{1, 2}));
}

TEST_F(Stripes, ASentBundleIsGoneThoughOneDiskHasNoErasure) {
    use(2);
    store(1, 1);
    close();
    {
        Rig rig = start();
        // The node dies when the first disk has the erasure and the other has not.
        disks[1].faults().set_removed(true);
        rig.run_for(seconds(3700));
        rig.drain();
    }
    disks[1].faults().set_removed(false);
    disks[0].close();
    disks[1].crash(1);
    Rig rig = start();
    EXPECT_EQ(rig.ready, Sequences{0});
    EXPECT_TRUE(rig.core().restorer().lone_stripes().empty());
    EXPECT_EQ(rig.core().figures().held(), 0U);
}

TEST_F(Stripes, WhatAnOlderCopyLacksIsErasedAndNamed) {
    use(2);
    store(1, 1);
    close();
    std::map<FileNumber, std::pair<Bytes, Bytes>> older;
    for (const FileNumber file : disks[1].files())
        older[file] = {disks[1].content(file), disks[1].index(file)};
    store(2, 3);
    close();
    for (const FileNumber file : disks[1].files()) {
        const auto known = older.find(file);
        if (known == older.end()) {
            ASSERT_TRUE(disks[1].remove(file));
            continue;
        }
        disks[1].content(file) = known->second.first;
        disks[1].index(file) = known->second.second;
    }
    Rig rig = start();
    EXPECT_EQ(rig.ready, Sequences{1});
    EXPECT_TRUE(rig.core().restorer().lone_stripes().empty());
    const storage::ErasedBundles &erased = rig.core().restorer().erased();
    EXPECT_EQ(erased.count, 2U);
    ASSERT_EQ(erased.named.size(), 2U);
    EXPECT_EQ(erased.named[0].disk, 0U);
    EXPECT_EQ(erased.named[0].bytes, encode(spec(2)).size());
    EXPECT_EQ(storage::decode_label(erased.named[0].endpoint), bp::ipn_eid(20, 1));
    EXPECT_EQ(rig.count(StorageCounter::kIncomplete), 2U);
}

TEST_F(Stripes, TwoWritingsOfABundleAreNotMixed) {
    use(2);
    store(8, 9);
    close();
    SimDiskSpeed slow;
    slow.append = seconds(10);
    options.speeds = {{}, slow};
    {
        Rig rig = start();
        rig.store({spec(1)});
        rig.run_for(milliseconds(100));
    }
    // The first disk has its stripe, the other one does not.
    for (SimDirectory &disk : disks) disk.kill();
    SimDirectory other;
    {
        options.speeds = {};
        Rig rig({&other, &disks[1]}, options);
        rig.store({spec(1)});
        rig.run_for(kRigMoment);
        EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    }
    disks[1].kill();
    other.kill();
    {
        // Each of the two is of another writing; one was never stored, the other lacks a disk.
        Rig rig = start();
        EXPECT_EQ(rig.ready, Sequences{2});
        EXPECT_EQ(rig.core().restorer().lone_stripes().size(), 1U);
    }
    for (SimDirectory &disk : disks) disk.kill();
    Rig rig({&other, &disks[1]}, options);
    EXPECT_EQ(rig.ready, Sequences{1});
    EXPECT_EQ(rig.core().restorer().lone_stripes().size(), 2U);
    EXPECT_EQ(send_all(rig), Sequences{1});
}

TEST_F(Stripes, AStripeThatIsMovedIsFoundWhereItIs) {
    use(2);
    options.compaction_threshold_bytes = 1;
    Rig rig = start();
    rig.send_at_once = true;
    rig.routes_to_both();
    // The first one stays, in files full of what goes.
    BundleSpec stays = spec(1);
    stays.destination_node = 30;
    rig.store({stays});
    for (std::uint64_t sequence = 2; sequence <= 60; ++sequence) {
        rig.store({spec(sequence)});
        rig.run_for(kRigMoment);
        if (sequence == 50) rig.link_up(kLink20, kNode20);
    }
    rig.run_for(seconds(30));
    EXPECT_GE(rig.count(StorageCounter::kMoved), 2U);
    EXPECT_EQ(rig.core().figures().held(), 1U);
    rig.link_up(kLink30, kNode30);
    rig.run_for(seconds(1));
    EXPECT_EQ(rig.released.back().octets, encode(stays));
}

TEST_F(Stripes, TheDeletionOfOneIsReported) {
    use(2);
    options.reports = true;
    Rig rig = start();
    BundleSpec one = spec(1);
    one.report_deletion = true;
    one.lifetime_ms = 20'000;
    rig.store({one});
    rig.run_for(seconds(40));
    ASSERT_EQ(rig.reports.size(), 1U);
    EXPECT_EQ(rig.reports[0].reason, 1U);
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kExpired), 1U);
}

TEST_F(Stripes, CustodyOfOneIsKeptUntilTheNextCustodianAnswers) {
    use(2);
    options.custody.node = NodeNumber{10};
    test::CustodyBundle bundle;
    bundle.payload_bytes = kLarge;
    bundle.created_s = kRigStartMs / 1000;
    {
        Rig rig = start();
        EXPECT_EQ(rig.store_octets(bundle.octets()), Outcome::kStored);
        EXPECT_EQ(rig.count(StorageCounter::kCustodyAccepted), 1U);
        EXPECT_EQ(rig.signals.size(), 1U);
    }
    for (SimDirectory &disk : disks) disk.crash(1);
    options.wall_ms += 1000;
    Rig rig = start();
    EXPECT_EQ(rig.count(StorageCounter::kCustodyHeld), 1U);
    EXPECT_EQ(send_all(rig).size(), 1U);
    EXPECT_EQ(rig.core().figures().held(), 1U) << "sent, and kept";
    const Bytes &octets = rig.released[0].octets;
    const auto view = bp::parse(std::array{ByteView(octets)});
    ASSERT_TRUE(view.has_value());
    EXPECT_TRUE(std::ranges::equal(ByteView(octets).subspan(view->payload_offset, kLarge),
                                   bundle.payload()));
    const auto id = bp::v6::custody_id_of(*view, ByteView(octets).first(view->head_end));
    ASSERT_TRUE(id.has_value());
    rig.signal_custody("ipn:20.0", encode(bp::v6::AggregateCustodySignal{true, 0, {{*id, *id}}}));
    EXPECT_EQ(rig.core().figures().held(), 0U);
    EXPECT_EQ(rig.count(StorageCounter::kCustodyReleased), 1U);
}

TEST_F(Stripes, QuotasAndCapacitiesCountTheirRecords) {
    use(2);
    options.disk_capacities = {30'000, 6'000};
    Rig rig = start();
    for (std::uint64_t sequence = 1; sequence <= 4; ++sequence) {
        rig.store({spec(sequence)});
        rig.run_for(kRigMoment);
    }
    // One in halves, then the small disk has no room for half a bundle, then neither has any.
    EXPECT_EQ(rig.outcome(1), Outcome::kStored);
    EXPECT_EQ(rig.outcome(2), Outcome::kStored);
    EXPECT_EQ(rig.outcome(3), Outcome::kStored);
    EXPECT_EQ(rig.outcome(4), Outcome::kNoSpace);
    EXPECT_EQ(send_all(rig), (Sequences{1, 2, 3}));
    rig.run_for(seconds(1));
    rig.store({spec(5)});
    rig.run_for(kRigMoment);
    EXPECT_EQ(rig.outcome(5), Outcome::kStored);
}

}  // namespace
}  // namespace farlink::test::stripe_cutter_test
