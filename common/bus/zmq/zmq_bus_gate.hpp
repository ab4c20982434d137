// SPDX-License-Identifier: Apache-2.0
// Accepts connections of processes with the node's CURVE key only (ZeroMQ RFC 27).
// Owned by the BusContext and made before its sockets; ZeroMQ's requests for each connection are
// answered on a thread of its own.
#pragma once

#include <string>
#include <thread>
#include <zmq.hpp>

#include "common/runtime/log/log.hpp"

namespace farlink::bus {

class KeyGate {
public:
    /// `public_key` is of a pair that zmq_bus_keys.hpp has checked.
    KeyGate(zmq::context_t &context, const std::string &public_key);
    /// The context has been shut down before, which ends the thread.
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
