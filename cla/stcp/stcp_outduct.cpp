// SPDX-License-Identifier: Apache-2.0
#include "cla/stcp/stcp_outduct.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "common/runtime/clock.hpp"

namespace farlink::cla::stcp {
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// Octets queued in the link beyond what the kernel took: enough for one full write.
constexpr std::uint64_t kQueueBytes = 512 * 1024;
constexpr std::size_t kWriteBytes = 1024 * 1024;
constexpr std::size_t kWriteEntries = 256;
constexpr milliseconds kAcknowledgePollMin{1};
constexpr milliseconds kAcknowledgePollMax{20};
/// How long a closing link waits for the peer to acknowledge and to close its side.
constexpr seconds kSenderClosingLimit{5};
/// The same once the peer has acknowledged every octet: what is left is its own end.
constexpr seconds kAcknowledgedClosingLimit{1};

/// tcp_info as of Linux 4.1; the C library's older header ends before tcpi_bytes_acked.
struct TcpInfoAcked {
    std::array<std::uint8_t, 120> before;
    std::uint64_t bytes_acked;
};

}  // namespace

StcpOutduct::StcpOutduct(LinkResources resources, const config::OutductConfig &config,
                         std::uint64_t seed)
    : resources_(resources),
      config_(config),
      connector_(
          resources.io, config, seed,
          [this](tcp::socket socket) { handle_connected(std::move(socket)); },
          [this](const std::string &why) { resources_.host.on_unreachable(config_.id, why); }),
      socket_(resources.io),
      acknowledge_timer_(resources.io),
      keep_alive_timer_(resources.io),
      closing_timer_(resources.io),
      sender_(framing_of(config.url.scheme)),
      rate_(resources.io, config.rate_limit, [this] {
          if (!closed() && transmit_credit() > 0) resources_.host.on_writable(config_.id);
      }) {}

void StcpOutduct::abandon() {
    mark_closed();
    connector_.stop();
    stop_timers();
    closing_timer_.cancel();
    boost::system::error_code ignored;
    socket_.close(ignored);
}

void StcpOutduct::transition(LinkState to, LinkFault fault) {
    const bool allowed = (to == LinkState::kConnecting && state_ != LinkState::kConnecting) ||
                         (to == LinkState::kConnected && state_ == LinkState::kConnecting) ||
                         (to == LinkState::kClosing && state_ == LinkState::kConnected) ||
                         (to == LinkState::kClosed && state_ != LinkState::kClosed);
    FARLINK_INVARIANT(allowed);
    state_ = to;
    resources_.host.on_state(config_.id, to, fault);
}

void StcpOutduct::open() {
    if (state_ == LinkState::kClosing) end();
    if (state_ != LinkState::kClosed) return;
    transition(LinkState::kConnecting, LinkFault::kNone);
    connector_.start();
}

void StcpOutduct::handle_connected(tcp::socket socket) {
    socket_ = std::move(socket);
    sender_.restart();
    notices_.restart(socket_.native_handle());
    half_closed_ = waiting_writable_ = peer_has_sent_ = false;
    acknowledged_before_ = kernel_acknowledged();
    acknowledged_offset_ = 0;
    reported_before_ = reported_;
    connected_ = last_write_ = monotonic_now();
    transition(LinkState::kConnected, LinkFault::kNone);
    watch_peer();
    arm_keep_alive();
}

// Bundles that have arrived are reported before the end.
void StcpOutduct::lose(LinkFault fault) {
    check_acknowledged();
    stop_timers();
    sender_.restart();
    if (state_ == LinkState::kClosing) return end();
    boost::system::error_code ignored;
    socket_.close(ignored);
    SessionOutcome outcome;
    outcome.fault = fault;
    outcome.established = true;
    outcome.moved = reported_ > reported_before_;
    outcome.lived = monotonic_now() - connected_;
    connector_.start_again(outcome);
    // The report comes last, since the host may close the link inside of it.
    transition(LinkState::kConnecting, fault);
}

