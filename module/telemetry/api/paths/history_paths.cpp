// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/paths/history_paths.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "common/config/fields/instant.hpp"
#include "module/telemetry/api/request/problem.hpp"
#include "module/telemetry/core/history/csv.hpp"
#include "module/telemetry/core/history/event_block.hpp"
#include "module/telemetry/core/history/rate_table.hpp"

namespace farlink::telemetry {
namespace {

constexpr const char *kCsv = "text/csv; charset=utf-8";
constexpr std::uint64_t kDayMs = 24 * 3600 * kMsPerSecond;
constexpr std::uint64_t kLongestStep = kDayMs / kMsPerSecond;

/// Reads the keys of a query, and keeps the answer to the first that is wrong.
class Keys {
public:
    explicit Keys(const Request &request) : query_(request.target.query) {}

    [[nodiscard]] bool has(const char *key) const { return query_.contains(key); }
    std::uint64_t number(const char *key, std::uint64_t least, std::uint64_t most,
                         std::uint64_t fallback) {
        const auto found = query_.find(key);
        if (found == query_.end()) return fallback;
        const auto number = parse_number(found->second, most);
        if (number && *number >= least) return *number;
        refuse(key, "expected a whole number from " + std::to_string(least) + " to " +
                        std::to_string(most));
        return fallback;
    }
    DtnTime time(const char *key, DtnTime fallback) {
        const auto found = query_.find(key);
        if (found == query_.end()) return fallback;
        const auto time = config::parse_utc(found->second);
        if (!time) refuse(key, "expected a time such as 2026-11-22T15:00:00Z");
        return time.value_or(fallback);
    }
    bool csv() {
        const auto found = query_.find("format");
        if (found == query_.end() || found->second == "json") return false;
        if (found->second != "csv") refuse("format", "expected json or csv");
        return true;
    }
    [[nodiscard]] std::vector<std::string> series() const {
        std::vector<std::string> names;
        const auto found = query_.find("series");
        if (found == query_.end()) return names;
        std::string_view rest = found->second;
        for (;;) {
            const std::size_t comma = rest.find(',');
            names.emplace_back(rest.substr(0, comma));
            if (comma == std::string_view::npos) return names;
            rest.remove_prefix(comma + 1);
        }
    }
    void refuse(const std::string &key, const std::string &expected) {
        if (!wrong_) wrong_ = problem(400, '`' + key + "`: " + expected);
    }
    [[nodiscard]] std::optional<Answer> wrong() { return std::exchange(wrong_, std::nullopt); }

private:
    const std::map<std::string, std::string> &query_;
    std::optional<Answer> wrong_;
};

/// The stored step, or the multiple of it with which the period has few enough points.
std::uint32_t step_for(DtnTime from, DtnTime to) {
    const std::uint64_t step = to - from <= kDayMs ? kFineStepSeconds : kCoarseStepSeconds;
    const std::uint64_t points = (to - from) / (step * kMsPerSecond) + 2;
    return static_cast<std::uint32_t>(step * (points / RateTable::kMostPoints + 1));
}

Outcome stored_rates(const Request &request, Keys &keys) {
    RateQuery query;
    query.to = keys.time("to", request.moment.wall);
    query.from = keys.time("from", query.to - std::min(query.to, kDayMs));
    query.series = keys.series();
    query.csv = keys.csv();
    if (keys.has("seconds")) keys.refuse("seconds", "cannot be used with `from`, `to` and `step`");
    if (query.from >= query.to) keys.refuse("from", "expected a time before `to`");
    if (auto answer = keys.wrong()) return std::move(*answer);
    query.step_seconds = static_cast<std::uint32_t>(
        keys.number("step", kFineStepSeconds, kLongestStep, step_for(query.from, query.to)));
    if (query.step_seconds % kFineStepSeconds != 0)
        keys.refuse("step", "expected a multiple of 10 (seconds)");
    query.from -= query.from % (query.step_seconds * kMsPerSecond);
    if (query.points() > RateTable::kMostPoints)
        keys.refuse("step", "found " + std::to_string(query.points()) +
                                " points; expected at most " +
                                std::to_string(RateTable::kMostPoints) +
                                ": a larger step or a shorter period");
    if (auto answer = keys.wrong()) return std::move(*answer);
    return query;
}

Outcome stored_events(const Request &request, Keys &keys) {
    EventQuery query;
    query.from = keys.time("from", 0);
    query.to = keys.time("to", request.moment.wall);
    query.after = keys.number("after", 0, ~std::uint64_t{0}, 0);
    query.limit = keys.number("limit", 1, EventCollection::kMostEvents, EventLog::kMostEvents);
    query.csv = keys.csv();
    if (query.from > query.to) keys.refuse("from", "expected a time not after `to`");
    if (auto answer = keys.wrong()) return std::move(*answer);
    return query;
}

}  // namespace

namespace paths {

Outcome history(const Request &request) {
    Keys keys(request);
    if (keys.has("from") || keys.has("to") || keys.has("step")) return stored_rates(request, keys);
    const auto seconds = static_cast<std::size_t>(
        keys.number("seconds", 1, History::kMostPoints, History::kMostPoints));
    const bool csv = keys.csv();
    if (auto answer = keys.wrong()) return std::move(*answer);
    const History &recent = request.view.history();
    if (csv) return Answer{200, kCsv, recent.to_csv(seconds, keys.series())};
    return Answer{200, "application/json", recent.to_json(seconds, keys.series())};
}

Outcome events(const Request &request) {
    Keys keys(request);
    if (keys.has("from") || keys.has("to")) return stored_events(request, keys);
    const EventLog &log = request.view.events();
    const std::uint64_t limit = keys.number("limit", 1, EventLog::kMostEvents, 200);
    const std::uint64_t after = keys.number("after", 0, ~std::uint64_t{0}, 0);
    const bool csv = keys.csv();
    if (auto answer = keys.wrong()) return std::move(*answer);
    const auto most = static_cast<std::size_t>(limit);
    const Json found = keys.has("after") ? log.after(after, most) : log.newest(most);
    if (csv) return Answer{200, kCsv, events_csv(found)};
    return json_answer({{"events", found}});
}

}  // namespace paths

Answer answer_of(const HistoryQuery &query, const HistoryReply &reply) {
    if (reply.fault == HistoryFault::kTooLarge) return problem(400, reply.text);
    if (reply.fault == HistoryFault::kUnavailable) return problem(503, reply.text);
    const bool csv = std::visit([](const auto &of) { return of.csv; }, query);
    return {200, csv ? kCsv : "application/json", reply.text};
}

}  // namespace farlink::telemetry
