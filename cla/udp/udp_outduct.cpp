// SPDX-License-Identifier: Apache-2.0
#include "cla/udp/udp_outduct.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <string>

#include "cla/io/datagram_options.hpp"
#include "cla/udp/udp_socket.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cla::udp {
namespace asio = boost::asio;
using asio::ip::udp;

namespace {

/// Octets queued in the link while the kernel takes nothing.
constexpr std::uint64_t kQueueBytes = 512 * 1024;
/// The payload of the largest packet: 65535 octets with both headers in IPv4, without IPv6's own.
constexpr std::uint64_t kMaxDatagramIpv4 = 65'507;
constexpr std::uint64_t kMaxDatagramIpv6 = 65'527;
/// A full queue of the kernel or of the network card is empty again after about that long.
constexpr milliseconds kBufferWait{1};
/// How long a neighbour's kernel has to report by ICMP that nothing listens.
constexpr milliseconds kProbeWait{50};
constexpr std::array<std::uint8_t, 4> kKeepAlive{};  ///< RFC 7122 section 3.4

std::uint64_t datagram_limit(const config::OutductConfig &config, std::uint64_t layer_limit) {
    return config.max_datagram_bytes == 0 ? layer_limit
                                          : std::min(config.max_datagram_bytes, layer_limit);
}

}  // namespace

UdpOutduct::UdpOutduct(LinkResources resources, const config::OutductConfig &config,
                       std::uint64_t seed)
    : resources_(resources),
      config_(config),
      resolver_(resources.io),
      socket_(resources.io),
      flow_timer_(resources.io),
      keep_alive_timer_(resources.io),
      rate_(resources.io, config.rate_limit,
            [this] {
                if (!closed()) resume();
            }),
      back_off_(config.reconnect_min, config.reconnect_max, seed),
      max_datagram_bytes_(datagram_limit(config, kMaxDatagramIpv4)) {}

void UdpOutduct::abandon() {
    mark_closed();
    resolver_.cancel();
    flow_timer_.cancel();
    keep_alive_timer_.cancel();
    release();
}

void UdpOutduct::transition(LinkState to, LinkFault fault) {
    const bool allowed = (to == LinkState::kConnecting && state_ != LinkState::kConnecting) ||
                         (to == LinkState::kConnected && state_ == LinkState::kConnecting) ||
                         (to == LinkState::kClosed && state_ != LinkState::kClosed);
    FARLINK_INVARIANT(allowed);
    state_ = to;
    resources_.host.on_state(config_.id, to, fault);
}

// ---- the address

void UdpOutduct::open() {
    if (state_ != LinkState::kClosed) return;
    back_off_.reset();
    transition(LinkState::kConnecting, LinkFault::kNone);
    resolve();
}

void UdpOutduct::resolve() {
    resolver_.resolve(config_.url, [this](const auto &found, const auto &error) {
        handle_resolved(found, error);
    });
}

void UdpOutduct::handle_resolved(const NameResolver::Found &found,
                                 boost::system::error_code error) {
    const bool usable = std::ranges::any_of(found, [&](const auto &entry) {
        error = connect_to(entry.endpoint());
        return !error;
    });
    if (!usable) {
        resources_.host.on_unreachable(config_.id, unusable_words(found, config_.url, error));
        return retry_resolving(LinkFault::kConnectFailed);
    }
    if (state_ == LinkState::kConnected) {
        flow_ = Flow::kProbing;
        return resume();
    }
    flow_ = Flow::kFlowing;
    back_off_.reset();
    last_write_ = monotonic_now();
    sender_.restart(max_datagram_bytes_);
    arm_keep_alive();
    transition(LinkState::kConnected, LinkFault::kNone);
}

