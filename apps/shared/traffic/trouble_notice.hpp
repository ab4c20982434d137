// SPDX-License-Identifier: Apache-2.0
// When a tool tells its user why its link is not connected: after a second, and again when the
// reason changes.
// Owned by the tool's link host; one thread.
// A link that connects begins anew.
#pragma once

#include <optional>
#include <string>

#include "apps/shared/traffic/link_trouble.hpp"
#include "common/base/time.hpp"

namespace farlink::traffic {

class TroubleNotice {
public:
    static constexpr Duration kAfter = seconds(1);

    /// The link is as it is now. True: it is time to print the reason.
    [[nodiscard]] bool look(bool connected, const LinkTrouble &trouble, TimePoint now) {
        if (connected) {
            since_.reset();
            printed_.clear();
            return false;
        }
        if (!since_) since_ = now;
        if (now < *since_ + kAfter || trouble.why() == printed_) return false;
        printed_ = trouble.why();
        return true;
    }
    /// When look() is to be called without an event of the link.
    [[nodiscard]] TimePoint next_timeout() const {
        return since_ && printed_.empty() ? *since_ + kAfter : kNever;
    }

private:
    std::optional<TimePoint> since_;  ///< without a connection
    std::string printed_;
};

}  // namespace farlink::traffic
