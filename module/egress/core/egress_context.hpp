// SPDX-License-Identifier: Apache-2.0
// The state that all parts of egress share: counters, messages, clock.
// Owned by EgressCore.
// One thread.
#pragma once

#include "common/base/clock_guard.hpp"
#include "common/buffer/ring.hpp"
#include "common/bus/messages.hpp"
#include "common/telemetry/egress_counters.hpp"

namespace farlink::egress {

using telemetry::EgressCounter;

struct EgressContext {
    explicit EgressContext(WallClock reading) : clock(reading) {}
    EgressContext(const EgressContext &) = delete;
    EgressContext &operator=(const EgressContext &) = delete;

    ClockGuard clock;
    Ring<bus::Outgoing> messages;
    telemetry::EgressCounters counters;
};

}  // namespace farlink::egress