void StcpOutduct::close() {
    if (state_ == LinkState::kConnecting) return end();
    if (state_ != LinkState::kConnected) return;
    keep_alive_timer_.cancel();
    // A frame whose octets are not all here would not end.
    if (sender_.inside_bundle()) return end();
    sender_.finish();
    transition(LinkState::kClosing, LinkFault::kNone);
    arm_closing_timer();
    flush();
}

void StcpOutduct::break_off() {
    if (state_ == LinkState::kConnected && sender_.inside_bundle()) lose(LinkFault::kNone);
}

std::uint64_t StcpOutduct::max_bundle_bytes() const {
    return max_frame_bytes(framing_of(config_.url.scheme));
}

// The limit holds between two acknowledgements: a slow peer that goes on reading may take longer.
void StcpOutduct::arm_closing_timer() {
    closing_timer_.expires_after(sender_.all_acknowledged() ? kAcknowledgedClosingLimit
                                                            : kSenderClosingLimit);
    closing_timer_.async_wait(while_open(*this, [](StcpOutduct &self, const auto &error) {
        if (!error && self.state_ == LinkState::kClosing) self.end();
    }));
}

void StcpOutduct::end() {
    if (state_ == LinkState::kClosing || state_ == LinkState::kConnected) check_acknowledged();
    connector_.stop();
    boost::system::error_code ignored;
    socket_.close(ignored);
    closing_timer_.cancel();
    stop_timers();
    sender_.restart();
    transition(LinkState::kClosed, LinkFault::kNone);
}

void StcpOutduct::stop_timers() {
    acknowledge_armed_ = false;
    acknowledge_timer_.cancel();
    keep_alive_timer_.cancel();
}

// Bundles flow one way: what the peer sends is ignored, unless it is a contact header of TCPCL; its
// end is the end of the connection. A notice of an acknowledgement makes the socket readable, too.
void StcpOutduct::watch_peer() {
    socket_.async_wait(tcp::socket::wait_read,
                       while_open(*this, [](StcpOutduct &self, const auto &error) {
                           if (error != asio::error::operation_aborted && self.socket_.is_open())
                               self.read_peer();
                       }));
}

void StcpOutduct::read_peer() {
    AckNotices::discard(socket_.native_handle());
    std::array<std::uint8_t, 512> unwanted;
    const ssize_t size =
        ::recv(socket_.native_handle(), unwanted.data(), unwanted.size(), MSG_DONTWAIT);
    if (size > 0 && !std::exchange(peer_has_sent_, true) &&
        looks_like_tcpcl(ByteView(unwanted).first(static_cast<std::size_t>(size)), 0))
        return lose(framing_of(config_.url.scheme) == Framing::kMtcp ? LinkFault::kTcpclNotMtcp
                                                                     : LinkFault::kTcpclNotStcp);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
        return lose(size == 0 ? LinkFault::kPeerClosed : LinkFault::kIoError);
    watch_peer();
    // Last, since the host may close the link inside of the report.
    if (!sender_.all_acknowledged()) check_acknowledged();
}

std::uint64_t StcpOutduct::transmit_credit() const {
    if (state_ != LinkState::kConnected) return 0;
    const std::uint64_t pending = sender_.pending();
    return rate_.credit(pending >= kQueueBytes ? 0 : kQueueBytes - pending);
}

void StcpOutduct::transmit(std::span<const TxBundle> bundles) {
    const std::uint64_t before = sender_.pending();
    sender_.handle_send(bundles);
    rate_.take(sender_.pending() - before);
}

void StcpOutduct::flush() {
    if (state_ != LinkState::kConnected && state_ != LinkState::kClosing) return;
    while (sender_.pending() > 0) {
        if (!write_some()) break;
    }
    if (!socket_.is_open() || state_ == LinkState::kConnecting) return;
    half_close_when_written();
    if (!sender_.all_acknowledged()) check_acknowledged();
}

