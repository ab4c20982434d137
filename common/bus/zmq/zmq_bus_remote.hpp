// SPDX-License-Identifier: Apache-2.0
// A module's connection to the modules of other processes: the same messages, encoded.
// Owned by the module's BusPort and used on its thread; made and connected before that thread
// starts. Included by zmq_bus.cpp only.
// Octets of batches are sent without a copy and received into memory of this side.
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

/// A peer is present after its greeting, which has the number of its connection and the number of
/// the connection to it that it received. It is lost when the connection to it breaks, or when it
/// greets with another number: the module then gets ModuleLost, batches lent to the peer come back,
/// and the connection is renewed, unless the peer has received its number already. Both sides do so
/// independently, until each has the number of the other.
class RemotePort {
public:
    RemotePort(zmq::context_t &context, const BusTopology &topology, AgentId self,
               const std::vector<AgentId> &subscriptions, int event_high_water_mark);
    ~RemotePort();
    RemotePort(const RemotePort &) = delete;
    RemotePort &operator=(const RemotePort &) = delete;

    [[nodiscard]] bool reaches(AgentId module) const { return topology_.is_elsewhere(module); }
    void send(AgentId to, Message message);
    /// To the subscribers in other processes; dropped for a subscriber with a full queue.
    void publish(const Bytes &encoded);
    [[nodiscard]] std::optional<Message> receive();

    /// Why it cannot listen, or empty.
    [[nodiscard]] const std::string &fault() const { return fault_; }
    /// Reads messages before the module runs; they wait for receive().
    void greet();
    /// Modules of other processes that have not greeted.
    [[nodiscard]] std::vector<AgentId> awaited() const;
    /// Those count as lost, and are back when they greet.
    void go_on();
    /// Once a second or more often: renews connections that ZeroMQ may have given up.
    void mend(TimePoint now);
    /// Whether a Stop waits for the module.
    [[nodiscard]] bool stop_requested() const;
    /// Why one of them is incompatible, or empty.
    [[nodiscard]] const std::string &mismatch() const { return mismatch_; }

    [[nodiscard]] zmq::socket_t &socket() { return pull_; }
    /// Become readable when receive() may return a message.
    [[nodiscard]] std::vector<int> descriptors() const;
    /// The number of refused messages, and why the last one was refused.
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
    /// With `begin_anew` the connection is renewed; the caller sends the greeting.
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
    bool on_one_clock_ = false;  ///< with all modules that send to this one
    std::vector<zmq::message_t> frames_;
    std::vector<ByteView> views_;
    std::vector<SlabRef> in_place_;
    std::deque<Message> waiting_;  ///< read before the module ran, and events of peers
    int unwatched_ = 0;            ///< messages since the last check of connections
    std::string fault_;
    std::string mismatch_;
    std::string_view last_refusal_;
    std::uint64_t refused_ = 0;
};

}  // namespace farlink::bus
