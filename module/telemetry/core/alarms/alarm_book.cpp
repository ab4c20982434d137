// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarms/alarm_book.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "module/telemetry/core/alarms/figures.hpp"

namespace farlink::telemetry {

bool AlarmBook::is_ignored(AlarmName name) const {
    return std::ranges::find(config_.ignored, to_string(name)) != config_.ignored.end();
}

// Alarms that are active keep their place; the others of the name share one.
std::vector<Condition> AlarmBook::bounded(std::vector<Condition> holding) const {
    std::erase_if(holding, [this](const Condition &each) { return is_ignored(each.name); });
    const auto is_new = [this](const Condition &each) {
        return !entries_.contains({each.name, each.subject});
    };
    std::ranges::stable_sort(
        holding, {}, [&](const Condition &each) { return std::pair(each.name, is_new(each)); });
    std::vector<Condition> kept;
    for (std::size_t begin = 0; begin < holding.size();) {
        std::size_t end = begin;
        while (end < holding.size() && holding[end].name == holding[begin].name) ++end;
        const std::size_t count = end - begin;
        const std::size_t alone = count <= kMostOfAName ? count : kMostOfAName - 1;
        for (std::size_t at = begin; at < begin + alone; ++at)
            kept.push_back(std::move(holding[at]));
        if (alone < count) {
            const Condition &first = holding[begin + alone];
            kept.push_back({.name = first.name,
                            .subject = {.others = true},
                            .text = grouped(count - alone) + " more, such as: " + first.text,
                            .action = first.action});
        }
        begin = end;
    }
    return kept;
}

void AlarmBook::note(Condition condition, TimePoint now) {
    const Key key{condition.name, condition.subject};
    Entry &entry = entries_[key];
    if (!std::exchange(entry.holds, true)) entry.since = now;
    entry.held = now;
    Condition &known = entry.alarm.condition;
    const bool changed = known.text != condition.text || known.action != condition.action;
    if (entry.alarm.id != 0 && changed) ++revision_;
    known = std::move(condition);
}

void AlarmBook::raise(Entry &entry, DtnTime wall, std::vector<AlarmChange> &changes) {
    Alarm &alarm = entry.alarm;
    alarm.id = ++last_id_;
    alarm.severity = kind_of(alarm.name(), config_).severity;
    alarm.since = wall;
    ++raised_[static_cast<std::size_t>(alarm.name())];
    ++revision_;
    changes.push_back({true, alarm});
}

void AlarmBook::end(Entry &entry, DtnTime wall, std::vector<AlarmChange> &changes) {
    entry.alarm.ended = wall;
    Condition &last = entry.alarm.condition;
    if (!last.text_when_ended.empty()) last.text = std::move(last.text_when_ended);
    ended_.push_front(entry.alarm);
    if (ended_.size() > kMostEnded) ended_.pop_back();
    ++revision_;
    changes.push_back({false, std::move(entry.alarm)});
}

std::vector<AlarmChange> AlarmBook::look(std::vector<Condition> holding, DtnTime wall,
                                         TimePoint now) {
    for (Condition &condition : bounded(std::move(holding))) note(std::move(condition), now);
    std::vector<AlarmChange> changes;
    for (auto at = entries_.begin(); at != entries_.end();) {
        Entry &entry = at->second;
        if (entry.held != now && std::exchange(entry.holds, false)) entry.since = now;
        const AlarmKind kind = kind_of(at->first.first, config_);
        if (entry.alarm.id == 0) {
            if (entry.holds && now - entry.since >= kind.raised_after) raise(entry, wall, changes);
            at = entry.holds ? std::next(at) : entries_.erase(at);
        } else if (!entry.holds && now - entry.since >= kind.ended_after) {
            end(entry, wall, changes);
            at = entries_.erase(at);
        } else {
            ++at;
        }
    }
    return changes;
}

std::vector<const Alarm *> AlarmBook::active() const {
    std::vector<const Alarm *> found;
    for (const auto &[key, entry] : entries_)
        if (entry.alarm.id != 0) found.push_back(&entry.alarm);
    std::ranges::sort(found, {}, [](const Alarm *alarm) {
        return std::pair(alarm->severity != Severity::kCritical, alarm->id);
    });
    return found;
}

std::size_t AlarmBook::active_count(AlarmName name) const {
    return static_cast<std::size_t>(std::ranges::count_if(entries_, [name](const auto &each) {
        return each.first.first == name && each.second.alarm.id != 0;
    }));
}

std::size_t AlarmBook::active_count(Severity severity) const {
    return static_cast<std::size_t>(std::ranges::count_if(entries_, [severity](const auto &each) {
        return each.second.alarm.severity == severity && each.second.alarm.id != 0;
    }));
}

}  // namespace farlink::telemetry
