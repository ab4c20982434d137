// SPDX-License-Identifier: Apache-2.0
// `disk-full-soon`: when each disk is full if it fills as in the last ten minutes.
// Owned by AlarmWatch; one thread.
// A sample every ten seconds; there is no rate before a minute of samples. A fall by more than
// half of what the disk grew (bundles were deleted or sent) begins a new measurement.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "module/telemetry/core/alarms/alarm.hpp"
#include "module/telemetry/core/alarms/alarm_facts.hpp"

namespace farlink::telemetry {

class DiskGrowth {
public:
    static constexpr Duration kEvery = seconds(10);
    static constexpr Duration kPeriod = seconds(600);
    static constexpr Duration kLeast = seconds(60);

    /// A second has passed; the disks have the order of the configuration.
    void find(const std::vector<DiskFacts> &disks, const config::AlarmsConfig &config,
              TimePoint now, std::vector<Condition> &found);

private:
    struct Sample {
        TimePoint at{};
        std::uint64_t used = 0;
    };
    /// One disk since its measurement began.
    struct Growth {
        std::deque<Sample> samples;
        std::uint64_t highest = 0;  ///< octets used
    };
    /// Octets per second; 0: it does not fill, or that is not known yet.
    [[nodiscard]] static double rate_of(const std::deque<Sample> &samples, std::uint64_t used,
                                        TimePoint now);
    static void sample(Growth &growth, std::uint64_t used, TimePoint now);

    std::vector<Growth> growths_;  ///< by disk
};

}  // namespace farlink::telemetry
