// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/ltp_induct.hpp"

#include <algorithm>

#include "cla/io/listen_failure.hpp"
#include "cla/ltp/ltp_settings.hpp"
#include "common/base/bit_rate.hpp"
#include "common/config/fields/ip_address.hpp"
#include "common/config/fields/link_url.hpp"
#include "common/config/review/ltp_advice.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cla::ltp {
namespace {

using boost::asio::ip::udp;

/// Engines that may be replaced in a second because they sent from a new port. Beyond the limit an
/// engine that alternates between two ports exists twice, which saves an end and a start each time.
constexpr std::uint32_t kMostRestarts = 64;

/// How long finish() waits for a block that has begun, and for the acknowledgement of its report:
/// so many times the time for an answer, since a report and its repetition may be lost.
constexpr int kFinishingRounds = 4;
/// And altogether. Of an engine whose answers take longer none is awaited.
constexpr Duration kLongestFinishing = seconds(8);
/// Between two looks whether all is acknowledged.
constexpr Duration kFinishingLook = milliseconds(5);

}  // namespace

LtpInduct::LtpInduct(LinkResources resources, const config::InductConfig &config, LtpKeys keys)
    : resources_(resources),
      config_(config),
      keys_(std::move(keys)),
      port_(resources, config_, EngineId{config.ltp.engine_id}, *this),
      places_(config.id, config.max_sessions),
      recovery_(make_owned<LinkTimer>(resources.io,
                                      [this] {
                                          recover_at_ = kNever;
                                          recover();
                                      })),
      finishing_timer_(make_owned<LinkTimer>(resources.io, [this] { finish_engines(); })) {}

bool LtpInduct::open() {
    boost::system::error_code error;
    udp::resolver resolver(resources_.io);
    const auto found = resolver.resolve(config_.url.host, std::to_string(config_.url.port),
                                        udp::resolver::numeric_service, error);
    if (!error) error = port_.open(found.begin()->endpoint());
    if (error) {
        failure_ = log_listen_failure(config_.url, error);
        return false;
    }
    port_.engine().accept_new_blocks(true);
    state_ = LinkState::kConnected;
    resources_.host.on_state(config_.id, state_, LinkFault::kNone);
    v4_ = found.begin()->endpoint().address().is_v4();
    for (const config::NeighbourAddress &neighbour : config_.neighbours) open_span(neighbour);
    return true;
}

void LtpInduct::open_span(const config::NeighbourAddress &neighbour) {
    auto url = config::parse_link_url(neighbour.address);
    if (!url) return;  // not a URL: an address from which the neighbour may send
    spans_.push_back(std::make_unique<LtpSpan>(resources_.io, std::move(*url),
                                               EngineId{neighbour.node.value()},
                                               neighbour.peer_node_id, v4_));
    LtpSpan &opened = *spans_.back();
    opened.find([this, &opened](const DatagramAddress &address) { add_span(opened, address); });
}

bool LtpInduct::set_neighbours(const config::InductConfig &config) {
    auto keys = LtpKeys::make(config);
    if (!keys) {
        log_.error("link {}: {}", config_.id.value(), keys.error());
        failure_ = keys.error();
        return false;
    }
    former_keys_.push_back(std::exchange(keys_, std::move(*keys)));
    const auto before = std::exchange(config_.neighbours, config.neighbours);
    const auto leads_to = [](const config::NeighbourAddress &entry, const LtpSpan &span) {
        return entry.node.value() == span.engine().value() &&
               entry.address == config::to_string(span.url());
    };
    std::vector<EngineId> gone;
    std::erase_if(spans_, [&](const std::unique_ptr<LtpSpan> &span) {
        const bool stays = std::ranges::any_of(
            config_.neighbours, [&](const auto &entry) { return leads_to(entry, *span); });
        if (!stays) gone.push_back(span->engine());
        return !stays;
    });
    std::vector<PeerId> peers;
    for (const auto &[peer, engine] : engines_)
        if (engine->configured() && std::ranges::find(gone, engine->id()) != gone.end())
            peers.push_back(peer);
    for (const PeerId peer : peers) forget(peer, LinkFault::kNone);
    const auto same = [](const auto &one, const auto &other) {
        return one.node == other.node && one.address == other.address;
    };
    for (const config::NeighbourAddress &entry : config_.neighbours)
        if (std::ranges::none_of(before, [&](const auto &known) { return same(known, entry); }))
            open_span(entry);
    return true;
}

// ---- neighbours that are configured

