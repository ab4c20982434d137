// SPDX-License-Identifier: Apache-2.0
#include "cla/stcp/stcp_outduct.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/connect.hpp>
#include <cerrno>
#include <string>

#include "common/runtime/clock.hpp"

namespace farlink::cla::stcp {
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

/// Octets queued in the link beyond what the kernel took: enough for one full write.
constexpr std::uint64_t kQueueBytes = 512 * 1024;
constexpr std::size_t kWriteBytes = 1024 * 1024;
constexpr std::size_t kWriteEntries = 256;
/// An attempt to connect that takes longer is begun anew: the kernel itself repeats its question
/// ever more seldom, and the neighbour may have come up meanwhile.
constexpr seconds kConnectLimit{5};
constexpr milliseconds kAcknowledgePollMin{1};
constexpr milliseconds kAcknowledgePollMax{20};
/// How long a closing link waits for the peer to acknowledge and to close its side.
constexpr seconds kClosingLimit{5};

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
      resolver_(resources.io),
      socket_(resources.io),
      retry_timer_(resources.io),
      acknowledge_timer_(resources.io),
      keep_alive_timer_(resources.io),
      closing_timer_(resources.io),
      random_(seed) {}

StcpOutduct::~StcpOutduct() {
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
    back_off_ = config_.reconnect_min;
    transition(LinkState::kConnecting, LinkFault::kNone);
    connect();
}

void StcpOutduct::connect() {
    const std::uint64_t attempt = ++attempt_;
    retry_timer_.expires_after(kConnectLimit);
    retry_timer_.async_wait([this, attempt](const boost::system::error_code &error) {
        if (!error && attempt == attempt_) retry(LinkFault::kConnectFailed);
    });
    resolver_.async_resolve(
        config_.url.host, std::to_string(config_.url.port), tcp::resolver::numeric_service,
        [this, attempt](const boost::system::error_code &error, tcp::resolver::results_type found) {
            if (error == asio::error::operation_aborted || attempt != attempt_) return;
            if (error) return retry(LinkFault::kConnectFailed);
            connect_to(found);
        });
}

void StcpOutduct::connect_to(const tcp::resolver::results_type &endpoints) {
    asio::async_connect(
        socket_, endpoints,
        [this, attempt = attempt_](const boost::system::error_code &error, const tcp::endpoint &) {
            if (error == asio::error::operation_aborted || attempt != attempt_) return;
            if (error || connected_to_itself()) return retry(LinkFault::kConnectFailed);
            handle_connected();
        });
}

// Where nobody listens on a port that the system also gives to connections, TCP's simultaneous open
// can join a socket to itself, which would acknowledge every bundle.
bool StcpOutduct::connected_to_itself() const {
    boost::system::error_code ignored;
    return socket_.local_endpoint(ignored) == socket_.remote_endpoint(ignored);
}

void StcpOutduct::handle_connected() {
    boost::system::error_code error;
    socket_.non_blocking(true, error);
    if (!error) socket_.set_option(tcp::no_delay(true), error);
    if (error) return retry(LinkFault::kIoError);
    retry_timer_.cancel();
    sender_.restart();
    half_closed_ = waiting_writable_ = false;
    acknowledged_before_ = kernel_acknowledged();
    acknowledged_offset_ = 0;
    back_off_ = config_.reconnect_min;
    last_write_ = monotonic_now();
    transition(LinkState::kConnected, LinkFault::kNone);
    watch_peer();
    arm_keep_alive();
}

// Doubles the wait each time, with up to a quarter of jitter so that peers do not come in step.
void StcpOutduct::retry(LinkFault fault) {
    const std::uint64_t attempt = ++attempt_;
    boost::system::error_code ignored;
    socket_.close(ignored);
    const auto jitter = random_.below(static_cast<std::uint64_t>(back_off_.count() / 4 + 1));
    retry_timer_.expires_after(back_off_ + nanoseconds(static_cast<std::int64_t>(jitter)));
    back_off_ = std::min(back_off_ * 2, config_.reconnect_max);
    retry_timer_.async_wait([this, attempt](const boost::system::error_code &error) {
        if (!error && attempt == attempt_) connect();
    });
    // At last, since the host may close the link when it hears of it.
    if (state_ != LinkState::kConnecting) transition(LinkState::kConnecting, fault);
}

// The host hears of the bundles that arrived before it hears of the end.
void StcpOutduct::lose(LinkFault fault) {
    check_acknowledged();
    stop_timers();
    sender_.restart();
    if (state_ == LinkState::kClosing) return end();
    retry(fault);
}

void StcpOutduct::close() {
    if (state_ == LinkState::kConnecting) {
        resolver_.cancel();
        return end();
    }
    if (state_ != LinkState::kConnected) return;
    keep_alive_timer_.cancel();
    sender_.finish();
    transition(LinkState::kClosing, LinkFault::kNone);
    arm_closing_timer();
    flush();
}

// A peer that reads, however slowly, is waited for; the limit is on standing still.
void StcpOutduct::arm_closing_timer() {
    closing_timer_.expires_after(kClosingLimit);
    closing_timer_.async_wait([this](const boost::system::error_code &error) {
        if (!error && state_ == LinkState::kClosing) end();
    });
}

void StcpOutduct::end() {
    if (state_ == LinkState::kClosing) check_acknowledged();
    ++attempt_;
    boost::system::error_code ignored;
    socket_.close(ignored);
    retry_timer_.cancel();
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

// STCP flows one way: whatever the peer sends is ignored, its end is the end of the connection.
void StcpOutduct::watch_peer() {
    socket_.async_wait(tcp::socket::wait_read, [this](const boost::system::error_code &error) {
        if (error == asio::error::operation_aborted || !socket_.is_open()) return;
        std::array<std::uint8_t, 512> unwanted;
        const ssize_t size =
            ::recv(socket_.native_handle(), unwanted.data(), unwanted.size(), MSG_DONTWAIT);
        if (size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR))) return watch_peer();
        lose(size == 0 ? LinkFault::kPeerClosed : LinkFault::kIoError);
    });
}

