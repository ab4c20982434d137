// SPDX-License-Identifier: Apache-2.0
// The alarms that are active, those that ended last, and how many were raised.
// Owned by AlarmWatch; one thread.
// A condition becomes an alarm when it has held for a time, and the alarm ends when it has not held
// for a time, so that neither flaps. Both times count from the look that has found the change: an
// alarm that follows another one after the same time leaves no gap. At most 100 alarms of a name
// are active: the last stands for all others.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "module/telemetry/core/alarms/alarm.hpp"

namespace farlink::telemetry {

/// An alarm that was raised, or has ended.
struct AlarmChange {
    bool raised = false;
    Alarm alarm;
};

class AlarmBook {
public:
    static constexpr std::size_t kMostOfAName = 100;
    static constexpr std::size_t kMostEnded = 100;

    explicit AlarmBook(config::AlarmsConfig config) : config_(std::move(config)) {}

    /// The conditions that hold now, all of them; a second has passed. Returns what that changes.
    [[nodiscard]] std::vector<AlarmChange> look(std::vector<Condition> holding, DtnTime wall,
                                                TimePoint now);

    /// Critical ones first; within a severity the oldest, since a cause precedes its symptoms.
    [[nodiscard]] std::vector<const Alarm *> active() const;
    /// The newest first.
    [[nodiscard]] const std::deque<Alarm> &ended() const { return ended_; }
    [[nodiscard]] std::size_t active_count(AlarmName name) const;
    [[nodiscard]] std::size_t active_count(Severity severity) const;
    /// Since the start.
    [[nodiscard]] std::uint64_t raised_count(AlarmName name) const {
        return raised_[static_cast<std::size_t>(name)];
    }
    /// Grows when an alarm is raised, ends, or changes its text.
    [[nodiscard]] std::uint64_t revision() const { return revision_; }
    void set_config(const config::AlarmsConfig &config) { config_ = config; }

private:
    using Key = std::pair<AlarmName, AlarmSubject>;
    struct Entry {
        Alarm alarm;  ///< id 0: not raised yet
        bool holds = false;
        TimePoint since;  ///< it holds, or does not hold, without a break
        TimePoint held;   ///< when it held last
    };

    [[nodiscard]] std::vector<Condition> bounded(std::vector<Condition> holding) const;
    void note(Condition condition, TimePoint now);
    void raise(Entry &entry, DtnTime wall, std::vector<AlarmChange> &changes);
    void end(Entry &entry, DtnTime wall, std::vector<AlarmChange> &changes);
    [[nodiscard]] bool is_ignored(AlarmName name) const;

    config::AlarmsConfig config_;
    std::map<Key, Entry> entries_;
    std::deque<Alarm> ended_;
    std::array<std::uint64_t, kAlarmNameCount> raised_{};
    std::uint64_t last_id_ = 0;
    std::uint64_t revision_ = 0;
};

}  // namespace farlink::telemetry
