// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/ingress_agent.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/counted.hpp"
#include "common/base/endpoint_links.hpp"
#include "common/bus/dispatch.hpp"
#include "common/config/reload/settings_change.hpp"
#include "common/history/file/open_history.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/log/suppressed_lines.hpp"
#include "common/runtime/process/freed_memory.hpp"

namespace farlink::ingress {
namespace {

constexpr std::uint32_t kSlabBytes = 256 * 1024;
/// How long a stopping ingress waits for the outcomes of what it has lent.
constexpr seconds kStopLimit{10};
/// Of the reason that the peer or a library gives for the end of a session.
constexpr std::size_t kLongestDetail = 200;

const std::string &name_of(const cla::PeerIdentity &peer) {
    return peer.node_id.empty() ? peer.address : peer.node_id;
}

/// For the core, a call takes no time: an echo within the call of its request is measured here.
void measure_within_call(bus::PingReply &reply, TimePoint began) {
    if (reply.error.empty() && reply.taken == Duration::zero())
        reply.taken = monotonic_now() - began;
}

}  // namespace

IngressAgent::IngressAgent(const config::NodeConfig &config, bus::BusContext &context,
                           bus::AgentId self, Duration stalled_after)
    : log_(std::string(bus::name_of(self))),
      pool_(kSlabBytes, config.buffer_bytes),
      buffer_(pool_),
      loop_(context, self, {bus::AgentId::kScheduler, bus::AgentId::kRouter},
            {[this](bus::Message message) { handle(std::move(message)); },
             [this] { drain_outputs(); }, [this] { core_.handle_timeout(monotonic_now()); },
             [this] { on_second(); }, [this] { on_report(); }}),
      security_(config, bus::instance_of(self), log_),
      core_(config, pool_, read_wall_clock(), unix_nanoseconds(), bus::instance_of(self)),
      neighbours_(
          config, core_.counters(), tallies_,
          [this](bus::Message message) { loop_.send(bus::AgentId::kEgress, std::move(message)); },
          [this](BatchPtr batch) {
              core_.handle(bus::BatchOutcome{std::move(batch)}, monotonic_now());
              drain_outputs();
          },
          bus::instance_of(self)),
      reports_(self, tallies_,
               [this](bus::Message message) {
                   loop_.send(bus::AgentId::kTelemetry, std::move(message));
               }),
      inducts_(config, bus::instance_of(self), {loop_.io(), buffer_, *this, next_upstream_},
               reports_, log_) {
    // One bundle leaves room for others.
    buffer_.set_spool_above(config.spool_above());
    core_.upstreams().set_stalled_after(stalled_after);
    core_.set_history(history::open_history(config, bus::name_of(self), log_));
    security_.begin(config, core_);
}

IngressAgent::~IngressAgent() = default;

void IngressAgent::run() {
    loop_.run();
}

// ---- from the bus

void IngressAgent::handle(bus::Message message) {
    const TimePoint now = monotonic_now();
    static_assert(bus::kListsHandlersOf<bus::IngressMessages, IngressCore>);
    bus::dispatch<bus::IngressMessages>(message, [&](auto &data) {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, bus::StorageReady>)
            handle_storage_ready(data);
        else if constexpr (std::is_same_v<Data, bus::StorageReserve>)
            handle_reserve(data);
        else if constexpr (std::is_same_v<Data, bus::Stop>)
            begin_stop();
        else if constexpr (std::is_same_v<Data, bus::LinkChange>)
            handle_link_change(data);
        else if constexpr (std::is_same_v<Data, bus::SettingsChange>)
            handle_settings(data);
        else if constexpr (bus::kIsOneOf<Data, bus::ModuleLost, bus::ModuleBack>)
            handle_module(data);
        else if constexpr (bus::kIsOneOf<Data, bus::TransmitBatch, bus::SessionChange,
                                         bus::LinkPace>)
            neighbours_.handle(std::move(data));
        else
            core_.handle(std::move(data), now);
        if constexpr (std::is_same_v<Data, bus::PingRequest>) ping_began_ = now;
    });
}

