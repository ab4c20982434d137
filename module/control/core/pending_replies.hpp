// SPDX-License-Identifier: Apache-2.0
// Requests to a module that await replies of one kind, by request id.
// Owned by PendingRequests; its thread only.
// Each handler is called once: with the reply, or with nothing when none came in time or the module
// is lost. A reply that comes later matches no request.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "common/bus/messages.hpp"

namespace farlink::control {

template <class Reply>
class PendingReplies {
public:
    using Handler = std::function<void(std::optional<Reply>, const WallClock &now)>;

    explicit PendingReplies(Duration patience) : patience_(patience) {}

    void add(bus::RequestId id, Handler handler, const WallClock &now) {
        pending_.insert_or_assign(id, Pending{std::move(handler), now.at + patience_});
    }
    void handle(Reply reply, const WallClock &now) {
        auto found = pending_.extract(reply.id);
        if (!found.empty()) found.mapped().handler(std::move(reply), now);
    }
    /// No reply to the requests so far will come.
    void fail_all(const WallClock &now) {
        for (const auto &[id, pending] : std::exchange(pending_, {}))
            pending.handler(std::nullopt, now);
    }
    [[nodiscard]] std::vector<bus::RequestId> ids() const {
        std::vector<bus::RequestId> ids;
        for (const auto &[id, pending] : pending_) ids.push_back(id);
        return ids;
    }

    /// All requests have the same patience, so the oldest is the first whose time is up.
    [[nodiscard]] TimePoint next_timeout() const {
        return pending_.empty() ? kNever : pending_.begin()->second.until;
    }
    void handle_timeout(const WallClock &now) {
        while (next_timeout() <= now.at)
            pending_.extract(pending_.begin()).mapped().handler(std::nullopt, now);
    }

private:
    struct Pending {
        Handler handler;
        TimePoint until;
    };

    Duration patience_;
    std::map<bus::RequestId, Pending> pending_;
};

}  // namespace farlink::control
