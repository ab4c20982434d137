// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history/step_collector.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace farlink::telemetry {
namespace {

/// Above any rate; JSON has no larger whole numbers.
constexpr std::uint64_t kMostValue = std::uint64_t{1} << 53;

}  // namespace

// The clock may have been set back: every other step ends the one before.
std::optional<RateRow> StepCollector::begin_second(DtnTime end) {
    const std::uint64_t step_ms = step_seconds_ * kMsPerSecond;
    const DtnTime begin = end == 0 ? 0 : (end - 1) - (end - 1) % step_ms;
    if (begin == begin_) return std::nullopt;
    auto row = finish();
    begin_ = begin;
    return row;
}

void StepCollector::add(const std::string &series, std::uint64_t value) {
    Sum &of = sums_[series];
    of.sum += static_cast<double>(std::min(value, kMostValue));
    ++of.count;
}

std::optional<RateRow> StepCollector::finish() {
    if (sums_.empty()) return std::nullopt;
    RateRow row{begin_, step_seconds_, {}};
    row.values.reserve(sums_.size());
    for (const auto &[series, of] : sums_)
        row.values.emplace_back(series,
                                static_cast<std::uint64_t>(std::llround(of.sum / of.count)));
    sums_.clear();
    return row;
}

}  // namespace farlink::telemetry
