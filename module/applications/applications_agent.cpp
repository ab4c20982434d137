// SPDX-License-Identifier: Apache-2.0
#include "module/applications/applications_agent.hpp"

#include <algorithm>
#include <utility>

#include "common/bus/dispatch.hpp"
#include "common/history/file/open_history.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"
#include "module/applications/peer_credentials.hpp"

namespace farlink::applications {
namespace {

constexpr std::uint32_t kSlabBytes = 256 * 1024;
constexpr seconds kStopLimit{5};

SipKey random_key() {
    SipKey key;
    fill_random(key);
    return key;
}

}  // namespace

ApplicationsAgent::ApplicationsAgent(const config::NodeConfig &config, bus::BusContext &context)
    : config_(config),
      pool_(kSlabBytes, config.buffer_bytes),
      buffer_(pool_),
      loop_(context, bus::AgentId::kApplications, {},
            {[this](bus::Message message) { handle(std::move(message)); },
             [this] { drain_outputs(); }, [this] { core_.handle_timeout(monotonic_now()); },
             [this] { on_second(); }, [this] { on_report(); }}),
      core_({config.node, config.echo_service, config.applications},
            resolve_names(config.applications), pool_, read_wall_clock(), entropy_seed(),
            random_key(), monotonic_now(),
            history::open_history(config, bus::name_of(bus::AgentId::kApplications), log_)),
      server_(config.applications, loop_.io(), buffer_, core_, [this] { drain_outputs(); }) {
    buffer_.set_spool_above(config.spool_above());
}

ApplicationsAgent::~ApplicationsAgent() = default;

void ApplicationsAgent::run() {
    const std::string wrong = server_.open();
    if (!wrong.empty()) log_.error("{}", wrong);
    failed_ = !wrong.empty();
    publish_ready();
    drain_outputs();
    loop_.run();
}

void ApplicationsAgent::publish_ready() {
    loop_.send(bus::AgentId::kSupervisor,
               bus::ModuleReady{.module = bus::AgentId::kApplications, .failed = failed_});
}

void ApplicationsAgent::handle(bus::Message message) {
    const TimePoint now = monotonic_now();
    if (bus::is_back(message, bus::AgentId::kSupervisor)) publish_ready();
    static_assert(bus::kListsHandlersOf<bus::ApplicationsMessages, ApplicationsCore>);
    bus::dispatch<bus::ApplicationsMessages>(message, [&](auto &data) {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, bus::Stop>)
            handle_stop(data);
        else
            core_.handle(std::move(data), now);
    });
}

// The first Stop returns what is not accepted, so that storage takes it. Applications that have
// sent something get its answer until the second one.
void ApplicationsAgent::handle_stop(const bus::Stop &stop) {
    server_.close();
    core_.drain(monotonic_now());
    drain_outputs();
    if (stop.drain) return;
    server_.close_all();
    stop_deadline_ = monotonic_now() + kStopLimit;
    drain_outputs();
}

// What ingress has of applications lies in memory of this module.
void ApplicationsAgent::end_when_idle() {
    if (stop_deadline_ == kNever) return;
    if (core_.lent() > 0 && monotonic_now() < stop_deadline_) return;
    stop_deadline_ = kNever;
    report_counters(true);
    loop_.stop();
}

void ApplicationsAgent::drain_outputs() {
    drain_again_ = true;
    if (std::exchange(draining_outputs_, true)) return;
    while (std::exchange(drain_again_, false)) {
        server_.serve_touched();
        while (auto outgoing = core_.poll_message()) loop_.send(std::move(*outgoing));
    }
    draining_outputs_ = false;
    loop_.arm(std::min(core_.next_timeout(), stop_deadline_));
    end_when_idle();
}

void ApplicationsAgent::on_second() {
    core_.set_wall_clock(read_wall_clock());
    report_counters(false);
}

void ApplicationsAgent::on_report() {
    for (bus::EndpointReport &report : core_.take_reports())
        loop_.send(bus::AgentId::kTelemetry, std::move(report));
    if (reported_.take(core_.counters().values())) report_counters(false);
}

void ApplicationsAgent::report_counters(bool last) {
    loop_.send(bus::AgentId::kTelemetry,
               bus::CounterReport{bus::AgentId::kApplications, ++counter_reports_,
                                  core_.counters().snapshot(), last});
}

}  // namespace farlink::applications