bool StcpOutduct::write_some() {
    std::array<iovec, kWriteEntries> entries;
    const std::size_t count = sender_.queue().gather(entries, kWriteBytes);
    const ssize_t size = notices_.write(socket_.native_handle(), {entries.data(), count},
                                        sender_.queue().written_offset(), acknowledged_offset_);
    if (size >= 0) {
        sender_.handle_written(static_cast<std::uint64_t>(size));
        last_write_ = monotonic_now();
        return true;
    }
    if (errno == EINTR) return true;
    if (errno == EAGAIN || errno == EWOULDBLOCK)
        wait_writable();
    else
        lose(LinkFault::kIoError);
    return false;
}

void StcpOutduct::wait_writable() {
    if (waiting_writable_) return;
    waiting_writable_ = true;
    socket_.async_wait(tcp::socket::wait_write,
                       while_open(*this, [](StcpOutduct &self, const auto &error) {
                           if (error) return;
                           self.waiting_writable_ = false;
                           self.flush();
                           if (self.state_ == LinkState::kConnected)
                               self.resources_.host.on_writable(self.config_.id);
                       }));
}

void StcpOutduct::half_close_when_written() {
    if (state_ != LinkState::kClosing || half_closed_ || sender_.pending() > 0) return;
    half_closed_ = true;
    boost::system::error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

std::uint64_t StcpOutduct::kernel_acknowledged() const {
    TcpInfoAcked info{};
    socklen_t size = sizeof info;
    auto &socket = const_cast<tcp::socket &>(socket_);
    if (::getsockopt(socket.native_handle(), IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        size < sizeof info)
        return 0;
    return info.bytes_acked;
}

void StcpOutduct::check_acknowledged() {
    if (!socket_.is_open()) return;
    const std::uint64_t acknowledged = kernel_acknowledged();
    if (acknowledged >= acknowledged_before_) {
        // Our FIN counts as one octet, which is behind every bundle.
        const std::uint64_t offset =
            std::min(acknowledged - acknowledged_before_, sender_.queue().written_offset());
        const bool more = offset > acknowledged_offset_;
        acknowledged_offset_ = offset;
        const std::uint64_t token = sender_.handle_acknowledged(offset);
        if (more && state_ == LinkState::kClosing) arm_closing_timer();
        if (token > reported_) {
            reported_ = token;
            acknowledge_poll_ = kAcknowledgePollMin;
            resources_.host.on_transmitted(config_.id, token);
        }
    }
    if (!sender_.all_acknowledged()) arm_acknowledge_timer();
}

// For octets without a notice, and for kernels without notices.
void StcpOutduct::arm_acknowledge_timer() {
    if (acknowledge_armed_) return;
    acknowledge_armed_ = true;
    acknowledge_poll_ =
        std::clamp<Duration>(acknowledge_poll_, kAcknowledgePollMin, kAcknowledgePollMax);
    acknowledge_timer_.expires_after(acknowledge_poll_);
    acknowledge_poll_ *= 2;
    acknowledge_timer_.async_wait(while_open(*this, [](StcpOutduct &self, const auto &error) {
        if (error) return;
        self.acknowledge_armed_ = false;
        self.check_acknowledged();
    }));
}

void StcpOutduct::arm_keep_alive() {
    if (config_.keep_alive_interval_s == 0) return;
    const Duration interval = seconds(config_.keep_alive_interval_s);
    keep_alive_timer_.expires_after(last_write_ + interval - monotonic_now());
    keep_alive_timer_.async_wait(while_open(*this, [](StcpOutduct &self, const auto &error) {
        if (!error && self.state_ == LinkState::kConnected) self.keep_alive();
    }));
}

void StcpOutduct::keep_alive() {
    if (monotonic_now() - last_write_ >= seconds(config_.keep_alive_interval_s)) {
        sender_.handle_keep_alive_due();
        last_write_ = monotonic_now();
        flush();
    }
    if (state_ == LinkState::kConnected) arm_keep_alive();
}

}  // namespace farlink::cla::stcp
