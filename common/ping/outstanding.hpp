// SPDX-License-Identifier: Apache-2.0
// Echo requests under way, by number: when each was sent, and until when its reply is waited for.
// Owned by the part that matches the replies; one thread; no link and no clock.
// A request ends once: with its reply, or given up. What comes later finds nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "common/base/invariant.hpp"
#include "common/base/time.hpp"

namespace farlink::ping {

template <class Note>
class Outstanding {
public:
    struct Request {
        Note note;  ///< of the owner
        TimePoint sent{};
        TimePoint until = kNever;  ///< its timeout
    };

    /// The number must not be under way.
    void add(std::uint64_t number, Note note, TimePoint sent, TimePoint until = kNever) {
        const bool is_new = requests_.emplace(number, Request{std::move(note), sent, until}).second;
        FARLINK_INVARIANT(is_new);
        if (until != kNever) timeouts_.emplace(until, number);
    }
    /// Null: not under way. Valid until the next change.
    [[nodiscard]] const Request *find(std::uint64_t number) const {
        const auto found = requests_.find(number);
        return found == requests_.end() ? nullptr : &found->second;
    }
    /// Ends the request; empty: not under way.
    [[nodiscard]] std::optional<Request> take(std::uint64_t number) {
        auto found = requests_.extract(number);
        if (found.empty()) return std::nullopt;
        timeouts_.erase({found.mapped().until, number});
        return std::move(found.mapped());
    }

    /// The lowest number; empty: there is none.
    [[nodiscard]] std::optional<std::uint64_t> first() const {
        return requests_.empty() ? std::nullopt : std::optional(requests_.begin()->first);
    }
    /// The number of the request whose timeout passed first; empty: none has passed.
    [[nodiscard]] std::optional<std::uint64_t> overdue(TimePoint now) const {
        return next_timeout() <= now && !timeouts_.empty()
                   ? std::optional(timeouts_.begin()->second)
                   : std::nullopt;
    }
    /// kNever: no request has a timeout.
    [[nodiscard]] TimePoint next_timeout() const {
        return timeouts_.empty() ? kNever : timeouts_.begin()->first;
    }
    [[nodiscard]] std::size_t size() const { return requests_.size(); }
    [[nodiscard]] bool empty() const { return requests_.empty(); }

private:
    std::map<std::uint64_t, Request> requests_;
    std::set<std::pair<TimePoint, std::uint64_t>> timeouts_;
};

}  // namespace farlink::ping
