// SPDX-License-Identifier: Apache-2.0
#include "module/egress/egress_agent.hpp"

#include <algorithm>

#include "cla/factory/link_factory.hpp"
#include "common/bus/dispatch.hpp"
#include "common/config/link/link_from_json.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"
#include "common/runtime/held_back.hpp"

namespace farlink::egress {
namespace {

constexpr std::uint32_t kSlabBytes = 256 * 1024;
constexpr std::size_t kBundlesPerPoll = 128;
/// How long a link that has closed is kept: its last callbacks may be on their way.
constexpr seconds kFarewell{10};
/// Sessions of links that egress hosts are numbered from here, those of ingress from 0. Where one
/// begins in between differs from start to start: bundles of an egress that has died may still be
/// on their way when there is another.
constexpr std::uint32_t kFirstUpstream = 0x80000000U;
constexpr std::uint32_t kStartMask = 0x3fffffffU;

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
    }
    return NextHopRefusal::kNoRoom;
}

std::vector<config::OutductConfig> outducts_of(const config::NodeConfig &config,
                                               bus::AgentId self) {
    const config::LinkPlacement placement(config);
    std::vector<config::OutductConfig> own;
    for (const config::OutductConfig &outduct : config.outducts)
        if (placement.instance_of(outduct.id) == bus::instance_of(self)) own.push_back(outduct);
    return own;
}

}  // namespace

EgressAgent::EgressAgent(const config::NodeConfig &config, bus::BusContext &context,
                         bus::AgentId self)
    : config_(config),
      log_(std::string(bus::name_of(self))),
      link_log_(seconds(1)),
      pool_(kSlabBytes, config.buffer_bytes),
      buffer_(pool_),
      batches_(BatchOwner::kEgress, bus::instance_of(self)),
      next_upstream_(kFirstUpstream + (static_cast<std::uint32_t>(entropy_seed()) & kStartMask)),
      loop_(context, self, {bus::AgentId::kScheduler},
            {[this](bus::Message message) { handle(std::move(message)); },
             [this] { drain_outputs(); }, [this] { core_.handle_timeout(monotonic_now()); },
             [this] { on_second(); }, [this] { on_report(); }}),
      core_(config.node, outducts_of(config, self), read_wall_clock(), self),
      ingress_elsewhere_(
          context.is_elsewhere(bus::instance_at(bus::AgentId::kIngress, bus::instance_of(self)))),
      tx_(kBundlesPerPoll) {
    core_.set_added_hop_limit(config.routing.add_hop_limit);
    for (const config::OutductConfig &outduct : outducts_of(config, self)) add_outduct(outduct);
}

EgressAgent::~EgressAgent() = default;

void EgressAgent::run() {
    publish_ready();
    for (auto &[id, link] : links_) publish_state(id, link);
    loop_.run();
}

void EgressAgent::publish_ready() {
    loop_.send(bus::AgentId::kSupervisor, bus::ModuleReady{.module = loop_.self()});
}

void EgressAgent::add_outduct(const config::OutductConfig &config) {
    const cla::LinkResources resources{loop_.io(), buffer_, *this, next_upstream_};
    HostedLink &link = links_[config.id];
    link.outduct = cla::make_outduct(resources, config, entropy_seed());
    link.relayed = nullptr;
    link.neighbour = config.next_hop;
    link.name = config.url.scheme + "://" + config.url.host + ":" + std::to_string(config.url.port);
    link.state = cla::LinkState::kClosed;
}

EgressAgent::HostedLink *EgressAgent::hosted(LinkId link) {
    const auto found = links_.find(link);
    return found == links_.end() ? nullptr : &found->second;
}

cla::Outduct *EgressAgent::outduct_of(UpstreamId upstream) {
    const auto found = upstreams_.find(upstream);
    if (found == upstreams_.end()) return nullptr;
    HostedLink *link = hosted(found->second.link);
    return link == nullptr ? nullptr : link->outduct.get();
}

// ---- from the bus
// --------------------------------------------------------------------------------

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
            handle_session(data);
        else if constexpr (std::is_same_v<Data, bus::BatchOutcome>)
            handle_returned(std::move(data.batch));
        else if constexpr (std::is_same_v<Data, bus::UpstreamPause>)
            handle_pause(data);
        else if constexpr (std::is_same_v<Data, bus::TransferDispositions>)
            handle_disposition(data);
        else if constexpr (std::is_same_v<Data, bus::LinkChange>)
            handle_link_change(data);
        else if constexpr (bus::kIsOneOf<Data, bus::ModuleLost, bus::ModuleBack>)
            handle_module(data);
        else
            core_.handle(std::move(data), now);
    });
}

