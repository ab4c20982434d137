// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/ingress_agent.hpp"

#include <algorithm>
#include <utility>

#include "cla/factory/link_factory.hpp"
#include "common/bus/dispatch.hpp"
#include "common/bus/loop/telemetry_reports.hpp"
#include "common/config/fields/link_url.hpp"
#include "common/config/link/link_from_json.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/held_back.hpp"

namespace farlink::ingress {
namespace {

constexpr std::uint32_t kSlabBytes = 256 * 1024;
/// How long a stopping ingress waits for the outcomes of what it has lent.
constexpr seconds kStopLimit{10};
/// How long an induct that was removed is kept: its last callbacks may be on their way.
constexpr seconds kFarewell{10};

}  // namespace

IngressAgent::IngressAgent(const config::NodeConfig &config, bus::BusContext &context,
                           bus::AgentId self)
    : config_(config),
      placement_(config),
      log_(std::string(bus::name_of(self))),
      refusals_log_(seconds(1)),
      misfit_log_(seconds(1)),
      tired_log_(seconds(1)),
      rejected_log_(seconds(1)),
      pool_(kSlabBytes, config.buffer_bytes),
      buffer_(pool_),
      loop_(context, self, {bus::AgentId::kScheduler, bus::AgentId::kRouter},
            {[this](bus::Message message) { handle(std::move(message)); },
             [this] { drain_outputs(); }, [this] { core_.handle_timeout(monotonic_now()); },
             [this] { on_second(); }, [this] { on_report(); }}),
      core_(config, pool_, read_wall_clock(), unix_nanoseconds(), bus::instance_of(self)),
      neighbours_(
          config, core_.counters(), tallies_,
          [this](bus::Message message) { loop_.send(bus::AgentId::kEgress, std::move(message)); },
          [this](BatchPtr batch) {
              core_.handle(bus::BatchOutcome{std::move(batch)}, monotonic_now());
              drain_outputs();
          },
          bus::instance_of(self)) {}

IngressAgent::~IngressAgent() = default;

void IngressAgent::run() {
    loop_.run();
}

void IngressAgent::handle(bus::Message message) {
    const TimePoint now = monotonic_now();
    static_assert(bus::kListsHandlersOf<bus::IngressMessages, IngressCore>);
    bus::dispatch<bus::IngressMessages>(message, [&](auto &data) {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, bus::StorageReady>)
            handle_storage_ready(data);
        else if constexpr (std::is_same_v<Data, bus::Stop>)
            begin_stop();
        else if constexpr (std::is_same_v<Data, bus::LinkChange>)
            handle_link_change(data);
        else if constexpr (bus::kIsOneOf<Data, bus::ModuleLost, bus::ModuleBack>)
            handle_module(data);
        else if constexpr (bus::kIsOneOf<Data, bus::TransmitBatch, bus::SessionChange,
                                         bus::LinkPace>)
            neighbours_.handle(std::move(data));
        else
            core_.handle(std::move(data), now);
    });
}

void IngressAgent::handle_storage_ready(const bus::StorageReady &ready) {
    core_.handle(ready, monotonic_now());
    if (opened_ || stopping_) return;
    opened_ = true;
    core_.judge_clock(ready.newest_received);
    open_inducts();
}

void IngressAgent::handle_module(const bus::ModuleLost &lost) {
    if (lost.module == own_egress()) neighbours_.handle_egress_lost();
    core_.handle(lost, monotonic_now());
}

void IngressAgent::handle_module(const bus::ModuleBack &back) {
    if (back.module == own_egress()) neighbours_.announce_all();
    if (back.module == bus::AgentId::kSupervisor && opened_) {
        restore_inducts();
        publish_ready();
    }
    if (back.module == bus::AgentId::kTelemetry) {
        for (const auto &[id, hosted] : inducts_) publish_state(*hosted, true);
        neighbours_.publish_all_again();
        tallies_.publish_again();
        published_residence_ = 0;
    }
    core_.handle(back, monotonic_now());
}

bus::AgentId IngressAgent::own_egress() const {
    return bus::instance_at(bus::AgentId::kEgress, bus::instance_of(loop_.self()));
}

bool IngressAgent::has(const config::InductConfig &config) const {
    return placement_.instance_of(config.id) == bus::instance_of(loop_.self());
}

