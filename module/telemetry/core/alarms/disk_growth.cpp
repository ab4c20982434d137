// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarms/disk_growth.hpp"

#include <algorithm>
#include <string>

#include "common/base/duration_words.hpp"
#include "module/telemetry/core/alarms/figures.hpp"

namespace farlink::telemetry {
namespace {

constexpr double kSecondsPerHour = 3600;

double in_seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

void DiskGrowth::sample(Growth &growth, std::uint64_t used, TimePoint now) {
    std::deque<Sample> &samples = growth.samples;
    growth.highest = std::max(growth.highest, used);
    if (!samples.empty() && growth.highest - used > (growth.highest - samples.front().used) / 2) {
        samples.clear();
        growth.highest = used;
    }
    if (!samples.empty() && now - samples.back().at < kEvery) return;
    samples.push_back({now, used});
    while (now - samples.front().at > kPeriod) samples.pop_front();
}

double DiskGrowth::rate_of(const std::deque<Sample> &samples, std::uint64_t used, TimePoint now) {
    const Sample &first = samples.front();
    if (now - first.at < kLeast || used <= first.used) return 0;
    return static_cast<double>(used - first.used) / in_seconds(now - first.at);
}

void DiskGrowth::find(const std::vector<DiskFacts> &disks, const config::AlarmsConfig &config,
                      TimePoint now, std::vector<Condition> &found) {
    growths_.resize(disks.size());
    for (std::size_t at = 0; at < disks.size(); ++at) {
        const DiskFacts &disk = disks[at];
        sample(growths_[at], disk.used_bytes, now);
        const double rate = rate_of(growths_[at].samples, disk.used_bytes, now);
        if (disk.full || rate <= 0 || disk.capacity_bytes == 0 || config.disk_hours == 0) continue;
        const std::uint64_t free =
            disk.used_bytes < disk.capacity_bytes ? disk.capacity_bytes - disk.used_bytes : 0;
        const double full_in = static_cast<double>(free) / rate;
        if (full_in > config.disk_hours * kSecondsPerHour) continue;
        const std::string fills = octets_in_words(static_cast<std::uint64_t>(rate)) + "/s; " +
                                  octets_in_words(disk.used_bytes) + " of " +
                                  octets_in_words(disk.capacity_bytes) + ' ';
        found.push_back(
            {AlarmName::kDiskFullSoon,
             {.disk = static_cast<std::uint32_t>(at)},
             "disk " + disk.path + " will be full in " +
                 duration_in_words(static_cast<std::uint64_t>(full_in)) +
                 " at the rate of the last minutes, " + fills + "are used",
             "see the backlog: farlinkctl storage show; add contacts: farlinkctl plan add --file "
             "FILE; or stop new bundles: farlinkctl drain",
             "disk " + disk.path + " was filling at " + fills + "were used"});
    }
}

}  // namespace farlink::telemetry
