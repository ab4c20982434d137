// SPDX-License-Identifier: Apache-2.0
#include "module/scheduler/scheduler_agent.hpp"

#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>

#include "common/base/duration_words.hpp"
#include "common/bus/dispatch.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::scheduler {
namespace {

/// Readings of the clock differ slightly; a step is larger than this.
constexpr milliseconds kClockStep(100);

const char *in_words(bus::LinkDownReason reason) {
    switch (reason) {
        case bus::LinkDownReason::kContactEnded:
            return "contact ended";
        case bus::LinkDownReason::kConnectionLost:
            return "connection lost";
        case bus::LinkDownReason::kAdministrative:
            return "by the operator";
        case bus::LinkDownReason::kRemoved:
            return "removed or changed";
    }
    return "";
}

std::string name_of(LinkId link, NodeNumber neighbour) {
    return "link " + std::to_string(link.value()) + " to node " + std::to_string(neighbour.value());
}

std::vector<OutductEntry> outduct_entries(const config::NodeConfig &config) {
    std::vector<OutductEntry> entries;
    for (const config::OutductConfig &outduct : config.outducts)
        entries.push_back({outduct.id, outduct.next_hop, outduct.fragment_to_contact});
    return entries;
}

}  // namespace

SchedulerAgent::SchedulerAgent(const config::NodeConfig &config,
                               std::optional<std::vector<bus::Contact>> plan,
                               bus::BusContext &context)
    : log_("scheduler"),
      loop_(context, bus::AgentId::kScheduler, {},
            {[this](bus::Message message) { handle(std::move(message)); },
             [this] { drain_outputs(); }, [this] { core_.handle_timeout(monotonic_now()); },
             [this] { on_second(); }}),
      core_({config.node, outduct_entries(config), std::move(plan), unix_nanoseconds(),
             read_wall_clock(), context.placement()}) {}

void SchedulerAgent::run() {
    loop_.send(bus::AgentId::kSupervisor, bus::ModuleReady{.module = bus::AgentId::kScheduler});
    core_.handle_timeout(monotonic_now());
    loop_.run();
}

void SchedulerAgent::handle(bus::Message message) {
    static_assert(bus::kListsHandlersOf<bus::SchedulerMessages, SchedulerCore>);
    const TimePoint now = monotonic_now();
    bus::dispatch<bus::SchedulerMessages>(message, [&](auto &data) {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, bus::Stop>)
            loop_.stop();
        else
            core_.handle(std::move(data), now);
    });
}

void SchedulerAgent::on_second() {
    read_clock();
    for (auto &[link, loss] : losses_) loss.lines.handle_time(log_, monotonic_now());
}

void SchedulerAgent::read_clock() {
    const milliseconds step = core_.set_wall_clock(read_wall_clock(), monotonic_now());
    if (step < kClockStep && step > -kClockStep) return;
    log_.warn(
        "the wall clock was set {} by {}; open contacts last at least their planned duration, and "
        "later contacts follow the clock",
        step > milliseconds::zero() ? "forward" : "back",
        milliseconds_in_words(static_cast<std::uint64_t>(std::abs(step.count()))));
}

// The event is repeated when the rate, the light time or the end of an open contact changes.
void SchedulerAgent::log_up(const bus::LinkUp &event) {
    const auto [known, fresh] = up_.try_emplace(event.link, event);
    const bus::LinkUp before = std::exchange(known->second, event);
    const auto link = event.link.value();
    const auto neighbour = event.neighbour.value();
    const auto loss = losses_.find(event.link);
    if (loss != losses_.end() && std::exchange(loss->second.lasts, false))
        loss->second.lines.log(log_, LogLevel::kInfo,
                               name_of(event.link, event.neighbour) + ": up again",
                               monotonic_now());
    else if (fresh || before.neighbour != event.neighbour)
        log_.info("link {} to node {}: up", link, neighbour);
    else if (before.rate == event.rate && before.owlt == event.owlt)
        log_.info("link {} to node {}: end of the contact changed; see `farlinkctl status`", link,
                  neighbour);
    else
        log_changes(before, event);
}

void SchedulerAgent::log_changes(const bus::LinkUp &before, const bus::LinkUp &event) {
    const auto link = event.link.value();
    const auto neighbour = event.neighbour.value();
    if (before.rate != event.rate && event.rate == BitRate{})
        log_.info("link {} to node {}: rate changed to unlimited", link, neighbour);
    else if (before.rate != event.rate)
        log_.info("link {} to node {}: rate changed to {} bit/s", link, neighbour,
                  event.rate.value());
    if (before.owlt != event.owlt)
        log_.info("link {} to node {}: one-way light time changed to {} s{}", link, neighbour,
                  std::chrono::duration<double>(event.owlt).count(),
                  event.owlt == Duration{} ? " (LTP uses oneWayLightTimeMs of the link)" : "");
}

void SchedulerAgent::log_down(const bus::LinkDown &event) {
    up_.erase(event.link);
    if (event.reason != bus::LinkDownReason::kConnectionLost) {
        losses_.erase(event.link);
        log_.info("link {} to node {}: down ({})", event.link.value(), event.neighbour.value(),
                  in_words(event.reason));
        return;
    }
    Loss &loss = losses_[event.link];
    loss.lasts = true;
    loss.lines.log(log_, LogLevel::kInfo,
                   name_of(event.link, event.neighbour) + ": down (" + in_words(event.reason) + ')',
                   monotonic_now());
}

void SchedulerAgent::drain_outputs() {
    while (auto outgoing = core_.poll_message()) {
        if (const auto *up = std::get_if<bus::LinkUp>(&outgoing->message)) log_up(*up);
        if (const auto *down = std::get_if<bus::LinkDown>(&outgoing->message)) log_down(*down);
        loop_.send(std::move(*outgoing));
    }
    loop_.arm(core_.next_timeout());
}

}  // namespace farlink::scheduler