void IngressAgent::open_inducts() {
    // The link has logged why.
    for (const config::InductConfig &config : config_.inducts)
        if (has(config) && !open_induct(config)) failed_ = true;
    note_configured_spans();
    publish_ready();
}

// Of the inducts of other instances it has no port.

void IngressAgent::publish_ready() {
    std::vector<std::uint16_t> ports;
    for (const config::InductConfig &config : config_.inducts) {
        const auto found = inducts_.find(config.id);
        ports.push_back(found == inducts_.end() ? std::uint16_t{0} : found->second->induct->port());
    }
    loop_.send(bus::AgentId::kSupervisor,
               bus::ModuleReady{loop_.self(), failed_, std::move(ports)});
}

bool IngressAgent::open_induct(const config::InductConfig &config) {
    const cla::LinkResources resources{loop_.io(), buffer_, *this, next_upstream_};
    HostedInductPtr &hosted = inducts_[config.id];
    hosted = std::make_unique<HostedInduct>();
    hosted->config = config;
    hosted->induct = cla::make_induct(resources, config);
    hosted->tally = &tallies_.entry(config.id);
    const bool listens = hosted->induct->open();
    publish_state(*hosted, listens);
    return listens;
}

// ---- inducts that come and go
// --------------------------------------------------------------------

void IngressAgent::handle_link_change(const bus::LinkChange &change) {
    bus::LinkChangeResult result{.link = change.link, .error = {}, .port = 0};
    const std::string error = change.outduct ? change_span(change) : change_induct(change);
    if (error.empty()) changed_.insert(change.link);
    result.error.assign(error.begin(), error.end());
    if (const auto found = inducts_.find(change.link); found != inducts_.end())
        result.port = found->second->induct->port();
    loop_.send(bus::AgentId::kSupervisor, std::move(result));
}

// What is wrong with it; empty: it has been done.
std::string IngressAgent::change_induct(const bus::LinkChange &change) {
    if (!opened_ || stopping_) return "the node is starting or stopping";
    const bool there = inducts_.contains(change.link);
    const std::string name = "induct " + std::to_string(change.link.value());
    if (there && change.verb == bus::LinkVerb::kAdd) return name + " is there already";
    if (!there && change.verb != bus::LinkVerb::kAdd) return "there is no " + name;
    if (change.verb == bus::LinkVerb::kRemove) {
        retire(take_induct(change.link));
        forget(change.link);
        std::erase_if(spans_, [&](const auto &span) { return span.second.induct == change.link; });
        return {};
    }
    auto config =
        config::induct_from_json(as_text(change.config), {config_.node, config_.buffer_bytes, {}});
    if (!config) return config.error().to_string();
    if (auto fault = cla::check_link(*config)) return std::move(*fault);
    config->id = change.link;
    take_spans_along(*config);
    return replace_induct(*config);
}

// A supervisor that has begun anew knows of no change; one that was cut off tells all of them
// again.
void IngressAgent::restore_inducts() {
    if (stopping_) return;
    const std::set<LinkId> changed = changed_;
    for (const LinkId link : changed) {
        if (!spans_.contains(link)) continue;
        changed_.erase(link);
        if (!remove_span(link)) spans_.erase(link);
    }
    for (const LinkId link : std::exchange(changed_, {})) {
        const auto configured = std::ranges::find(config_.inducts, link, &config::InductConfig::id);
        if (configured == config_.inducts.end()) {
            if (auto hosted = take_induct(link)) retire(std::move(hosted));
            forget(link);
        } else if (const std::string error = replace_induct(*configured); !error.empty()) {
            log_.error("induct {} is not what the configuration says: {}", link.value(), error);
        }
    }
    restore_spans();
}

// Two cannot listen on the same port, so the one before leaves first; and it comes back when the
// new one cannot open.
std::string IngressAgent::replace_induct(const config::InductConfig &config) {
    HostedInductPtr before = take_induct(config.id);
    std::optional<config::InductConfig> retired;
    if (before && before->induct->port() == config.url.port) {
        retired = before->config;
        retired->url.port = config.url.port;  // which the system may have chosen
        retire(std::move(before));
    }
    if (open_induct(config)) {
        if (before) retire(std::move(before));
        return {};
    }
    (void)take_induct(config.id);
    if (before) inducts_[config.id] = std::move(before);
    if (retired && !open_induct(*retired)) (void)take_induct(config.id);
    if (const auto left = inducts_.find(config.id); left != inducts_.end())
        publish_state(*left->second, true);
    else
        forget(config.id);
    return "cannot listen on " + config::to_string(config.url) + "; the log says why";
}