std::uint64_t StcpOutduct::transmit_credit() const {
    if (state_ != LinkState::kConnected) return 0;
    const std::uint64_t pending = sender_.pending();
    return pending >= kQueueBytes ? 0 : kQueueBytes - pending;
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
    msghdr message{};
    message.msg_iov = entries.data();
    message.msg_iovlen = sender_.queue().gather(entries, kWriteBytes);
    const ssize_t size = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
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
    socket_.async_wait(tcp::socket::wait_write, [this](const boost::system::error_code &error) {
        if (error) return;
        waiting_writable_ = false;
        flush();
        if (state_ == LinkState::kConnected) resources_.host.on_writable(config_.id);
    });
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
        if (offset > acknowledged_offset_ && state_ == LinkState::kClosing) arm_closing_timer();
        acknowledged_offset_ = offset;
        const std::uint64_t token = sender_.handle_acknowledged(offset);
        if (token > reported_) {
            reported_ = token;
            acknowledge_poll_ = kAcknowledgePollMin;
            resources_.host.on_transmitted(config_.id, token);
        }
    }
    if (!sender_.all_acknowledged()) arm_acknowledge_timer();
}

// The kernel tells nobody when an acknowledgement comes, so a link with octets on the way looks.
void StcpOutduct::arm_acknowledge_timer() {
    if (acknowledge_armed_) return;
    acknowledge_armed_ = true;
    acknowledge_poll_ =
        std::clamp<Duration>(acknowledge_poll_, kAcknowledgePollMin, kAcknowledgePollMax);
    acknowledge_timer_.expires_after(acknowledge_poll_);
    acknowledge_poll_ *= 2;
    acknowledge_timer_.async_wait([this](const boost::system::error_code &error) {
        if (error) return;
        acknowledge_armed_ = false;
        check_acknowledged();
    });
}

void StcpOutduct::arm_keep_alive() {
    if (config_.keep_alive_interval_s == 0) return;
    const Duration interval = seconds(config_.keep_alive_interval_s);
    keep_alive_timer_.expires_after(last_write_ + interval - monotonic_now());
    keep_alive_timer_.async_wait([this, interval](const boost::system::error_code &error) {
        if (error || state_ != LinkState::kConnected) return;
        if (monotonic_now() - last_write_ >= interval) {
            sender_.handle_keep_alive_due();
            last_write_ = monotonic_now();
            flush();
        }
        if (state_ == LinkState::kConnected) arm_keep_alive();
    });
}

}  // namespace farlink::cla::stcp