void IngressAgent::handle_storage_ready(const bus::StorageReady &ready) {
    core_.handle(ready, monotonic_now());
    if (opened_ || stopping_) return;
    opened_ = true;
    core_.judge_clock(ready.newest_received);
    if (!inducts_.open_configured()) failed_ = true;
    publish_ready();
}

// It comes before StorageReady, so that no induct listens too early.
void IngressAgent::handle_reserve(const bus::StorageReserve &reserve) {
    core_.handle(reserve, monotonic_now());
    if (!stopping_) inducts_.set_receiving(reserve.memory_bytes > 0);
}

void IngressAgent::handle_module(const bus::ModuleLost &lost) {
    if (lost.module == own_egress()) neighbours_.handle_egress_lost();
    core_.handle(lost, monotonic_now());
}

void IngressAgent::handle_module(const bus::ModuleBack &back) {
    if (back.module == own_egress()) neighbours_.announce_all();
    if (back.module == bus::AgentId::kSupervisor && opened_) {
        if (!stopping_) inducts_.restore();
        publish_ready();
    }
    if (back.module == bus::AgentId::kTelemetry) {
        inducts_.for_each(
            [this](const HostedInduct &hosted) { reports_.publish_state(hosted, true); });
        neighbours_.publish_all_again();
        tallies_.publish_again();
        reported_residence_.count = 0;
    }
    core_.handle(back, monotonic_now());
}

bus::AgentId IngressAgent::own_egress() const {
    return bus::instance_at(bus::AgentId::kEgress, bus::instance_of(loop_.self()));
}

void IngressAgent::publish_ready() {
    loop_.send(bus::AgentId::kSupervisor,
               bus::ModuleReady{loop_.self(), failed_, inducts_.ports(), inducts_.waiting()});
}

void IngressAgent::handle_link_change(const bus::LinkChange &change) {
    bus::LinkChangeResult result{.link = change.link, .error = {}, .port = 0, .id = change.id};
    const std::string error =
        !opened_ || stopping_ ? "the node is starting or stopping" : inducts_.change(change);
    result.error.assign(error.begin(), error.end());
    if (const HostedInduct *hosted = inducts_.find(change.link))
        result.port = hosted->induct->port();
    loop_.send(bus::AgentId::kSupervisor, std::move(result));
}

void IngressAgent::handle_settings(const bus::SettingsChange &change) {
    const auto settings = config::settings_from_json(as_text(change.settings));
    if (!settings)
        return log_.error(
            "cannot apply the reloaded settings; the previous ones stay in effect: {}",
            settings.error().to_string());
    core_.set_settings(*settings);
    security_.change(*settings, core_);
    neighbours_.set_fragment_above(settings->fragment_above_bytes);
}

void IngressAgent::begin_stop() {
    stop_deadline_ = monotonic_now() + kStopLimit;
    inducts_.close_all();
    core_.drain(monotonic_now());
    // Not before: an induct may report its end while others have not begun to close.
    stopping_ = true;
}

// ---- from the inducts

void IngressAgent::on_upstream_opened(LinkId link, UpstreamId from, bool acknowledges) {
    HostedInduct &hosted = inducts_.add_session(link, from);
    reports_.count_session(hosted, true);
    core_.counters().increment(IngressCounter::kSessionsOpened);
    core_.handle_upstream_opened(from, acknowledges && !hosted.config.acknowledge_on_receipt,
                                 hosted.induct->flow_controlled());
    Upstreams &upstreams = core_.upstreams();
    upstreams.set_policy(from, {hosted.config.strict, hosted.config.allow_missing_age});
    upstreams.set_link(from, link);
    if (hosted.config.on_no_resources == config::NoResources::kPause)
        upstreams.defer_when_full(from);
    pause_upstreams();  // one that may not be read is paused before its first read
}

void IngressAgent::on_peer(LinkId, UpstreamId from, const cla::PeerIdentity &peer) {
    warnings_.handle_peer(from, peer);
    if (peer.node_id.empty()) return;  // the layer has no names
    HostedInduct &hosted = *inducts_.of_session(from);
    neighbours_.handle_peer(*hosted.induct, hosted.config, from, peer);
    const std::string *const advice = neighbours_.advice(from);
    if (advice != nullptr && unproved_log_.admit(peer.address, *advice, monotonic_now()))
        log_.warn("link {}: {}", neighbours_.unproved_link(from).value(), *advice);
    const auto carried = neighbours_.carried_by(from);
    if (!carried) return;
    core_.upstreams().set_neighbour(from, carried->node);
    core_.queues().set_window(carried->link, carried->node, hosted.config.max_in_flight_bytes,
                              hosted.config.max_in_flight_bundles);
}

