// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/event_log.hpp"

#include <algorithm>
#include <utility>

#include "common/config/fields/instant.hpp"

namespace farlink::telemetry {
namespace {

/// About as many as there are: each has a share of the newest events.
constexpr std::size_t kManyKinds = 25;

const std::string &kind_of(const Json &event) {
    static const std::string none;
    const auto kind = event.find("kind");
    return kind != event.end() && kind->is_string() ? kind->get_ref<const std::string &>() : none;
}

std::uint64_t event_number(const Json &event) {
    return event.at("id").get<std::uint64_t>();
}

}  // namespace

void EventLog::add(const NodeEvent &event, DtnTime wall) {
    Json line{{"id", ++last_},        {"time", config::format_utc(wall)},
              {"level", event.level}, {"module", event.module},
              {"kind", event.kind},   {"text", event.text}};
    if (event.link != kNoLink) line["link"] = event.link.value();
    push(std::move(line));
}

// The oldest goes of which there are enough: there are fewer kinds than would fill the log.
void EventLog::push(Json event) {
    ++kinds_[kind_of(event)];
    events_.push_back(std::move(event));
    if (events_.size() <= kMostEvents) return;
    const auto enough = [this](const Json &each) { return kinds_[kind_of(each)] > kOfAKind; };
    auto oldest = std::ranges::find_if(events_, enough);
    if (oldest == events_.end()) oldest = events_.begin();
    if (--kinds_[kind_of(*oldest)] == 0) kinds_.erase(kind_of(*oldest));
    events_.erase(oldest);
}

Json EventLog::newest(std::size_t limit) const {
    const std::size_t share = std::max<std::size_t>(limit / kManyKinds, 1);
    std::vector<bool> taken(events_.size());
    std::size_t room = limit;
    const auto take = [&](std::size_t place) {
        taken[place] = true;
        --room;
    };
    std::map<std::string, std::size_t, std::less<>> seen;
    for (std::size_t place = events_.size(); place-- > 0 && room > 0;)
        if (seen[kind_of(events_[place])]++ < share) take(place);
    for (std::size_t place = events_.size(); place-- > 0 && room > 0;)
        if (!taken[place]) take(place);
    Json list = Json::array();
    for (std::size_t place = 0; place < events_.size(); ++place)
        if (taken[place]) list.push_back(events_[place]);
    return list;
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
    kinds_.clear();
    for (const Json &event : earlier) push(event);
    last_ = event_number(earlier.back());
    for (Json &event : ours) {
        event["id"] = ++last_;
        push(std::move(event));
    }
}

}  // namespace farlink::telemetry
