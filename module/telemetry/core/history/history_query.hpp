// SPDX-License-Identifier: Apache-2.0
// What clients ask of the history on disk, and its reply.
// Made by the API for each request; values.
// Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/time.hpp"

namespace farlink::telemetry {

/// The rates of a period; the step is a multiple of kFineStepSeconds.
struct RateQuery {
    DtnTime from = 0;
    DtnTime to = 0;
    std::uint32_t step_seconds = 0;
    std::vector<std::string> series{};  ///< empty: all
    bool csv = false;

    [[nodiscard]] std::uint64_t points() const {
        const std::uint64_t step_ms = step_seconds * std::uint64_t{1000};
        return (to - from + step_ms - 1) / step_ms;
    }
};

/// The events of a period, the oldest first.
struct EventQuery {
    DtnTime from = 0;
    DtnTime to = 0;           ///< the last millisecond
    std::uint64_t after = 0;  ///< those with a number above it
    std::uint64_t limit = 0;
    bool csv = false;
};

using HistoryQuery = std::variant<RateQuery, EventQuery>;

enum class HistoryFault : std::uint8_t {
    kNone,
    kTooLarge,     ///< the reply would have more values than a reply may have
    kUnavailable,  ///< no history is kept, or its files cannot be read
};

struct HistoryReply {
    HistoryFault fault = HistoryFault::kNone;
    std::string text{};  ///< the reply as JSON or CSV, or the error
};

}  // namespace farlink::telemetry
