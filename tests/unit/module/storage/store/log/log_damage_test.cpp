// SPDX-License-Identifier: Apache-2.0
// What a spoilt log still gives back when it is scanned: every record but the one that was hit.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "module/storage/store/log/log_index.hpp"
#include "tests/unit/module/storage/store/log/log_fixture.hpp"

namespace farlink::test::log_damage_test {
namespace {

using storage::DamageKind;

/// A log with three records in one file; returns where each begins, and the end.
std::vector<std::uint64_t> write_three(SimDirectory &directory) {
    std::vector<std::uint64_t> begins;
    LogDriver log(directory);
    EXPECT_EQ(log.append({1, 2, 3}), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    for (const auto &[arrival, at] : log.locations) begins.push_back(at.offset);
    begins.push_back(begins.back() + log.sizes.at(3));
    directory.close();
    return begins;
}

TEST(LogDamage, AFlippedBitAnywhereCostsAtMostTheRecordThatItHits) {
    SimDirectory directory;
    const auto begins = write_three(directory);
    const Bytes good = directory.content(1);
    for (std::uint64_t at = 0; at < begins.back(); ++at) {
        directory.content(1) = good;
        directory.index(1).clear();
        directory.content(1)[at] ^= static_cast<std::uint8_t>(1U << (at % 8));
        LogDriver log(directory);
        ASSERT_TRUE(log.opened.has_value()) << at;
        const Contents found = log.read();
        for (std::uint64_t arrival = 1; arrival <= 3; ++arrival) {
            const bool hit = begins[arrival - 1] <= at && at < begins[arrival];
            const auto record = found.find(arrival);
            if (!hit) {
                ASSERT_TRUE(record != found.end()) << "octet " << at << " lost " << arrival;
            }
            if (record != found.end()) {
                EXPECT_EQ(record->second, payload_of(arrival)) << at;
            } else {
                EXPECT_EQ(log.opened->damage_count, 1U) << at;
                EXPECT_EQ(log.opened->damages.front().offset, begins[arrival - 1]) << at;
                // The last one may never have been flushed.
                ASSERT_EQ(log.opened->losses.size(), arrival == 3 ? 0U : 1U) << at;
                if (arrival == 3) continue;
                ASSERT_EQ(log.opened->losses[0].named.size(), 1U) << at;
                EXPECT_EQ(log.opened->losses[0].named[0].number,
                          storage::make_record_number(1, static_cast<std::uint32_t>(arrival)));
            }
        }
        directory.close();
    }
}

TEST(LogDamage, ACutAnywhereCostsOnlyWhatIsCutOff) {
    SimDirectory whole_directory;
    const std::uint64_t end = write_three(whole_directory).back();
    for (std::uint64_t size = 0; size < end; ++size) {
        SimDirectory directory;
        const auto begins = write_three(directory);
        directory.content(1).resize(size);
        std::vector<std::uint64_t> whole;
        for (std::uint64_t arrival = 1; arrival <= 3; ++arrival)
            if (begins[arrival - 1] + 80 + 15 + payload_of(arrival).size() <= size)
                whole.push_back(arrival);
        {
            LogDriver log(directory);
            ASSERT_TRUE(log.opened.has_value()) << size;
            EXPECT_EQ(log.read(), contents_of(whole)) << size;
            // And the log can be written again.
            EXPECT_EQ(log.append({9}), DiskStatus::kOk);
            EXPECT_EQ(log.sync(), DiskStatus::kOk);
        }
        directory.close();
        whole.push_back(9);
        LogDriver again(directory);
        EXPECT_EQ(again.read(), contents_of(whole)) << size;
    }
}

TEST(LogDamage, ADamagedBundleInAnOlderFileIsHandedOverAsDamaged) {
    SimDirectory directory;
    write_three(directory);
    {
        LogDriver log(directory);
        EXPECT_EQ(log.append({4}), DiskStatus::kOk);
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
        directory.content(1)[log.locations.at(3).offset + 100] ^= 1;
    }
    directory.close();
    directory.index(1).clear();
    LogDriver log(directory);
    EXPECT_EQ(log.read(), contents_of({1, 2, 4}));
    EXPECT_EQ(log.damaged, (std::vector<std::uint64_t>{3}));
    ASSERT_EQ(log.opened->damage_count, 1U);
    EXPECT_EQ(log.opened->damages[0].kind, DamageKind::kPayload);
    EXPECT_EQ(log.opened->damages[0].file, 1U);
}

TEST(LogDamage, ATornEndIsNoDamageAndStaysForgottenLater) {
    SimDirectory directory;
    const auto begins = write_three(directory);
    directory.content(1).resize(begins[2] + 90);
    for (std::uint64_t life = 0; life < 3; ++life) {
        LogDriver log(directory);
        EXPECT_TRUE(log.damaged.empty());
        EXPECT_EQ(log.append({10 + life}), DiskStatus::kOk);
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
        directory.close();
    }
    LogDriver log(directory);
    EXPECT_EQ(log.read(), contents_of({1, 2, 10, 11, 12}));
}

TEST(LogDamage, ARecordInsideABundleIsNotBelieved) {
    // A bundle carries the octets of a record, as an attacker without the key could make them.
    SimDirectory directory;
    const auto begins = write_three(directory);
    Bytes &content = directory.content(1);
    storage::RecordHeader forged;
    forged.number = storage::make_record_number(1, 99);
    forged.head.arrival = 66;
    std::array<std::uint8_t, kRecordHeaderBytes> octets{};
    storage::encode_record_header(forged, 0x1122334455667788ULL, {}, octets);
    content.resize(begins[1]);
    append(content, Bytes(64, 0xee));
    append(content, octets);
    LogDriver log(directory);
    EXPECT_EQ(log.read(), contents_of({1}));
}

/// A file is removed, and its index stays, which names what lived in it.
void remove_file_alone(SimDirectory &directory, FileNumber file, const Bytes &index) {
    ASSERT_TRUE(directory.remove(file).has_value());
    ASSERT_TRUE(directory.write_index(file, index).has_value());
}

TEST(LogDamage, AFileThatIsGoneIsNamedOnce) {
    SimDirectory directory;
    write_three(directory);
    {
        LogDriver log(directory);
        EXPECT_EQ(log.append({4}), DiskStatus::kOk);
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
        directory.close();
    }
    remove_file_alone(directory, 1, Bytes(directory.index(1)));
    {
        LogDriver log(directory);
        ASSERT_TRUE(log.opened.has_value());
        EXPECT_EQ(log.read(), contents_of({4}));
        ASSERT_EQ(log.opened->damage_count, 1U);
        EXPECT_EQ(log.opened->damages[0].kind, DamageKind::kMissing);
        EXPECT_EQ(log.opened->damages[0].file, 1U);
        directory.close();
    }
    LogDriver log(directory);
    EXPECT_EQ(log.opened->damage_count, 0U);
}

TEST(LogDamage, AFileThatIsGoneWithNothingInItIsNoLoss) {
    SimDirectory directory;
    write_three(directory);
    directory.close();
    LogDriver log(directory);  // the start writes the index
    const auto third = log.locations.at(3).number;
    const auto lost = [&](FileNumber file, auto erased) {
        return storage::loss_of(directory, file, nullptr, erased).bundles;
    };
    EXPECT_EQ(lost(1, [](auto) { return true; }), 0U);
    EXPECT_EQ(lost(1, [third](auto record) { return record != third; }), 1U);
    EXPECT_EQ(lost(2, [](auto) { return false; }), 0U) << "no index";
}

/// A log with the records 1 to 3 in file 1, of which the second is erased, and 4 in file 2; both
/// closed in good order. Where the records of the first begin.
std::vector<std::uint64_t> write_two_files(SimDirectory &directory) {
    const auto begins = write_three(directory);
    LogDriver log(directory);
    log.erase({2});
    EXPECT_EQ(log.append({4}), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    directory.close();
    EXPECT_FALSE(directory.index(1).empty());
    return begins;
}

void expect_loss(const LogDriver &log, FileNumber file, const std::vector<std::uint64_t> &sizes) {
    ASSERT_TRUE(log.opened.has_value());
    ASSERT_EQ(log.opened->losses.size(), 1U);
    const storage::FileLoss &loss = log.opened->losses[0];
    EXPECT_EQ(loss.file, file);
    EXPECT_EQ(loss.bundles, sizes.size());
    std::vector<std::uint64_t> named;
    for (const storage::LostBundle &bundle : loss.named) {
        named.push_back(bundle.bytes);
        EXPECT_EQ(as_text(bundle.label), "to whom it goes");
        EXPECT_EQ(storage::file_of(bundle.number), file);
    }
    EXPECT_EQ(named, sizes);
    EXPECT_FALSE(log.opened->sound);
}

TEST(LogDamage, WhatATruncatedFileHeldIsNamedFromItsIndex) {
    SimDirectory directory;
    const auto begins = write_two_files(directory);
    directory.content(1).resize(begins[1] + 5);
    LogDriver log(directory);
    expect_loss(log, 1, {payload_of(3).size()});
    EXPECT_EQ(log.read(), contents_of({1, 4})) << "the erased one is not lost";
}

TEST(LogDamage, WhatAnEmptiedFileHeldIsNamedFromItsIndex) {
    SimDirectory directory;
    write_two_files(directory);
    directory.content(1).clear();
    LogDriver log(directory);
    expect_loss(log, 1, {payload_of(1).size(), payload_of(3).size()});
    EXPECT_EQ(log.read(), contents_of({4}));
}

TEST(LogDamage, WhatASwappedFileHeldIsNamedFromItsIndex) {
    SimDirectory directory;
    write_two_files(directory);
    directory.content(1) = Bytes(directory.content(2));
    LogDriver log(directory);
    expect_loss(log, 1, {payload_of(1).size(), payload_of(3).size()});
}

TEST(LogDamage, WhatWentWithAFileThatIsGoneIsNamed) {
    SimDirectory directory;
    write_two_files(directory);
    remove_file_alone(directory, 1, Bytes(directory.index(1)));
    LogDriver log(directory);
    expect_loss(log, 1, {payload_of(1).size(), payload_of(3).size()});
}

/// What the log of one file has lost: the places of the records and the sizes of their bundles.
using Lost = std::vector<std::pair<std::uint32_t, std::uint64_t>>;
Lost lost_of(SimDirectory &directory) {
    LogDriver log(directory);
    directory.close();
    EXPECT_TRUE(log.opened.has_value());
    if (!log.opened || log.opened->losses.empty()) return {};
    EXPECT_EQ(log.opened->losses.size(), 1U) << "one line for a file";
    EXPECT_FALSE(log.opened->sound);
    Lost lost;
    for (const storage::LostBundle &bundle : log.opened->losses[0].named)
        lost.emplace_back(storage::place_of(bundle.number), bundle.bytes);
    EXPECT_EQ(log.opened->losses[0].bundles, lost.size());
    return lost;
}

TEST(LogDamage, ADamagedHeaderInTheLastFileIsALossIfARecordFollows) {
    SimDirectory directory;
    const auto begins = write_three(directory);
    directory.content(1)[begins[1] + 40] ^= 1;  // the time of reception
    EXPECT_EQ(lost_of(directory), (Lost{{2, payload_of(2).size()}}));
    directory.content(1)[begins[1]] ^= 1;  // the mark
    EXPECT_EQ(lost_of(directory), (Lost{{2, payload_of(2).size()}}));
    directory.content(1)[begins[1] + 71] ^= 1;  // the size
    EXPECT_EQ(lost_of(directory), (Lost{{2, 0}})) << "the size is not known";
    directory.content(1)[begins[0] + 30] ^= 1;
    EXPECT_EQ(lost_of(directory), (Lost{{1, 0}, {2, 0}}));
    std::fill_n(directory.content(1).begin() + static_cast<std::ptrdiff_t>(begins[0]), 200, 0xff);
    EXPECT_EQ(lost_of(directory), (Lost{{1, 0}, {2, 0}}));
}

TEST(LogDamage, ADamagedHeaderOfARecordThatIsErasedIsNoLoss) {
    SimDirectory directory;
    std::uint64_t erased = 0;
    {
        LogDriver log(directory);
        EXPECT_EQ(log.append({1, 2, 3}), DiskStatus::kOk);
        erased = log.locations.at(2).offset;
        log.erase({2});
        EXPECT_EQ(log.append({4}), DiskStatus::kOk);
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
    }
    directory.close();
    directory.content(1)[erased + 40] ^= 1;
    EXPECT_EQ(lost_of(directory), Lost{});
}

TEST(LogDamage, ADamagedErasureIsNoLoss) {
    SimDirectory directory;
    std::uint64_t end = 0;
    {
        LogDriver log(directory);
        EXPECT_EQ(log.append({1, 2}), DiskStatus::kOk);
        end = log.locations.at(2).offset + log.sizes.at(2);
        log.erase({1});
        EXPECT_EQ(log.sync(), DiskStatus::kOk) << "writes the erasure";
        EXPECT_EQ(log.append({3}), DiskStatus::kOk);
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
        ASSERT_GT(log.locations.at(3).offset, end);
    }
    directory.close();
    directory.content(1)[end + 40] ^= 1;
    EXPECT_EQ(lost_of(directory), Lost{});
}

/// Kills the node again and again, and lets it write in between: each start finds the same.
void expect_lost_at_every_start(SimDirectory &directory, const Lost &lost) {
    for (int start = 0; start < 2; ++start) EXPECT_EQ(lost_of(directory), lost) << start;
    {
        LogDriver log(directory);
        EXPECT_EQ(log.append({99}), DiskStatus::kOk);
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
    }
    directory.close();
    EXPECT_EQ(lost_of(directory), lost) << "behind a younger file";
}

TEST(LogDamage, AnEmptyPlaceInTheLastFileOfAKilledNodeIsALossFromTheFirstStartOn) {
    for (const std::uint64_t kept : {0, 40}) {
        SimDirectory directory;
        const auto begins = write_three(directory);
        Bytes &content = directory.content(1);
        std::fill(content.begin() + static_cast<std::ptrdiff_t>(begins[1] + kept),
                  content.begin() + static_cast<std::ptrdiff_t>(begins[2]), std::uint8_t{0});
        expect_lost_at_every_start(directory, {{2, 0}});
    }
}

TEST(LogDamage, AnEmptyPlaceMayNeverHaveBeenFlushedAfterAPowerCut) {
    SimDirectory directory;
    const auto begins = write_three(directory);
    directory.crash(1);
    const auto at = [&](std::size_t record) {
        return directory.content(1).begin() + static_cast<std::ptrdiff_t>(begins[record]);
    };
    std::fill(at(1) + 40, at(2), 0);
    EXPECT_EQ(lost_of(directory), Lost{}) << "the header is on two pages";
    std::fill(at(1), at(2), 0);
    expect_lost_at_every_start(directory, {});
}

TEST(LogDamage, ADamagedPlaceIsALossAfterAPowerCutToo) {
    SimDirectory directory;
    const auto begins = write_three(directory);
    directory.crash(1);
    directory.content(1)[begins[1] + 40] ^= 1;
    EXPECT_EQ(lost_of(directory), (Lost{{2, payload_of(2).size()}}));
}

/// A node that was killed: one file in its reserved room, without an index; where its records end.
std::uint64_t leave_killed(SimDirectory &directory, const std::vector<std::uint64_t> &arrivals) {
    directory.reserve_room();
    LogDriver log(directory);
    EXPECT_EQ(log.append(arrivals), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    directory.kill();
    return log.locations.at(arrivals.back()).offset + log.sizes.at(arrivals.back());
}

/// What a start finds cut short; the node is killed again.
std::vector<storage::ShortFile> short_files_of(SimDirectory &directory) {
    LogDriver log(directory);
    directory.kill();
    EXPECT_TRUE(log.opened.has_value());
    if (!log.opened) return {};
    EXPECT_EQ(log.opened->sound, log.opened->short_files.empty());
    return log.opened->short_files;
}

TEST(LogDamage, TheLastFileOfAKilledNodeIsNamedWhenItIsEmptied) {
    SimDirectory directory;
    leave_killed(directory, {1, 2, 3});
    directory.content(1).clear();
    const auto found = short_files_of(directory);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].file, 1U);
    EXPECT_EQ(found[0].bytes, 0U);
    EXPECT_EQ(found[0].expected, 0U) << "the header is gone";
    EXPECT_TRUE(short_files_of(directory).empty()) << "once: the file is removed";
}

TEST(LogDamage, TheLastFileOfAKilledNodeIsNamedWhenItIsCutInsideARecord) {
    SimDirectory directory;
    const std::uint64_t end = leave_killed(directory, {1, 2, 3});
    directory.content(1).resize(end - 10);
    LogDriver log(directory);
    ASSERT_TRUE(log.opened.has_value());
    ASSERT_EQ(log.opened->short_files.size(), 1U);
    EXPECT_EQ(log.opened->short_files[0].bytes, end - 10);
    EXPECT_EQ(log.opened->short_files[0].expected, 64U * 1024);
    EXPECT_FALSE(log.opened->short_files[0].clean);
    EXPECT_FALSE(log.opened->sound);
    expect_loss(log, 1, {payload_of(3).size()});
    EXPECT_EQ(log.read(), contents_of({1, 2}));
}

TEST(LogDamage, TheLastFileOfAKilledNodeIsNamedWhenItIsCutBehindARecord) {
    for (const bool all : {false, true}) {
        SimDirectory directory;
        const std::uint64_t end = leave_killed(directory, {1, 2, 3});
        directory.content(1).resize(all ? storage::kDataStart : end);
        const auto found = short_files_of(directory);
        ASSERT_EQ(found.size(), 1U) << all;
        EXPECT_TRUE(found[0].clean);
        EXPECT_TRUE(short_files_of(directory).empty()) << "once: it has an index now";
    }
}

TEST(LogDamage, AKilledNodeWithItsFilesWholeHasLostNothing) {
    SimDirectory directory;
    leave_killed(directory, {1, 2, 3});
    EXPECT_TRUE(short_files_of(directory).empty());
    leave_killed(directory, {4});
    directory.content(2).resize(directory.content(2).size() / 2);
    EXPECT_EQ(short_files_of(directory).size(), 1U) << "the room counts, even without records";
}

TEST(LogDamage, AFileThatWasCompletedIsNotShort) {
    SimDirectory directory;
    leave_killed(directory, {1});
    {
        LogDriver log(directory);
        EXPECT_EQ(log.append({2}), DiskStatus::kOk);
        log.disk.close();
        EXPECT_EQ(log.opened->short_files.size(), 0U);
        directory.close();
    }
    EXPECT_LT(directory.content(2).size(), 64U * 1024);
    EXPECT_TRUE(short_files_of(directory).empty());
    const auto scan = storage::scan_file(directory, 2, true);
    ASSERT_TRUE(scan.has_value());
    EXPECT_FALSE(storage::find_short(directory, 2, *scan, true));
    directory.content(2).resize(storage::kDataStart + 8);
    const auto cut = storage::scan_file(directory, 2, true);
    ASSERT_TRUE(cut.has_value());
    const auto found = storage::find_short(directory, 2, *cut, true);
    ASSERT_TRUE(found.has_value());
    EXPECT_TRUE(found->indexed);
    EXPECT_EQ(found->expected, scan->bytes);
}

// The node is killed before, while, or after the file is flushed, or gets its index.
TEST(LogDamage, AFileThatWasBeingCompletedIsNotShort) {
    for (std::uint64_t operation = 0; operation < 3; ++operation) {
        SimDirectory directory;
        directory.reserve_room();
        {
            LogDriver log(directory);
            EXPECT_EQ(log.append({1, 2}), DiskStatus::kOk);
            EXPECT_EQ(log.sync(), DiskStatus::kOk);
            directory.faults().power_off_at(operation);
            log.disk.close();
        }
        directory.faults().clear();
        directory.kill();
        EXPECT_TRUE(short_files_of(directory).empty()) << operation;
        LogDriver again(directory);
        EXPECT_EQ(again.read(), contents_of({1, 2})) << operation;
    }
}

TEST(LogDamage, ALogInGoodOrderHasLostNothing) {
    SimDirectory directory;
    write_two_files(directory);
    EXPECT_TRUE(LogDriver(directory).opened->losses.empty());
    directory.close();
    directory.index(1).clear();
    EXPECT_TRUE(LogDriver(directory).opened->losses.empty()) << "scanned, and all found";
}

TEST(LogDamage, AFileWithoutAHeaderIsKeptAndNamed) {
    SimDirectory directory;
    write_three(directory);
    {
        LogDriver log(directory);
        EXPECT_EQ(log.append({4}), DiskStatus::kOk);
        EXPECT_EQ(log.sync(), DiskStatus::kOk);
    }
    directory.close();
    directory.index(1).clear();
    directory.content(1)[3] ^= 1;
    directory.content(1)[storage::kHeaderCopyOffset + 9] ^= 1;
    LogDriver log(directory);
    EXPECT_EQ(log.read(), contents_of({4}));
    ASSERT_EQ(log.opened->damage_count, 1U);
    EXPECT_EQ(log.opened->damages[0].kind, DamageKind::kFileHeader);
    EXPECT_EQ(log.opened->unreadable_files, (std::vector<FileNumber>{1}));
    log.erase({4});
    EXPECT_EQ(log.append({5}), DiskStatus::kOk);
    EXPECT_EQ(log.sync(), DiskStatus::kOk);
    const auto files = directory.files();
    EXPECT_TRUE(std::ranges::find(files, 1U) != files.end());
}

}  // namespace
}  // namespace farlink::test::log_damage_test
