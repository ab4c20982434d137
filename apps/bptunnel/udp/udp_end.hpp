// SPDX-License-Identifier: Apache-2.0
// Datagrams to and from one peer. The listening end gives each application a flow; the other end
// has a socket for each flow.
// Owned by a Tunnel; on its loop.
// Datagrams leave in the order in which they came, and the tables of flows are bounded.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/bptunnel/core/lru_table.hpp"
#include "apps/bptunnel/core/ordering.hpp"
#include "apps/bptunnel/peer/peer_end.hpp"
#include "apps/bptunnel/peer/peer_link.hpp"
#include "apps/bptunnel/udp/datagram_socket.hpp"

namespace farlink::bptunnel {

struct UdpSetup {
    OrderLimits order;
    std::size_t flows = 256;
    std::uint64_t socket_bytes = std::uint64_t{8} << 20;
};

/// What both ends have in common: datagrams of ADUs, in their order.
class UdpEnd : public PeerEnd, public std::enable_shared_from_this<UdpEnd> {
public:
    UdpEnd(std::shared_ptr<PeerLink> link, std::shared_ptr<Counters> counters, OrderLimits order,
           const boost::asio::any_io_executor &executor)
        : link_(std::move(link)),
          counters_(std::move(counters)),
          ordering_(order),
          timer_(executor) {}

    void greet() override { link_->hello(); }
    void take(const Head &head, Bytes adu) override;
    void handle_room() override {}
    void finish() override { link_->flush(); }

protected:
    /// An application's datagram to the peer.
    void push(std::uint32_t flow, ByteView octets);
    [[nodiscard]] PeerLink &link() { return *link_; }
    [[nodiscard]] Counters &counters() { return *counters_; }
    [[nodiscard]] const std::shared_ptr<Counters> &shared_counters() { return counters_; }

private:
    /// Datagrams for another session of this end are of no use.
    [[nodiscard]] virtual bool needs_session() const = 0;
    virtual void queue(const Datagram &datagram) = 0;
    virtual void send_queued() = 0;
    /// The peer has restarted: its flows are others.
    virtual void forget_flows() = 0;

    void deliver();
    void deliver(ByteView records);
    void arm();

    std::shared_ptr<PeerLink> link_;
    std::shared_ptr<Counters> counters_;
    Ordering ordering_;
    MonotonicTimer timer_;
    std::uint64_t late_ = 0;
    std::uint64_t missing_ = 0;
};

class ListeningUdpEnd final : public UdpEnd {
public:
    ListeningUdpEnd(std::shared_ptr<PeerLink> link, std::shared_ptr<Counters> counters,
                    const UdpSetup &setup, const boost::asio::any_io_executor &executor,
                    std::shared_ptr<DatagramSocket> socket)
        : UdpEnd(std::move(link), std::move(counters), setup.order, executor),
          socket_(std::move(socket)),
          flows_(setup.flows),
          addresses_(setup.flows) {}
    ~ListeningUdpEnd() override { socket_->close(); }
    ListeningUdpEnd(const ListeningUdpEnd &) = delete;
    ListeningUdpEnd &operator=(const ListeningUdpEnd &) = delete;

    void start();
    [[nodiscard]] bool idle() const override { return false; }

private:
    [[nodiscard]] bool needs_session() const override { return true; }
    void queue(const Datagram &datagram) override;
    void send_queued() override { socket_->send(); }
    void forget_flows() override {}
    [[nodiscard]] std::uint32_t flow_of(const cla::DatagramAddress &from);

    std::shared_ptr<DatagramSocket> socket_;
    LruTable<std::string, std::uint32_t> flows_;  ///< by the address
    LruTable<std::uint32_t, cla::DatagramAddress> addresses_;
    cla::DatagramAddress last_address_;
    std::uint32_t last_flow_ = 0;
    std::uint32_t next_flow_ = 0;
};

class TargetUdpEnd final : public UdpEnd {
public:
    TargetUdpEnd(std::shared_ptr<PeerLink> link, std::shared_ptr<Counters> counters,
                 const UdpSetup &setup, boost::asio::any_io_executor executor,
                 boost::asio::ip::udp::endpoint target, DatagramSocket::Space space)
        : UdpEnd(std::move(link), std::move(counters), setup.order, executor),
          setup_(setup),
          executor_(std::move(executor)),
          target_(std::move(target)),
          space_(std::move(space)),
          sockets_(setup.flows) {}
    ~TargetUdpEnd() override { close_all(); }
    TargetUdpEnd(const TargetUdpEnd &) = delete;
    TargetUdpEnd &operator=(const TargetUdpEnd &) = delete;

    [[nodiscard]] bool idle() const override { return sockets_.size() == 0; }

private:
    [[nodiscard]] bool needs_session() const override { return false; }
    void queue(const Datagram &datagram) override;
    void send_queued() override;
    void forget_flows() override { close_all(); }
    [[nodiscard]] std::shared_ptr<DatagramSocket> socket_of(std::uint32_t flow);
    void close_all();

    UdpSetup setup_;
    boost::asio::any_io_executor executor_;
    boost::asio::ip::udp::endpoint target_;
    DatagramSocket::Space space_;
    LruTable<std::uint32_t, std::shared_ptr<DatagramSocket>> sockets_;
    std::vector<std::shared_ptr<DatagramSocket>> queued_;
    std::shared_ptr<DatagramSocket> last_;
    std::uint32_t last_flow_ = 0;
};

}  // namespace farlink::bptunnel