void EgressAgent::handle_session(const bus::SessionChange &change) {
    HostedLink &link = links_[change.link];
    if (link.outduct == nullptr) {
        auto relayed = std::make_unique<RelayedOutduct>(
            change.link, *this, pool_, batches_, [this](bus::Message message) {
                loop_.send(bus::AgentId::kIngress, std::move(message));
            });
        link.relayed = relayed.get();
        link.outduct = std::move(relayed);
        link.name = "a session that it has opened";
        link.neighbour = change.neighbour;
        core_.add_link(change.link, change.neighbour,
                       {.node_id = as_text(change.node_id), .needs_answers = true});
    }
    FARLINK_INVARIANT(link.relayed != nullptr);
    if (std::exchange(link.neighbour, change.neighbour) != change.neighbour) {
        // An ingress that has begun anew has given the number to another neighbour.
        core_.remove_link(change.link);
        core_.add_link(change.link, change.neighbour,
                       {.node_id = as_text(change.node_id), .needs_answers = true});
    }
    link.relayed->handle_session(change.open);
}

// What ingress gives back: bundles that have left by a session of its own, or memory of bundles
// that a link here has received.
void EgressAgent::handle_returned(BatchPtr batch) {
    if (batch->link != kNoLink)
        if (HostedLink *link = hosted(batch->link); link != nullptr && link->relayed != nullptr)
            return link->relayed->handle_returned(std::move(batch));
    batches_.recycle(std::move(batch));
}

// ---- ingress in another process
// ------------------------------------------------------------------

bus::AgentId EgressAgent::own_ingress() const {
    return bus::instance_at(bus::AgentId::kIngress, bus::instance_of(loop_.self()));
}

void EgressAgent::handle_module(const bus::ModuleLost &lost) {
    if (lost.module == own_ingress()) handle_ingress_lost();
    core_.handle(lost, monotonic_now());
}

void EgressAgent::handle_module(const bus::ModuleBack &back) {
    if (back.module == own_ingress()) announce_upstreams();
    if (back.module == bus::AgentId::kSupervisor) {
        restore_outducts();
        publish_ready();
    }
    if (back.module == bus::AgentId::kTelemetry) {
        for (auto &[id, link] : links_) publish_state(id, link, std::string(link.published));
        core_.tallies().publish_again();
    }
    core_.handle(back, monotonic_now());
}

// Who waits to hear of a bundle hears that it is to come again; nobody is held back any longer.
void EgressAgent::handle_ingress_lost() {
    ingress_lost_ = true;
    for (auto &[id, link] : links_)
        if (link.relayed != nullptr) link.relayed->handle_lost();
    for (auto &[session, upstream] : upstreams_) {
        refuse_unacknowledged(session, upstream);
        if (cla::Outduct *outduct = outduct_of(session); outduct != nullptr)
            outduct->pause(session, false);
    }
}

void EgressAgent::refuse_unacknowledged(UpstreamId session, Upstream &upstream) {
    cla::Outduct *outduct = outduct_of(session);
    upstream.unacknowledged.take_all([&](std::uint64_t number) {
        if (outduct != nullptr)
            outduct->acknowledge(session, number, 1, TransferDisposition::kNoResources);
    });
    if (outduct != nullptr) outduct->flush_acknowledgements();
}

void EgressAgent::announce_upstreams() {
    ingress_lost_ = false;
    for (const auto &[session, upstream] : upstreams_)
        loop_.send(bus::AgentId::kIngress,
                   bus::UpstreamChange{session, upstream.link, true, upstream.acknowledges,
                                       upstream.unacknowledged.next()});
}

void EgressAgent::handle_pause(const bus::UpstreamPause &pause) {
    if (cla::Outduct *outduct = outduct_of(pause.upstream); outduct != nullptr)
        outduct->pause(pause.upstream, pause.paused);
}

void EgressAgent::handle_disposition(const bus::TransferDispositions &change) {
    std::vector<cla::Outduct *> touched;
    for (const bus::DispositionRun &run : change.runs) {
        cla::Outduct *outduct = outduct_of(run.upstream);
        if (outduct == nullptr) continue;
        Upstream &upstream = upstreams_[run.upstream];
        if (ingress_elsewhere_) upstream.unacknowledged.acknowledged(run.first, run.count);
        if (run.disposition != TransferDisposition::kSafe)
            core_.count_refused(upstream.link, run.count);
        outduct->acknowledge(run.upstream, run.first, run.count, run.disposition);
        if (touched.empty() || touched.back() != outduct) touched.push_back(outduct);
    }
    for (cla::Outduct *outduct : touched) outduct->flush_acknowledgements();
}

