// SPDX-License-Identifier: Apache-2.0
// The last events of the node, numbered.
// Owned by the telemetry agent; one thread.
// It keeps 1,000: the last 20 of each kind, so that a link that flaps does not push out the rest,
// and the last ones. The log has all.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

/// An event for operators.
struct NodeEvent {
    std::string_view level = "info";  ///< info, warning or error
    std::string_view module;
    std::string_view kind;  ///< link-down, plan-changed, ...
    LinkId link = kNoLink;
    std::string text;
};

class EventLog {
public:
    static constexpr std::size_t kMostEvents = 1000;
    static constexpr std::size_t kOfAKind = 20;

    void add(const NodeEvent &event, DtnTime wall);
    /// Puts events of earlier runs, by their numbers, in front of those of this run, whose numbers
    /// then follow.
    void restore(const std::vector<Json> &earlier);
    /// Up to `limit` events with numbers above `after`, the oldest first.
    [[nodiscard]] Json after(std::uint64_t after, std::size_t limit) const;
    /// `limit` events, the oldest first: the last of each kind, and the last ones.
    [[nodiscard]] Json newest(std::size_t limit) const;
    /// The number of the last event; 0: there is none.
    [[nodiscard]] std::uint64_t last() const { return last_; }

private:
    void push(Json event);

    std::deque<Json> events_;
    std::map<std::string, std::size_t, std::less<>> kinds_;  ///< how many there are of each
    std::uint64_t last_ = 0;
};

}  // namespace farlink::telemetry
