// SPDX-License-Identifier: Apache-2.0
#include "cla/udp/udp_induct.hpp"

#include <array>
#include <cerrno>
#include <string>

#include "cla/io/datagram_options.hpp"
#include "cla/io/listen_failure.hpp"
#include "cla/udp/udp_socket.hpp"
#include "common/base/counted.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cla::udp {
namespace asio = boost::asio;
using asio::ip::udp;

namespace {

/// Reads of one turn; then other links of the loop get theirs.
constexpr int kReadsPerTurn = 8;

}  // namespace

UdpInduct::UdpInduct(LinkResources resources, const config::InductConfig &config)
    : resources_(resources),
      config_(config),
      socket_(resources.io),
      memory_wait_(make_owned<MemoryWait>(resources)),
      receiver_(config.max_bundle_size_bytes) {}

void UdpInduct::abandon() {
    mark_closed();
    close();
}

bool UdpInduct::open() {
    boost::system::error_code error;
    udp::resolver resolver(resources_.io);
    const auto found = resolver.resolve(config_.url.host, std::to_string(config_.url.port),
                                        udp::resolver::numeric_service, error);
    const udp::endpoint endpoint = error ? udp::endpoint() : *found.begin();
    if (!error) socket_.open(endpoint.protocol(), error);
    if (!error) socket_.non_blocking(true, error);
    if (!error) socket_.bind(endpoint, error);
    if (error) {
        failure_ = log_listen_failure(config_.url, error);
        close();
        return false;
    }
    set_buffer();
    enable_coalescing(socket_.native_handle());
    dropped_before_ = dropped_datagrams(socket_.native_handle());
    port_ = socket_.local_endpoint(error).port();
    upstream_ = UpstreamId{resources_.next_upstream++};
    resources_.host.on_state(config_.id, LinkState::kConnected, LinkFault::kNone);
    resources_.host.on_upstream_opened(config_.id, upstream_, false);
    wait_readable();
    return true;
}

void UdpInduct::set_buffer() {
    const std::uint64_t wanted =
        config_.socket_buffer_bytes > 0 ? config_.socket_buffer_bytes : kDefaultBufferBytes;
    const std::uint64_t given = set_receive_buffer(socket_.native_handle(), wanted);
    if (given >= wanted) return;
    log_.warn(
        "link {}: the kernel grants a UDP receive buffer of {} bytes instead of {}; datagrams may "
        "be lost; raise the limit with sysctl -w net.core.rmem_max={}, and restart the node",
        config_.id.value(), given, wanted, wanted);
}

void UdpInduct::close() {
    boost::system::error_code ignored;
    memory_wait_->cancel();
    socket_.close(ignored);
}

void UdpInduct::pause(UpstreamId upstream, bool paused) {
    if (upstream != upstream_) return;
    paused_ = paused;
    if (!paused_) wait_readable();
}

void UdpInduct::wait_readable() {
    if (waiting_ || memory_wait_->waiting() || paused_ || !socket_.is_open()) return;
    waiting_ = true;
    socket_.async_wait(udp::socket::wait_read,
                       while_open(*this, [](UdpInduct &self, const auto &error) {
                           self.waiting_ = false;
                           if (error != asio::error::operation_aborted && self.socket_.is_open())
                               self.read_available();
                       }));
}

void UdpInduct::read_available() {
    for (int turn = 0; turn < kReadsPerTurn; ++turn)
        if (paused_ || !socket_.is_open() || !read_some()) break;
    resources_.buffer.rest();
    if (!socket_.is_open()) return;
    count_drops();
    count_too_large();
    wait_readable();
}

// True when there may be more.
bool UdpInduct::read_some() {
    const auto spaces = receiver_.prepare(resources_.buffer);
    if (spaces.empty()) {
        wait_for_memory();
        return false;
    }
    std::array<InMessage, UdpReceiver::kMaxMessages> messages;
    const int count = receive_messages(socket_.native_handle(), spaces, messages);
    // On a socket without a peer the only errors are EAGAIN and EINTR.
    if (count <= 0) return count < 0 && errno == EINTR;
    const auto filled = static_cast<std::size_t>(count);
    receiver_.handle_messages(std::span(messages).first(filled), resources_.buffer, received_);
    if (!received_.empty()) resources_.host.on_bundles(config_.id, upstream_, received_);
    received_.clear();
    return filled == spaces.size();
}

void UdpInduct::wait_for_memory() {
    memory_wait_->start(while_open(*this, [](UdpInduct &self) {
        if (self.socket_.is_open() && !self.paused_) self.read_available();
    }));
}

void UdpInduct::count_drops() {
    const std::uint32_t now_dropped = dropped_datagrams(socket_.native_handle());
    const std::uint32_t more = now_dropped - std::exchange(dropped_before_, now_dropped);
    if (more > 0) resources_.host.on_datagrams_lost(config_.id, more);
    dropped_ += more;
    if (dropped_ == dropped_logged_ || !drops_log_.admit(monotonic_now())) return;
    log_.warn(
        "link {}: {} lost, since the UDP receive buffer was full; lower the rate of the sender or "
        "raise socketBufferBytes",
        config_.id.value(),
        counted(dropped_ - std::exchange(dropped_logged_, dropped_), "datagram"));
}

// UDP has no way to refuse a bundle.
void UdpInduct::count_too_large() {
    const std::uint64_t dropped = receiver_.counters().too_large;
    const std::uint64_t more = dropped - std::exchange(too_large_before_, dropped);
    if (more > 0) resources_.host.on_too_large(config_.id, more);
    if (dropped == too_large_logged_ || !too_large_log_.admit(monotonic_now())) return;
    log_.warn(
        "link {}: {} dropped as larger than maxBundleSizeBytes ({} bytes); lower the bundle size "
        "of the sender or raise maxBundleSizeBytes",
        config_.id.value(), counted(dropped - std::exchange(too_large_logged_, dropped), "bundle"),
        config_.max_bundle_size_bytes);
}

}  // namespace farlink::cla::udp
