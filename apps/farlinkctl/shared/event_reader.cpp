// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/shared/event_reader.hpp"

#include "apps/farlinkctl/shared/reply_table.hpp"

namespace farlink::ctl {

using Json = nlohmann::ordered_json;

std::string EventReader::next_path() const {
    return "/api/v1/events?limit=1000&after=" + std::to_string(last_ == 0 ? 0 : last_ - 1);
}

std::vector<Json> EventReader::take(const Json &reply) {
    const Json events = reply.value("events", Json::array());
    std::vector<Json> fresh;
    // The node keeps 1,000 events: after more than that, the last one seen is gone.
    const bool same = last_ == 0 || (!events.empty() && (events[0].value("id", last_) > last_ ||
                                                         text(events[0], "time") == last_time_));
    if (!same) {
        last_ = 0;
        last_time_.clear();
        return fresh;
    }
    for (const Json &event : events) {
        const auto id = event.value("id", std::uint64_t{0});
        if (id <= last_) continue;
        last_ = id;
        last_time_ = text(event, "time");
        fresh.push_back(event);
    }
    return fresh;
}

}  // namespace farlink::ctl
