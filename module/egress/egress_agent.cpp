// SPDX-License-Identifier: Apache-2.0
#include "module/egress/egress_agent.hpp"

#include <algorithm>
#include <utility>

#include "common/bus/dispatch.hpp"
#include "common/bus/loop/telemetry_reports.hpp"
#include "common/config/reload/settings_change.hpp"
#include "common/history/file/open_history.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::egress {
namespace {

constexpr std::uint32_t kSlabBytes = 256 * 1024;
constexpr std::size_t kBundlesPerPoll = 128;
/// Sessions of links that egress hosts are numbered from here, those of ingress from 0. The first
/// number differs from start to start: bundles of an egress process that has died may still be in
/// flight when the next one starts.
constexpr std::uint32_t kFirstUpstream = 0x80000000U;
constexpr std::uint32_t kStartMask = 0x1fffffffU;

NextHopRefusal meaning(cla::Refusal refusal) {
    switch (refusal) {
        case cla::Refusal::kCompleted:
            return NextHopRefusal::kHasIt;
        case cla::Refusal::kNoResources:
        case cla::Refusal::kUnknown:
            return NextHopRefusal::kNoRoom;
        case cla::Refusal::kRetransmit:
            return NextHopRefusal::kAgain;
        case cla::Refusal::kSessionTerminating:
            return NextHopRefusal::kLinkEnds;
        case cla::Refusal::kNotAcceptable:
        case cla::Refusal::kExtensionFailure:
            return NextHopRefusal::kNotAcceptable;
        case cla::Refusal::kTooLarge:
            return NextHopRefusal::kTooLarge;
        case cla::Refusal::kUnacknowledged:
            return NextHopRefusal::kUnacknowledged;
        case cla::Refusal::kNotSent:
            return NextHopRefusal::kNotSent;
    }
    return NextHopRefusal::kNoRoom;
}

}  // namespace

EgressAgent::EgressAgent(const config::NodeConfig &config, bus::BusContext &context,
                         bus::AgentId self)
    : log_(std::string(bus::name_of(self))),
      pool_(kSlabBytes, config.buffer_bytes),
      buffer_(pool_),
      batches_(BatchOwner::kEgress, bus::instance_of(self)),
      next_upstream_(kFirstUpstream + (static_cast<std::uint32_t>(entropy_seed()) & kStartMask)),
      loop_(context, self, {bus::AgentId::kScheduler},
            {[this](bus::Message message) { handle(std::move(message)); },
             [this] { drain_outputs(); }, [this] { core_.handle_timeout(monotonic_now()); },
             [this] { on_second(); }, [this] { on_report(); }}),
      core_(config.node, outducts_of(config, bus::instance_of(self)), read_wall_clock(), self,
            history::open_history(config, bus::name_of(self), log_)),
      reports_(self, log_,
               [this](bus::Message message) {
                   loop_.send(bus::AgentId::kTelemetry, std::move(message));
               }),
      links_(config, bus::instance_of(self), {loop_.io(), buffer_, *this, next_upstream_}, core_,
             reports_, [this](bus::Outgoing outgoing) { loop_.send(std::move(outgoing)); }),
      upstreams_(
          core_.links(), batches_,
          context.is_elsewhere(bus::instance_at(bus::AgentId::kIngress, bus::instance_of(self))),
          {[this](LinkId id) {
               HostedLink *link = links_.find(id);
               return link == nullptr ? nullptr : link->outduct.get();
           },
           [this](bus::Message message) {
               loop_.send(bus::AgentId::kIngress, std::move(message));
           }}),
      tx_(kBundlesPerPoll) {
    // One bundle leaves room for others.
    buffer_.set_spool_above(config.spool_above());
    core_.set_added_hop_limit(config.routing.add_hop_limit);
    core_.set_fragment_above(config.fragment_above_bytes);
}

EgressAgent::~EgressAgent() = default;

void EgressAgent::run() {
    publish_ready();
    links_.for_each([this](LinkId id, HostedLink &link) { reports_.publish_state(id, link); });
    loop_.run();
}

void EgressAgent::publish_ready() {
    loop_.send(bus::AgentId::kSupervisor, bus::ModuleReady{.module = loop_.self()});
}

// ---- from the bus

