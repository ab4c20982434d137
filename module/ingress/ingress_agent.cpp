// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/ingress_agent.hpp"

#include <algorithm>

#include "cla/host/link_factory.hpp"
#include "common/config/link_from_json.hpp"
#include "common/config/link_url.hpp"
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
      core_(config, pool_, read_wall_clock(), unix_nanoseconds()),
      neighbours_(config, [this](bus::Message message) {
          loop_.send(bus::AgentId::kEgress, std::move(message));
      }) {}

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
            else if constexpr (std::is_same_v<Data, bus::LinkChange>)
                handle_link_change(data);
            else if constexpr (requires { neighbours_.handle(std::move(data)); })
                neighbours_.handle(std::move(data));
            else if constexpr (requires { core_.handle(std::move(data), now); })
                core_.handle(std::move(data), now);
        },
        message);
}

void IngressAgent::open_inducts() {
    if (opened_ || stopping_) return;
    opened_ = true;
    for (const config::InductConfig &config : config_.inducts) {
        if (!open_induct(config)) {
            log_.error("cannot listen on {}://{}:{}", config.url.scheme, config.url.host,
                       config.url.port);
            failed_ = true;
        }
        ports_.push_back(inducts_[config.id].induct->port());
    }
    loop_.send(bus::AgentId::kSupervisor, bus::ModuleReady{bus::AgentId::kIngress});
}

bool IngressAgent::open_induct(const config::InductConfig &config) {
    const cla::LinkResources resources{loop_.io(), buffer_, *this, next_upstream_};
    HostedInduct &hosted = inducts_[config.id];
    hosted.config = config;
    hosted.induct = cla::make_induct(resources, config);
    return hosted.induct->open();
}

// The induct goes with its sessions, and with what they refer to; then the host may hear of it.
void IngressAgent::remove_induct(LinkId link) {
    if (inducts_.erase(link) == 0) return;
    std::vector<UpstreamId> sessions;
    for (const auto &[session, of] : link_of_)
        if (of == link) sessions.push_back(session);
    for (const UpstreamId session : sessions)
        on_upstream_closed(link, session, cla::LinkFault::kNone);
}

void IngressAgent::handle_link_change(const bus::LinkChange &change) {
    bus::LinkChangeResult result{.link = change.link, .error = {}, .port = 0};
    std::optional<config::InductConfig> config;
    std::string error;
    if (change.verb != bus::LinkVerb::kRemove) {
        auto read = config::induct_from_json(as_text(change.config),
                                             {config_.node, config_.buffer_bytes, {}});
        error = read ? cla::check_link(*read).value_or("") : read.error().to_string();
        if (error.empty()) config = std::move(*read);
    }
    if (error.empty() && change.verb != bus::LinkVerb::kAdd) remove_induct(change.link);
    if (config) {
        config->id = change.link;
        if (open_induct(*config)) {
            result.port = inducts_[change.link].induct->port();
        } else {
            error = "cannot listen on " + config::to_string(config->url);
            inducts_.erase(change.link);
        }
    }
    result.error.assign(error.begin(), error.end());
    loop_.send(bus::AgentId::kSupervisor, std::move(result));
}

IngressAgent::HostedInduct *IngressAgent::induct_of(UpstreamId upstream) {
    const auto link = link_of_.find(upstream);
    if (link == link_of_.end()) return nullptr;
    const auto found = inducts_.find(link->second);
    return found == inducts_.end() ? nullptr : &found->second;
}

void IngressAgent::on_upstream_opened(LinkId link, UpstreamId from, bool acknowledges) {
    link_of_[from] = link;
    core_.counters().increment(IngressCounter::kSessionsOpened);
    const HostedInduct &hosted = inducts_[link];
    core_.handle_upstream_opened(from, acknowledges && !hosted.config.acknowledge_on_receipt,
                                 hosted.induct->flow_controlled());
}

void IngressAgent::on_peer(LinkId link, UpstreamId from, const cla::PeerIdentity &peer) {
    HostedInduct &hosted = inducts_[link];
    neighbours_.handle_peer(*hosted.induct, hosted.config, from, peer);
    if (const auto carried = neighbours_.carried_by(from))
        core_.set_window(carried->link, carried->node, hosted.config.max_in_flight_bytes,
                         hosted.config.max_in_flight_bundles);
}

