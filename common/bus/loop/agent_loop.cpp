// SPDX-License-Identifier: Apache-2.0
#include "common/bus/loop/agent_loop.hpp"

#include <utility>

#include "common/base/counted.hpp"
#include "common/bus/loop/telemetry_reports.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/log/log_levels.hpp"
#include "common/runtime/process/freed_memory.hpp"

namespace farlink::bus {
namespace {

constexpr milliseconds kReportPeriod{100};

/// Log levels apply to the process, whichever module receives the change.
void change_log(const LogChange &change) {
    const std::string_view logger = as_text(change.logger);
    const auto level = static_cast<LogLevel>(change.level);
    if (level <= LogLevel::kOff && wrong_logger(logger).empty()) set_log_level(logger, level);
}

}  // namespace

AgentLoop::AgentLoop(BusContext &context, AgentId self, const std::vector<AgentId> &subscriptions,
                     AgentHandlers handlers)
    : context_(context),
      self_(self),
      addressing_(self, context.placement()),
      handlers_(std::move(handlers)),
      filter_(subscriptions),
      port_(context, self, subscriptions),
      pump_(
          io_, port_, [this](Message message) { receive(std::move(message)); },
          [this] { handlers_.drain_outputs(); }),
      timer_(io_,
             [this] {
                 handlers_.on_timeout();
                 handlers_.drain_outputs();
             }),
      second_(io_) {}

void AgentLoop::run() {
    ask_for_snapshots();
    pump_.start();
    const TimePoint now = monotonic_now();
    context_.beat(self_, now);
    last_second_ = std::chrono::floor<seconds>(now.time_since_epoch()).count();
    tick();
    io_.run();
}

void AgentLoop::send(AgentId to, Message message) {
    if (addressing_.instances() == 1) return port_.send(to, std::move(message));
    if (!addressing_.for_all(to, message)) {
        const AgentId addressee = addressing_.addressee(to, message);
        return port_.send(addressee, std::move(message));
    }
    if (const auto *backlog = std::get_if<Backlog>(&message)) return send_to_all(to, *backlog);
    if (const auto *ready = std::get_if<StorageReady>(&message)) return send_to_all(to, *ready);
    if (const auto *reserve = std::get_if<StorageReserve>(&message))
        return send_to_all(to, *reserve);
    if (const auto *change = std::get_if<EndpointsChange>(&message))
        return send_to_all(to, *change);
}

template <class Data>
void AgentLoop::send_to_all(AgentId role, const Data &data) {
    for (std::size_t at = 0; at < addressing_.instances(); ++at)
        port_.send(instance_at(role, at), data);
}

void AgentLoop::receive(Message message) {
    if (!filter_.admit(message)) return ask_for_snapshots();
    if (const auto *change = std::get_if<LogChange>(&message)) return change_log(*change);
    if (const auto *back = std::get_if<ModuleBack>(&message)) {
        filter_.restart();
        if (back->module == AgentId::kSupervisor) context_.set_supervisor_lost(false);
    }
    if (const auto *lost = std::get_if<ModuleLost>(&message);
        lost != nullptr && lost->module == AgentId::kSupervisor)
        context_.set_supervisor_lost(true);
    handlers_.on_message(std::move(message));
    ask_for_snapshots();
}

void AgentLoop::ask_for_snapshots() {
    while (const auto publisher = filter_.take_request())
        port_.send(*publisher, SnapshotRequest{*publisher, self_});
}

void AgentLoop::tick() {
    // All modules tick at the same time, so that their counters are of one moment.
    const Duration period = handlers_.on_report ? Duration(kReportPeriod) : Duration(seconds(1));
    const auto since = monotonic_now().time_since_epoch();
    const auto next = since - since % period + period;
    second_.expires_at(std::chrono::steady_clock::time_point(next));
    second_.async_wait([this](const boost::system::error_code &error) {
        if (error) return;
        on_tick();
        tick();
    });
}

void AgentLoop::on_tick() {
    const TimePoint now = monotonic_now();
    const auto second = std::chrono::floor<seconds>(now.time_since_epoch()).count();
    if (std::exchange(last_second_, second) != second) {
        context_.beat(self_, now);
        port_.mend(now);
        handlers_.on_second();
        handlers_.drain_outputs();
        publish_refusals();
        publish_process();
        if (is_unhurried()) return_freed_memory();
    }
    // A stopped module has sent its last report already.
    if (handlers_.on_report && !io_.stopped()) handlers_.on_report();
}

/// The scheduler carries no bundles. In a process without it, storage returns freed memory.
bool AgentLoop::is_unhurried() const {
    return self_ == AgentId::kScheduler ||
           (self_ == AgentId::kStorage && context_.is_elsewhere(AgentId::kScheduler));
}

void AgentLoop::publish_process() {
    const bool supervisor = context_.is_elsewhere(AgentId::kSupervisor);
    const bool telemetry = context_.is_elsewhere(AgentId::kTelemetry);
    if (!supervisor && !telemetry) return;
    const auto report = report_process(self_);
    if (telemetry && report) port_.send(AgentId::kTelemetry, *report);
    if (supervisor)
        port_.send(AgentId::kSupervisor, report.value_or(ProcessReport{.module = self_}));
}

void AgentLoop::publish_refusals() {
    const std::uint64_t refused = port_.undecodable();
    if (refused == published_refused_) return;
    log_.warn("module {}: {} dropped; reason of the last one: {}", name_of(self_),
              counted(refused - published_refused_, "invalid bus message"), port_.last_refusal());
    published_refused_ = refused;
}

}  // namespace farlink::bus