void EgressAgent::handle(bus::Message message) {
    const TimePoint now = monotonic_now();
    static_assert(bus::kListsHandlersOf<bus::EgressMessages, EgressCore>);
    bus::dispatch<bus::EgressMessages>(message, [&](auto &data) {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, bus::Stop>)
            handle_stop(data);
        else if constexpr (std::is_same_v<Data, bus::StorageReady>)
            core_.judge_clock(data.newest_received);
        else if constexpr (std::is_same_v<Data, bus::SessionChange>)
            links_.relayed(data, pool_, batches_).handle_session(data);
        else if constexpr (std::is_same_v<Data, bus::BatchOutcome>)
            handle_returned(std::move(data.batch));
        else if constexpr (std::is_same_v<Data, bus::LinkChange>)
            handle_link_change(data);
        else if constexpr (std::is_same_v<Data, bus::SettingsChange>)
            handle_settings(data);
        else if constexpr (bus::kIsOneOf<Data, bus::UpstreamPause, bus::TransferDispositions>)
            upstreams_.handle(data);
        else if constexpr (bus::kIsOneOf<Data, bus::ModuleLost, bus::ModuleBack>)
            handle_module(data);
        else
            core_.handle(std::move(data), now);
    });
}

// Ingress gives back bundles that have left by a session of its own, or memory of bundles that a
// link here has received.
void EgressAgent::handle_returned(BatchPtr batch) {
    if (batch->link != kNoLink)
        if (HostedLink *link = links_.find(batch->link);
            link != nullptr && link->relayed != nullptr)
            return link->relayed->handle_returned(std::move(batch));
    batches_.recycle(std::move(batch));
}

bus::AgentId EgressAgent::own_ingress() const {
    return bus::instance_at(bus::AgentId::kIngress, bus::instance_of(loop_.self()));
}

void EgressAgent::handle_module(const bus::ModuleLost &lost) {
    if (lost.module == own_ingress()) {
        links_.for_each([](LinkId, HostedLink &link) {
            if (link.relayed != nullptr) link.relayed->handle_lost();
        });
        upstreams_.handle_ingress_lost();
    }
    core_.handle(lost, monotonic_now());
}

void EgressAgent::handle_module(const bus::ModuleBack &back) {
    if (back.module == own_ingress()) upstreams_.announce_all();
    if (back.module == bus::AgentId::kSupervisor) {
        if (!stopping_) links_.restore();
        publish_ready();
    }
    if (back.module == bus::AgentId::kTelemetry) {
        links_.for_each([this](LinkId id, HostedLink &link) {
            reports_.publish_state(id, link, std::string(link.published));
        });
        core_.links().tallies().publish_again();
    }
    core_.handle(back, monotonic_now());
}

void EgressAgent::handle_link_change(const bus::LinkChange &change) {
    bus::LinkChangeResult result{.link = change.link, .error = {}, .port = 0, .id = change.id};
    const std::string error = links_.change(change);
    result.error.assign(error.begin(), error.end());
    loop_.send(bus::AgentId::kSupervisor, std::move(result));
}

void EgressAgent::handle_settings(const bus::SettingsChange &change) {
    const auto settings = config::settings_from_json(as_text(change.settings));
    if (!settings)
        return log_.error(
            "cannot apply the reloaded settings; the previous ones stay in effect: {}",
            settings.error().to_string());
    core_.set_added_hop_limit(settings->routing.add_hop_limit);
    core_.set_fragment_above(settings->fragment_above_bytes);
}

// The first Stop closes the links, so that what they have not begun goes back and to disk. The loop
// ends with the second one, when no module waits for an answer any more.
void EgressAgent::handle_stop(const bus::Stop &stop) {
    core_.drain();
    stopping_ = !stop.drain;
}

// ---- from the links

void EgressAgent::on_ending(LinkId id, const cla::PeerIdentity &, std::string_view detail) {
    if (HostedLink *link = links_.find(id); link != nullptr) link->detail = detail;
}

void EgressAgent::on_state(LinkId id, cla::LinkState state, cla::LinkFault fault) {
    const TimePoint now = monotonic_now();
    HostedLink *link = links_.find(id);
    if (link == nullptr) return;
    const cla::LinkState before = std::exchange(link->state, state);
    if (state == cla::LinkState::kConnected) {
        reports_.handle_connected(id, *link, now);
        core_.handle_connected(id, link->outduct->max_bundle_bytes(), now,
                               link->outduct->takes_pieces());
        core_.handle_writable(id);
    } else if (state != cla::LinkState::kClosing) {
        if (fault != cla::LinkFault::kNone)
            core_.counters().increment(EgressCounter::kLinkFault, static_cast<std::size_t>(fault));
        const bool was_up =
            before == cla::LinkState::kConnected || before == cla::LinkState::kClosing;
        reports_.handle_disconnected(id, *link, was_up, fault, now);
        core_.handle_disconnected(id, now);
        if (state == cla::LinkState::kClosed) links_.handle_closed(id);
    }
    drain_outputs_when_outside();
}

void EgressAgent::on_unreachable(LinkId id, std::string_view why) {
    HostedLink *link = links_.find(id);
    if (link == nullptr) return;
    core_.counters().increment(EgressCounter::kLinkFault,
                               static_cast<std::size_t>(cla::LinkFault::kConnectFailed));
    reports_.handle_unreachable(id, *link, why, monotonic_now());
}

