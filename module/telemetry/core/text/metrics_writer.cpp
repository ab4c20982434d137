// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/text/metrics_writer.hpp"

#include <charconv>
#include <utility>

#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {
namespace {

constexpr std::size_t kDigits = 32;

const char *name_of(MetricKind kind) {
    switch (kind) {
        case MetricKind::kCounter:
            return "counter";
        case MetricKind::kGauge:
            return "gauge";
        case MetricKind::kSummary:
            return "summary";
    }
    return "untyped";
}

template <class Number>
void append_number(std::string &to, Number value) {
    char digits[kDigits];
    const auto end = std::to_chars(digits, digits + kDigits, value);
    to.append(digits, end.ptr);
}

void append_head(std::string &to, std::string_view name, MetricKind kind, std::string_view help) {
    to.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ");
    to.append(name).append(" ").append(name_of(kind)).append("\n");
}

/// Replaces octets that are no UTF-8.
std::string printable(std::string_view text) {
    bool plain = true;
    for (const char letter : text) plain = plain && letter >= ' ' && letter <= '~';
    if (plain) return std::string(text);
    const Json repaired = Json::parse(to_text(Json(std::string(text))), nullptr, false);
    return repaired.is_string() ? repaired.get<std::string>() : std::string();
}

}  // namespace

void MetricsWriter::family(std::string_view name, MetricKind kind, std::string_view help) {
    end_family();
    name_ = name;
    kind_ = kind;
    append_head(text_, name, kind, help);
    samples_ = text_.size();
}

void MetricsWriter::end_family() {
    for (const RenamedMetric &renamed : renamed_)
        if (renamed.new_name == name_) repeat(renamed);
}

// Each line of a sample begins with the name of the family.
void MetricsWriter::repeat(const RenamedMetric &renamed) {
    append_head(old_text_, renamed.old_name, kind_,
                "Deprecated: now " + name_ + ". Provided until version " +
                    std::string(renamed.until) + ".");
    for (std::size_t at = samples_; at < text_.size();) {
        const std::size_t end = text_.find('\n', at) + 1;
        old_text_.append(renamed.old_name)
            .append(text_, at + name_.size(), end - at - name_.size());
        at = end;
    }
}

std::string MetricsWriter::take() {
    end_family();
    name_.clear();
    return std::move(text_) + std::exchange(old_text_, {});
}

void MetricsWriter::begin(std::string_view suffix, std::string_view labels) {
    text_.append(name_).append(suffix);
    if (!labels.empty()) text_.append("{").append(labels).append("}");
    text_ += ' ';
}

void MetricsWriter::sample(std::string_view labels, std::uint64_t value) {
    begin({}, labels);
    append_number(text_, value);
    text_ += '\n';
}

void MetricsWriter::sample(std::string_view labels, double value) {
    part({}, labels, value);
}

void MetricsWriter::part(std::string_view suffix, std::string_view labels, double value) {
    begin(suffix, labels);
    append_number(text_, value);
    text_ += '\n';
}

std::string label(std::string_view name, std::string_view value) {
    std::string text(name);
    text += "=\"";
    for (const char letter : printable(value)) {
        if (letter == '\n') {
            text += "\\n";
            continue;
        }
        if (letter == '"' || letter == '\\') text += '\\';
        text += letter;
    }
    return text + '"';
}

}  // namespace farlink::telemetry
