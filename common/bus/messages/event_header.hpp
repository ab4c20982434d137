// SPDX-License-Identifier: Apache-2.0
// What each event begins with: events are published with an epoch and a running number, so that a
// gap is seen.
// Part of messages.hpp; a message is owned by whoever holds it.
// Values without behaviour; any thread, one at a time.
#pragma once

#include <cstdint>

namespace farlink::bus {

/// `epoch` changes when the publisher restarts; `sequence` counts its events from 1.
struct EventHeader {
    std::uint64_t epoch = 0;
    std::uint64_t sequence = 0;
};

}  // namespace farlink::bus
