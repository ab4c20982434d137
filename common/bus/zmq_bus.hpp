// SPDX-License-Identifier: Apache-2.0
// The bus inside one process: ZeroMQ sockets between the modules' threads.
// A BusPort is owned by its agent and used on the agent's thread only; the context by the program.
// Data and requests go PUSH-PULL, by pointer; events go PUB-SUB, encoded, and may be dropped at the
// high-water mark, which the subscriber sees by their running number.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "common/bus/messages.hpp"

namespace farlink::bus {

/// One for a process. Ports must be gone before it is destroyed.
class BusContext {
public:
    BusContext();
    ~BusContext();
    BusContext(const BusContext &) = delete;
    BusContext &operator=(const BusContext &) = delete;

private:
    friend class BusPort;
    struct Sockets;
    std::unique_ptr<Sockets> sockets_;
};

/// Messages that a publisher's queue to one subscriber holds before it drops.
inline constexpr int kEventHighWaterMark = 1000;

class BusPort {
public:
    /// `subscriptions` are the modules whose events this one wants.
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

    /// Become readable (edge-triggered) when receive() may have something. Both must be watched.
    [[nodiscard]] int data_descriptor() const;
    [[nodiscard]] int event_descriptor() const;
    /// Events that could not be decoded: 0 unless two versions share a bus.
    [[nodiscard]] std::uint64_t undecodable() const { return undecodable_; }

private:
    [[nodiscard]] std::optional<Message> receive_data();
    [[nodiscard]] std::optional<Message> receive_event();

    struct Sockets;
    std::unique_ptr<Sockets> sockets_;
    std::uint32_t data_in_a_row_ = 0;
    std::uint64_t undecodable_ = 0;
};

}  // namespace farlink::bus