void IngressAgent::on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) {
    core_.handle_bundles(from, received, monotonic_now());
    if (const HostedInduct &hosted = inducts_[link]; hosted.config.acknowledge_on_receipt)
        hosted.induct->settle(from, received.first_transfer,
                              static_cast<std::uint32_t>(received.bundles.size()),
                              Settlement::kSafe);
    settle();
}

void IngressAgent::on_upstream_closed(LinkId link, UpstreamId from, cla::LinkFault fault) {
    core_.handle_upstream_closed(from);
    neighbours_.handle_closed(from);
    core_.counters().increment(IngressCounter::kLinkFault, static_cast<std::size_t>(fault));
    link_of_.erase(from);
    if (fault == cla::LinkFault::kNone || fault == cla::LinkFault::kPeerClosed ||
        fault == cla::LinkFault::kPeerTerminated)
        return;
    if (const auto held_back = refusals_log_.admit(monotonic_now()))
        log_.warn("session {} on link {} ended: {} ({} more not shown)", from.value(), link.value(),
                  cla::to_string(fault), *held_back);
}

void IngressAgent::on_state(LinkId link, cla::LinkState state, cla::LinkFault) {
    if (const auto found = inducts_.find(link); found != inducts_.end())
        found->second.state = state;
    if (stopping_ && state == cla::LinkState::kClosed) settle();
}

void IngressAgent::on_departure(LinkId, cla::Departure departure) {
    core_.counters().increment(IngressCounter::kDeparture, static_cast<std::size_t>(departure));
}

void IngressAgent::settle() {
    while (auto outgoing = core_.poll_message()) loop_.send(std::move(*outgoing));
    tell_senders();
    pause_upstreams();
    loop_.arm(std::min(core_.next_timeout(), stop_deadline_));
    const bool done = core_.idle() && std::ranges::all_of(inducts_, [](const auto &induct) {
                          return induct.second.state == cla::LinkState::kClosed;
                      });
    if (stopping_ && (done || monotonic_now() >= stop_deadline_)) {
        if (!core_.idle())
            log_.error("{} bundles are lost: storage did not take them in time",
                       core_.counters().value(IngressCounter::kInFlight));
        report_counters();
        loop_.stop();
    }
}

void IngressAgent::tell_senders() {
    bus::TransfersSettled elsewhere;
    while (const auto run = core_.poll_settled()) {
        HostedInduct *hosted = induct_of(run->upstream);
        if (hosted == nullptr) {
            elsewhere.runs.push_back(*run);
            continue;
        }
        hosted->induct->settle(run->upstream, run->first, run->count, run->settlement);
        if (std::ranges::find(told_, hosted->induct.get()) == told_.end())
            told_.push_back(hosted->induct.get());
    }
    for (cla::Induct *induct : told_) induct->flush_settled();
    told_.clear();
    if (!elsewhere.runs.empty()) loop_.send(bus::AgentId::kEgress, std::move(elsewhere));
}

void IngressAgent::pause_upstreams() {
    while (const auto order = core_.poll_pause()) {
        if (HostedInduct *hosted = induct_of(order->upstream); hosted != nullptr)
            hosted->induct->pause(order->upstream, order->paused);
        else
            loop_.send(bus::AgentId::kEgress, bus::UpstreamPause{order->upstream, order->paused});
    }
}

void IngressAgent::on_second() {
    core_.set_wall_clock(read_wall_clock());
    report_counters();
}

void IngressAgent::begin_stop() {
    stopping_ = true;
    stop_deadline_ = monotonic_now() + kStopLimit;
    for (auto &[id, hosted] : inducts_) {
        hosted.induct->close();
        // Layers without sessions have nothing to wait for, and say nothing.
        if (hosted.state == cla::LinkState::kConnected) hosted.state = cla::LinkState::kClosed;
    }
    core_.drain(monotonic_now());
}

void IngressAgent::report_counters() {
    core_.counters().set(IngressCounter::kBufferFull, pool_.refusals());
    core_.counters().set(IngressCounter::kSessionsOpen, link_of_.size());
    loop_.send(bus::AgentId::kTelemetry,
               bus::CounterReport{bus::AgentId::kIngress, ++reports_, core_.counters().snapshot()});
}

}  // namespace farlink::ingress