void EgressAgent::on_transmitted(LinkId link, std::uint64_t token) {
    core_.handle_transmitted(link, token, monotonic_now());
    drain_outputs_when_outside();
}

void EgressAgent::on_refused(LinkId link, std::uint64_t token, cla::Refusal refusal) {
    core_.handle_refused(link, token, meaning(refusal), monotonic_now());
    drain_outputs_when_outside();
}

void EgressAgent::on_writable(LinkId link) {
    core_.handle_writable(link);
    drain_outputs_when_outside();
}

void EgressAgent::on_deviation(LinkId link, const cla::PeerIdentity &peer,
                               cla::ProtocolDeviation deviation) {
    const auto kind = static_cast<std::size_t>(deviation);
    core_.counters().increment(EgressCounter::kDeparture, kind);
    if (links_.find(link) == nullptr) return;
    core_.links()
        .tallies()
        .of(link, peer.node_id.empty() ? peer.address : peer.node_id)
        .increment(LinkCounter::kDeparture, kind);
}

void EgressAgent::on_counted(LinkId link, const cla::PeerIdentity &peer,
                             std::span<const std::uint64_t> more) {
    if (links_.find(link) != nullptr)
        core_.links().tallies().of(link, peer.node_id).add(LinkCounter::kLtp, more);
}

void EgressAgent::on_datagrams_lost(LinkId link, std::uint64_t datagrams) {
    if (links_.find(link) != nullptr)
        core_.links().tallies().of(link, {}).add(LinkCounter::kDatagramsLost, datagrams);
}

// Bundles that arrive on the session of an outduct.
void EgressAgent::on_bundles_refused(LinkId link, UpstreamId, std::uint64_t bundles, bool) {
    if (links_.find(link) != nullptr) core_.links().count_refused(link, bundles);
    refused_arrivals_.add(link, bundles, {}, monotonic_now());
}

// ---- what to do

// A link may call back from inside a call that drain_outputs() makes to it: then that goes round
// again.
void EgressAgent::drain_outputs_when_outside() {
    if (draining_outputs_)
        drain_again_ = true;
    else
        drain_outputs();
}

void EgressAgent::drain_outputs() {
    draining_outputs_ = true;
    do {
        drain_again_ = false;
        while (const auto order = core_.poll_link_order()) carry_out(*order);
        while (const auto link = core_.poll_ready()) transmit(*link);
        while (auto outgoing = core_.poll_message()) loop_.send(std::move(*outgoing));
    } while (drain_again_);
    draining_outputs_ = false;
    loop_.arm(core_.next_timeout());
    if (stopping_ && links_.all_closed()) {
        report_counters(true);
        loop_.stop();
    }
}

void EgressAgent::carry_out(const LinkOrder &order) {
    HostedLink *link = links_.find(order.link);
    if (link == nullptr) return;
    switch (order.command) {
        case LinkCommand::kOpen:
            return link->outduct->open();
        case LinkCommand::kSuspend:
            return link->outduct->suspend();
        case LinkCommand::kClose:
            return link->outduct->close();
        case LinkCommand::kSetRate:
            return link->outduct->set_rate(order.rate);
        case LinkCommand::kSetOwlt:
            return link->outduct->set_owlt(order.owlt);
        case LinkCommand::kBreakOff:
            return link->outduct->break_off();
    }
}

void EgressAgent::transmit(LinkId id) {
    HostedLink *link = links_.find(id);
    if (link == nullptr) return;
    cla::Outduct &outduct = *link->outduct;
    while (const std::uint64_t credit = outduct.transmit_credit()) {
        const std::size_t count = core_.poll_transmit(id, tx_, credit, monotonic_now());
        if (count == 0) break;
        outduct.transmit({tx_.data(), count});
        if (outduct.transmit_credit() > 0) continue;
        core_.counters().increment(EgressCounter::kQueueFull);
        outduct.flush();
    }
    outduct.flush();
}

void EgressAgent::on_second() {
    core_.set_wall_clock(read_wall_clock());
    links_.delete_removed();
    links_.for_each([this, now = monotonic_now()](LinkId, HostedLink &link) {
        if (link.outduct) link.outduct->report_counts();
        reports_.handle_second(link, now);
    });
    refused_arrivals_.handle_second(monotonic_now());
    report_counters(false);
}

void EgressAgent::on_report() {
    bus::send_link_reports(loop_, loop_.self(), core_.links().tallies());
    if (reported_.take(core_.counters().values())) report_counters(false);
}

void EgressAgent::report_counters(bool last) {
    bus::send_link_reports(loop_, loop_.self(), core_.links().tallies());
    const auto values = core_.counters().values();
    loop_.send(
        bus::AgentId::kTelemetry,
        bus::CounterReport{loop_.self(), ++counter_reports_, {values.begin(), values.end()}, last});
}

}  // namespace farlink::egress
