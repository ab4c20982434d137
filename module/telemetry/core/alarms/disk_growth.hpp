// SPDX-License-Identifier: Apache-2.0
// `disk-full-soon`: when each disk is full if it fills as in the last ten minutes.
// Owned by AlarmWatch; one thread.
// A sample every ten seconds; below a minute of samples nothing is said.
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
    /// Octets per second; 0: it does not fill, or that is not known yet.
    [[nodiscard]] static double rate_of(const std::deque<Sample> &samples, std::uint64_t used,
                                        TimePoint now);
    void sample(std::deque<Sample> &samples, std::uint64_t used, TimePoint now) const;

    std::vector<std::deque<Sample>> samples_;  ///< by disk
};

}  // namespace farlink::telemetry