bool IngressAgent::knows(LinkId link, const cla::PeerIdentity &peer) const {
    const HostedInduct *hosted = inducts_.find(link);
    return hosted != nullptr && neighbours_.knows(hosted->config, peer);
}

void IngressAgent::on_bundles(LinkId, UpstreamId from, ReceivedBundles &received) {
    const std::uint64_t before = core_.counters().value(IngressCounter::kReceivedBytes);
    core_.handle_bundles(from, received, monotonic_now());
    HostedInduct &hosted = *inducts_.of_session(from);
    const std::uint64_t bytes = core_.counters().value(IngressCounter::kReceivedBytes) - before;
    const std::size_t count = received.completed();
    reports_.count_received(hosted, count, bytes);
    neighbours_.count_received(from, count, bytes);
    if (hosted.config.acknowledge_on_receipt && count > 0)
        hosted.induct->acknowledge(from, received.first_transfer, static_cast<std::uint32_t>(count),
                                   TransferDisposition::kSafe);
    drain_outputs();
}

void IngressAgent::on_ending(LinkId, const cla::PeerIdentity &peer, std::string_view detail) {
    ending_.peer = peer.node_id.empty() ? peer.address : peer.node_id + " at " + peer.address;
    ending_.detail = detail.substr(0, kLongestDetail);
    ending_.node_id = peer.node_id.substr(0, kLongestDetail);
}

void IngressAgent::on_upstream_closed(LinkId link, UpstreamId from, cla::LinkFault fault) {
    const SessionEnd ending = std::exchange(ending_, {});
    core_.handle_upstream_closed(from, monotonic_now());
    neighbours_.handle_closed(from, fault, ending.detail);
    count_deviations();
    warnings_.handle_closed(from);
    core_.counters().increment(IngressCounter::kLinkFault, static_cast<std::size_t>(fault));
    if (HostedInduct *hosted = inducts_.of_session(from); hosted != nullptr) {
        reports_.count_session(*hosted, false);
        note_trouble(*hosted, ending, fault);
        inducts_.remove_session(from);
    }
    log_session_end(link, from, ending, fault);
}

void IngressAgent::log_session_end(LinkId link, UpstreamId from, const SessionEnd &end,
                                   cla::LinkFault fault) {
    if (fault == cla::LinkFault::kNone || fault == cla::LinkFault::kPeerClosed ||
        fault == cla::LinkFault::kPeerTerminated)
        return;
    // Each of several peers whose sessions end together has its line.
    const TimePoint now = monotonic_now();
    const auto suppressed = ended_sessions_.admit(end.peer, {}, now)
                                ? std::optional(session_log_.take_held_back())
                                : session_log_.admit(now);
    if (suppressed)
        log_.warn("link {}: session {}{}{} ended: {}{}{}{}", link.value(), from.value(),
                  end.peer.empty() ? "" : " with ", end.peer, cla::in_words(fault),
                  end.detail.empty() ? "" : ": ", end.detail, suppressed_lines_text(*suppressed));
}

void IngressAgent::on_state(LinkId link, cla::LinkState state, cla::LinkFault fault) {
    if (link.value() >= kFirstOpenedLink) {
        neighbours_.handle_state(link, state == cla::LinkState::kConnected, fault);
        if (state != cla::LinkState::kConnected)
            core_.counters().increment(IngressCounter::kLinkFault, static_cast<std::size_t>(fault));
        return drain_outputs();
    }
    inducts_.handle_state(state);
    if (state == cla::LinkState::kClosed && stopping_) drain_outputs();
}

void IngressAgent::on_deviation(LinkId link, const cla::PeerIdentity &peer,
                                cla::ProtocolDeviation deviation) {
    const auto kind = static_cast<std::size_t>(deviation);
    core_.counters().increment(IngressCounter::kDeparture, kind);
    if (inducts_.is_current(link))
        tallies_.of(link, name_of(peer)).increment(telemetry::LinkCounter::kDeparture, kind);
}

