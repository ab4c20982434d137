// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/ingress_agent.hpp"

#include "cla/host/link_factory.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::ingress {
namespace {

constexpr std::uint32_t kSlabBytes = 256 * 1024;
/// How long a stopping ingress waits for the outcomes of what it has lent.
constexpr seconds kStopLimit{10};

}  // namespace

IngressAgent::IngressAgent(const config::NodeConfig &config, bus::BusContext &context)
    : config_(config),
      log_("ingress"),
      refusals_log_(seconds(1)),
      pool_(kSlabBytes, config.buffer_bytes),
      buffer_(pool_),
      loop_(context, bus::AgentId::kIngress, {bus::AgentId::kScheduler, bus::AgentId::kRouter},
            {[this](bus::Message message) { handle(std::move(message)); }, [this] { settle(); },
             [this] { core_.handle_timeout(monotonic_now()); }, [this] { on_second(); }}),
      core_(config, pool_, read_wall_clock(), unix_nanoseconds()) {}

IngressAgent::~IngressAgent() = default;

void IngressAgent::run() {
    loop_.run();
}

void IngressAgent::handle(bus::Message message) {
    const TimePoint now = monotonic_now();
    std::visit(
        [&](auto &data) {
            using Data = std::decay_t<decltype(data)>;
            if constexpr (std::is_same_v<Data, bus::StorageReady>)
                open_inducts();
            else if constexpr (std::is_same_v<Data, bus::Stop>)
                begin_stop();
            else if constexpr (requires { core_.handle(std::move(data), now); })
                core_.handle(std::move(data), now);
        },
        message);
}

void IngressAgent::open_inducts() {
    if (opened_ || stopping_) return;
    opened_ = true;
    const cla::LinkResources resources{loop_.io(), buffer_, *this, next_upstream_};
    for (const config::InductConfig &config : config_.inducts) {
        inducts_.push_back(cla::make_induct(resources, config));
        if (!inducts_.back()->open()) {
            log_.error("cannot listen on {}://{}:{}", config.url.scheme, config.url.host,
                       config.url.port);
            failed_ = true;
        }
        ports_.push_back(inducts_.back()->port());
    }
    loop_.send(bus::AgentId::kSupervisor, bus::ModuleReady{bus::AgentId::kIngress});
}

void IngressAgent::on_upstream_opened(LinkId link, UpstreamId from, bool) {
    induct_of_[from] = link.value();
    core_.counters().increment(IngressCounter::kSessionsOpened);
}

void IngressAgent::on_bundles(LinkId, UpstreamId from, ReceivedBundles &received) {
    core_.handle_bundles(from, received, monotonic_now());
    settle();
}

void IngressAgent::on_upstream_closed(LinkId link, UpstreamId from, cla::LinkFault fault) {
    core_.handle_upstream_closed(from);
    core_.counters().increment(IngressCounter::kLinkFault, static_cast<std::size_t>(fault));
    induct_of_.erase(from);
    if (fault == cla::LinkFault::kPeerClosed) return;
    if (const auto held_back = refusals_log_.admit(monotonic_now()))
        log_.warn("session {} on link {} ended: {} ({} more not shown)", from.value(), link.value(),
                  cla::to_string(fault), *held_back);
}

void IngressAgent::on_state(LinkId, cla::LinkState, cla::LinkFault) {}

void IngressAgent::settle() {
    while (auto outgoing = core_.poll_message()) loop_.send(std::move(*outgoing));
    while (const auto order = core_.poll_pause())
        if (const auto found = induct_of_.find(order->upstream); found != induct_of_.end())
            inducts_[found->second]->pause(order->upstream, order->paused);
    loop_.arm(core_.next_timeout());
    if (stopping_ && (core_.idle() || monotonic_now() >= stop_deadline_)) {
        if (!core_.idle())
            log_.error("{} bundles are lost: storage did not take them in time",
                       core_.counters().value(IngressCounter::kInFlight));
        report_counters();
        loop_.stop();
    }
}

void IngressAgent::on_second() {
    core_.set_wall_clock(read_wall_clock());
    report_counters();
}

void IngressAgent::begin_stop() {
    stopping_ = true;
    stop_deadline_ = monotonic_now() + kStopLimit;
    for (const auto &induct : inducts_) induct->close();
    core_.drain(monotonic_now());
}

void IngressAgent::report_counters() {
    core_.counters().set(IngressCounter::kBufferFull, pool_.refusals());
    core_.counters().set(IngressCounter::kSessionsOpen, induct_of_.size());
    loop_.send(bus::AgentId::kTelemetry,
               bus::CounterReport{bus::AgentId::kIngress, ++reports_, core_.counters().snapshot()});
}

}  // namespace farlink::ingress
