// SPDX-License-Identifier: Apache-2.0
#include "cla/stcp/stcp_session.hpp"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cerrno>

#include "cla/io/tcp_address.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cla::stcp {
namespace {

/// Reads of one turn; then other links of the loop get theirs.
constexpr int kReadsPerTurn = 8;
/// What waits longer than this for the rest of its bundle leaves the shared slab.
constexpr milliseconds kCompactAfter{10};

Duration shorter(Duration one, Duration other) {
    if (one == Duration::zero()) return other;
    return other == Duration::zero() ? one : std::min(one, other);
}

LinkFault meaning(StcpFault fault, Framing framing) {
    const bool mtcp = framing == Framing::kMtcp;
    if (fault == StcpFault::kLooksLikeTcpcl)
        return mtcp ? LinkFault::kTcpclNotMtcp : LinkFault::kTcpclNotStcp;
    if (fault == StcpFault::kOtherFraming)
        return mtcp ? LinkFault::kStcpNotMtcp : LinkFault::kMtcpNotStcp;
    return fault == StcpFault::kFrameTooLarge ? LinkFault::kFrameTooLarge
                                              : LinkFault::kProtocolError;
}

}  // namespace

StcpSession::StcpSession(boost::asio::ip::tcp::socket socket, LinkResources resources,
                         const config::InductConfig &config, UpstreamId id, Duration transfer_limit,
                         std::function<void(UpstreamId, LinkFault)> on_closed)
    : socket_(std::move(socket)),
      memory_wait_(make_owned<MemoryWait>(resources)),
      compaction_timer_(resources.io),
      idle_timer_(resources.io),
      resources_(resources),
      link_(config.id),
      id_(id),
      receiver_(largest_bundle(config, resources.buffer, config.max_bundle_size_bytes), id,
                framing_of(config.url.scheme)),
      on_closed_(std::move(on_closed)),
      idle_limit_(seconds(config.idle_timeout_s)),
      stranger_limit_(seconds(config.stranger_idle_timeout_s)),
      transfer_limit_(transfer_limit) {}

void StcpSession::start() {
    peer_.address = address_of_peer(socket_);
    hold_.emplace(resources_.buffer.shares(), link_, peer_.address,
                  resources_.host.knows(link_, peer_), [this] { give_up_later(); });
    last_received();
    watch_silence();
    wait_readable();
}

void StcpSession::pause(bool paused) {
    paused_ = paused;
    if (hold_) hold_->set_excused(paused, monotonic_now());
    if (paused_) return;
    last_received();
    if (finishing_) return finish();
    wait_readable();
}

// The peer's only acknowledgements are those of its kernel: what has one must not be lost. The
// window is narrowed, so that the peer gets no more of them.
void StcpSession::finish() {
    finishing_ = true;
    const int least = 1;
    (void)::setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_WINDOW_CLAMP, &least,
                       sizeof least);
    boost::asio::post(socket_.get_executor(), while_open(*this, [](StcpSession &self) {
                          if (!self.paused_) self.read_available();
                      }));
}

std::uint64_t StcpSession::unread_bytes() {
    int bytes = 0;
    if (::ioctl(socket_.native_handle(), SIOCINQ, &bytes) != 0 || bytes < 0) return 0;
    return static_cast<std::uint64_t>(bytes);
}

void StcpSession::abandon() {
    mark_closed();
    receiver_.forget();
    hold_.reset();
    resources_.buffer.finished(id_);
    resources_.buffer.rest();
    memory_wait_->cancel();
    compaction_timer_.cancel();
    idle_timer_.cancel();
    boost::system::error_code ignored;
    socket_.close(ignored);
}

void StcpSession::wait_readable() {
    if (waiting_ || paused_ || closed()) return;
    waiting_ = true;
    socket_.async_wait(boost::asio::ip::tcp::socket::wait_read,
                       while_open(*this, [](StcpSession &self, const auto &error) {
                           self.waiting_ = false;
                           if (!error && !self.paused_) self.read_available();
                       }));
}

