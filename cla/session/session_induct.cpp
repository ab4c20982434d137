// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_induct.hpp"

#include <algorithm>
#include <utility>

#include "cla/io/tcp_address.hpp"

namespace farlink::cla {

using boost::asio::ip::tcp;

namespace {

constexpr std::uint32_t kMaxSessions = 1024;
constexpr std::uint32_t kMaxHandshakes = 256;

std::uint32_t or_default(std::uint32_t configured, std::uint32_t usual) {
    return configured == 0 ? usual : configured;
}

}  // namespace

class SessionInduct::Sender final : public Outduct {
public:
    explicit Sender(SessionDriver &session) : session_(session) {}

    void open() override {}
    void suspend() override {}  // the session is the neighbour's
    void close() override { session_.terminate(); }
    [[nodiscard]] std::uint64_t transmit_credit() const override {
        return session_.transmit_credit();
    }
    void transmit(std::span<const TxBundle> bundles) override { session_.transmit(bundles); }
    void flush() override { session_.flush(); }
    [[nodiscard]] std::uint64_t max_bundle_bytes() const override {
        return session_.max_bundle_bytes();
    }
    [[nodiscard]] bool takes_pieces() const override { return true; }
    void break_off() override { session_.terminate(true); }
    void set_rate(BitRate rate) override { session_.set_rate(rate); }

private:
    SessionDriver &session_;
};

SessionInduct::SessionInduct(LinkResources resources, const config::InductConfig &config,
                             SessionSetup setup)
    : resources_(resources),
      config_(config),
      setup_(std::move(setup)),
      listener_(make_owned<TcpListener>(resources.io,
                                        [this](tcp::socket socket) { admit(std::move(socket)); })),
      slots_(or_default(config.max_sessions, kMaxSessions)) {
    config_.max_handshakes = or_default(config.max_handshakes, kMaxHandshakes);
    std::uint64_t &largest = setup_.config.transfer_mru;
    largest = largest_bundle(config, resources.buffer, largest);
}

SessionInduct::~SessionInduct() {
    for (auto &[id, session] : sessions_) session.driver->abandon();
}

bool SessionInduct::open() {
    if (!listener_->open(config_.url, config_.socket_buffer_bytes)) return false;
    state_ = LinkState::kConnected;
    resources_.host.on_state(config_.id, state_, LinkFault::kNone);
    return true;
}

void SessionInduct::close() {
    if (state_ != LinkState::kConnected) return;
    listener_->close();
    state_ = LinkState::kClosing;
    resources_.host.on_state(config_.id, state_, LinkFault::kNone);
    for (const UpstreamId id : std::exchange(half_open_, {})) {
        const auto found = sessions_.find(id);
        found->second.driver->abandon();
        sessions_.erase(found);
        slots_.leave(id);
    }
    for (auto &[id, session] : sessions_) session.driver->terminate();
    publish_when_closed();
}

void SessionInduct::publish_when_closed() {
    if (state_ != LinkState::kClosing || !sessions_.empty()) return;
    state_ = LinkState::kClosed;
    resources_.host.on_state(config_.id, state_, LinkFault::kNone);
}

void SessionInduct::pause(UpstreamId upstream, bool paused) {
    if (const auto found = sessions_.find(upstream); found != sessions_.end())
        found->second.driver->pause(paused);
}

void SessionInduct::acknowledge(UpstreamId upstream, std::uint64_t first, std::uint32_t count,
                                TransferDisposition disposition) {
    const auto found = sessions_.find(upstream);
    if (found == sessions_.end()) return;
    found->second.driver->acknowledge(first, count, disposition);
    if (!std::exchange(found->second.unflushed, true)) unflushed_.push_back(upstream);
}

void SessionInduct::flush_acknowledgements() {
    for (const UpstreamId upstream : unflushed_) {
        const auto found = sessions_.find(upstream);
        if (found == sessions_.end()) continue;
        found->second.unflushed = false;
        found->second.driver->flush();
    }
    unflushed_.clear();
}

Outduct *SessionInduct::attach(UpstreamId upstream, LinkId link) {
    const auto found = sessions_.find(upstream);
    if (found == sessions_.end() || !found->second.driver->established()) return nullptr;
    Session &session = found->second;
    session.driver->send_as(link);
    if (!session.sender) session.sender = std::make_unique<Sender>(*session.driver);
    return session.sender.get();
}

void SessionInduct::admit(tcp::socket socket) {
    const UpstreamId id{resources_.next_upstream++};
    PeerIdentity peer;
    peer.address = address_of_peer(socket);
    const bool known = resources_.host.knows(config_.id, peer);
    if (!make_room(peer, known)) {
        resources_.host.on_ending(config_.id, peer, {});
        return refuse(id, LinkFault::kTooManySessions);
    }
    if (half_open_.size() >= config_.max_handshakes) close_oldest_half_open();
    SessionOwner &owner = *this;
    const auto driver = std::make_shared<SessionDriver>(std::move(socket), resources_, setup_,
                                                        owner, config_.id, id);
    sessions_[id].driver = driver;
    slots_.enter(id, peer.address, known);
    half_open_.insert(id);
    driver->start();
}

// The host counts the faults of peers, so a session that was never established is reported too.
void SessionInduct::refuse(UpstreamId id, LinkFault fault) {
    resources_.host.on_upstream_opened(config_.id, id, true);
    resources_.host.on_upstream_closed(config_.id, id, fault);
}

// The session of a stranger that has brought no bundle may have to end.
bool SessionInduct::make_room(const PeerIdentity &peer, bool known) {
    const auto acknowledged = [this](UpstreamId id) {
        const SessionDriver &session = *sessions_.at(id).driver;
        return session.moved() || session.peer().known();
    };
    return slots_.make_room(peer.address, known, acknowledged, [this](UpstreamId id) {
        const std::shared_ptr<SessionDriver> oldest = sessions_.at(id).driver;
        oldest->fail(LinkFault::kTooManySessions);
        slots_.leave(id);  // a session that lingers does not count any more
    });
}

// Strangers first.
void SessionInduct::close_oldest_half_open() {
    const auto known = [this](UpstreamId id) { return sessions_.at(id).driver->peer().known(); };
    const auto stranger = std::ranges::find_if_not(half_open_, known);
    const UpstreamId leaving = stranger == half_open_.end() ? *half_open_.begin() : *stranger;
    const std::shared_ptr<SessionDriver> oldest = sessions_.at(leaving).driver;
    oldest->fail(LinkFault::kTooManyHandshakes);
}

void SessionInduct::handle_established(SessionDriver &session) {
    half_open_.erase(session.id());
    if (state_ == LinkState::kClosing) session.terminate();
}

void SessionInduct::handle_ended(SessionDriver &session, const SessionOutcome &outcome) {
    half_open_.erase(session.id());
    if (!outcome.established) return refuse(session.id(), outcome.fault);
    resources_.host.on_upstream_closed(config_.id, session.id(), outcome.fault);
}

void SessionInduct::handle_gone(SessionDriver &session) {
    sessions_.erase(session.id());
    slots_.leave(session.id());
    publish_when_closed();
}

}  // namespace farlink::cla
