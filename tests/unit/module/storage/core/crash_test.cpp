// SPDX-License-Identifier: Apache-2.0
// The promise, tried at every point: what storage has called stored survives a power cut, and a
// failed operation of the disk costs only bundles that were answered as failed.
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::crash_test {
namespace {

constexpr std::uint64_t kBundles = 40;

RigOptions small_files(bool striped) {
    RigOptions options;
    options.stripe_above_bytes = striped ? 1 : 0;
    options.segment_bytes = 4096 + 2048;  // so that files are sealed and removed all the time
    options.compaction_threshold_bytes = 1;
    return options;
}

BundleSpec spec(std::uint64_t sequence) {
    BundleSpec one;
    one.sequence = sequence;
    one.arrival = sequence;
    one.payload_bytes = 40 + sequence * 37 % 400;
    // Every seventh stays for ever and keeps its file and the erasures of its neighbours alive.
    one.destination_node = sequence % 7 == 0 ? 30 : 20;
    return one;
}

/// Stores in batches of three, with the link up now and then; egress sends or returns.
void play(Rig &rig) {
    rig.routes_to_both();
    for (std::uint64_t sequence = 1; sequence <= kBundles; sequence += 3) {
        if (sequence % 4 == 1) rig.link_up(kLink20, kNode20);
        if (sequence % 4 == 3) rig.link_down(kLink20, kNode20);
        rig.store({spec(sequence), spec(sequence + 1), spec(sequence + 2)});
        rig.run_for(milliseconds(sequence % 5));
    }
    rig.run_for(milliseconds(100));
}

std::set<std::uint64_t> stored_and_not_sent(const Rig &rig) {
    std::set<std::uint64_t> safe;
    for (const auto &[sequence, outcome] : rig.outcomes)
        if (outcome == Outcome::kStored || outcome == Outcome::kDuplicate) safe.insert(sequence);
    for (const Released &bundle : rig.released) safe.erase(bundle.sequence);
    return safe;
}

/// One or more disks with one power supply.
struct Machine {
    Machine(std::size_t count, bool cut) : disks(count), striped(cut) {
        for (SimDirectory &disk : disks) {
            all.push_back(&disk);
            disk.faults().share_power_of(disks[(all.size()) % count].faults());
        }
    }
    Rig start() { return {all, small_files(striped)}; }
    void crash(std::uint64_t seed) {
        for (SimDirectory &disk : disks) disk.crash(seed++);
    }
    [[nodiscard]] std::size_t files() const {
        std::size_t sum = 0;
        for (const SimDirectory &disk : disks) sum += disk.files().size();
        return sum;
    }

    std::vector<SimDirectory> disks;
    std::vector<SimDirectory *> all;
    bool striped;
};

/// Opens the disks again and sends everything that is in them.
std::vector<Released> everything_in(const Machine &machine, Rig &rig) {
    EXPECT_TRUE(rig.opened.has_value());
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.link_up(kLink30, kNode30);
    rig.run_for(seconds(3));
    // Nothing lives any more, so no file but those being written may be left.
    EXPECT_LE(machine.files(),
              machine.disks.size() + rig.core().figures().held() + rig.unreadable_files);
    return rig.released;
}

void expect_all_there(Machine &machine, const std::set<std::uint64_t> &safe,
                      const std::string &when) {
    Rig rig = machine.start();
    std::set<std::uint64_t> found;
    std::uint64_t last = 0, last_of_30 = 0;
    for (const Released &bundle : everything_in(machine, rig)) {
        EXPECT_EQ(bundle.octets, encode(spec(bundle.sequence))) << when;
        EXPECT_TRUE(found.insert(bundle.sequence).second) << when << ": twice";
        std::uint64_t &before = bundle.link == kLink30 ? last_of_30 : last;
        EXPECT_LT(before, bundle.sequence) << when << ": out of order";
        before = bundle.sequence;
    }
    for (const std::uint64_t sequence : safe)
        EXPECT_TRUE(found.contains(sequence)) << when << ": lost " << sequence;
}

/// The test's parameters: how many disks, which of them is struck, and whether bundles are cut.
struct Struck {
    std::size_t disks;
    std::size_t disk;
    bool striped = false;
};

std::uint64_t operations_of_a_run(const Struck &struck) {
    Machine machine(struck.disks, struck.striped);
    Rig rig = machine.start();
    play(rig);
    return machine.disks[struck.disk].faults().operations();
}

class Crash : public ::testing::TestWithParam<Struck> {};

std::string name_of(const ::testing::TestParamInfo<Struck> &test) {
    return "Disk" + std::to_string(test.param.disk + 1) + "Of" + std::to_string(test.param.disks) +
           (test.param.striped ? "Striped" : "");
}
INSTANTIATE_TEST_SUITE_P(Disks, Crash,
                         ::testing::Values(Struck{1, 0}, Struck{2, 0}, Struck{2, 1},
                                           Struck{2, 0, true}, Struck{2, 1, true},
                                           Struck{3, 1, true}),
                         name_of);

TEST_P(Crash, AtEveryOperation) {
    const auto [disks, disk, striped] = GetParam();
    const std::uint64_t operations = operations_of_a_run(GetParam());
    ASSERT_GT(operations, 50U / disks);
    for (std::uint64_t at = 0; at < operations; ++at) {
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            Machine machine(disks, striped);
            std::set<std::uint64_t> safe;
            {
                Rig rig = machine.start();
                machine.disks[disk].faults().power_off_at(at);
                play(rig);
                safe = stored_and_not_sent(rig);
            }
            machine.crash(seed);
            expect_all_there(machine, safe,
                             "operation " + std::to_string(at) + " seed " + std::to_string(seed));
            if (HasFailure()) return;
        }
    }
}

TEST_P(Crash, TwiceInARow) {
    const auto [disks, disk, striped] = GetParam();
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        Machine machine(disks, striped);
        std::set<std::uint64_t> safe;
        for (int life = 0; life < 3; ++life) {
            Rig rig = machine.start();
            machine.disks[disk].faults().power_off_at(random.below(60));
            play(rig);
            for (const Released &bundle : rig.released) safe.erase(bundle.sequence);
            safe.merge(stored_and_not_sent(rig));
            for (const Released &bundle : rig.released) safe.erase(bundle.sequence);
            rig.lent.clear();
            machine.crash(random.next());
        }
        expect_all_there(machine, safe, "seed " + std::to_string(seed));
        if (HasFailure()) return;
    }
}

