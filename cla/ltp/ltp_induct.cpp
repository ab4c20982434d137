// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/ltp_induct.hpp"

#include <algorithm>

#include "cla/io/listening.hpp"
#include "cla/ltp/ltp_settings.hpp"
#include "common/base/bit_rate.hpp"
#include "common/config/fields/ip_address.hpp"
#include "common/config/review/ltp_advice.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cla::ltp {
namespace {

using boost::asio::ip::udp;

/// An engine that was silent for so long makes room for another one.
constexpr Duration kSilenceOfStrangers = seconds(60);
/// A link that was given up is tried again after the time for an answer, then after twice as long,
/// up to this.
constexpr Duration kLongestBackOff = seconds(60);
/// So many engines may start anew in a second. Who names itself at two addresses in turns, and
/// costs an end and a beginning each time, is then known at both.
constexpr std::uint32_t kMostRestarts = 64;

}  // namespace

/// What leaves to it: kUp ──no answer──► kEnding ──all blocks have ended──► kDown ──heard, and the
/// back-off is over──► kUp. What comes from it is taken all the time.
class LtpInduct::RemoteEngine final : public Outduct {
public:
    enum class Way : std::uint8_t { kUp, kEnding, kDown };

    /// `configured`: it is sent to first; otherwise it has come by itself.
    RemoteEngine(LtpInduct &induct, PeerId peer, EngineId engine, PeerIdentity published,
                 bool is_configured)
        : id(engine),
          configured(is_configured),
          identity(std::move(published)),
          receiver(induct.resources_, induct.port_, induct.config_.id, induct.config_),
          owlt(induct.config_.ltp.owlt),
          induct_(induct),
          peer_(peer),
          back_off_(LinkTiming{induct.config_.ltp.owlt, induct.config_.ltp.margin}.answer_within(),
                    kLongestBackOff, engine.value()) {}

    void attach(LinkId link) {
        link_ = link;
        sender_.emplace(induct_.resources_, induct_.port_, peer_, link, induct_.config_);
        up_since_ = monotonic_now();
    }
    [[nodiscard]] LtpSender *sender() { return sender_ ? &*sender_ : nullptr; }

    // It is connected as long as the session of the host's lasts.
    // Its contact opens and closes.
    void open() override { induct_.port_.set_contact(peer_, true); }
    void suspend() override { induct_.port_.set_contact(peer_, false); }
    void close() override {}
    [[nodiscard]] std::uint64_t transmit_credit() const override {
        return way == Way::kUp ? sender_->credit() : 0;
    }
    void transmit(std::span<const TxBundle> bundles) override { sender_->transmit(bundles); }
    void flush() override { induct_.port_.pump(); }
    void set_rate(BitRate rate) override {
        warn_of_limits(induct_.log_, induct_.config_, slower_of(induct_.config_.rate_limit, rate));
        induct_.port_.set_rate(peer_, rate);
    }
    void set_owlt(Duration time) override {
        owlt = time;
        induct_.port_.set_owlt(peer_, time);
    }

    // ---- an engine that does not answer
    /// Everything that is under way to it comes back.
    void give_up() {
        if (way != Way::kUp) return;
        way = Way::kEnding;
        sender_->flush_block();
        induct_.port_.engine().cancel_blocks(peer_, CancelReason::kRetransmitLimit,
                                             monotonic_now());
        induct_.port_.pump();
    }
    [[nodiscard]] bool ended() const { return way == Way::kEnding && sender_->unfinished() == 0; }
    void go_down(TimePoint now) {
        way = Way::kDown;
        const LinkFault fault =
            std::exchange(no_client, false) ? LinkFault::kNoClient : LinkFault::kUnresponsive;
        const SessionOutcome outcome{fault, true, moved, now - up_since_, {}};
        retry_at = back_off_.handle_session(outcome, now);
        induct_.resources_.host.on_state(link_, LinkState::kConnecting, fault);
    }
    [[nodiscard]] bool may_come_up() const { return way == Way::kDown && !silent; }
    void come_up(TimePoint now) {
        way = Way::kUp;
        up_since_ = now;
        moved = false;
        induct_.resources_.host.on_state(link_, LinkState::kConnected, LinkFault::kNone);
    }

