// SPDX-License-Identifier: Apache-2.0
// One end of a tunnel: its sockets, the node, and what it has with each peer.
// Owned by bptunnel's main(); on its loop.
// The listening end has one peer. The other one may have several, each with a place of its own.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "apps/bptunnel/acceptor.hpp"
#include "apps/bptunnel/core/batch.hpp"
#include "apps/bptunnel/core/stream_table.hpp"
#include "apps/bptunnel/tcp_end.hpp"
#include "apps/bptunnel/udp/udp_end.hpp"

namespace farlink::bptunnel {

struct Setup {
    bool tcp = false;
    bool listens = false;
    std::string host{};
    std::string port{};
    std::string peer{};  ///< empty: any
    BatchLimits batch{};
    NodeLimits node{};
    UdpSetup udp{};
    StreamLimits streams{};
    std::uint64_t session = 0;
};

class Tunnel : public std::enable_shared_from_this<Tunnel> {
public:
    Tunnel(const boost::asio::any_io_executor &executor, Setup setup,
           std::shared_ptr<Counters> counters)
        : executor_(executor), setup_(std::move(setup)), counters_(std::move(counters)) {}

    /// The sockets; the error is a text for people.
    [[nodiscard]] std::string open();
    /// Where it listens; 0: nowhere.
    [[nodiscard]] std::uint16_t port() const;
    void start(client::ConnectOptions options, std::function<void(const std::string &)> on_lost);
    /// Streams are reset, and what is held goes to the node.
    void finish();
    /// The node has answered everything.
    [[nodiscard]] bool idle() const { return !node_ || node_->idle(); }
    void close();
    /// With the figures of this moment.
    [[nodiscard]] Counters counters() const;

private:
    [[nodiscard]] std::string open_udp();
    [[nodiscard]] std::string open_tcp();
    void take(client::Adu adu);
    /// Null: it is not a peer, or there is no place for it.
    [[nodiscard]] std::shared_ptr<PeerEnd> peer_of(const std::string &source);
    [[nodiscard]] bool make_place();
    [[nodiscard]] std::shared_ptr<PeerEnd> make_peer(const std::string &source);
    [[nodiscard]] std::shared_ptr<PeerEnd> make_udp(std::shared_ptr<PeerLink> link);
    [[nodiscard]] std::shared_ptr<PeerEnd> make_tcp(std::shared_ptr<PeerLink> link);

    boost::asio::any_io_executor executor_;
    Setup setup_;
    std::shared_ptr<Counters> counters_;
    std::shared_ptr<NodeEnd> node_;
    std::shared_ptr<DatagramSocket> listening_udp_;
    std::shared_ptr<Acceptor> acceptor_;
    DatagramSocket::Space space_;
    boost::asio::ip::udp::endpoint udp_target_;
    std::map<std::string, std::shared_ptr<PeerEnd>> peers_;
};

}  // namespace farlink::bptunnel
