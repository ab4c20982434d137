// SPDX-License-Identifier: Apache-2.0
#include "module/storage/restore_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <thread>

namespace farlink::storage::restore_queue_test {
namespace {

constexpr std::uint64_t kRecords = 200'000;  // more than the queue holds

/// Runs of labels, some of the same length.
Bytes label_of(std::uint64_t number) {
    return Bytes(1 + number / 1000 % 3, static_cast<std::uint8_t>(number / 100));
}

void find_records(RestoreQueue &queue, DiskIndex disk) {
    for (std::uint64_t number = 0; number < kRecords; ++number) {
        const Bytes label = label_of(number + disk);  // gone behind the call, as a log's is
        RestoredRecord record;
        record.head.arrival = number;
        record.head.identity = {number, disk};
        record.label = label;
        queue.add(disk, record);
    }
    queue.end(disk);
}

TEST(RestoreQueue, BringsEveryRecordDiskByDisk) {
    RestoreQueue queue(3);
    std::thread first([&queue] { find_records(queue, 0); });
    std::thread last([&queue] { find_records(queue, 2); });
    queue.end(1);  // a disk that cannot be opened finds nothing
    std::array<std::uint64_t, 3> found{};
    DiskIndex disk = 0;
    while (const auto chunk = queue.take()) {
        EXPECT_GE(chunk->disk(), disk);
        disk = chunk->disk();
        for (std::size_t at = 0; at < chunk->size(); ++at) {
            const RestoredRecord record = chunk->record(at);
            const std::uint64_t number = found[disk]++;
            ASSERT_EQ(record.head.arrival, number);
            ASSERT_EQ(chunk->identity(at), (Hash128{number, disk}));
            const Bytes label = label_of(number + disk);
            ASSERT_TRUE(std::ranges::equal(record.label, label));
        }
    }
    first.join();
    last.join();
    EXPECT_EQ(found, (std::array<std::uint64_t, 3>{kRecords, 0, kRecords}));
}

TEST(RestoreQueue, EndsWithoutDisks) {
    RestoreQueue queue(1);
    queue.end(0);
    EXPECT_FALSE(queue.take().has_value());
}

}  // namespace
}  // namespace farlink::storage::restore_queue_test
