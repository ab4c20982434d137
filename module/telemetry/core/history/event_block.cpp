// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/history/event_block.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/config/fields/instant.hpp"
#include "common/config/fields/json_document.hpp"
#include "module/telemetry/core/history/csv.hpp"

namespace farlink::telemetry {
namespace {

/// Far below kMostBlockBytes, so that one more event always fits.
constexpr std::size_t kBlockIsFull = 64 * 1024;

bool is_event(const Json &event) {
    if (!event.is_object()) return false;
    const auto id = event.find("id");
    if (id == event.end() || !id->is_number_unsigned()) return false;
    const auto link = event.find("link");
    if (link != event.end() && !link->is_number_unsigned()) return false;
    for (const char *member : {"time", "level", "module", "kind", "text"}) {
        const auto found = event.find(member);
        if (found == event.end() || !found->is_string()) return false;
    }
    return time_of_event(event) > 0;
}

}  // namespace

DtnTime time_of_event(const Json &event) {
    return config::parse_utc(text_of(event, "time")).value_or(0);
}

void append_events(Bytes &to, const Json &events) {
    std::string text;
    HistoryBlock block;
    const auto end_block = [&] {
        if (text.empty()) return;
        text += ']';
        block.payload = as_bytes(text);
        append_block(to, block);
        text.clear();
    };
    for (const Json &event : events) {
        const std::string line = to_text(event);
        if (line.size() > kMostBlockBytes - kBlockIsFull - 2) continue;
        const DtnTime time = time_of_event(event);
        if (text.empty()) block.from = block.to = time;
        block.from = std::min(block.from, time);
        block.to = std::max(block.to, time);
        text += (text.empty() ? '[' : ',') + line;
        if (text.size() > kBlockIsFull) end_block();
    }
    end_block();
}

void read_events(const HistoryBlock &block, const std::function<void(Json)> &handler) {
    const std::string_view text = as_text(block.payload);
    if (block.type != BlockType::kEvents || config::nested_too_deeply(text)) return;
    Json events = Json::parse(text, nullptr, false);
    if (!events.is_array()) return;
    for (Json &event : events)
        if (is_event(event)) handler(std::move(event));
}

void EventCollection::add(const HistoryBlock &block) {
    if (block.to < query_.from || block.from > query_.to) return;
    read_events(block, [this](Json event) {
        const DtnTime time = time_of_event(event);
        if (full() || time < query_.from || time > query_.to || event["id"] <= query_.after) return;
        events_.push_back(std::move(event));
    });
}

std::string EventCollection::to_text() const {
    if (query_.csv) return events_csv(events_);
    return telemetry::to_text(Json{{"events", events_}});
}

}  // namespace farlink::telemetry
