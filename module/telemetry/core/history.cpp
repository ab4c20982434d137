// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/config/fields/instant.hpp"
#include "module/telemetry/core/history/rate_table.hpp"

namespace farlink::telemetry {
namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
constexpr std::uint64_t kBitsPerOctet = 8;
constexpr DtnTime kSecond = 1000;

nlohmann::ordered_json number_of(float value) {
    if (std::isnan(value)) return nullptr;
    return static_cast<std::uint64_t>(value);
}

}  // namespace

void History::begin_point(DtnTime wall) {
    ++begun_;
    end_ = wall - wall % kSecond;
    for (auto &[name, each] : series_) each.values[place(0)] = kUnknown;
}

std::size_t History::place(std::size_t back) const {
    return (begun_ + kMostPoints - 1 - back) % kMostPoints;
}

std::size_t History::points() const {
    return std::min(begun_, kMostPoints);
}

History::Series *History::series(const std::string &name) {
    if (begun_ == 0) return nullptr;
    auto known = series_.find(name);
    if (known == series_.end()) {
        if (series_.size() >= kMostSeries && !make_room()) return nullptr;
        known = series_.try_emplace(name).first;
        known->second.values.assign(kMostPoints, kUnknown);
    }
    known->second.published = begun_;
    return &known->second;
}

// A series with a value of the last second is kept. With more links than series, the search runs
// once a second.
bool History::make_room() {
    if (full_ == begun_) return false;
    const auto stalest = std::ranges::min_element(
        series_, {}, [](const auto &entry) { return entry.second.published; });
    if (stalest->second.published + 1 >= begun_) {
        full_ = begun_;
        return false;
    }
    series_.erase(stalest);
    return true;
}

void History::level(const std::string &name, std::uint64_t value) {
    if (Series *of = series(name)) of->values[place(0)] = static_cast<float>(value);
}

void History::octets(const std::string &name, std::uint64_t total) {
    Series *of = series(name);
    if (of == nullptr) return;
    if (of->total && *of->total <= total)
        of->values[place(0)] = static_cast<float>((total - *of->total) * kBitsPerOctet);
    of->total = total;
}

void History::visit(
    const std::function<void(const std::string &series, std::uint64_t value)> &handler) const {
    if (begun_ == 0) return;
    for (const auto &[name, each] : series_) {
        const float value = each.values[place(0)];
        if (!std::isnan(value)) handler(name, static_cast<std::uint64_t>(value));
    }
}

void History::restore(const std::vector<RateRow> &rows, DtnTime wall) {
    if (begun_ != 0 || rows.empty()) return;
    begun_ = kMostPoints;
    end_ = wall - wall % kSecond;
    const DtnTime first = end_ - kMostPoints * kSecond;  ///< begin of the oldest second
    for (const RateRow &row : rows) {
        const DtnTime end = std::min(row.begin + row.step_seconds * kSecond, end_);
        for (DtnTime at = std::max(row.begin, first); at < end; at += kSecond)
            for (const auto &[name, value] : row.values)
                if (Series *of = series(name))
                    of->values[(at - first) / kSecond] = static_cast<float>(value);
    }
}

std::string History::to_csv(std::size_t wanted, const std::vector<std::string> &names) const {
    const std::size_t count = std::min(wanted, points());
    std::map<std::string, std::vector<std::string>> texts;
    for (const auto &[name, each] : series_) {
        if (!names.empty() && std::ranges::find(names, name) == names.end()) continue;
        for (std::size_t back = count; back > 0; --back) {
            const float value = each.values[place(back - 1)];
            texts[name].push_back(std::isnan(value)
                                      ? std::string()
                                      : std::to_string(static_cast<std::uint64_t>(value)));
        }
    }
    return rates_csv(end_ - (count - 1) * kSecond, 1, texts);
}

std::string History::to_json(std::size_t wanted, const std::vector<std::string> &names) const {
    const std::size_t count = std::min(wanted, points());
    nlohmann::ordered_json json{{"stepSeconds", 1},
                                {"end", config::format_utc(end_)},
                                {"points", count},
                                {"series", nlohmann::ordered_json::object()}};
    for (const auto &[name, each] : series_) {
        if (!names.empty() && std::ranges::find(names, name) == names.end()) continue;
        auto values = nlohmann::ordered_json::array();
        for (std::size_t back = count; back > 0; --back)
            values.push_back(number_of(each.values[place(back - 1)]));
        json["series"][name] = std::move(values);
    }
    return json.dump();
}

}  // namespace farlink::telemetry