IngressAgent::HostedInductPtr IngressAgent::take_induct(LinkId link) {
    const auto found = inducts_.find(link);
    if (found == inducts_.end()) return nullptr;
    HostedInductPtr taken = std::move(found->second);
    inducts_.erase(found);
    return taken;
}

void IngressAgent::retire(HostedInductPtr hosted) {
    const std::size_t closing = closing_;
    hosted->induct->close();
    // Layers whose sessions need no ending have ended them, and say nothing.
    if (closing_ == closing) end_sessions(*hosted);
    leaving_.push_back({monotonic_now() + kFarewell, std::move(hosted)});
}

void IngressAgent::end_sessions(const HostedInduct &hosted) {
    std::vector<UpstreamId> sessions;
    for (const auto &[session, induct] : induct_of_)
        if (induct == &hosted) sessions.push_back(session);
    for (const UpstreamId session : sessions)
        on_upstream_closed(hosted.config.id, session, cla::LinkFault::kNone);
}

// Sessions end within the limits of their layer.
void IngressAgent::bid_farewell() {
    std::erase_if(leaving_, [this, now = monotonic_now()](const LeavingInduct &leaving) {
        return leaving.until <= now && std::ranges::none_of(induct_of_, [&](const auto &session) {
                   return session.second == leaving.hosted.get();
               });
    });
}

IngressAgent::HostedInduct *IngressAgent::induct_of(UpstreamId upstream) {
    const auto found = induct_of_.find(upstream);
    return found == induct_of_.end() ? nullptr : found->second;
}

// ---- from the inducts
// ----------------------------------------------------------------------------

void IngressAgent::on_upstream_opened(LinkId link, UpstreamId from, bool acknowledges) {
    // An induct that leaves has no new sessions.
    HostedInduct &hosted = *inducts_.at(link);
    induct_of_[from] = &hosted;
    count_session(hosted, true);
    core_.counters().increment(IngressCounter::kSessionsOpened);
    core_.handle_upstream_opened(from, acknowledges && !hosted.config.acknowledge_on_receipt,
                                 hosted.induct->flow_controlled());
    core_.handle_policy(from, {hosted.config.strict, hosted.config.allow_missing_age});
    if (hosted.config.on_no_resources == config::NoResources::kPause) core_.set_patient(from);
}

// Peers are known that freeze for good when they are refused a few bundles.
void IngressAgent::publish_suppressed() {
    while (const auto hushed = core_.poll_hushed(monotonic_now())) {
        const HostedInduct *hosted = induct_of(hushed->upstream);
        if (hosted == nullptr) continue;
        if (const auto held_back = refusals_log_.admit(monotonic_now()))
            log_.warn(
                "link {}: a peer sends nothing any more since {} of its bundles were refused for "
                "want of room; if it does not understand refusals, set `onNoResources` of this "
                "induct to `pause` or `disconnect`{}",
                hosted->config.id.value(), hushed->refused, held_back_words(*held_back));
    }
}

void IngressAgent::on_peer(LinkId, UpstreamId from, const cla::PeerIdentity &peer) {
    peer_names_[from] = peer.node_id.empty() ? peer.address : peer.node_id;
    HostedInduct &hosted = *induct_of_.at(from);
    neighbours_.handle_peer(*hosted.induct, hosted.config, from, peer);
    const std::string *const advice = neighbours_.advice(from);
    if (const auto held_back =
            advice == nullptr ? std::nullopt : unproved_log_.admit(monotonic_now()))
        log_.info("link {}: {}{}", hosted.config.id.value(), *advice, held_back_words(*held_back));
    const auto carried = neighbours_.carried_by(from);
    if (!carried) return;
    core_.handle_sender(from, carried->node);
    core_.set_window(carried->link, carried->node, hosted.config.max_in_flight_bytes,
                     hosted.config.max_in_flight_bundles);
}

bool IngressAgent::knows(LinkId link, const cla::PeerIdentity &peer) const {
    const auto hosted = inducts_.find(link);
    return hosted != inducts_.end() && neighbours_.knows(hosted->second->config, peer);
}