void EgressAgent::handle_link_change(const bus::LinkChange &change) {
    bus::LinkChangeResult result{.link = change.link, .error = {}, .port = 0};
    const std::string error = change_link(change);
    result.error.assign(error.begin(), error.end());
    loop_.send(bus::AgentId::kSupervisor, std::move(result));
}

// What is wrong with it; empty: it has been done, or will be as soon as the link before has closed.
std::string EgressAgent::change_link(const bus::LinkChange &change) {
    HostedLink *link = hosted(change.link);
    const std::string name = "outduct " + std::to_string(change.link.value());
    if (link != nullptr && link->relayed != nullptr)
        return name + " is a session that the neighbour has opened";
    const bool there = link != nullptr && (!link->leaving || link->successor);
    if (there && change.verb == bus::LinkVerb::kAdd) return name + " is there already";
    if (!there && change.verb != bus::LinkVerb::kAdd) return "there is no " + name;
    std::optional<config::OutductConfig> successor;
    if (change.verb != bus::LinkVerb::kRemove) {
        auto config = config::outduct_from_json(as_text(change.config),
                                                {config_.node, config_.buffer_bytes, {}});
        if (!config) return config.error().to_string();
        if (auto fault = cla::check_link(*config)) return std::move(*fault);
        config->id = change.link;
        successor = std::move(*config);
    }
    changed_.insert(change.link);
    replace(change.link, std::move(successor));
    return {};
}

// The one that takes its place, if any does, comes when the link before has closed.
void EgressAgent::replace(LinkId id, std::optional<config::OutductConfig> successor) {
    HostedLink *link = hosted(id);
    if (link != nullptr) {
        link->successor = std::move(successor);
        leave(id, *link);
    } else if (successor) {
        add_link(*successor);
    }
}

// A supervisor that has begun anew knows of no change; one that was cut off tells all of them
// again.
void EgressAgent::restore_outducts() {
    if (stopping_) return;
    const std::vector<config::OutductConfig> configured = outducts_of(config_, loop_.self());
    for (const LinkId link : std::exchange(changed_, {})) {
        const auto before = std::ranges::find(configured, link, &config::OutductConfig::id);
        replace(link, before == configured.end() ? std::nullopt : std::optional(*before));
    }
}

void EgressAgent::leave(LinkId id, HostedLink &link) {
    if (std::exchange(link.leaving, true)) return;
    core_.remove_link(id);
    // The scheduler forgets the old one before it hears of the new one.
    while (auto outgoing = core_.poll_message()) loop_.send(std::move(*outgoing));
    if (link.state == cla::LinkState::kClosed) bid_farewell(id);
}

void EgressAgent::add_link(const config::OutductConfig &config) {
    add_outduct(config);
    core_.add_link(config.id, config.next_hop, egress::terms_of(config));
    loop_.send(bus::AgentId::kScheduler,
               bus::LinkStatus{.link = config.id, .neighbour = config.next_hop});
    publish_state(config.id, links_.at(config.id));
}

// It has closed, and its bundles are back with their owners. What it still hears of its socket, it
// hears within a while.
void EgressAgent::bid_farewell(LinkId id) {
    const auto found = links_.find(id);
    const std::optional<config::OutductConfig> successor = std::move(found->second.successor);
    removed_.emplace_back(monotonic_now() + kFarewell, std::move(found->second.outduct));
    links_.erase(found);
    if (successor) return add_link(*successor);
    core_.forget_counts(id);
    loop_.send(
        bus::AgentId::kTelemetry,
        bus::LinkInfo{
            .module = loop_.self(), .kind = bus::LinkKind::kOutduct, .removed = true, .link = id});
}

// ---- from the links
// ------------------------------------------------------------------------------

void EgressAgent::on_upstream_opened(LinkId link, UpstreamId from, bool acknowledges) {
    upstreams_[from] = {link, acknowledges, {}};
    loop_.send(bus::AgentId::kIngress, bus::UpstreamChange{from, link, true, acknowledges, 0});
}

void EgressAgent::on_upstream_closed(LinkId link, UpstreamId from, cla::LinkFault) {
    upstreams_.erase(from);
    loop_.send(bus::AgentId::kIngress, bus::UpstreamChange{from, link, false, false, 0});
}

