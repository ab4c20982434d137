// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history/rate_table.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/config/fields/instant.hpp"
#include "module/telemetry/core/history/csv.hpp"
#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

RateTable::RateTable(const RateQuery &query)
    : query_(query),
      preferred_step_(query.step_seconds % kCoarseStepSeconds == 0 ? kCoarseStepSeconds
                                                                   : kFineStepSeconds) {}

RateTable::Cells *RateTable::cells_of(const std::string &name) {
    const auto known = series_.find(name);
    if (known != series_.end()) return &known->second;
    const auto &wanted = query_.series;
    if (!wanted.empty() && std::ranges::find(wanted, name) == wanted.end()) return nullptr;
    if ((series_.size() + 1) * query_.points() > kMostValues) {
        too_large_ = true;
        return nullptr;
    }
    return &series_.try_emplace(name, query_.points()).first->second;
}

void RateTable::add(DtnTime begin, std::uint32_t step_seconds, const std::string &name,
                    std::uint64_t value) {
    const std::uint64_t step_ms = query_.step_seconds * kMsPerSecond;
    const DtnTime end = begin + step_seconds * kMsPerSecond;
    if (end <= query_.from || begin >= query_.to || end < begin) return;
    Cells *const cells = cells_of(name);
    if (cells == nullptr) return;
    const bool preferred = step_seconds == preferred_step_;
    const std::size_t first = (std::max(begin, query_.from) - query_.from) / step_ms;
    const std::size_t last = (std::min(end, query_.to) - 1 - query_.from) / step_ms;
    for (std::size_t at = first; at <= last && at < cells->size(); ++at) {
        Cell &cell = (*cells)[at];
        if (cell.preferred && !preferred) continue;
        if (preferred && !cell.preferred) cell = {0, 0, true};
        cell.sum += static_cast<double>(value);
        ++cell.count;
    }
}

std::string RateTable::to_json() const {
    nlohmann::ordered_json json{{"from", config::format_utc(query_.from)},
                                {"step", query_.step_seconds},
                                {"series", nlohmann::ordered_json::object()}};
    for (const auto &[name, cells] : series_) {
        auto values = nlohmann::ordered_json::array();
        for (const Cell &cell : cells) {
            if (cell.count == 0)
                values.push_back(nullptr);
            else
                values.push_back(static_cast<std::uint64_t>(std::round(cell.sum / cell.count)));
        }
        json["series"][name] = std::move(values);
    }
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string RateTable::to_csv() const {
    std::map<std::string, std::vector<std::string>> texts;
    for (const auto &[name, cells] : series_) {
        auto &of = texts[name];
        of.reserve(cells.size());
        for (const Cell &cell : cells)
            of.push_back(cell.count == 0 ? std::string()
                                         : std::to_string(static_cast<std::uint64_t>(
                                               std::round(cell.sum / cell.count))));
    }
    return rates_csv(query_.from, query_.step_seconds, texts);
}

std::string rates_csv(DtnTime from, std::uint32_t step_seconds,
                      const std::map<std::string, std::vector<std::string>> &series) {
    std::string text = "time";
    std::size_t points = 0;
    for (const auto &[name, values] : series) {
        text += ',' + csv_field(name);
        points = std::max(points, values.size());
    }
    text += "\r\n";
    for (std::size_t at = 0; at < points; ++at) {
        text += config::format_utc(from + at * step_seconds * kMsPerSecond);
        for (const auto &[name, values] : series)
            text += ',' + (at < values.size() ? values[at] : std::string());
        text += "\r\n";
    }
    return text;
}

}  // namespace farlink::telemetry
