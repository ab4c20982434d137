// SPDX-License-Identifier: Apache-2.0
// Writes Prometheus' text format 0.0.4: families with help and type, and their samples.
// Made for one text; one thread.
// The text is only appended to, so that a thousand links cost some milliseconds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "module/telemetry/core/text/renamed_metrics.hpp"

namespace farlink::telemetry {

enum class MetricKind : std::uint8_t { kCounter, kGauge, kSummary };

class MetricsWriter {
public:
    explicit MetricsWriter(std::span<const RenamedMetric> renamed = renamed_metrics())
        : renamed_(renamed) {}

    /// Begins a family; the following samples belong to it.
    void family(std::string_view name, MetricKind kind, std::string_view help);
    /// `labels` are results of label() separated by commas; empty: none.
    void sample(std::string_view labels, std::uint64_t value);
    void sample(std::string_view labels, double value);
    /// A part of a summary: `suffix` is "_sum" or "_count".
    void part(std::string_view suffix, std::string_view labels, double value);

    /// The whole text; renamed families follow under their old names.
    [[nodiscard]] std::string take();

private:
    void end_family();
    void repeat(const RenamedMetric &renamed);
    void begin(std::string_view suffix, std::string_view labels);

    std::span<const RenamedMetric> renamed_;
    std::string text_;
    std::string old_text_;  ///< families under their old names
    std::string name_;
    MetricKind kind_ = MetricKind::kGauge;
    std::size_t samples_ = 0;  ///< where those of the family begin in text_
};

/// `name="value"`, with the value escaped.
[[nodiscard]] std::string label(std::string_view name, std::string_view value);

}  // namespace farlink::telemetry