void IngressAgent::on_counted(LinkId link, const cla::PeerIdentity &peer,
                              std::span<const std::uint64_t> more) {
    if (inducts_.is_current(link))
        tallies_.of(link, peer.node_id).add(telemetry::LinkCounter::kLtp, more);
}

void IngressAgent::on_datagrams_lost(LinkId link, std::uint64_t datagrams) {
    core_.counters().add(IngressCounter::kDatagramsLost, datagrams);
    if (inducts_.is_current(link))
        tallies_.of(link, {}).add(telemetry::LinkCounter::kDatagramsLost, datagrams);
}

void IngressAgent::on_bundles_refused(LinkId link, UpstreamId from, std::uint64_t bundles,
                                      bool in_order) {
    const TimePoint now = monotonic_now();
    core_.counters().add(IngressCounter::kRefusedUnread, bundles);
    core_.upstreams().refused_unread(from, bundles, in_order, now);
    if (const HostedInduct *hosted = inducts_.of_session(from); hosted != nullptr)
        reports_.count_refused(*hosted, bundles);
    warnings_.log_refused(link, from, bundles, now);
}

void IngressAgent::on_too_large(LinkId, std::uint64_t bundles) {
    constexpr auto kMember = static_cast<std::size_t>(cla::LinkFault::kFrameTooLarge);
    core_.counters().add(IngressCounter::kLinkFault, kMember, bundles);
}

// ---- what to do

// A link may call back from inside a call that this makes to it: then it goes round again.
void IngressAgent::drain_outputs() {
    drain_again_ = true;
    if (draining_outputs_) return;
    draining_outputs_ = true;
    while (std::exchange(drain_again_, false)) {
        while (auto outgoing = core_.poll_message()) {
            if (auto *reply = std::get_if<bus::PingReply>(&outgoing->message))
                measure_within_call(*reply, ping_began_);
            auto *forward = std::get_if<bus::ForwardBatch>(&outgoing->message);
            if (forward == nullptr || !send_from_here(forward->batch))
                loop_.send(std::move(*outgoing));
        }
        acknowledge_senders();
        pause_upstreams();
        count_deviations();
        if (const BundleNotices notices = core_.take_notices(); notices.any())
            warnings_.log(notices, monotonic_now());
        // What the sessions have not read has no room either.
        if (stopping_ && core_.queues().storage_stays_full(monotonic_now())) inducts_.give_up();
    }
    draining_outputs_ = false;
    loop_.arm(std::min(core_.next_timeout(), stop_deadline_));
    if (!stopping_) return;
    const TimePoint now = monotonic_now();
    const bool done =
        (core_.idle() || core_.queues().storage_stays_full(now)) && inducts_.all_closed();
    if (done || now >= stop_deadline_) {
        // Storage may have pieces of bundles that are counted as deleted: nothing is lost then.
        const std::uint64_t bundles = core_.counters().value(IngressCounter::kInFlight);
        if (bundles > 0)
            log_.error(
                "{} in memory at shutdown: not accepted by storage; lost, unless storage has a "
                "copy, or the sender still waits for an acknowledgement and sends again",
                counted(bundles, "bundle"));
        report_counters(true);
        loop_.stop();
    }
}

bool IngressAgent::send_from_here(BatchPtr &batch) {
    if (!core_.queues().is_alone(*batch)) return false;
    const LinkId link = batch->link;
    const TimePoint now = monotonic_now();
    if (!neighbours_.take(batch, core_.dtn_at(now), now)) return false;
    core_.queues().withdraw_forwarded(link);
    return true;
}