void LtpInduct::add_span(const LtpSpan &span, const DatagramAddress &address) {
    // The neighbour may have sent before its name was resolved.
    std::vector<PeerId> former;
    for (const auto &[peer, engine] : engines_)
        if (engine->id() == span.engine() && !engine->configured() &&
            port_.address_of(peer).endpoint().address() == address.endpoint().address())
            former.push_back(peer);
    for (const PeerId peer : former) forget(peer, LinkFault::kPeerClosed);
    const config::LinkUrl &url = span.url();
    const PeerId peer =
        port_.add_peer(settings_of(span.engine(), keys_.of(span.engine(), url.host)), address);
    const auto in_seconds = [](Duration time) {
        return std::chrono::duration<double>(time).count();
    };
    log_.info(
        "link {}: LTP engine {} at {}, served by the port of this induct: sessions survive an "
        "outage of {} s at a one-way light time of {} s",
        config_.id.value(), span.engine().value(), config::authority_of(url),
        in_seconds(config::survivable_outage(config_.ltp)), in_seconds(config_.ltp.owlt));
    add_engine(peer, span.engine(), {span.node_id(), url.host, false},
               RemoteEngine::Standing::kConfigured);
    port_.pump();
}

PeerConfig LtpInduct::settings_of(EngineId engine, Authenticator *key) const {
    PeerConfig settings = peer_config(config_, engine);
    set_spooling(settings, config_, resources_.buffer);
    settings.authenticator = key;
    settings.hold_closing_reports = !config_.acknowledge_on_receipt;
    settings.answers_always = true;
    return settings;
}

void LtpInduct::add_engine(PeerId peer, EngineId engine, PeerIdentity identity,
                           RemoteEngine::Standing standing) {
    auto made = std::make_unique<RemoteEngine>(resources_, port_, config_, peer, engine,
                                               std::move(identity), standing);
    RemoteEngine &opened = *made;
    engines_[peer] = std::move(made);
    places_.enter(peer, opened.identity().address, opened.known());
    // A stranger is introduced by its first block.
    if (opened.known()) introduce(peer, opened);
}

void LtpInduct::introduce(PeerId peer, RemoteEngine &engine) {
    by_upstream_[engine.receiver().open()] = peer;
    engine.introduce();
}

// RFC 5326 section 3.1.3: the sender's engine id and the session number identify a session. So a
// neighbour may answer from any port of its address, unless the link is strict.
std::optional<PeerId> LtpInduct::on_foreign_port(const DatagramAddress &from, ByteView datagram) {
    if (config_.strict) return std::nullopt;
    const auto segment = decode_segment(datagram);
    if (!segment) return std::nullopt;
    const bool answers = segment->type == SegmentType::kReport ||
                         segment->type == SegmentType::kCancelByReceiver ||
                         segment->type == SegmentType::kCancelAckToSender;
    if (answers && segment->originator != config_.ltp.engine_id) return std::nullopt;
    const auto address = from.endpoint().address();
    std::vector<PeerId> &near = near_;
    near.clear();
    for (const auto &[peer, engine] : engines_)
        if ((answers || (engine->configured() && engine->id().value() == segment->originator)) &&
            port_.address_of(peer).endpoint().address() == address)
            near.push_back(peer);
    if (answers && near.size() > 1)
        std::erase_if(near,
                      [&](PeerId peer) { return !port_.engine().sends(peer, segment->session); });
    if (near.empty()) return std::nullopt;
    // An engine that is not configured may have restarted, with a port that is its own.
    if (engines_.at(near.front())->configured()) port_.set_alias(near.front(), from);
    return near.front();
}

void LtpInduct::close() {
    recovery_->cancel();
    finishing_timer_->cancel();
    recover_at_ = kNever;
    spans_.clear();
    port_.close();
    while (!engines_.empty()) forget(engines_.begin()->first, LinkFault::kNone);
    // The report comes last: nothing of the induct is open any more.
    if (std::exchange(state_, LinkState::kClosed) == LinkState::kClosing)
        resources_.host.on_state(config_.id, LinkState::kClosed, LinkFault::kNone);
}

// ---- the orderly end

// A sender without a report repeats its blocks, and at last gives them up: its node would send the
// bundles again, to another neighbour.
void LtpInduct::finish() {
    if (state_ == LinkState::kClosing) return;
    if (state_ != LinkState::kConnected) return close();
    state_ = LinkState::kClosing;
    resources_.host.on_state(config_.id, state_, LinkFault::kNone);
    spans_.clear();
    port_.engine().accept_new_blocks(false);
    finishing_since_ = monotonic_now();
    given_up_ = false;
    finish_engines();
}

void LtpInduct::finish_engines() {
    const TimePoint now = monotonic_now();
    std::vector<PeerId> done;
    for (const auto &[peer, engine] : engines_)
        if (!waits_for(peer, *engine, now)) done.push_back(peer);
    for (const PeerId peer : done) forget(peer, LinkFault::kNone);
    if (engines_.empty()) return close();
    finishing_timer_->wait_for(kFinishingLook);
}

