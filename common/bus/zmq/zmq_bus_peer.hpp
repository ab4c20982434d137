// SPDX-License-Identifier: Apache-2.0
// The connection to one module of another process: its sockets and its state.
// Owned by a RemotePort; its thread only. Included by zmq_bus_remote.cpp only.
// Each connection has a unique number, which every message carries: a message of, or to, a process
// that has died is never taken for one of its successor.
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
/// Used by the main thread of a process, which is not a module.
inline constexpr std::uint64_t kNoStream = 0;

class RemotePeer {
public:
    /// Connects as soon as the module's process listens. At most `high_water_mark` messages wait;
    /// 0: no limit. `self` is the sending module.
    RemotePeer(zmq::context_t &context, const BusTopology &topology, AgentId self, AgentId module,
               int high_water_mark);
    ~RemotePeer();
    RemotePeer(const RemotePeer &) = delete;
    RemotePeer &operator=(const RemotePeer &) = delete;

    [[nodiscard]] AgentId module() const { return module_; }
    /// The number of this connection.
    [[nodiscard]] std::uint64_t own_stream() const { return own_stream_; }

    /// False if the message was dropped: too many wait already, or the connection has ended, which
    /// take_broken() then returns.
    bool send(const zmq::const_buffer &octets);
    /// The same with a header and payload frames, which are handed over.
    bool send(const Bytes &header, std::span<zmq::message_t> payload);
    /// To a subscriber of events; dropped if its queue is full, or if it has not subscribed.
    void publish(const Bytes &octets);
    /// Subscribes the peer to the events of this module, or unsubscribes it.
    void subscribe(int high_water_mark);
    void unsubscribe() { events_.close(); }

    /// Drops the waiting messages and begins a connection with another number.
    void renew();
    /// True once after the connection broke or was silent for too long. This call frees the dropped
    /// messages.
    [[nodiscard]] bool take_broken();
    /// Becomes readable when take_broken() is to be called.
    [[nodiscard]] std::array<int, 2> descriptors() const {
        return {monitor_.get(zmq::sockopt::fd), data_.get(zmq::sockopt::fd)};
    }

    // ---- the state kept by the port
    std::uint64_t stream = kNoStream;  ///< of its connection to here; kNoStream: none
    /// Of its last lost connection, whose late messages are dropped.
    std::uint64_t lost_stream = kNoStream;
    bool met = false;            ///< it was connected before, or is no longer awaited
    bool present = false;        ///< the module on this side counts on it
    bool on_this_clock = false;  ///< on the same machine: one monotonic time
    /// When the connection broke while the peer was absent: ZeroMQ reconnects by itself, except
    /// after an endpoint with another protocol.
    std::optional<TimePoint> in_doubt;

private:
    zmq::context_t &context_;
    const BusTopology &topology_;
    AgentId module_;
    std::uint64_t own_stream_;
    zmq::socket_t data_;
    zmq::socket_t events_;  ///< open if it subscribes to the events of this module
    zmq::socket_t monitor_;
};

/// Sends one message with its stream in front; false if it was dropped.
bool send_with_stream(zmq::socket_t &socket, std::uint64_t stream, const zmq::const_buffer &octets);

}  // namespace farlink::bus
