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

#include "common/bus/bus_topology.hpp"
#include "common/bus/lent_batches.hpp"
#include "common/bus/wire.hpp"
#include "common/bus/zmq_bus_frames.hpp"

namespace farlink::bus {

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
    /// Why one of them does not fit, or empty.
    [[nodiscard]] const std::string &mismatch() const { return mismatch_; }

    [[nodiscard]] zmq::socket_t &socket() { return pull_; }
    [[nodiscard]] int data_descriptor() const { return pull_.get(zmq::sockopt::fd); }
    [[nodiscard]] int lease_descriptor() const { return lent_.descriptor(); }
    /// Messages that were damaged, or meant for somebody else, and why the last one was.
    [[nodiscard]] std::uint64_t refused() const { return refused_; }
    [[nodiscard]] std::string_view last_refusal() const { return last_refusal_; }
    [[nodiscard]] std::size_t lent() const { return lent_.size(); }

private:
    struct Peer {
        zmq::socket_t data;
        zmq::socket_t events;  ///< open when it wants the events of this module
        bool greeted = false;
        bool on_this_clock = false;  ///< on the same machine: one monotonic time
    };

    [[nodiscard]] Peer &peer(AgentId module) { return peers_[static_cast<std::size_t>(module)]; }
    void greet_with(const std::vector<AgentId> &subscriptions);
    void send_batch(Peer &to, Message &message, BatchPtr &batch);
    [[nodiscard]] bool read_frames();
    [[nodiscard]] std::optional<Message> next();
    void view_payload();
    [[nodiscard]] std::optional<Message> take_in();
    [[nodiscard]] bool admit(Message &message);
    void handle_hello(ByteView octets);
    void refuse(std::string_view why);

    zmq::context_t &context_;
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
    std::deque<Message> early_;
    std::string fault_;
    std::string mismatch_;
    std::string_view last_refusal_;
    std::uint64_t refused_ = 0;
};

}  // namespace farlink::bus
