// SPDX-License-Identifier: Apache-2.0
// Writes Prometheus' text format 0.0.4: families with help and type, and their samples.
// Made for one text by whoever writes it; one thread.
// The text grows at its end only, so that a thousand links cost some milliseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace farlink::telemetry {

enum class MetricKind : std::uint8_t { kCounter, kGauge, kSummary };

class MetricsWriter {
public:
    /// Begins a family: all samples up to the next one belong to it.
    void family(std::string_view name, MetricKind kind, std::string_view help);
    /// `labels` as label() makes them, with commas between; empty: none.
    void sample(std::string_view labels, std::uint64_t value);
    void sample(std::string_view labels, double value);
    /// Of a summary: `suffix` is "_sum" or "_count".
    void part(std::string_view suffix, std::string_view labels, double value);

    [[nodiscard]] const std::string &text() const { return text_; }
    [[nodiscard]] std::string take() { return std::move(text_); }

private:
    void begin(std::string_view suffix, std::string_view labels);

    std::string text_;
    std::string name_;
};

/// `name="value"`, the value as the format wants it.
[[nodiscard]] std::string label(std::string_view name, std::string_view value);

}  // namespace farlink::telemetry
