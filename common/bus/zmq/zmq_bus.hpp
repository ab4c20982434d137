// SPDX-License-Identifier: Apache-2.0
// The bus: ZeroMQ sockets between the modules' threads, and to the modules of other processes.
// A BusPort is owned by its agent and used on the agent's thread only; the context by the program.
// Within a process data and requests go PUSH-PULL, by pointer, and events PUB-SUB; between
// processes all messages go PUSH-PULL, encoded. Events may be dropped at the high-water mark; the
// subscriber detects that by their sequence numbers.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/bus/messages.hpp"
#include "common/bus/zmq/bus_topology.hpp"

namespace farlink::bus {

/// One for each process. Ports are destroyed before it.
class BusContext {
public:
    /// Without a topology all modules are in this process.
    explicit BusContext(BusTopology topology = {});
    ~BusContext();
    BusContext(const BusContext &) = delete;
    BusContext &operator=(const BusContext &) = delete;

    /// The instance of each link.
    [[nodiscard]] const config::LinkPlacement &placement() const { return topology_.placement; }
    /// Whether the module runs in another process.
    [[nodiscard]] bool is_elsewhere(AgentId module) const { return topology_.is_elsewhere(module); }

    /// Why a port cannot listen for other processes, or empty.
    [[nodiscard]] const std::string &fault() const { return fault_; }

    /// The state of the modules of other processes.
    struct Meeting {
        std::vector<AgentId> awaited{};  ///< not yet connected to every module of this process
        std::string mismatch{};          ///< why one of them is incompatible; else empty
        bool stopped = false;            ///< the supervisor stops the node before all are connected
        [[nodiscard]] bool complete() const { return awaited.empty() && mismatch.empty(); }
    };
    /// Listens for at most `patience`. After the ports were made and before their threads run.
    [[nodiscard]] Meeting meet(milliseconds patience);
    /// Stops waiting: modules that are still awaited count as lost, and are back when they connect.
    void go_on();

    /// The module's loop turns; once a second, on its thread.
    void beat(AgentId module, TimePoint now);
    /// When it last did; the epoch before the first time. Any thread.
    [[nodiscard]] TimePoint last_beat(AgentId module) const;

    /// The supervisor is in another process, which is lost. Any thread.
    [[nodiscard]] bool supervisor_lost() const {
        return supervisor_lost_.load(std::memory_order_relaxed);
    }
    void set_supervisor_lost(bool lost) { supervisor_lost_.store(lost, std::memory_order_relaxed); }

private:
    friend class BusPort;
    friend class BusMessenger;
    struct Sockets;
    BusTopology topology_;
    std::string fault_;
    std::unique_ptr<Sockets> sockets_;
    std::array<std::atomic<TimePoint>, kAgentCount> beats_{};
    std::atomic<bool> supervisor_lost_{false};
};

/// Messages that a publisher's queue to one subscriber holds before it drops.
inline constexpr int kEventHighWaterMark = 1000;

class RemotePort;

class BusPort {
public:
    /// `subscriptions` are the publishers of events. If the port cannot listen for other processes,
    /// the context has the fault.
    BusPort(BusContext &context, AgentId self, const std::vector<AgentId> &subscriptions,
            int event_high_water_mark = kEventHighWaterMark);
    /// Frees the messages that were not received; every other thread has ended by then.
    ~BusPort();
    BusPort(const BusPort &) = delete;
    BusPort &operator=(const BusPort &) = delete;

    /// Never drops and never blocks: the windows of the cores limit the messages in flight.
    void send(AgentId to, Message message);
    /// To all subscribers of this module's events.
    void publish(const Message &event);
    void send(Outgoing outgoing) {
        if (outgoing.publish)
            publish(outgoing.message);
        else
            send(outgoing.to, std::move(outgoing.message));
    }
    /// The next message, if there is one.
    [[nodiscard]] std::optional<Message> receive();

    /// Once a second: renews connections to other processes that failed.
    void mend(TimePoint now);

    /// Become readable (edge-triggered) when receive() may return a message. All must be watched.
    [[nodiscard]] std::vector<int> descriptors() const;
    /// The number of refused messages, and why the last one was refused.
    [[nodiscard]] std::uint64_t undecodable() const;
    [[nodiscard]] std::string_view last_refusal() const;

private:
    [[nodiscard]] std::optional<Message> receive_data();
    [[nodiscard]] std::optional<Message> receive_event();

    struct Sockets;
    BusContext &context_;
    std::unique_ptr<Sockets> sockets_;
    std::unique_ptr<RemotePort> remote_;  ///< none while all modules are in this process
    std::uint32_t data_in_a_row_ = 0;
    std::uint64_t undecodable_ = 0;
};

/// For a thread without a module: sends to a module of another process.
class BusMessenger {
public:
    BusMessenger(BusContext &context, AgentId to);
    ~BusMessenger();
    BusMessenger(const BusMessenger &) = delete;
    BusMessenger &operator=(const BusMessenger &) = delete;

    /// No batches.
    void send(const Message &message);

private:
    struct Socket;
    std::unique_ptr<Socket> socket_;
};

}  // namespace farlink::bus
