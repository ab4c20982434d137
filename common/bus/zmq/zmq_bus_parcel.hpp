// SPDX-License-Identifier: Apache-2.0
// A message on its way between two threads of one process: ZeroMQ carries its address.
// Part of zmq_bus.cpp; nobody else includes it. Made by the sender, taken apart by the receiver.
// Small enough to be kept inside ZeroMQ's own message structure.
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
