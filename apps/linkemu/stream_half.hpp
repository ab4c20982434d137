// SPDX-License-Identifier: Apache-2.0
// One direction of a relayed TCP connection: reads at one end, writes later at the other.
// Owned by the TcpRelay's connection; on its loop.
// It pauses reading while its wire is full, so that the sender is limited to the emulated rate.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

#include "apps/shared/emulation/wire.hpp"

namespace farlink::linkemu {

class StreamHalf : public std::enable_shared_from_this<StreamHalf> {
public:
    using Socket = boost::asio::ip::tcp::socket;
    /// Both sockets outlive this; `over` is called once, when the stream has ended (true) or the
    /// connection is broken (false).
    StreamHalf(Socket &from, Socket &to, const emulation::WireProfile &profile, TimePoint start,
               std::function<void(bool ended)> over);

    void start() { read(); }
    /// No further callbacks.
    void stop();
    [[nodiscard]] const emulation::WireCounters &counters() const { return wire_.counters(); }

private:
    void read();
    void push(ByteView octets);
    void write();
    void arm();
    void finish(bool ended);

    Socket &from_;
    Socket &to_;
    emulation::Wire wire_;
    boost::asio::steady_timer timer_;
    std::function<void(bool)> over_;
    Bytes room_;
    bool reading_ = false;
    bool ended_ = false;
    bool writing_ = false;
};

}  // namespace farlink::linkemu
