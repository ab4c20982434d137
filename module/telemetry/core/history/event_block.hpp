// SPDX-License-Identifier: Apache-2.0
// Events as blocks of a history file, and the events of a period.
// Plain functions, and a collection made for one query; one thread.
// An event is the object that the API shows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "module/telemetry/core/history/history_file.hpp"
#include "module/telemetry/core/history/history_query.hpp"
#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

/// Appends the list of events as blocks.
void append_events(Bytes &to, const Json &events);
/// Gives each event of a block to `handler`; those that are not events are left out.
void read_events(const HistoryBlock &block, const std::function<void(Json)> &handler);
/// The time of an event; 0 when it has none.
[[nodiscard]] DtnTime time_of_event(const Json &event);

class EventCollection {
public:
    static constexpr std::uint64_t kMostEvents = 10'000;

    explicit EventCollection(const EventQuery &query) : query_(query) {}

    void add(const HistoryBlock &block);
    /// The limit is reached.
    [[nodiscard]] bool full() const { return events_.size() >= query_.limit; }
    [[nodiscard]] std::string to_text() const;

private:
    EventQuery query_;
    Json events_ = Json::array();
};

}  // namespace farlink::telemetry
