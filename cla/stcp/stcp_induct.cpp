// SPDX-License-Identifier: Apache-2.0
#include "cla/stcp/stcp_induct.hpp"

#include <algorithm>

#include "cla/io/tcp_address.hpp"
#include "common/base/counted.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/log/log.hpp"

namespace farlink::cla::stcp {
namespace {

/// A peer that goes on sending gets no more than this.
constexpr Duration kReceiverClosingLimit = seconds(3);
/// The same if sessions cannot be read, because there is no memory or no room on disk yet: less
/// than a stopping node waits for its disk.
constexpr Duration kLongestClosing = seconds(9);

}  // namespace

using boost::asio::ip::tcp;

StcpInduct::StcpInduct(LinkResources resources, const config::InductConfig &config)
    : resources_(resources),
      config_(config),
      listener_(make_owned<TcpListener>(resources.io,
                                        [this](tcp::socket socket) { admit(std::move(socket)); })),
      slots_(config.max_sessions),
      closing_timer_(resources.io) {}

void StcpInduct::abandon() {
    mark_closed();
    listener_.reset();
    closing_timer_.cancel();
    for (auto &[id, session] : std::exchange(sessions_, {})) session->abandon();
}

bool StcpInduct::open() {
    opened_ = true;
    if (!listener_->bind(config_.url, config_.socket_buffer_bytes)) return false;
    return !receiving_ || listen();
}

// Of a socket that listens, the kernel would acknowledge octets of connections that are not read.
void StcpInduct::set_receiving(bool receiving) {
    if (!opened_)
        receiving_ = receiving;
    else if (receiving && !receiving_ && listener_->is_bound())
        receiving_ = listen();
}

bool StcpInduct::listen() {
    if (!listener_->listen()) return false;
    resources_.host.on_state(config_.id, LinkState::kConnected, LinkFault::kNone);
    return true;
}

// A session ends when the octets that the kernel has acknowledged are read, or at the limit.
void StcpInduct::close() {
    listener_->close();
    if (sessions_.empty() || std::exchange(closing_, true)) return;
    resources_.host.on_state(config_.id, LinkState::kClosing, LinkFault::kNone);
    for (auto &[id, session] : sessions_) session->finish();
    close_by_ = monotonic_now() + kLongestClosing;
    arm_closing_timer();
}

void StcpInduct::arm_closing_timer() {
    closing_timer_.expires_after(
        std::min<Duration>(kReceiverClosingLimit, close_by_ - monotonic_now()));
    closing_timer_.async_wait(while_open(*this, [](StcpInduct &self, const auto &error) {
        if (error) return;
        const auto waits = [](const auto &each) { return each.second->waits(); };
        if (monotonic_now() < self.close_by_ && std::ranges::any_of(self.sessions_, waits))
            return self.arm_closing_timer();
        self.finish_closing();
    }));
}

// Their senders take these bundles for sent.
void StcpInduct::log_unread() {
    std::uint64_t bytes = 0;
    std::uint64_t peers = 0;
    for (auto &[id, session] : sessions_) {
        const std::uint64_t unread = session->unread_bytes();
        bytes += unread;
        peers += unread > 0 ? 1 : 0;
    }
    if (bytes > 0)
        Logger("link").error(
            "link {}: closed with {} bytes unread from {}: the kernel has acknowledged them, so "
            "the bundles in them are lost",
            config_.id.value(), bytes, counted(peers, "peer"));
}

void StcpInduct::finish_closing() {
    closing_timer_.cancel();
    if (!std::exchange(closing_, false)) return;
    log_unread();
    for (auto &[id, session] : std::exchange(sessions_, {})) {
        session->abandon();
        slots_.leave(id);
        resources_.host.on_upstream_closed(config_.id, id, LinkFault::kNone);
    }
    resources_.host.on_state(config_.id, LinkState::kClosed, LinkFault::kNone);
}

void StcpInduct::pause(UpstreamId upstream, bool paused) {
    if (const auto found = sessions_.find(upstream); found != sessions_.end())
        found->second->pause(paused);
}

void StcpInduct::admit(tcp::socket socket) {
    const UpstreamId id{resources_.next_upstream++};
    PeerIdentity peer;
    peer.address = address_of_peer(socket);
    const bool known = resources_.host.knows(config_.id, peer);
    if (!make_room(peer, known)) {
        resources_.host.on_upstream_opened(config_.id, id, false);
        resources_.host.on_ending(config_.id, peer, {});
        resources_.host.on_upstream_closed(config_.id, id, LinkFault::kTooManySessions);
        return;
    }
    auto session = std::make_shared<StcpSession>(
        std::move(socket), resources_, config_, id, transfer_limit_,
        [this](UpstreamId ended, LinkFault fault) { end(ended, fault); });
    slots_.enter(id, peer.address, known);
    sessions_.emplace(id, session);
    resources_.host.on_upstream_opened(config_.id, id, false);
    resources_.host.on_peer(config_.id, id, peer);
    session->start();
}

void StcpInduct::end(UpstreamId session, LinkFault fault) {
    sessions_.erase(session);
    slots_.leave(session);
    resources_.host.on_upstream_closed(config_.id, session, fault);
    if (closing_ && sessions_.empty()) finish_closing();
}

// The session of a stranger that has brought no bundle may have to end.
bool StcpInduct::make_room(const PeerIdentity &peer, bool known) {
    return slots_.make_room(
        peer.address, known, [this](UpstreamId id) { return sessions_.at(id)->moved(); },
        [this](UpstreamId id) {
            sessions_.at(id)->abandon();
            end(id, LinkFault::kTooManySessions);
        });
}

}  // namespace farlink::cla::stcp
