// SPDX-License-Identifier: Apache-2.0
#include "common/bus/loop/bus_pump.hpp"

#include <boost/asio/post.hpp>

namespace farlink::bus {
namespace {

/// Messages in one turn; then the loop's sockets and timers have a turn.
constexpr int kMessagesPerTurn = 64;

}  // namespace

BusPump::BusPump(boost::asio::io_context &io, BusPort &port,
                 std::function<void(Message)> on_message, std::function<void()> after_turn)
    : io_(io), port_(port), on_message_(std::move(on_message)), after_turn_(std::move(after_turn)) {
    for (const int descriptor : port.descriptors()) watched_.emplace_back(io, descriptor);
}

// The descriptors belong to ZeroMQ.
BusPump::~BusPump() {
    for (auto &descriptor : watched_) descriptor.release();
}

void BusPump::start() {
    for (auto &descriptor : watched_) wait(descriptor);
    drain();
}

void BusPump::wait(boost::asio::posix::stream_descriptor &descriptor) {
    descriptor.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                          [this, &descriptor](const boost::system::error_code &error) {
                              if (error) return;
                              drain();
                              wait(descriptor);
                          });
}

void BusPump::drain() {
    if (draining_) return;
    for (int turn = 0; turn < kMessagesPerTurn; ++turn) {
        auto message = port_.receive();
        if (!message) return after_turn_();
        on_message_(std::move(*message));
    }
    after_turn_();
    draining_ = true;
    boost::asio::post(io_, [this] {
        draining_ = false;
        drain();
    });
}

}  // namespace farlink::bus
