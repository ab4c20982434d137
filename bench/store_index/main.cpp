// SPDX-License-Identifier: Apache-2.0
// The cost of a store's index: memory for each bundle, and the time to restore and to drop it.
// A program; one thread; no disk.
// Usage: store_index [bundles]
#include <cstdlib>
#include <ctime>
#include <iostream>

#include "common/base/random.hpp"
#include "module/storage/core/storage_core.hpp"

namespace {

using namespace farlink;

constexpr std::uint64_t kRecordsInAFile = 300'000;
constexpr std::uint64_t kDestinations = 16;

/// Processor time, so that other programs do not count.
double seconds_used() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// In the order of a log's recovery: youngest file first, each from its beginning to its end.
void restore_all(storage::StorageCore &core, std::uint64_t bundles) {
    Random random(1);
    std::array<std::uint8_t, 17> label{2};
    RestoredRecord record;
    record.head.size = 100;
    for (std::uint64_t end = bundles; end > 0;) {
        const std::uint64_t begin = end > kRecordsInAFile ? end - kRecordsInAFile : 0;
        for (std::uint64_t at = begin; at < end; ++at) {
            store_be(&label[1], 100 + random.below(kDestinations));
            record.head.arrival = at + 1;
            record.head.identity = {random.next(), random.next()};
            record.head.expiry = 800'000'000'000 + at + random.below(3'600'000);
            record.at = {((begin / kRecordsInAFile + 1) << 32) | (at - begin + 1),
                         4096 + (at - begin) * 200};
            record.label = label;
            core.restore(0, record);
        }
        end = begin;
    }
}

}  // namespace

int main(int count, char **arguments) {
    const std::uint64_t bundles = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 10'000'000;
    config::StorageConfig config;
    config.capacity_bytes = ~std::uint64_t{0} / 2;
    const auto core = std::make_unique<storage::StorageCore>(
        config, false, WallClock{TimePoint{}, 799'000'000'000});
    double begin = seconds_used();
    restore_all(*core, bundles);
    core->handle_opened({});
    std::cout << "restored " << core->figures().held() << " bundles in " << seconds_used() - begin
              << " s of processor time\n"
              << static_cast<double>(core->figures().index_bytes()) / static_cast<double>(bundles)
              << " bytes of memory for each\n";
    begin = seconds_used();
    constexpr TimePoint kAllOver{seconds(100'000'000)};
    while (core->figures().held() > 0) core->handle_timeout(kAllOver);
    std::cout << "expired all in " << seconds_used() - begin << " s\n";
    return 0;
}
