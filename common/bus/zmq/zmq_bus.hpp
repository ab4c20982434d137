// SPDX-License-Identifier: Apache-2.0
// The bus: ZeroMQ sockets between the modules' threads, and to the modules of other processes.
// A BusPort is owned by its agent and used on the agent's thread only; the context by the program.
// Within a process data and requests go PUSH-PULL, by pointer, and events PUB-SUB; to another one
// everything goes PUSH-PULL, encoded. Events may be dropped at the high-water mark, which the
// subscriber sees by their running number.
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

/// One for a process. Ports must be gone before it is destroyed.
class BusContext {
public:
    /// Without a topology all modules are in this process.
    explicit BusContext(BusTopology topology = {});
    ~BusContext();
    BusContext(const BusContext &) = delete;
    BusContext &operator=(const BusContext &) = delete;

    /// Which instance has which link.
    [[nodiscard]] const config::LinkPlacement &placement() const { return topology_.placement; }
    /// The module runs in another process, which may die alone.
    [[nodiscard]] bool is_elsewhere(AgentId module) const { return topology_.is_elsewhere(module); }

    /// Why a port cannot listen for other processes, or empty.
    [[nodiscard]] const std::string &fault() const { return fault_; }

    /// What is known of the modules of other processes.
    struct Meeting {
        std::vector<AgentId> awaited{};  ///< have not been heard by every module of this process
        std::string mismatch{};          ///< why one of them does not fit; else empty
        bool stopped = false;            ///< the supervisor ends the node before all have met
        [[nodiscard]] bool complete() const { return awaited.empty() && mismatch.empty(); }
    };
    /// Listens for at most `patience`. After the ports were made and before their threads run.
    [[nodiscard]] Meeting meet(milliseconds patience);
    /// Ends the meeting without those who are still awaited: for the modules here they are lost,
    /// and are back when they come.
    void go_on();

    /// The module's loop turns; once a second, on its thread.
    void beat(AgentId module, TimePoint now);
    /// When it last did; the epoch before the first time. Any thread.
    [[nodiscard]] TimePoint last_beat(AgentId module) const;

    /// The supervisor is in another process, and that is gone. Any thread.
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
    /// `subscriptions` are the modules whose events this one wants. When it cannot listen for other
    /// processes, the context has the fault.
    BusPort(BusContext &context, AgentId self, const std::vector<AgentId> &subscriptions,
            int event_high_water_mark = kEventHighWaterMark);
    /// Messages that were not received are freed here; by then every other thread has ended.
    ~BusPort();
    BusPort(const BusPort &) = delete;
    BusPort &operator=(const BusPort &) = delete;

    /// Never drops and never blocks: the windows of the cores bound what is in flight.
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

    /// Once a second: looks after connections to other processes that did not come about.
    void mend(TimePoint now);

    /// Become readable (edge-triggered) when receive() may have something. All must be watched.
    [[nodiscard]] std::vector<int> descriptors() const;
    /// Messages that were damaged or made no sense, and why the last one was refused.
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

/// For the thread of a process that has no module of its own: speaks to one of another process.
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
