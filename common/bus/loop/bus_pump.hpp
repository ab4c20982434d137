// SPDX-License-Identifier: Apache-2.0
// Brings a port's messages to an agent's Asio loop.
// Owned by the agent; its thread only. The port's descriptors are edge-triggered, so every
// wake-up drains the port, in turns, and only then waits again.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <deque>
#include <functional>

#include "common/bus/zmq/zmq_bus.hpp"

namespace farlink::bus {

class BusPump {
public:
    /// `on_message` gets each message; `after_turn` runs after every run of messages.
    BusPump(boost::asio::io_context &io, BusPort &port, std::function<void(Message)> on_message,
            std::function<void()> after_turn);
    ~BusPump();

    void start();

private:
    void wait(boost::asio::posix::stream_descriptor &descriptor);
    void drain();

    boost::asio::io_context &io_;
    BusPort &port_;
    std::function<void(Message)> on_message_;
    std::function<void()> after_turn_;
    std::deque<boost::asio::posix::stream_descriptor> watched_;
    bool draining_ = false;
};

}  // namespace farlink::bus