    void publish_counts() {
        tally_.report(induct_.resources_.host, induct_.config_.id, identity, induct_.port_.engine(),
                      peer_);
    }
    void publish_last_counts(const Counters &counters) {
        tally_.report_ended(induct_.resources_.host, induct_.config_.id, identity, counters);
    }

    const EngineId id;
    const bool configured;
    const PeerIdentity identity;
    LtpReceiver receiver;
    Duration owlt;
    TimePoint last_received = monotonic_now();
    Way way = Way::kUp;
    bool silent = false;     ///< pings were not answered
    bool no_client = false;  ///< it answers that nobody there takes bundles
    bool moved = false;      ///< it has taken a block since its way came up
    TimePoint retry_at{};

private:
    LtpInduct &induct_;
    PeerId peer_;
    LinkId link_ = kNoLink;
    Reconnection back_off_;
    TimePoint up_since_{};
    std::optional<LtpSender> sender_;
    LtpTally tally_;
};

LtpInduct::LtpInduct(LinkResources resources, const config::InductConfig &config, LtpKeys keys)
    : resources_(resources),
      config_(config),
      keys_(std::move(keys)),
      port_(resources, config_, EngineId{config.ltp.engine_id}, *this),
      recovery_(resources.io) {}

LtpInduct::~LtpInduct() = default;

bool LtpInduct::open() {
    boost::system::error_code error;
    udp::resolver resolver(resources_.io);
    const auto found = resolver.resolve(config_.url.host, std::to_string(config_.url.port),
                                        udp::resolver::numeric_service, error);
    if (!error) error = port_.open(found.begin()->endpoint());
    if (error) {
        log_not_listening(config_.url, error);
        return false;
    }
    resources_.host.on_state(config_.id, LinkState::kConnected, LinkFault::kNone);
    v4_ = found.begin()->endpoint().address().is_v4();
    for (const config::NeighbourAddress &neighbour : config_.neighbours) open_span(neighbour);
    return true;
}

void LtpInduct::open_span(const config::NeighbourAddress &neighbour) {
    auto url = config::parse_link_url(neighbour.address);
    if (!url) return;  // an address that it may come from
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
        if (engine->configured && std::ranges::find(gone, engine->id) != gone.end())
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
    // It may have sent before its name was known.
    std::vector<PeerId> former;
    for (const auto &[peer, engine] : engines_)
        if (engine->id == span.engine() && !engine->configured &&
            port_.address_of(peer).endpoint().address() == address.endpoint().address())
            former.push_back(peer);
    for (const PeerId peer : former) forget(peer, LinkFault::kPeerClosed);
    const config::LinkUrl &url = span.url();
    const PeerId peer =
        port_.add_peer(settings_of(span.engine(), keys_.of(span.engine(), url.host)), address);
    log_.info("link {}: LTP engine {} at {}:{}, by this induct's port, survives an outage of {} s",
              config_.id.value(), span.engine().value(), url.host, url.port,
              std::chrono::duration<double>(config::survivable_outage(config_.ltp)).count());
    add_engine(peer,
               std::make_unique<RemoteEngine>(*this, peer, span.engine(),
                                              PeerIdentity{span.node_id(), url.host, false}, true));
    port_.pump();
}

PeerConfig LtpInduct::settings_of(EngineId engine, Authenticator *key) const {
    PeerConfig settings = peer_config(config_, engine);
    settings.authenticator = key;
    settings.hold_closing_reports = !config_.acknowledge_on_receipt;
    settings.answers_always = true;
    return settings;
}

void LtpInduct::add_engine(PeerId peer, std::unique_ptr<RemoteEngine> engine) {
    RemoteEngine &opened = *engine;
    engines_[peer] = std::move(engine);
    by_upstream_[opened.receiver.open()] = peer;
    opened.receiver.introduce(opened.identity);
}

