// SPDX-License-Identifier: Apache-2.0
// When the log states that a disk accepts nothing, and that it accepts bundles again.
// Owned by StorageDisk; one thread.
// A full disk may get space and lose it again before a bundle comes: its end is stated once bundles
// are accepted, and at once then. Only its begin is limited.
#pragma once

#include <optional>
#include <utility>

#include "common/runtime/log/log.hpp"
#include "module/storage/core/state/volume.hpp"

namespace farlink::storage {

class DiskNotice {
public:
    static constexpr Duration kEach = seconds(10);

    struct Change {
        DiskTrouble before = DiskTrouble::kNone;
        DiskTrouble now = DiskTrouble::kNone;
    };
    /// What to log. `accepted`: since the last call bundles were stored, and none was refused.
    [[nodiscard]] std::optional<Change> look(DiskTrouble trouble, bool accepted, TimePoint now) {
        if (trouble == logged_) return std::nullopt;
        const bool over = trouble == DiskTrouble::kNone;
        if (over && logged_ == DiskTrouble::kFull && !accepted) return std::nullopt;
        if (!over && !limiter_.admit(now)) return std::nullopt;
        return Change{std::exchange(logged_, trouble), trouble};
    }

private:
    DiskTrouble logged_ = DiskTrouble::kNone;
    LogLimiter limiter_{kEach};
};

}  // namespace farlink::storage
