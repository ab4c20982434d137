// SPDX-License-Identifier: Apache-2.0
// The events of a session for its driver, in the order in which they happened.
// Owned by one session's core; one thread.
// Bundles that are done are one number, and deviations of the peer one event until it is read, so
// that no peer makes the queue long and no bundle costs an event.
#pragma once

#include <cstdint>
#include <optional>

#include "cla/api/session_core.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::cla::tcpclv3 {

class Events {
public:
    explicit Events(bool strict) : strict_(strict) {}

    void add(SessionEvent::Kind kind) { queue_.push_back({.kind = kind}); }
    /// Every bundle below `token` is done.
    void transmitted(std::uint64_t token) {
        if (queue_.empty() || queue_.back().kind != SessionEvent::Kind::kTransmitted)
            add(SessionEvent::Kind::kTransmitted);
        queue_.back().token = token;
    }
    void refused(std::uint64_t token, Refusal refusal) {
        add(SessionEvent::Kind::kRefused);
        queue_.back().token = token;
        queue_.back().refusal = refusal;
    }
    /// So many bundles of the peer, for lack of memory.
    void bundles_refused(std::uint64_t bundles) {
        if (bundles == 0) return;
        add(SessionEvent::Kind::kBundlesRefused);
        queue_.back().token = bundles;
    }
    void ended(LinkFault fault, Duration reconnection_delay) {
        add(SessionEvent::Kind::kEnded);
        queue_.back().fault = fault;
        queue_.back().reconnection_delay = reconnection_delay;
    }
    /// Whether the session tolerates this deviation of the peer.
    [[nodiscard]] bool tolerates(ProtocolDeviation deviation) {
        if (strict_) return false;
        if ((unpublished_ & bit(deviation)) == 0) {
            unpublished_ |= bit(deviation);
            add(SessionEvent::Kind::kDeparture);
            queue_.back().deviation = deviation;
        }
        return true;
    }

    [[nodiscard]] std::optional<SessionEvent> poll() {
        if (queue_.empty()) return std::nullopt;
        const SessionEvent event = queue_.pop_front();
        if (event.kind == SessionEvent::Kind::kDeparture) unpublished_ &= ~bit(event.deviation);
        return event;
    }

private:
    [[nodiscard]] static std::uint32_t bit(ProtocolDeviation deviation) {
        static_assert(static_cast<unsigned>(ProtocolDeviation::kCount_) <= 32);
        return std::uint32_t{1} << static_cast<unsigned>(deviation);
    }

    bool strict_;
    std::uint32_t unpublished_ = 0;  ///< deviations in the queue
    Ring<SessionEvent> queue_;
};

}  // namespace farlink::cla::tcpclv3