void IngressAgent::on_bundles(LinkId, UpstreamId from, ReceivedBundles &received) {
    const std::uint64_t before = core_.counters().value(IngressCounter::kReceivedBytes);
    core_.handle_bundles(from, received, monotonic_now());
    HostedInduct &hosted = *induct_of_.at(from);
    const std::uint64_t bytes = core_.counters().value(IngressCounter::kReceivedBytes) - before;
    count_received(hosted, from, received.bundles.size(), bytes);
    if (hosted.config.acknowledge_on_receipt)
        hosted.induct->acknowledge(from, received.first_transfer,
                                   static_cast<std::uint32_t>(received.bundles.size()),
                                   TransferDisposition::kSafe);
    drain_outputs();
}

void IngressAgent::on_upstream_closed(LinkId link, UpstreamId from, cla::LinkFault fault) {
    core_.handle_upstream_closed(from);
    neighbours_.handle_closed(from);
    count_departures();
    peer_names_.erase(from);
    const SessionEnd ending = std::exchange(ending_, {});
    core_.counters().increment(IngressCounter::kLinkFault, static_cast<std::size_t>(fault));
    if (const auto found = induct_of_.find(from); found != induct_of_.end()) {
        count_session(*found->second, false);
        note_trouble(*found->second, ending, fault);
        induct_of_.erase(found);
    }
    if (fault == cla::LinkFault::kNone || fault == cla::LinkFault::kPeerClosed ||
        fault == cla::LinkFault::kPeerTerminated)
        return;
    if (const auto held_back = refusals_log_.admit(monotonic_now()))
        log_.warn("session {} on link {}{}{} ended: {}{}{}{}", from.value(), link.value(),
                  ending.peer.empty() ? "" : " with ", ending.peer, cla::in_words(fault),
                  ending.detail.empty() ? "" : ": ", ending.detail, held_back_words(*held_back));
}

void IngressAgent::on_state(LinkId link, cla::LinkState state, cla::LinkFault fault) {
    if (link.value() >= kFirstOpenedLink) {
        neighbours_.handle_state(link, state == cla::LinkState::kConnected);
        if (state != cla::LinkState::kConnected)
            core_.counters().increment(IngressCounter::kLinkFault, static_cast<std::size_t>(fault));
        return drain_outputs();
    }
    if (state == cla::LinkState::kClosing) ++closing_;
    if (state != cla::LinkState::kClosed) return;
    --closing_;
    if (stopping_) drain_outputs();
}

void IngressAgent::on_deviation(LinkId link, const cla::PeerIdentity &peer,
                                cla::ProtocolDeviation deviation) {
    const auto kind = static_cast<std::size_t>(deviation);
    core_.counters().increment(IngressCounter::kDeparture, kind);
    if (!is_here(link)) return;
    tallies_.of(link, peer.node_id.empty() ? peer.address : peer.node_id)
        .increment(telemetry::LinkCounter::kDeparture, kind);
}

void IngressAgent::on_counted(LinkId link, const cla::PeerIdentity &peer,
                              std::span<const std::uint64_t> more) {
    if (is_here(link)) tallies_.of(link, peer.node_id).add(telemetry::LinkCounter::kLtp, more);
}

void IngressAgent::on_datagrams_lost(LinkId link, std::uint64_t datagrams) {
    core_.counters().add(IngressCounter::kDatagramsLost, datagrams);
    if (is_here(link)) tallies_.of(link, {}).add(telemetry::LinkCounter::kDatagramsLost, datagrams);
}

// A link may bring news from inside a call that this makes to it: then it goes round again.
void IngressAgent::drain_outputs() {
    unacknowledged_ = true;
    if (settling_) return;
    settling_ = true;
    while (std::exchange(unacknowledged_, false)) {
        while (auto outgoing = core_.poll_message()) {
            auto *forward = std::get_if<bus::ForwardBatch>(&outgoing->message);
            if (forward == nullptr || !send_from_here(forward->batch))
                loop_.send(std::move(*outgoing));
        }
        acknowledge_senders();
        pause_upstreams();
        log_misfit();
        log_tired();
        count_departures();
        log_rejected();
    }
    settling_ = false;
    loop_.arm(std::min(core_.next_timeout(), stop_deadline_));
    const bool done = core_.idle() && closing_ == 0;
    if (stopping_ && (done || monotonic_now() >= stop_deadline_)) {
        if (!core_.idle())
            log_.error("{} bundles are lost: storage did not take them in time",
                       core_.counters().value(IngressCounter::kInFlight));
        report_counters(true);
        loop_.stop();
    }
}