void IngressAgent::acknowledge_senders() {
    bus::TransferDispositions for_egress;
    bus::TransferDispositions for_applications;
    while (const auto run = core_.upstreams().poll_disposition()) {
        HostedInduct *hosted = inducts_.of_session(run->upstream);
        if (hosted == nullptr) {
            auto &elsewhere = is_application(run->upstream) ? for_applications : for_egress;
            elsewhere.runs.push_back(*run);
            continue;
        }
        if (run->disposition != TransferDisposition::kSafe)
            reports_.count_refused(*hosted, run->count);
        hosted->induct->acknowledge(run->upstream, run->first, run->count, run->disposition);
        if (std::ranges::find(to_flush_, hosted->induct.get()) == to_flush_.end())
            to_flush_.push_back(hosted->induct.get());
    }
    for (cla::Induct *induct : to_flush_) induct->flush_acknowledgements();
    to_flush_.clear();
    if (!for_egress.runs.empty()) loop_.send(bus::AgentId::kEgress, std::move(for_egress));
    if (!for_applications.runs.empty())
        loop_.send(bus::AgentId::kApplications, std::move(for_applications));
}

void IngressAgent::pause_upstreams() {
    while (const auto order = core_.upstreams().poll_order()) {
        if (HostedInduct *hosted = inducts_.of_session(order->upstream); hosted != nullptr)
            hosted->induct->pause(order->upstream, order->paused);
        else
            loop_.send(is_application(order->upstream) ? bus::AgentId::kApplications
                                                       : bus::AgentId::kEgress,
                       bus::UpstreamPause{order->upstream, order->paused});
    }
}

void IngressAgent::log_stalled_peers() {
    const TimePoint now = monotonic_now();
    while (const auto stalled = core_.upstreams().poll_stalled_by_refusals(now))
        if (const HostedInduct *hosted = inducts_.of_session(stalled->upstream))
            warnings_.log_stalled(hosted->config, *stalled, now);
}

// Deviations of bundles count beside those that the convergence layer reports of the peer.
void IngressAgent::count_deviations() {
    while (const auto run = core_.poll_deviation()) {
        const auto kind = static_cast<std::size_t>(cla::ProtocolDeviation::kUnnumberedBlocks) +
                          static_cast<std::size_t>(run->kind);
        std::array<std::uint64_t, telemetry::kDepartureKinds> more{};
        more.at(kind) = run->count;
        core_.counters().add(IngressCounter::kDeparture, more);
        const HostedInduct *hosted = inducts_.of_session(run->from);
        if (hosted == nullptr || !inducts_.is_current(hosted->config.id)) continue;
        tallies_.of(hosted->config.id, warnings_.announced_name(run->from))
            .add(telemetry::LinkCounter::kDeparture, more);
    }
}

// The reason stays with the induct for a while: the peer tries again.
void IngressAgent::note_trouble(HostedInduct &hosted, const SessionEnd &end, cla::LinkFault fault) {
    if (hosted.trouble.note(end, fault, monotonic_now()) &&
        inducts_.find(hosted.config.id) == &hosted)
        reports_.publish_state(hosted, true);
}

void IngressAgent::forget_troubles() {
    inducts_.for_each([this](HostedInduct &hosted) {
        if (hosted.trouble.forget(monotonic_now())) reports_.publish_state(hosted, true);
    });
}

void IngressAgent::on_second() {
    forget_troubles();
    log_stalled_peers();
    warnings_.handle_second(monotonic_now());
    core_.set_wall_clock(read_wall_clock());
    inducts_.delete_retired(monotonic_now());
    inducts_.for_each([](HostedInduct &hosted) { hosted.induct->report_counts(); });
    note_freed_memory(core_.free_memory());
    report_counters(false);
    bus::send_histogram(loop_, loop_.self(), bus::LatencyKind::kCutThrough, core_.residence(),
                        reported_residence_, monotonic_now());
}

void IngressAgent::on_report() {
    while (auto info = neighbours_.poll_info())
        loop_.send(bus::AgentId::kTelemetry, std::move(*info));
    bus::send_link_reports(loop_, loop_.self(), tallies_);
    if (reported_.take(core_.counters().values())) report_counters(false);
}

void IngressAgent::report_counters(bool last) {
    core_.counters().set(IngressCounter::kBufferFull, pool_.refusals());
    core_.counters().set(IngressCounter::kSessionsOpen, inducts_.sessions());
    bus::send_link_reports(loop_, loop_.self(), tallies_);
    loop_.send(bus::AgentId::kTelemetry, bus::CounterReport{loop_.self(), ++counter_reports_,
                                                            core_.counters().snapshot(), last});
}

}  // namespace farlink::ingress