void fail_every_operation(const Struck &struck, storage::FileError error) {
    const std::uint64_t operations = operations_of_a_run(struck);
    for (std::uint64_t at = 0; at < operations; ++at) {
        Machine machine(struck.disks, struck.striped);
        std::set<std::uint64_t> safe;
        const std::string when = "operation " + std::to_string(at);
        {
            Rig rig = machine.start();
            machine.disks[struck.disk].faults().fail_at(at, error);
            play(rig);
            std::uint64_t failed = 0;
            for (const auto &[sequence, outcome] : rig.outcomes)
                failed += outcome == Outcome::kIoError || outcome == Outcome::kNoSpace;
            EXPECT_LE(failed, 12U) << when;
            EXPECT_EQ(rig.outcomes.size(), kBundles + 2) << when << ": unanswered";
            // The disk works again: what failed is stored once more.
            std::vector<BundleSpec> again;
            for (const auto &[sequence, outcome] : rig.outcomes)
                if (outcome != Outcome::kStored) again.push_back(spec(sequence));
            if (!again.empty()) rig.store(again);
            rig.run_for(milliseconds(100));
            for (const auto &[sequence, outcome] : rig.outcomes)
                EXPECT_TRUE(outcome == Outcome::kStored || outcome == Outcome::kDuplicate)
                    << when << " sequence " << sequence;
            safe = stored_and_not_sent(rig);
        }
        machine.crash(at + 1);
        expect_all_there(machine, safe, when);
        if (::testing::Test::HasFailure()) return;
    }
}

TEST_P(Crash, EveryOperationFailsWithAnIoError) {
    fail_every_operation(GetParam(), storage::FileError::kIo);
}
TEST_P(Crash, EveryOperationFindsNoSpace) {
    fail_every_operation(GetParam(), storage::FileError::kNoSpace);
}

}  // namespace
}  // namespace farlink::test::crash_test
