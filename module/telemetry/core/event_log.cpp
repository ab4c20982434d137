// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/event_log.hpp"

#include <algorithm>
#include <utility>

#include "common/config/fields/instant.hpp"

namespace farlink::telemetry {

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
    // Numbers have no gaps, so each gives the position of its event.
    const std::uint64_t first = last_ - events_.size() + 1;
    const std::uint64_t from = std::max(first, after >= last_ ? last_ + 1 : after + 1);
    for (std::uint64_t id = from; id <= last_ && list.size() < limit; ++id)
        list.push_back(events_[static_cast<std::size_t>(id - first)]);
    return list;
}

}  // namespace farlink::telemetry
