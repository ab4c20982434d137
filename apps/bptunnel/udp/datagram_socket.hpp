// SPDX-License-Identifier: Apache-2.0
// A UDP socket of a tunnel: many datagrams in a system call, in both directions.
// Owned by the datagrams' side of a tunnel; on its loop.
// All sockets of a tunnel read to one space; what is queued is borrowed until send().
#pragma once

#include <boost/asio/ip/udp.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/bptunnel/peer/counters.hpp"
#include "cla/io/datagram_io.hpp"
#include "common/base/result.hpp"

namespace farlink::bptunnel {

class DatagramSocket : public std::enable_shared_from_this<DatagramSocket> {
public:
    using udp = boost::asio::ip::udp;
    using OnDatagram = std::function<void(const cla::DatagramAddress &from, ByteView octets)>;
    using Space = std::shared_ptr<Bytes>;

    [[nodiscard]] static Space make_space();
    DatagramSocket(udp::socket socket, Space space, std::shared_ptr<Counters> counters);

    /// The error is a text for people. `peer`: connected to it, and bound to any port.
    [[nodiscard]] static Result<udp::socket, std::string> bound(
        const boost::asio::any_io_executor &executor, const udp::endpoint &address,
        std::uint64_t buffer_bytes);
    [[nodiscard]] static Result<udp::socket, std::string> connected(
        const boost::asio::any_io_executor &executor, const udp::endpoint &peer,
        std::uint64_t buffer_bytes);

    void start(OnDatagram on_datagram);
    void close();
    /// `to` is borrowed; null: the peer.
    void queue(ByteView octets, const cla::DatagramAddress *to);
    void send();
    [[nodiscard]] bool has_queued() const { return !queued_.empty(); }
    [[nodiscard]] std::uint16_t port() const { return socket_.local_endpoint().port(); }

private:
    struct Queued {
        iovec octets;
        const cla::DatagramAddress *to;
    };

    void wait();
    void read_all();
    /// False: there is no more.
    [[nodiscard]] bool read();
    void take(const cla::IncomingMessage &message);
    void count_lost();
    [[nodiscard]] std::size_t send_from(std::size_t begin);
    void gather(std::size_t begin);

    udp::socket socket_;
    Space space_;
    std::shared_ptr<Counters> counters_;
    OnDatagram on_datagram_;
    bool segments_;
    std::uint32_t lost_ = 0;
    std::vector<Queued> queued_;
    std::vector<iovec> vectors_;
    std::vector<cla::OutgoingMessage> messages_;
};

}  // namespace farlink::bptunnel
