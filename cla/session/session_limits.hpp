// SPDX-License-Identifier: Apache-2.0
// When a session has been without bundles for too long, when a bundle that has begun has stopped,
// and when an unfinished bundle is to leave the shared slab.
// Owned by a SessionDriver; one thread.
// It reads no clock and sets no timer.
#pragma once

#include <algorithm>

#include "common/base/time.hpp"

namespace farlink::cla {

class SessionLimits {
public:
    /// 0: no limit. `stranger` is the limit of a peer that is no neighbour and has moved no bundle.
    struct Limits {
        Duration idle{};
        Duration stranger{};
        Duration transfer{};
    };
    explicit SessionLimits(const Limits &limits) : limits_(limits) {}

    /// The peer is a neighbour, or a bundle has moved.
    void handle_trusted() { stranger_ = false; }
    void handle_bundle(TimePoint now) { last_bundle_ = now; }
    void handle_established(TimePoint last_octet, TimePoint now) {
        last_bundle_ = now;
        idle_due_ = idle_deadline(last_octet);
    }
    /// The session is in the middle of a bundle, and waits for more.
    void handle_unfinished(TimePoint last_octet, TimePoint now);

    /// The idle limit is checked. `busy`: bundles are under way. True when it has passed.
    [[nodiscard]] bool idle_passed(bool busy, TimePoint last_octet, TimePoint now);
    /// The bundle in hand is checked. True when it has stopped for too long.
    [[nodiscard]] bool transfer_stalled(TimePoint last_octet, TimePoint now);
    /// `done`: nothing is left in the shared slab; else it is tried again.
    void handle_compacted(bool done, TimePoint now) {
        compact_due_ = done ? kNever : now + kCompactAfter;
    }
    void clear_idle() { idle_due_ = kNever; }
    void clear_stall() { stall_due_ = kNever; }

    [[nodiscard]] TimePoint idle_due() const { return idle_due_; }
    [[nodiscard]] TimePoint stall_due() const { return stall_due_; }
    [[nodiscard]] TimePoint compact_due() const { return compact_due_; }
    [[nodiscard]] TimePoint next() const { return std::min({idle_due_, stall_due_, compact_due_}); }

private:
    /// What waits longer than this for the rest of its bundle leaves the shared slab.
    static constexpr milliseconds kCompactAfter{10};

    [[nodiscard]] TimePoint idle_deadline(TimePoint last_octet) const;

    Limits limits_;
    bool stranger_ = true;
    TimePoint last_bundle_{};
    TimePoint idle_due_ = kNever;
    TimePoint stall_due_ = kNever;
    TimePoint compact_due_ = kNever;
};

}  // namespace farlink::cla
