// SPDX-License-Identifier: Apache-2.0
// The state that all parts of egress share: counters, messages, clock, history.
// Owned by EgressCore.
// One thread.
#pragma once

#include <utility>

#include "common/base/clock_guard.hpp"
#include "common/buffer/ring.hpp"
#include "common/bus/messages.hpp"
#include "common/history/bundle_history.hpp"
#include "common/telemetry/egress_counters.hpp"

namespace farlink::egress {

using telemetry::EgressCounter;

struct EgressContext {
    EgressContext(WallClock reading, history::BundleHistory records)
        : clock(reading), history(std::move(records)) {}
    EgressContext(const EgressContext &) = delete;
    EgressContext &operator=(const EgressContext &) = delete;

    ClockGuard clock;
    Ring<bus::Outgoing> messages;
    telemetry::EgressCounters counters;
    history::BundleHistory history;
    TimePoint now{};  ///< of the call of the core that is being carried out
};

}  // namespace farlink::egress