bool LtpInduct::waits_for(PeerId peer, RemoteEngine &engine, TimePoint now) {
    const Duration waited = now - finishing_since_;
    if (waited >= kLongestFinishing) return false;
    const bool acknowledged = engine.receiver().all_acknowledged();
    if (!acknowledged && !given_up_) return true;
    // What the host does not take keeps its session open: others may end meanwhile.
    const int rounds = acknowledged ? kFinishingRounds : 1;
    const Duration answer_within = engine.answer_within();
    return answer_within < kLongestFinishing && waited < rounds * answer_within &&
           port_.engine().sessions_in(peer) > 0;
}

// ---- remote engines

std::optional<PeerId> LtpInduct::on_stranger(const DatagramAddress &from, ByteView datagram) {
    if (state_ == LinkState::kClosing) return std::nullopt;
    // Only data and cancel segments of a sender name the engine that sends them. An answer belongs
    // to a session, whose engine is known already.
    const auto segment = decode_segment(datagram);
    const bool introduces =
        segment && (is_data(segment->type) || segment->type == SegmentType::kCancelBySender);
    const EngineId remote{introduces ? segment->originator : 0};
    const std::string address = from.endpoint().address().to_string();
    Authenticator *const key = keys_.of(remote, address);
    // A forgery takes no place, and replaces no other engine.
    const bool proved = introduces && (key == nullptr ||
                                       authenticity_of(*segment, *key) == Authenticity::kAuthentic);
    if (proved) forget_former(remote, from);  // which has a place already
    const bool known = proved && (key != nullptr || is_listed(remote, address));
    if (!proved || !make_room(address, known)) {
        dropped_.count(from, config_.id, monotonic_now());
        return std::nullopt;
    }
    PeerConfig settings = settings_of(remote, key);
    settings.unknown = !known;
    const PeerId peer = port_.add_peer(settings, from);
    add_engine(peer, remote, {"ipn:" + std::to_string(remote.value()) + ".0", address, false},
               known ? RemoteEngine::Standing::kKnown : RemoteEngine::Standing::kStranger);
    return peer;
}

bool LtpInduct::is_listed(EngineId engine, const std::string &address) const {
    return std::ranges::any_of(config_.neighbours, [&](const config::NeighbourAddress &known) {
        return (known.node == NodeNumber{} || known.node.value() == engine.value()) &&
               config::address_matches(known.address, address);
    });
}

bool LtpInduct::make_room(const std::string &address, bool known) {
    return places_.make_room(address, known, engines_,
                             [this](PeerId peer) { forget(peer, LinkFault::kTooManySessions); });
}

// An engine that has restarted has another port. The former entry is removed when it has no open
// session, or when an answer of it is overdue: an engine that answers is never replaced. Engines at
// different IP addresses are different engines.
void LtpInduct::forget_former(EngineId remote, const DatagramAddress &from) {
    const TimePoint now = monotonic_now();
    if (now - restarts_since_ >= seconds(1)) {
        restarts_since_ = now;
        restarts_ = 0;
    }
    if (restarts_ >= kMostRestarts) return;
    const auto address = from.endpoint().address();
    std::vector<PeerId> former;
    for (const auto &[peer, engine] : engines_)
        if (engine->id() == remote && !engine->configured() &&
            (is_idle(port_.engine(), peer) || overdue(peer)) &&
            port_.address_of(peer).endpoint().address() == address)
            former.push_back(peer);
    for (const PeerId peer : former) forget(peer, LinkFault::kPeerClosed);
    restarts_ += former.empty() ? 0 : 1;
}

bool LtpInduct::overdue(PeerId peer) {
    const RemoteEngine &engine = *engines_.at(peer);
    return !engine.is_up() ||
           port_.engine().silence(peer, monotonic_now()) > engine.answer_within();
}

void LtpInduct::forget(PeerId peer, LinkFault fault) {
    const auto found = engines_.find(peer);
    if (found == engines_.end()) return;
    const std::unique_ptr<RemoteEngine> engine = std::move(found->second);
    engines_.erase(found);
    places_.leave(peer);
    by_upstream_.erase(engine->receiver().upstream());
    if (fault != LinkFault::kNone && engine->introduced())
        resources_.host.on_ending(config_.id, engine->identity(), {});
    engine->receiver().close(fault);
    engine->publish_last_counts(port_.remove_peer(peer));
}

void LtpInduct::report_counts() {
    for (const auto &[peer, engine] : engines_) engine->publish_counts();
    report_strangers(resources_.host, config_.id,
                     dropped_.total() - std::exchange(strangers_published_, dropped_.total()));
}

RemoteEngine *LtpInduct::engine_of(UpstreamId upstream) {
    const auto found = by_upstream_.find(upstream);
    return found == by_upstream_.end() ? nullptr : engines_.at(found->second).get();
}

