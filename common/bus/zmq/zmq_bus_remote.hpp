// SPDX-License-Identifier: Apache-2.0
// A module's way to the modules of other processes: the same messages, encoded.
// Owned by the module's BusPort and used on its thread; made, and told who is there, before that
// thread starts. Part of zmq_bus.cpp; nobody else includes it.
// Octets of batches leave without a copy and arrive in memory of this side's own.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>
#include <zmq.hpp>

#include "common/bus/wire/wire.hpp"
#include "common/bus/zmq/bus_topology.hpp"
#include "common/bus/zmq/lent_batches.hpp"
#include "common/bus/zmq/zmq_bus_frames.hpp"
#include "common/bus/zmq/zmq_bus_peer.hpp"

namespace farlink::bus {

/// A peer is there once it has greeted: with the number of its connection, and with the number of
/// the one to it that it knows. It is gone when the connection to it breaks, or when it greets by
/// another one: then the module hears ModuleLost, what the peer had borrowed comes back, and the
/// connection begins anew, unless the peer knows it already. Both sides do so, each when it
/// notices, until each knows the connection of the other.
class RemotePort {
public:
    RemotePort(zmq::context_t &context, const BusTopology &topology, AgentId self,
               const std::vector<AgentId> &subscriptions, int event_high_water_mark);
    ~RemotePort();
    RemotePort(const RemotePort &) = delete;
    RemotePort &operator=(const RemotePort &) = delete;

    [[nodiscard]] bool reaches(AgentId module) const { return topology_.is_elsewhere(module); }
    void send(AgentId to, Message message);
    /// To the subscribers in other processes; dropped for those whose queue is full.
    void publish(const Bytes &encoded);
    [[nodiscard]] std::optional<Message> receive();

    /// Why it cannot listen, or empty.
    [[nodiscard]] const std::string &fault() const { return fault_; }
    /// Reads what has come before the module runs; messages wait for receive().
    void greet();
    /// Modules of other processes that have not said who they are.
    [[nodiscard]] std::vector<AgentId> awaited() const;
    /// Those are lost, and are back when they say so.
    void go_on();
    /// Once a second or more often: connections that ZeroMQ may have given up begin anew.
    void mend(TimePoint now);
    /// A Stop is among what waits for the module.
    [[nodiscard]] bool stop_requested() const;
    /// Why one of them does not fit, or empty.
    [[nodiscard]] const std::string &mismatch() const { return mismatch_; }

    [[nodiscard]] zmq::socket_t &socket() { return pull_; }
    /// Become readable when receive() may have something.
    [[nodiscard]] std::vector<int> descriptors() const;
    /// Messages that were damaged, or meant for somebody else, and why the last one was.
    [[nodiscard]] std::uint64_t refused() const { return refused_; }
    [[nodiscard]] std::string_view last_refusal() const { return last_refusal_; }
    [[nodiscard]] std::size_t lent() const { return lent_.size(); }

private:
    using Peer = std::optional<RemotePeer>;

    [[nodiscard]] RemotePeer *peer(AgentId module);
    [[nodiscard]] RemotePeer *peer_of(std::uint64_t stream);
    void send_greeting(RemotePeer &to);
    void send_batch(RemotePeer &to, Message &message, BatchPtr &batch);
    [[nodiscard]] bool read_frames();
    [[nodiscard]] std::optional<Message> next();
    void view_payload();
    [[nodiscard]] std::optional<Message> take_in();
    [[nodiscard]] std::optional<Message> take_in(RemotePeer *from, std::uint64_t stream);
    [[nodiscard]] bool admit(Message &message, const RemotePeer *from) const;
    void handle_hello(ByteView octets, std::uint64_t stream);
    void watch_peers();
    /// With `begin_anew` it gets another connection; the caller greets it.
    void lose(RemotePeer &lost, bool begin_anew);
    static void renew(RemotePeer &broken);
    [[nodiscard]] Message take_waiting();
    void refuse(std::string_view why);

    const BusTopology &topology_;
    AgentId self_;
    Hello own_;
    int event_high_water_mark_;
    FrameSlabs kept_;
    SlabPool slabs_;
    BatchPool batches_;
    LentBatches lent_;  ///< outlives the sockets
    zmq::socket_t pull_;
    std::array<Peer, kAgentCount> peers_;
    bool on_one_clock_ = false;  ///< with all who send to this module
    std::vector<zmq::message_t> frames_;
    std::vector<ByteView> views_;
    std::vector<SlabRef> in_place_;
    std::deque<Message> waiting_;  ///< read before the module ran, and news of peers
    int unwatched_ = 0;            ///< messages since the connections were looked at
    std::string fault_;
    std::string mismatch_;
    std::string_view last_refusal_;
    std::uint64_t refused_ = 0;
};

}  // namespace farlink::bus
