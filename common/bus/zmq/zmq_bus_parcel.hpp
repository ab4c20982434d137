// SPDX-License-Identifier: Apache-2.0
// A message in transit between two threads of one process: ZeroMQ carries its address.
// Included by zmq_bus.cpp only. Made by the sender, unpacked by the receiver.
// Small enough for ZeroMQ's own message structure.
#pragma once

#include <cstdint>

#include "common/bus/messages.hpp"

namespace farlink::bus {

struct Envelope {
    std::uint64_t kind;
    std::uintptr_t address;
};

[[nodiscard]] Envelope pack(Message message);
/// Once for each envelope.
[[nodiscard]] Message unpack(const Envelope &envelope);

}  // namespace farlink::bus