// RFC 5326 section 3.1.3: a session is named by its sender and its number. So a neighbour may
// answer from any port of its address, unless its link is strict.
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
        if ((answers || (engine->configured && engine->id.value() == segment->originator)) &&
            port_.address_of(peer).endpoint().address() == address)
            near.push_back(peer);
    if (answers && near.size() > 1)
        std::erase_if(near,
                      [&](PeerId peer) { return !port_.engine().sends(peer, segment->session); });
    if (near.empty()) return std::nullopt;
    // Another one may be there anew, by a port that would then be its own.
    if (engines_.at(near.front())->configured) port_.set_alias(near.front(), from);
    return near.front();
}

void LtpInduct::close() {
    recovery_.cancel();
    spans_.clear();
    port_.close();
    while (!engines_.empty()) forget(engines_.begin()->first, LinkFault::kNone);
}

// ---- remote engines

std::optional<PeerId> LtpInduct::on_stranger(const DatagramAddress &from, ByteView datagram) {
    // Only data tell who their sender is; whoever answers a session must be known already.
    const auto segment = decode_segment(datagram);
    const bool introduces =
        segment && (is_data(segment->type) || segment->type == SegmentType::kCancelBySender);
    const EngineId remote{introduces ? segment->originator : 0};
    const std::string address = from.endpoint().address().to_string();
    Authenticator *const key = keys_.of(remote, address);
    // Without room for a forgery, and without forgetting anybody for it.
    const bool proved = introduces && (key == nullptr ||
                                       authenticity_of(*segment, *key) == Authenticity::kAuthentic);
    if (!proved || !make_room()) {
        dropped_.count(from, config_.id, monotonic_now());
        return std::nullopt;
    }
    forget_former(remote, from);
    PeerConfig settings = settings_of(remote, key);
    settings.unknown = key == nullptr && !is_listed(remote, address);
    const PeerId peer = port_.add_peer(settings, from);
    add_engine(
        peer,
        std::make_unique<RemoteEngine>(
            *this, peer, remote,
            PeerIdentity{"ipn:" + std::to_string(remote.value()) + ".0", address, false}, false));
    return peer;
}

bool LtpInduct::is_listed(EngineId engine, const std::string &address) const {
    return std::ranges::any_of(config_.neighbours, [&](const config::NeighbourAddress &known) {
        return (known.node == NodeNumber{} || known.node.value() == engine.value()) &&
               config::address_matches(known.address, address);
    });
}

// The engine that was silent for the longest time makes room, if it was silent for long.
bool LtpInduct::make_room() {
    if (engines_.size() < config_.max_sessions) return true;
    const auto age = [](const auto &entry) {
        return std::pair(entry.second->configured, entry.second->last_received);
    };
    const auto oldest = std::ranges::min_element(engines_, {}, age);
    if (oldest->second->configured) return false;
    if (monotonic_now() - oldest->second->last_received < kSilenceOfStrangers) return false;
    forget(oldest->first, LinkFault::kIdleTimeout);
    return true;
}

// An engine that has started anew has another port. The former one counts as gone when nothing is
// under way with it, or when an answer of it is overdue: what is alive cannot be displaced. Engines
// at other addresses are strangers to each other.
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
        if (engine->id == remote && !engine->configured &&
            (port_.engine().idle(peer) || overdue(peer)) &&
            port_.address_of(peer).endpoint().address() == address)
            former.push_back(peer);
    for (const PeerId peer : former) forget(peer, LinkFault::kPeerClosed);
    restarts_ += former.empty() ? 0 : 1;
}

bool LtpInduct::overdue(PeerId peer) {
    const RemoteEngine &engine = *engines_.at(peer);
    const LinkTiming timing{engine.owlt, config_.ltp.margin};
    return engine.way != RemoteEngine::Way::kUp ||
           port_.engine().silence(peer, monotonic_now()) > timing.answer_within();
}