// Connecting a datagram socket sends nothing: it selects the route and lets ICMP errors come back.
boost::system::error_code UdpOutduct::connect_to(const udp::endpoint &peer) {
    release();
    ipv6_ = peer.address().is_v6();
    boost::system::error_code error;
    socket_.open(peer.protocol(), error);
    if (!error) socket_.non_blocking(true, error);
    if (!error && !config_.bind_address.empty()) {
        const auto local = asio::ip::make_address(config_.bind_address, error);
        if (!error) socket_.bind({local, 0}, error);
    }
    if (!error) socket_.connect(peer, error);
    // A port that the system gave to this socket must not be the one that it sends to.
    if (!error && socket_.local_endpoint(error) == peer) error = asio::error::address_in_use;
    if (!error) configure();
    return error;
}

void UdpOutduct::configure() {
    const int fd = socket_.native_handle();
    if (config_.socket_buffer_bytes > 0) set_send_buffer(fd, config_.socket_buffer_bytes);
    sender_.set_offload(has_segmentation(fd) ? unfragmented_bytes(fd, ipv6_) : 0);
    max_datagram_bytes_ = datagram_limit(config_, ipv6_ ? kMaxDatagramIpv6 : kMaxDatagramIpv4);
}

// Without an address the link is down, and its bundles take another route.
void UdpOutduct::retry_resolving(LinkFault fault) {
    release();
    keep_alive_timer_.cancel();
    sender_.restart(max_datagram_bytes_);
    arm_retry();
    // The report comes last, since the host may close the link inside of it.
    if (state_ != LinkState::kConnecting) transition(LinkState::kConnecting, fault);
}

void UdpOutduct::arm_retry() {
    flow_timer_.expires_after(back_off_.grow());
    flow_timer_.async_wait(while_open(*this, [](UdpOutduct &self, const auto &error) {
        if (!error && self.state_ != LinkState::kClosed) self.resolve();
    }));
}

void UdpOutduct::release() {
    boost::system::error_code ignored;
    socket_.close(ignored);
    waiting_writable_ = size_error_ = false;
}

void UdpOutduct::close() {
    if (state_ == LinkState::kClosed) return;
    resolver_.cancel();
    release();
    flow_timer_.cancel();
    keep_alive_timer_.cancel();
    sender_.restart(max_datagram_bytes_);
    transition(LinkState::kClosed, LinkFault::kNone);
}

// ---- the flow

std::uint64_t UdpOutduct::transmit_credit() const {
    if (state_ != LinkState::kConnected || flow_ == Flow::kHeld || flow_ == Flow::kProbed) return 0;
    const std::uint64_t pending = sender_.pending();
    if (flow_ == Flow::kProbing) return pending == 0 ? 1 : 0;
    return rate_.credit(pending >= kQueueBytes ? 0 : kQueueBytes - pending);
}

void UdpOutduct::transmit(std::span<const TxBundle> bundles) {
    const std::uint64_t before = sender_.pending();
    sender_.handle_send(bundles);
    rate_.take(sender_.pending() - before);
}

void UdpOutduct::flush() {
    while (state_ == LinkState::kConnected && sender_.pending() > 0)
        if (!send_some()) break;
    report();
}

// True when the next message may be sent at once.
bool UdpOutduct::send_some() {
    if (flow_ == Flow::kHeld || flow_ == Flow::kProbed || waiting_writable_) return false;
    const bool probing = flow_ == Flow::kProbing;
    const auto messages =
        sender_.poll_messages(probing ? 1 : std::numeric_limits<std::size_t>::max());
    const int sent = send_messages(socket_.native_handle(), messages);
    if (sent > 0) {
        sender_.handle_sent(static_cast<std::size_t>(sent));
        size_error_ = false;
        if (probing) watch_probe();
        return !probing;
    }
    return handle_send_error(errno, messages.front());
}

// True when the next attempt may be made at once.
bool UdpOutduct::handle_send_error(int error, const OutMessage &front) {
    if (error == EINTR) return true;
    // The first time ICMP may have reported an earlier datagram, which IP fragments from now on.
    if (error == EMSGSIZE && !std::exchange(size_error_, true)) return true;
    size_error_ = false;
    if (front.datagrams > 1 && (error == EMSGSIZE || error == EINVAL || error == EIO)) {
        narrow_offload(front.segment_size);
        return true;
    }
    if (error == EMSGSIZE) {
        ++errors_.too_large;
        sender_.handle_too_large();
        return true;
    }
    handle_network_error(error);
    return false;
}