// The neighbour answers on the link that this node has opened.
void EgressAgent::on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) {
    if (ingress_elsewhere_) {
        if (Upstream &upstream = upstreams_[from]; upstream.acknowledges) {
            upstream.unacknowledged.arrived(received.bundles.size());
            if (ingress_lost_) return refuse_unacknowledged(from, upstream);
        }
    }
    BatchPtr batch = batches_.acquire();
    batch->upstream = from;
    batch->slices = received.slices;
    batch->slabs = received.slabs;
    auto transfer = static_cast<std::uint32_t>(received.first_transfer);
    for (const ReceivedBundle &arrived : received.bundles) {
        BatchedBundle bundle;
        bundle.size = arrived.size;
        bundle.first_slice = arrived.first_slice;
        bundle.slice_count = arrived.slice_count;
        bundle.transfer = transfer++;
        batch->bytes += bundle.size;
        batch->bundles.push_back(bundle);
    }
    core_.count_received(link, batch->bundles.size(), batch->bytes);
    loop_.send(bus::AgentId::kIngress, bus::ArrivedBatch{std::move(batch)});
}

void EgressAgent::on_state(LinkId id, cla::LinkState state, cla::LinkFault fault) {
    const TimePoint now = monotonic_now();
    HostedLink *link = hosted(id);
    if (link == nullptr) return;
    const cla::LinkState before = std::exchange(link->state, state);
    if (state == cla::LinkState::kConnected) {
        if (const auto held_back = link_log_.admit(now))
            log_.info("link {} to node {}: connected by {}{}", id.value(), link->neighbour.value(),
                      link->name, held_back_words(*held_back));
        link->unreachable.clear();
        publish_state(id, *link);
        core_.handle_connected(id, link->outduct->max_bundle_bytes(), now);
        core_.handle_writable(id);
    } else if (state != cla::LinkState::kClosing) {
        if (fault != cla::LinkFault::kNone)
            core_.counters().increment(EgressCounter::kLinkFault, static_cast<std::size_t>(fault));
        const bool was_up =
            before == cla::LinkState::kConnected || before == cla::LinkState::kClosing;
        publish_reason(id, *link, was_up, fault);
        core_.handle_disconnected(id, now);
        if (link->leaving && state == cla::LinkState::kClosed) bid_farewell(id);
    }
    drain_outputs_when_outside();
}

void EgressAgent::on_unreachable(LinkId id, std::string_view why) {
    HostedLink *link = hosted(id);
    if (link == nullptr) return;
    core_.counters().increment(EgressCounter::kLinkFault,
                               static_cast<std::size_t>(cla::LinkFault::kConnectFailed));
    const std::string reason = "cannot connect: " + std::string(why);
    if (link->published != reason) publish_state(id, *link, reason);
    warn_once(id, *link, "cannot connect to", why);
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

// ---- what to do
// ----------------------------------------------------------------------------------

// A link may report from inside a call that settle() made to it; then settle() goes round again.
void EgressAgent::drain_outputs_when_outside() {
    if (settling_)
        unacknowledged_ = true;
    else
        drain_outputs();
}

void EgressAgent::drain_outputs() {
    settling_ = true;
    do {
        unacknowledged_ = false;
        while (const auto order = core_.poll_link_order()) carry_out(*order);
        while (const auto link = core_.poll_ready()) transmit(*link);
        while (auto outgoing = core_.poll_message()) loop_.send(std::move(*outgoing));
    } while (unacknowledged_);
    settling_ = false;
    loop_.arm(core_.next_timeout());
    const bool all_closed = std::ranges::all_of(
        links_, [](const auto &link) { return link.second.state == cla::LinkState::kClosed; });
    if (stopping_ && all_closed) {
        report_counters(true);
        loop_.stop();
    }
}

void EgressAgent::carry_out(const LinkOrder &order) {
    HostedLink *link = hosted(order.link);
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
    }
}

void EgressAgent::transmit(LinkId id) {
    HostedLink *link = hosted(id);
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
    std::erase_if(removed_,
                  [now = monotonic_now()](const auto &link) { return link.first <= now; });
    for (const auto &[id, link] : links_)
        if (link.outduct) link.outduct->report_counts();
    report_counters(false);
}

// First the links close, so that what they have not begun goes back and to disk; the loop ends with
// a second message, when nobody is left who waits for an answer.
void EgressAgent::handle_stop(const bus::Stop &stop) {
    core_.drain();
    stopping_ = !stop.drain;
}

}  // namespace farlink::egress
