// SPDX-License-Identifier: Apache-2.0
#include "apps/cfdp/daemon/udp_layer.hpp"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/address.hpp>
#include <optional>
#include <utility>

namespace farlink::cfdpd {
namespace {

using boost::asio::ip::udp;

/// What may be sent at once after a pause.
constexpr Duration kBurst = milliseconds(5);
constexpr int kSocketBytes = 4 * 1024 * 1024;
constexpr int kReadsInARow = 64;

std::optional<udp::endpoint> endpoint_of(std::string_view text) {
    const auto address = cfdp::read_udp_address(text);
    if (!address) return std::nullopt;
    boost::system::error_code error;
    const auto host = boost::asio::ip::make_address(address->host, error);
    if (error) return std::nullopt;
    return udp::endpoint(host, address->port);
}

}  // namespace

std::string UdpLayer::add_peer(const cfdp::RemoteConfig &remote) {
    const auto address = endpoint_of(remote.udp);
    if (!address) return remote.udp + ": expected address:port";
    if (!by_address_.emplace(*address, remote.entity).second)
        return remote.udp + " is configured for two entities";
    peers_[remote.entity] = {*address, remote.rate_bits_per_second, {}};
    return {};
}

Result<std::shared_ptr<UdpLayer>, std::string> UdpLayer::open(boost::asio::io_context &io,
                                                              const cfdp::EntityConfig &config) {
    auto layer = std::make_shared<UdpLayer>(io);
    for (const cfdp::RemoteConfig &remote : config.remotes) {
        if (remote.udp.empty()) continue;
        if (std::string error = layer->add_peer(remote); !error.empty())
            return fail(std::move(error));
    }
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(config.udp_address, error);
    if (error) return fail(config.udp_address + ": expected an IP address");
    const udp::endpoint own(address, static_cast<std::uint16_t>(config.udp_port));
    layer->socket_.open(own.protocol(), error);
    if (!error) layer->socket_.bind(own, error);
    if (!error) layer->socket_.non_blocking(true, error);
    if (error) return fail("UDP port " + std::to_string(config.udp_port) + ": " + error.message());
    boost::system::error_code ignored;
    layer->socket_.set_option(udp::socket::receive_buffer_size(kSocketBytes), ignored);
    layer->socket_.set_option(udp::socket::send_buffer_size(kSocketBytes), ignored);
    return layer;
}

std::uint16_t UdpLayer::port() const {
    boost::system::error_code error;
    return socket_.local_endpoint(error).port();
}

void UdpLayer::start(LayerHooks hooks) {
    hooks_ = std::move(hooks);
    receive();
}

void UdpLayer::close() {
    hooks_ = {};
    boost::system::error_code ignored;
    socket_.close(ignored);
}

void UdpLayer::receive() {
    socket_.async_wait(udp::socket::wait_read,
                       [weak = weak_from_this()](const boost::system::error_code &error) {
                           const auto self = weak.lock();
                           if (!self || error) return;
                           for (int i = 0; i < kReadsInARow; ++i) {
                               boost::system::error_code ended;
                               const std::size_t size = self->socket_.receive_from(
                                   boost::asio::buffer(self->space_), self->from_, 0, ended);
                               if (ended == boost::asio::error::would_block) break;
                               if (!ended) self->handle_datagram(size);
                           }
                           if (self->hooks_.on_pdu) self->receive();
                       });
}

void UdpLayer::handle_datagram(std::size_t size) {
    const auto peer = by_address_.find(from_);
    if (peer != by_address_.end() && hooks_.on_pdu)
        hooks_.on_pdu(peer->second, ByteView(space_).first(size));
}

TimePoint UdpLayer::ready_at(cfdp::EntityId remote, TimePoint) const {
    const TimePoint free = peers_.at(remote).free_at;
    return free < TimePoint{} + kBurst ? TimePoint{} : free - kBurst;
}

// A datagram that the kernel does not take is lost, as on the way.
void UdpLayer::send(cfdp::EntityId remote, Bytes pdu, TimePoint now) {
    Peer &peer = peers_.at(remote);
    boost::system::error_code ignored;
    socket_.send_to(boost::asio::buffer(pdu), peer.address, 0, ignored);
    constexpr std::uint64_t kBitsOfOctet = 8;
    constexpr std::uint64_t kNanoseconds = 1'000'000'000;
    const auto takes = nanoseconds(pdu.size() * kBitsOfOctet * kNanoseconds / peer.rate);
    peer.free_at = std::max(peer.free_at, now) + takes;
}

}  // namespace farlink::cfdpd
