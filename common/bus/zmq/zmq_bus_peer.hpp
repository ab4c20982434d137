// SPDX-License-Identifier: Apache-2.0
// The way to one module of another process: its sockets, and whether it is there.
// Owned by a RemotePort; its thread only. Part of zmq_bus_remote.cpp; nobody else includes it.
// Each connection has a number that no other one ever had, and every message bears it: what was
// meant for a process that has died is never taken for a message of, or to, the one after it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <zmq.hpp>

#include "common/base/time.hpp"
#include "common/bus/messages.hpp"
#include "common/bus/zmq/bus_topology.hpp"

namespace farlink::bus {

/// In a frame of its own before each message.
inline constexpr std::size_t kStreamBytes = 8;
/// Of the main thread of a process, which is no module.
inline constexpr std::uint64_t kNoStream = 0;

class RemotePeer {
public:
    /// Connects, as soon as the module's process listens. `high_water_mark` messages wait at most;
    /// 0: as many as there are. `self` is the module that sends.
    RemotePeer(zmq::context_t &context, const BusTopology &topology, AgentId self, AgentId module,
               int high_water_mark);
    ~RemotePeer();
    RemotePeer(const RemotePeer &) = delete;
    RemotePeer &operator=(const RemotePeer &) = delete;

    [[nodiscard]] AgentId module() const { return module_; }
    /// The number of the connection to it.
    [[nodiscard]] std::uint64_t own_stream() const { return own_stream_; }

    /// False when it has been dropped: too much waits already, or the connection has ended, which
    /// take_broken() tells then.
    bool send(const zmq::const_buffer &octets);
    /// A header, and payload frames of which each is handed over. Likewise.
    bool send(const Bytes &header, std::span<zmq::message_t> payload);
    /// To a subscriber of events; dropped when its queue is full, or when it is none.
    void publish(const Bytes &octets);
    /// It wants the events of this module from now on, or no more.
    void subscribe(int high_water_mark);
    void unsubscribe() { events_.close(); }

    /// Drops what waits for it, and begins a connection with another number.
    void renew();
    /// Once: the connection broke, or nothing was heard on it for too long. What has been dropped
    /// is let go in this call.
    [[nodiscard]] bool take_broken();
    /// Become readable when that is to be called.
    [[nodiscard]] std::array<int, 2> descriptors() const {
        return {monitor_.get(zmq::sockopt::fd), data_.get(zmq::sockopt::fd)};
    }

    // ---- what the port knows of it
    std::uint64_t stream = kNoStream;  ///< of its connection to here; kNoStream: it is not there
    /// Of the connection from it that was lost last: what of it is still on its way is nobody's.
    std::uint64_t lost_stream = kNoStream;
    bool met = false;            ///< it was there before, or nobody waits for it
    bool present = false;        ///< and the module on this side knows that it is
    bool on_this_clock = false;  ///< on the same machine: one monotonic time
    /// When the connection broke while the peer was not there: ZeroMQ tries again by itself, but
    /// not when what it found there does not speak as a module does.
    std::optional<TimePoint> in_doubt;

private:
    zmq::context_t &context_;
    const BusTopology &topology_;
    AgentId module_;
    std::uint64_t own_stream_;
    zmq::socket_t data_;
    zmq::socket_t events_;  ///< open when it wants the events of this module
    zmq::socket_t monitor_;
};

/// Sends one message before which its stream stands; false: it was dropped.
bool send_with_stream(zmq::socket_t &socket, std::uint64_t stream, const zmq::const_buffer &octets);

}  // namespace farlink::bus