void LtpInduct::forget(PeerId peer, LinkFault fault) {
    const auto found = engines_.find(peer);
    if (found == engines_.end()) return;
    const std::unique_ptr<RemoteEngine> engine = std::move(found->second);
    engines_.erase(found);
    by_upstream_.erase(engine->receiver.upstream());
    engine->receiver.close(fault);
    engine->publish_last_counts(port_.remove_peer(peer));
}

void LtpInduct::report_counts() {
    for (const auto &[peer, engine] : engines_) engine->publish_counts();
    report_strangers(resources_.host, config_.id,
                     dropped_.total() - std::exchange(strangers_published_, dropped_.total()));
}

LtpInduct::RemoteEngine *LtpInduct::engine_of(UpstreamId upstream) {
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
    if (engine != nullptr) engine->receiver.acknowledge(first, count, disposition);
}

void LtpInduct::on_block(const ReceivedBlock &block) {
    const auto found = engines_.find(block.peer);
    if (found == engines_.end()) return;
    found->second->last_received = monotonic_now();
    found->second->receiver.handle(block);
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
    if (unanswered && sender != nullptr && engine.way == RemoteEngine::Way::kUp) {
        engine.no_client = refused;
        unanswered_.push_back(event.peer);
        recover_at(TimePoint{});
    }
    switch (event.type) {
        case EventType::kDelivered:
            engine.moved = true;
            [[fallthrough]];
        case EventType::kCancelled:
        case EventType::kCancelledByPeer:
            if (sender == nullptr) return;
            sender->handle(event);
            if (std::ranges::find(ended_, event.peer) == ended_.end()) ended_.push_back(event.peer);
            return;
        case EventType::kPeerSilent:
            engine.silent = true;
            return;
        case EventType::kPeerResponds:
            engine.silent = false;
            if (engine.way == RemoteEngine::Way::kDown) recover_at(engine.retry_at);
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
    recovery_.expires_at(when);
    recovery_.async_wait([this](const boost::system::error_code &error) {
        if (error) return;
        recover_at_ = kNever;
        recover();
    });
}

// RFC 5326 section 6.7, or pings without answer: the way to the engine is given up, and what was
// under way may take another one. It is tried again after a back-off, once the engine is heard if
// it is one that is asked.
void LtpInduct::recover() {
    const TimePoint now = monotonic_now();
    for (const PeerId peer : std::exchange(unanswered_, {}))
        if (const auto found = engines_.find(peer); found != engines_.end())
            found->second->give_up();
    std::vector<PeerId> changing;
    for (const auto &[peer, engine] : engines_)
        if (engine->ended() || (engine->may_come_up() && engine->retry_at <= now))
            changing.push_back(peer);
        else if (engine->may_come_up())
            recover_at(engine->retry_at);
    for (const PeerId peer : changing) {
        const auto found = engines_.find(peer);
        if (found == engines_.end()) continue;
        RemoteEngine &engine = *found->second;
        if (engine.way == RemoteEngine::Way::kDown) {
            engine.come_up(now);
        } else if (!engine.configured && replaced(peer)) {
            forget(peer, LinkFault::kUnresponsive);
        } else {
            engine.go_down(now);
            if (engine.may_come_up()) recover_at(engine.retry_at);
        }
    }
}

// Does the engine send from another port by now?
bool LtpInduct::replaced(PeerId peer) {
    const auto address = port_.address_of(peer).endpoint().address();
    return std::ranges::any_of(engines_, [&](const auto &entry) {
        return entry.first != peer && entry.second->id == engines_.at(peer)->id &&
               entry.second->way == RemoteEngine::Way::kUp &&
               port_.address_of(entry.first).endpoint().address() == address;
    });
}

void LtpInduct::on_turn_end() {
    for (const PeerId peer : ended_) {
        // The host may have let go of an engine meanwhile.
        const auto found = engines_.find(peer);
        if (found == engines_.end()) continue;
        found->second->sender()->report();
        if (found->second->ended()) recover_at(TimePoint{});
    }
    ended_.clear();
}

}  // namespace farlink::cla::ltp