void IngressAgent::log_misfit() {
    const auto misfit = core_.poll_exceeds_contacts();
    if (!misfit) return;
    if (const auto held_back = misfit_log_.admit(monotonic_now()))
        log_.warn("a bundle of {} bytes for node {} fits no contact towards it: {} bytes at most{}",
                  misfit->size_bytes, misfit->destination.value(), misfit->max_bundle_bytes,
                  held_back_words(*held_back));
}

void IngressAgent::log_tired() {
    const auto tired = core_.poll_hop_limit_exceeded();
    if (!tired) return;
    if (const auto held_back = tired_log_.admit(monotonic_now()))
        log_.warn(
            "a bundle from node {} to node {} is deleted: its limit of {} hops is reached, is "
            "there "
            "a loop?{}",
            tired->source.value(), tired->destination.value(), tired->hop_limit,
            held_back_words(*held_back));
}

void IngressAgent::log_rejected() {
    const auto rejected = core_.poll_rejected();
    if (!rejected) return;
    const auto held_back = rejected_log_.admit(monotonic_now());
    if (!held_back) return;
    const std::string name = name_of(rejected->from, rejected->neighbour);
    log_.warn("a bundle{}{} is deleted: {}{}", name.empty() ? "" : " from ", name, rejected->why,
              held_back_words(*held_back));
}

// By what the peer calls itself, else its address or its session.
std::string IngressAgent::name_of(UpstreamId from, NodeNumber neighbour) const {
    if (const auto found = peer_names_.find(from); found != peer_names_.end()) return found->second;
    if (neighbour != NodeNumber{}) return "node " + std::to_string(neighbour.value());
    return from == kNoUpstream ? std::string{} : "session " + std::to_string(from.value());
}

bool IngressAgent::send_from_here(BatchPtr &batch) {
    if (!core_.alone(*batch)) return false;
    const LinkId link = batch->link;
    const TimePoint now = monotonic_now();
    if (!neighbours_.take(batch, core_.dtn_at(now), now)) return false;
    core_.handle_kept(link);
    return true;
}

void IngressAgent::acknowledge_senders() {
    bus::TransferDispositions elsewhere;
    while (const auto run = core_.poll_disposition()) {
        HostedInduct *hosted = induct_of(run->upstream);
        if (hosted == nullptr) {
            elsewhere.runs.push_back(*run);
            continue;
        }
        if (run->disposition != TransferDisposition::kSafe && hosted->tally != nullptr)
            tallies_.change(*hosted->tally).add(telemetry::LinkCounter::kRefused, run->count);
        hosted->induct->acknowledge(run->upstream, run->first, run->count, run->disposition);
        if (std::ranges::find(published_, hosted->induct.get()) == published_.end())
            published_.push_back(hosted->induct.get());
    }
    for (cla::Induct *induct : published_) induct->flush_acknowledgements();
    published_.clear();
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
    forget_troubles();
    publish_suppressed();
    core_.set_wall_clock(read_wall_clock());
    bid_farewell();
    for (const auto &[link, hosted] : inducts_) hosted->induct->report_counts();
    report_counters(false);
    bus::send_histogram(loop_, loop_.self(), bus::LatencyKind::kCutThrough, core_.residence(),
                        published_residence_);
}

void IngressAgent::begin_stop() {
    stopping_ = true;
    stop_deadline_ = monotonic_now() + kStopLimit;
    for (auto &[id, hosted] : inducts_) hosted->induct->close();
    core_.drain(monotonic_now());
}

void IngressAgent::report_counters(bool last) {
    core_.counters().set(IngressCounter::kBufferFull, pool_.refusals());
    core_.counters().set(IngressCounter::kSessionsOpen, induct_of_.size());
    bus::send_link_reports(loop_, loop_.self(), tallies_);
    loop_.send(bus::AgentId::kTelemetry,
               bus::CounterReport{loop_.self(), ++reports_, core_.counters().snapshot(), last});
}

}  // namespace farlink::ingress