Outduct *LtpInduct::attach(UpstreamId upstream, LinkId link) {
    RemoteEngine *const engine = engine_of(upstream);
    if (engine != nullptr) engine->attach(link);
    return engine;
}

// ---- bundles

void LtpInduct::acknowledge(UpstreamId upstream, std::uint64_t first, std::uint32_t count,
                            TransferDisposition disposition) {
    RemoteEngine *const engine = engine_of(upstream);
    if (engine != nullptr) engine->receiver().acknowledge(first, count, disposition);
}

void LtpInduct::pause(UpstreamId upstream, bool paused) {
    const auto found = by_upstream_.find(upstream);
    if (found != by_upstream_.end()) port_.pause(found->second, paused);
}

void LtpInduct::on_block(const ReceivedBlock &block) {
    const auto found = engines_.find(block.peer);
    if (found == engines_.end()) return;
    RemoteEngine &engine = *found->second;
    if (!engine.has_sent_block()) places_.admit(block.peer);
    if (!engine.introduced()) introduce(block.peer, engine);
    engine.handle_block(block, monotonic_now());
}

void LtpInduct::on_event(const Event &event) {
    const auto found = engines_.find(event.peer);
    if (found == engines_.end()) return;
    RemoteEngine &engine = *found->second;
    LtpSender *const sender = engine.sender();
    const bool refused =
        event.type == EventType::kCancelledByPeer && event.reason == CancelReason::kUnreachable;
    const bool unanswered =
        refused || event.type == EventType::kPeerSilent ||
        (event.type == EventType::kCancelled && event.reason == CancelReason::kRetransmitLimit);
    if (unanswered && sender != nullptr && engine.is_up()) {
        engine.note_no_client(refused);
        unanswered_.push_back(event.peer);
        recover_at(TimePoint{});
    }
    switch (event.type) {
        case EventType::kDelivered:
            engine.note_delivered();
            [[fallthrough]];
        case EventType::kCancelled:
        case EventType::kCancelledByPeer:
        case EventType::kPartEnded:
            if (sender == nullptr) return;
            engine.note_ended(event.type == EventType::kCancelledByPeer && !refused);
            sender->handle(event);
            if (std::ranges::find(ended_, event.peer) == ended_.end()) ended_.push_back(event.peer);
            return;
        case EventType::kPeerSilent:
            return engine.note_silent(true);
        case EventType::kPeerResponds:
            engine.note_silent(false);
            if (engine.is_down()) recover_at(engine.retry_at());
            return;
        case EventType::kReceptionCancelled:
        case EventType::kNumbersCut:
            return;
    }
}

// ---- engines that do not answer

// Not at once: the port is still at work on this turn.
void LtpInduct::recover_at(TimePoint when) {
    if (when >= recover_at_) return;
    recover_at_ = when;
    recovery_->wait_until(when);
}

// RFC 5326 section 6.7, or pings without an answer: the outduct to the engine goes down, and its
// bundles return to the host. It comes up again after a back-off; with pings configured, the engine
// must answer one first.
void LtpInduct::recover() {
    const TimePoint now = monotonic_now();
    for (const PeerId peer : std::exchange(unanswered_, {}))
        if (const auto found = engines_.find(peer); found != engines_.end())
            found->second->give_up();
    std::vector<PeerId> changing;
    for (const auto &[peer, engine] : engines_)
        if (engine->ended() || (engine->may_come_up() && engine->retry_at() <= now))
            changing.push_back(peer);
        else if (engine->may_come_up())
            recover_at(engine->retry_at());
    for (const PeerId peer : changing) {
        const auto found = engines_.find(peer);
        if (found == engines_.end()) continue;
        RemoteEngine &engine = *found->second;
        if (engine.is_down()) {
            engine.come_up(now);
        } else if (!engine.configured() && replaced(peer)) {
            forget(peer, LinkFault::kUnresponsive);
        } else {
            engine.go_down(now);
            if (engine.may_come_up()) recover_at(engine.retry_at());
        }
    }
}

// Has the engine restarted, with another port?
bool LtpInduct::replaced(PeerId peer) {
    const auto address = port_.address_of(peer).endpoint().address();
    return std::ranges::any_of(engines_, [&](const auto &entry) {
        return entry.first != peer && entry.second->id() == engines_.at(peer)->id() &&
               entry.second->is_up() &&
               port_.address_of(entry.first).endpoint().address() == address;
    });
}

void LtpInduct::on_turn_end() {
    for (const PeerId peer : ended_) {
        // The host may have ended the engine's session meanwhile.
        const auto found = engines_.find(peer);
        if (found == engines_.end()) continue;
        found->second->report();
        if (found->second->ended()) recover_at(TimePoint{});
    }
    ended_.clear();
}

}  // namespace farlink::cla::ltp
