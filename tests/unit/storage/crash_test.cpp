// SPDX-License-Identifier: Apache-2.0
// The promise, tried at every point: what storage has called stored survives a power cut, and a
// failed operation of the disk costs nobody but those who are told so.
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/storage/rig.hpp"

namespace farlink::testing {
namespace {

constexpr std::uint64_t kBundles = 40;

RigOptions small_files() {
    RigOptions options;
    options.segment_bytes = 4096 + 2048;  // so that files are sealed and removed all the time
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

/// Opens the disk again and sends everything that is in it.
std::vector<Released> everything_in(SimDirectory &directory, Rig &rig) {
    EXPECT_TRUE(rig.opened.has_value());
    rig.routes_to_both();
    rig.link_up(kLink20, kNode20);
    rig.link_up(kLink30, kNode30);
    rig.run_for(seconds(3));
    // Nothing lives any more, so no file but the one being written may be left.
    EXPECT_LE(directory.files().size(), 1U + rig.core().held());
    return rig.released;
}

void expect_all_there(SimDirectory &directory, const std::set<std::uint64_t> &safe,
                      const std::string &when) {
    Rig rig(directory, small_files());
    std::set<std::uint64_t> found;
    std::uint64_t last = 0, last_of_30 = 0;
    for (const Released &bundle : everything_in(directory, rig)) {
        EXPECT_EQ(bundle.octets, encode(spec(bundle.sequence))) << when;
        EXPECT_TRUE(found.insert(bundle.sequence).second) << when << ": twice";
        std::uint64_t &before = bundle.link == kLink30 ? last_of_30 : last;
        EXPECT_LT(before, bundle.sequence) << when << ": out of order";
        before = bundle.sequence;
    }
    for (const std::uint64_t sequence : safe)
        EXPECT_TRUE(found.contains(sequence)) << when << ": lost " << sequence;
}

std::uint64_t operations_of_a_run() {
    SimDirectory directory;
    Rig rig(directory, small_files());
    play(rig);
    return directory.operations();
}

TEST(Crash, AtEveryOperation) {
    const std::uint64_t operations = operations_of_a_run();
    ASSERT_GT(operations, 50U);
    for (std::uint64_t at = 0; at < operations; ++at) {
        for (std::uint64_t seed = 1; seed <= 6; ++seed) {
            SimDirectory directory;
            std::set<std::uint64_t> safe;
            {
                Rig rig(directory, small_files());
                directory.power_off_at(at);
                play(rig);
                safe = stored_and_not_sent(rig);
            }
            directory.crash(seed);
            expect_all_there(directory, safe,
                             "operation " + std::to_string(at) + " seed " + std::to_string(seed));
            if (HasFailure()) return;
        }
    }
}

TEST(Crash, TwiceInARow) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        SimDirectory directory;
        std::set<std::uint64_t> safe;
        for (int life = 0; life < 3; ++life) {
            Rig rig(directory, small_files());
            directory.power_off_at(random.below(60));
            play(rig);
            for (const Released &bundle : rig.released) safe.erase(bundle.sequence);
            safe.merge(stored_and_not_sent(rig));
            for (const Released &bundle : rig.released) safe.erase(bundle.sequence);
            rig.lent.clear();
            directory.crash(random.next());
        }
        expect_all_there(directory, safe, "seed " + std::to_string(seed));
        if (HasFailure()) return;
    }
}

void fail_every_operation(storage::FileError error) {
    const std::uint64_t operations = operations_of_a_run();
    for (std::uint64_t at = 0; at < operations; ++at) {
        SimDirectory directory;
        std::set<std::uint64_t> safe;
        const std::string when = "operation " + std::to_string(at);
        {
            Rig rig(directory, small_files());
            directory.fail_at(at, error);
            play(rig);
            std::uint64_t failed = 0;
            for (const auto &[sequence, outcome] : rig.outcomes)
                failed += outcome == Outcome::kIoError || outcome == Outcome::kNoSpace;
            EXPECT_LE(failed, 12U) << when;
            EXPECT_EQ(rig.outcomes.size(), kBundles + 2) << when << ": unanswered";
            // The disk is well again: whoever failed may try once more.
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
        directory.crash(at + 1);
        expect_all_there(directory, safe, when);
        if (::testing::Test::HasFailure()) return;
    }
}

TEST(Crash, EveryOperationFailsWithAnIoError) {
    fail_every_operation(storage::FileError::kIo);
}
TEST(Crash, EveryOperationFindsNoSpace) {
    fail_every_operation(storage::FileError::kNoSpace);
}

}  // namespace
}  // namespace farlink::testing
