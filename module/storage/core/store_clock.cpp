// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/store_clock.hpp"

namespace farlink::storage {
namespace {

constexpr std::uint64_t kSecondMs = 1'000;

}  // namespace

void StoreClock::judge_start(DtnTime newest) {
    context_.clock.judge_start(newest_seen(newest));
    count_suspension();
}

void StoreClock::handle_reading(WallClock reading) {
    if (context_.clock.handle_reading(reading))
        context_.counters.increment(StorageCounter::kClockSteps);
    count_suspension();
}

void StoreClock::confirm() {
    context_.clock.confirm();
    doubted_ = false;
    count_suspension();
}

void StoreClock::count_suspension() {
    context_.counters.set(StorageCounter::kExpirySuspended,
                          context_.clock.expiry_suspended() ? 1 : 0);
    context_.counters.set(StorageCounter::kClockAhead, context_.clock.ahead_ms() / kSecondMs);
    context_.counters.set(StorageCounter::kClockBehind, context_.clock.behind_ms() / kSecondMs);
}

}  // namespace farlink::storage
