// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/tunnel.hpp"

#include <utility>

namespace farlink::bptunnel {
namespace {

/// Of an end that takes any.
constexpr std::size_t kMostPeers = 64;

/// The first address of the name; the error is a text for people.
template <class Protocol>
Result<typename Protocol::endpoint, std::string> resolve(
    const boost::asio::any_io_executor &executor, const Setup &setup) {
    boost::system::error_code error;
    typename Protocol::resolver resolver(executor);
    const auto found = resolver.resolve(setup.host, setup.port, error);
    if (error || found.empty()) return fail(setup.host + ':' + setup.port + ": " + error.message());
    return found.begin()->endpoint();
}

}  // namespace

std::string Tunnel::open() {
    return setup_.tcp ? open_tcp() : open_udp();
}

std::string Tunnel::open_udp() {
    using udp = boost::asio::ip::udp;
    const auto address = resolve<udp>(executor_, setup_);
    if (!address) return address.error();
    space_ = DatagramSocket::make_space();
    udp_target_ = *address;
    if (!setup_.listens) return {};
    auto socket = DatagramSocket::bound(executor_, *address, setup_.udp.socket_bytes);
    if (!socket) return socket.error();
    listening_udp_ = std::make_shared<DatagramSocket>(std::move(*socket), space_, counters_);
    return {};
}

// The target's name is looked up for each stream: it may have another address then.
std::string Tunnel::open_tcp() {
    using tcp = boost::asio::ip::tcp;
    if (!setup_.listens) return {};
    const auto address = resolve<tcp>(executor_, setup_);
    if (!address) return address.error();
    auto acceptor = Acceptor::listening(executor_, *address);
    if (!acceptor) return acceptor.error();
    acceptor_ = std::move(*acceptor);
    return {};
}

std::uint16_t Tunnel::port() const {
    if (listening_udp_) return listening_udp_->port();
    return acceptor_ ? acceptor_->port() : 0;
}

void Tunnel::start(client::ConnectOptions options,
                   std::function<void(const std::string &)> on_lost) {
    node_ = std::make_shared<NodeEnd>(executor_, std::move(options), setup_.node, counters_);
    node_->start({[weak = weak_from_this()](client::Adu adu) {
                      if (const auto self = weak.lock()) self->take(std::move(adu));
                  },
                  [weak = weak_from_this()] {
                      const auto self = weak.lock();
                      if (!self) return;
                      for (const auto &[name, peer] : self->peers_) peer->handle_room();
                  },
                  std::move(on_lost)});
    if (setup_.peer.empty()) return;
    if (const auto peer = peer_of(setup_.peer)) peer->greet();
}

void Tunnel::take(client::Adu adu) {
    const auto head = read_head(adu.payload);
    const bool fits =
        head && (head->kind == Kind::kHello || (head->kind == Kind::kStreams) == setup_.tcp);
    const auto peer = fits ? peer_of(adu.source) : nullptr;
    if (!peer) {
        ++counters_->unknown_adus;
        return;
    }
    peer->take(*head, std::move(adu.payload));
}

std::shared_ptr<PeerEnd> Tunnel::peer_of(const std::string &source) {
    if (!setup_.peer.empty() && source != setup_.peer) return nullptr;
    const auto found = peers_.find(source);
    if (found != peers_.end()) return found->second;
    if (peers_.size() >= kMostPeers && !make_place()) return nullptr;
    return peers_[source] = make_peer(source);
}

bool Tunnel::make_place() {
    for (auto at = peers_.begin(); at != peers_.end(); ++at) {
        if (!at->second->idle()) continue;
        peers_.erase(at);
        return true;
    }
    return false;
}

std::shared_ptr<PeerEnd> Tunnel::make_peer(const std::string &source) {
    auto link = std::make_shared<PeerLink>(node_, counters_, source,
                                           setup_.tcp ? Kind::kStreams : Kind::kDatagrams,
                                           setup_.batch, setup_.session++);
    return setup_.tcp ? make_tcp(std::move(link)) : make_udp(std::move(link));
}

std::shared_ptr<PeerEnd> Tunnel::make_udp(std::shared_ptr<PeerLink> link) {
    if (!setup_.listens)
        return std::make_shared<TargetUdpEnd>(std::move(link), counters_, setup_.udp, executor_,
                                              udp_target_, space_);
    auto end = std::make_shared<ListeningUdpEnd>(std::move(link), counters_, setup_.udp, executor_,
                                                 listening_udp_);
    end->start();
    return end;
}

std::shared_ptr<PeerEnd> Tunnel::make_tcp(std::shared_ptr<PeerLink> link) {
    std::optional<TcpTarget> target;
    if (!setup_.listens) target = TcpTarget{setup_.host, setup_.port};
    auto end = std::make_shared<TcpEnd>(std::move(link), counters_, setup_.streams, executor_,
                                        std::move(target), [weak = weak_from_this()] {
                                            const auto self = weak.lock();
                                            if (self && self->acceptor_)
                                                self->acceptor_->handle_place();
                                        });
    end->start();
    if (!acceptor_) return end;
    acceptor_->start({[weak = std::weak_ptr(end)] {
                          const auto streams = weak.lock();
                          return streams && !streams->full();
                      },
                      [weak = std::weak_ptr(end)](boost::asio::ip::tcp::socket socket) {
                          if (const auto streams = weak.lock()) streams->accept(std::move(socket));
                      }});
    return end;
}

void Tunnel::finish() {
    if (acceptor_) acceptor_->close();
    if (listening_udp_) listening_udp_->close();
    for (const auto &[name, peer] : peers_) peer->finish();
}

void Tunnel::close() {
    peers_.clear();
    if (node_) node_->close();
}

Counters Tunnel::counters() const {
    Counters now = *counters_;
    for (const auto &[name, peer] : peers_) now.open_streams += peer->open_streams();
    return now;
}

}  // namespace farlink::bptunnel
