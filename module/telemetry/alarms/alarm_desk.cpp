// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/alarms/alarm_desk.hpp"

#include <string>
#include <utility>

#include "common/runtime/kernel_clock_state.hpp"

namespace farlink::telemetry {

AlarmDesk::AlarmDesk(boost::asio::io_context &io, const config::NodeConfig &config, NodeView &view)
    : io_(io), view_(view), certificates_(config) {
    make_hooks(config.alarms);
}

void AlarmDesk::set_config(const config::AlarmsConfig &config) {
    // Other settings come by the same message; hooks have calls under way.
    if (config == view_.alarms_config()) return;
    view_.set_alarms_config(config);
    make_hooks(config);
}

void AlarmDesk::make_hooks(const config::AlarmsConfig &alarms) {
    webhook_.reset();
    command_.reset();
    if (auto target = config::parse_webhook(alarms.webhook))
        webhook_.emplace(io_, std::move(*target));
    if (!alarms.command.empty()) command_.emplace(io_, alarms.command);
}

void AlarmDesk::read(TimePoint now) {
    view_.alarm_inputs().set_clock_synchronised(is_clock_synchronised());
    if (certificates_.look(now))
        view_.alarm_inputs().set_certificates(certificates_.certificates());
}

void AlarmDesk::publish() {
    for (const AlarmChange &change : view_.take_alarm_changes()) {
        log(change);
        call_hooks(change);
    }
    view_.set_hook_counts({webhook_ ? webhook_->counts() : HookCounts{},
                           command_ ? command_->counts() : HookCounts{}});
}

void AlarmDesk::log(const AlarmChange &change) const {
    const Alarm &alarm = change.alarm;
    const bool critical = alarm.severity == Severity::kCritical;
    if (change.raised)
        log_.log(critical ? LogLevel::kError : LogLevel::kWarn, "alarm {} raised: {}; {}",
                 to_string(alarm.name()), alarm.condition.text, alarm.condition.action);
    else
        log_.info("alarm {} ended; last text: {}", to_string(alarm.name()), alarm.condition.text);
}

void AlarmDesk::call_hooks(const AlarmChange &change) {
    if (!webhook_ && !command_) return;
    const std::string json = to_text(to_json(change.alarm));
    if (webhook_) webhook_->call(json);
    if (command_)
        command_->call({json + '\n', std::string(to_string(change.alarm.name())),
                        std::string(to_string(change.alarm.severity)),
                        change.raised ? "raised" : "ended"});
}

}  // namespace farlink::telemetry
