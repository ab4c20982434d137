// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/event_log.hpp"

#include <algorithm>
#include <utility>

#include "common/config/fields/instant.hpp"

namespace farlink::telemetry {
namespace {

std::uint64_t event_number(const Json &event) {
    return event.at("id").get<std::uint64_t>();
}

}  // namespace

void EventLog::add(const NodeEvent &event, DtnTime wall) {
    Json line{{"id", ++last_},        {"time", config::format_utc(wall)},
              {"level", event.level}, {"module", event.module},
              {"kind", event.kind},   {"text", event.text}};
    if (event.link != kNoLink) line["link"] = event.link.value();
    events_.push_back(std::move(line));
    if (events_.size() > kMostEvents) events_.pop_front();
}

Json EventLog::after(std::uint64_t after, std::size_t limit) const {
    Json list = Json::array();
    // Restored events may have gaps in their numbers.
    auto next = std::ranges::upper_bound(events_, after, {}, event_number);
    for (; next != events_.end() && list.size() < limit; ++next) list.push_back(*next);
    return list;
}

void EventLog::restore(const std::vector<Json> &earlier) {
    if (earlier.empty()) return;
    std::deque<Json> ours = std::exchange(events_, {});
    events_.assign(earlier.begin(), earlier.end());
    last_ = event_number(events_.back());
    for (Json &event : ours) {
        event["id"] = ++last_;
        events_.push_back(std::move(event));
    }
    while (events_.size() > kMostEvents) events_.pop_front();
}

}  // namespace farlink::telemetry
