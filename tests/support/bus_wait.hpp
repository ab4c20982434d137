// SPDX-License-Identifier: Apache-2.0
// Waits for messages at a port on the bus, as an agent's loop does.
// Used by tests that have a port and no loop; the thread that owns the port.
// Returns nothing when no message arrives within the limit.
#pragma once

#include <poll.h>

#include <optional>
#include <utility>
#include <vector>

#include "common/bus/zmq/zmq_bus.hpp"

namespace farlink::test {

inline std::optional<bus::Message> wait_for_message(bus::BusPort &port) {
    constexpr int kPatienceMs = 10'000;
    std::vector<pollfd> watched;
    for (const int descriptor : port.descriptors()) watched.push_back({descriptor, POLLIN, 0});
    for (;;) {
        if (auto message = port.receive()) return message;
        if (::poll(watched.data(), watched.size(), kPatienceMs) == 0) return std::nullopt;
    }
}

/// The next message of this kind; others are dropped.
template <class Data>
std::optional<Data> wait_for(bus::BusPort &port) {
    while (auto message = wait_for_message(port))
        if (auto *data = std::get_if<Data>(&*message)) return std::move(*data);
    return std::nullopt;
}

}  // namespace farlink::test