void StcpSession::read_available() {
    last_received();
    std::size_t total = 0;
    resources_.buffer.begin_read(hold_ ? &*hold_ : nullptr, last_received_);
    for (int turn = 0; turn < kReadsPerTurn && !paused_; ++turn) {
        const MutableBytes space = receiver_.prepare(resources_.buffer);
        if (space.empty()) {
            resources_.buffer.end_read();
            return wait_for_memory();
        }
        const ssize_t size = ::recv(socket_.native_handle(), space.data(), space.size(), 0);
        if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
            if (!finishing_ || errno == EINTR) break;
            resources_.buffer.end_read();
            return end(LinkFault::kNone);
        }
        if (size <= 0) {
            resources_.buffer.end_read();
            const bool truncated = size == 0 && receiver_.inside_bundle();
            return end(truncated   ? LinkFault::kTruncatedBundle
                       : size == 0 ? LinkFault::kPeerClosed
                                   : LinkFault::kIoError);
        }
        const auto fault =
            receiver_.handle_bytes(static_cast<std::size_t>(size), resources_.buffer, received_);
        if (hold_) hold_->update(receiver_.unfinished_bytes(), last_received_);
        moved_ = moved_ || !received_.empty();
        if (!received_.empty()) resources_.host.on_bundles(link_, id_, received_);
        received_.clear();
        if (closed() || fault != StcpFault::kNone) {
            resources_.buffer.end_read();
            if (closed()) break;
            return end(meaning(fault, receiver_.framing()));
        }
        total += static_cast<std::size_t>(size);
        if (static_cast<std::size_t>(size) < space.size() && !finishing_) break;
    }
    resources_.buffer.end_read();
    resources_.buffer.rest();
    if (!closed() && quick_ack_.handle_read(total, receiver_.inside_bundle()))
        QuickAck::acknowledge_now(socket_.native_handle());
    compact_later();
    if (finishing_ && !closed() && !paused_) return finish();
    wait_readable();
}

void StcpSession::wait_for_memory() {
    memory_wait_->start(while_open(
        *this, [](StcpSession &self) { self.finishing_ ? self.finish() : self.wait_readable(); }));
}

void StcpSession::compact_later() {
    if (closed() || compacting_ || !receiver_.inside_bundle()) return;
    compacting_ = true;
    compaction_timer_.expires_after(kCompactAfter);
    compaction_timer_.async_wait(while_open(*this, [](StcpSession &self, const auto &error) {
        self.compacting_ = false;
        if (error) return;
        if (!self.receiver_.compact(self.resources_.buffer.pool())) self.compact_later();
        self.resources_.buffer.rest();
    }));
}

void StcpSession::last_received() {
    last_received_ = monotonic_now();
}

// A peer that is not read is not silent, and neither is one that sends an octet now and then.
void StcpSession::watch_silence() {
    const Duration silent = monotonic_now() - last_received_;
    const auto rest = [silent](Duration limit) {
        return limit > silent ? limit - silent : limit;  // one that has passed did not apply
    };
    idle_timer_.expires_after(
        shorter(shorter(rest(idle_limit_), rest(transfer_limit_)), rest(stranger_limit_)));
    idle_timer_.async_wait(while_open(*this, [](StcpSession &self, const auto &error) {
        if (error) return;
        const LinkFault fault = self.silence();
        if (fault != LinkFault::kNone) return self.end(fault);
        self.watch_silence();
    }));
}

// The limit that has been passed.
LinkFault StcpSession::silence() const {
    if (paused_ || !waiting_) return LinkFault::kNone;
    const Duration silent = monotonic_now() - last_received_;
    if (transfer_limit_ > Duration::zero() && silent >= transfer_limit_ &&
        receiver_.inside_bundle())
        return LinkFault::kTransferStalled;
    const bool stranger = !moved_ && !hold_->known();
    const Duration limit = stranger ? shorter(idle_limit_, stranger_limit_) : idle_limit_;
    const bool idle = limit > Duration::zero() && silent >= limit;
    return idle ? LinkFault::kIdleTimeout : LinkFault::kNone;
}

// The caller is in the middle of a read of another session.
void StcpSession::give_up_later() {
    boost::asio::post(resources_.io,
                      while_open(*this, [](StcpSession &self) { self.end(LinkFault::kNoRoom); }));
}

void StcpSession::end(LinkFault fault) {
    if (closed()) return;
    abandon();
    if (fault != LinkFault::kNone) resources_.host.on_ending(link_, peer_, {});
    on_closed_(id_, fault);
}

}  // namespace farlink::cla::stcp