// Either the path MTU is now less than a segment, or the network card cannot cut segments.
void UdpOutduct::narrow_offload(std::uint32_t segment_size) {
    ++errors_.offload;
    const std::uint64_t widest = unfragmented_bytes(socket_.native_handle(), ipv6_);
    sender_.set_offload(segment_size > widest ? widest : 0);
}

void UdpOutduct::handle_network_error(int error) {
    switch (error) {
        case EAGAIN:
            return wait_writable();
        case ENOBUFS:
        case ENOMEM:
            ++errors_.no_buffers;
            return hold(back_off_.jittered(kBufferWait), false);
        case ECONNREFUSED:
            ++errors_.refused;
            break;
        case ENETUNREACH:
        case EHOSTUNREACH:
        case ENETDOWN:
        case EHOSTDOWN:
        case EADDRNOTAVAIL:
            ++errors_.unreachable;
            break;
        default:
            ++errors_.other;
            break;
    }
    hold(back_off_.grow(), true);
}

// Nothing is sent for a while. `anew`: the name is resolved again, and a new socket is used.
void UdpOutduct::hold(Duration wait, bool anew) {
    flow_ = Flow::kHeld;
    flow_timer_.expires_after(wait);
    flow_timer_.async_wait(while_open(*this, [anew](UdpOutduct &self, const auto &error) {
        if (error || self.state_ != LinkState::kConnected) return;
        if (anew) return self.resolve();
        self.flow_ = Flow::kFlowing;
        self.resume();
    }));
}

void UdpOutduct::watch_probe() {
    flow_ = Flow::kProbed;
    flow_timer_.expires_after(kProbeWait);
    flow_timer_.async_wait(while_open(*this, [](UdpOutduct &self, const auto &error) {
        if (!error && self.state_ == LinkState::kConnected) self.end_probe();
    }));
}

void UdpOutduct::end_probe() {
    if (const int fault = pending_error(socket_.native_handle()); fault != 0)
        return handle_network_error(fault);
    flow_ = Flow::kFlowing;
    back_off_.reset();
    resume();
}

void UdpOutduct::resume() {
    flush();
    if (state_ == LinkState::kConnected && transmit_credit() > 0)
        resources_.host.on_writable(config_.id);
}

void UdpOutduct::wait_writable() {
    waiting_writable_ = true;
    socket_.async_wait(
        udp::socket::wait_write, while_open(*this, [](UdpOutduct &self, const auto &error) {
            if (error == asio::error::operation_aborted || self.state_ != LinkState::kConnected)
                return;
            self.waiting_writable_ = false;
            self.resume();
        }));
}

void UdpOutduct::report() {
    while (const auto token = sender_.poll_refusal())
        resources_.host.on_refused(config_.id, *token, Refusal::kTooLarge);
    if (sender_.done_below() <= reported_) return;
    reported_ = sender_.done_below();
    last_write_ = monotonic_now();
    resources_.host.on_transmitted(config_.id, reported_);
}

// RFC 7122 section 3.4: four octets of zero. The neighbour ignores them; they keep the state of a
// NAT.
void UdpOutduct::arm_keep_alive() {
    if (config_.keep_alive_interval_s == 0) return;
    const Duration interval = seconds(config_.keep_alive_interval_s);
    keep_alive_timer_.expires_after(last_write_ + interval - monotonic_now());
    keep_alive_timer_.async_wait(while_open(*this, [](UdpOutduct &self, const auto &error) {
        if (!error && self.state_ == LinkState::kConnected) self.keep_alive();
    }));
}

void UdpOutduct::keep_alive() {
    const TimePoint now = monotonic_now();
    if (now - last_write_ >= seconds(config_.keep_alive_interval_s)) {
        last_write_ = now;
        if (flow_ == Flow::kFlowing)
            ::send(socket_.native_handle(), kKeepAlive.data(), kKeepAlive.size(),
                   MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    arm_keep_alive();
}

}  // namespace farlink::cla::udp
