// SPDX-License-Identifier: Apache-2.0
// Lets those processes in that have the node's own CURVE key, and nobody else (ZeroMQ RFC 27).
// Owned by the BusContext, before whose sockets it must be there; it has a thread of its own, on
// which ZeroMQ asks it about every connection.
#pragma once

#include <string>
#include <thread>
#include <zmq.hpp>

#include "common/runtime/log/log.hpp"

namespace farlink::bus {

class KeyGate {
public:
    /// `public_key` is half of a pair that zmq_bus_keys.hpp has checked.
    KeyGate(zmq::context_t &context, const std::string &public_key);
    /// The context has been shut down: that ends the thread.
    ~KeyGate();
    KeyGate(const KeyGate &) = delete;
    KeyGate &operator=(const KeyGate &) = delete;

private:
    void serve();
    void answer();

    zmq::socket_t requests_;
    std::string admitted_;  ///< the key's 32 octets
    Logger log_{"bus"};
    LogLimiter refusals_log_;
    std::thread thread_;
};

}  // namespace farlink::bus
