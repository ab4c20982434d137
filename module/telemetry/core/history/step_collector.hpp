// SPDX-License-Identifier: Apache-2.0
// Collects the values of seconds into rows of a longer step.
// Owned by the writer of the history; one thread.
// A step that was seen in part gives the mean of the seconds that are known.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "module/telemetry/core/history/rate_row.hpp"

namespace farlink::telemetry {

class StepCollector {
public:
    explicit StepCollector(std::uint32_t step_seconds) : step_seconds_(step_seconds) {}

    /// Begins the second that ends at `end`; returns the row of a step that ended before it.
    [[nodiscard]] std::optional<RateRow> begin_second(DtnTime end);
    /// Adds the value of a series in that second.
    void add(const std::string &series, std::uint64_t value);
    /// The row so far; the next second begins a new one.
    [[nodiscard]] std::optional<RateRow> finish();

private:
    struct Sum {
        double sum = 0;
        std::uint32_t count = 0;
    };

    std::uint32_t step_seconds_;
    DtnTime begin_ = 0;
    std::map<std::string, Sum> sums_;
};

}  // namespace farlink::telemetry
