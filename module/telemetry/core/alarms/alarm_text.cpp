// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarms/alarm_text.hpp"

#include <utility>

#include "common/config/fields/instant.hpp"
#include "module/telemetry/core/text/metrics_writer.hpp"

namespace farlink::telemetry {
namespace {

template <class Each>
void for_all_names(const Each &each) {
    for (std::size_t at = 0; at < kAlarmNameCount; ++at) each(static_cast<AlarmName>(at));
}

void write_hook(MetricsWriter &to, std::string_view hook, const HookCounts &counts) {
    const std::string of = label("hook", hook) + ',';
    to.sample(of + label("result", "done"), counts.done);
    to.sample(of + label("result", "failed"), counts.failed);
    to.sample(of + label("result", "dropped"), counts.dropped);
}

}  // namespace

Json to_json(const Alarm &alarm) {
    const AlarmSubject &subject = alarm.condition.subject;
    Json json{{"id", alarm.id},
              {"name", to_string(alarm.name())},
              {"severity", to_string(alarm.severity)},
              {"since", config::format_utc(alarm.since)},
              {"text", alarm.condition.text},
              {"action", alarm.condition.action}};
    if (alarm.ended != 0) json["ended"] = config::format_utc(alarm.ended);
    if (subject.link != kNoLink) json["link"] = subject.link.value();
    if (subject.neighbour != NodeNumber{}) json["neighbour"] = subject.neighbour.value();
    if (subject.disk != AlarmSubject::kNoDisk) json["disk"] = subject.disk;
    if (!subject.module.empty()) json["module"] = subject.module;
    return json;
}

Json active_alarms(const AlarmBook &book) {
    Json active = Json::object();
    for (const Alarm *alarm : book.active()) active[std::to_string(alarm->id)] = to_json(*alarm);
    return active;
}

Json alarms_json(const AlarmBook &book) {
    Json active = Json::array();
    for (const Alarm *alarm : book.active()) active.push_back(to_json(*alarm));
    Json ended = Json::array();
    for (const Alarm &alarm : book.ended()) ended.push_back(to_json(alarm));
    return {{"active", std::move(active)}, {"ended", std::move(ended)}};
}

Json alarm_counts(const AlarmBook &book) {
    Json counts = Json::object();
    for (const Severity severity : {Severity::kCritical, Severity::kWarning})
        counts[std::string(to_string(severity))] = book.active_count(severity);
    return counts;
}

std::string alarm_metrics(const AlarmBook &book, const config::AlarmsConfig &config,
                          const AlarmHookCounts &hooks) {
    MetricsWriter to;
    to.family("farlink_alarm_active", MetricKind::kGauge, "Active alarms, by name.");
    for_all_names([&](AlarmName name) {
        to.sample(label("name", to_string(name)) + ',' +
                      label("severity", to_string(kind_of(name, config).severity)),
                  std::uint64_t{book.active_count(name)});
    });
    to.family("farlink_alarms_raised_total", MetricKind::kCounter, "Alarms raised, by name.");
    for_all_names([&](AlarmName name) {
        to.sample(label("name", to_string(name)), book.raised_count(name));
    });
    to.family("farlink_alarm_hook_calls_total", MetricKind::kCounter,
              "Calls of the webhook and of the command, by result.");
    write_hook(to, "webhook", hooks.webhook);
    write_hook(to, "command", hooks.command);
    return to.take();
}

}  // namespace farlink::telemetry
