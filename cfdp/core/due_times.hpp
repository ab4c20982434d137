// SPDX-License-Identifier: Apache-2.0
// When something is due next, of many things whose times change often.
// A value of whoever has the things; one thread.
// Each thing keeps the time that is entered here for it.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "common/base/time.hpp"

namespace farlink::cfdp {

template <class Key>
class DueTimes {
public:
    /// `entered`: what the thing keeps; `due`: its next time, or kNever.
    void move(const Key &key, TimePoint &entered, TimePoint due) {
        if (entered == due) return;
        if (entered != kNever) times_.erase({entered, key});
        if (due != kNever) times_.emplace(due, key);
        entered = due;
    }
    [[nodiscard]] TimePoint first() const {
        return times_.empty() ? kNever : times_.begin()->first;
    }
    [[nodiscard]] std::vector<Key> due(TimePoint now) const {
        std::vector<Key> keys;
        for (auto each = times_.begin(); each != times_.end() && each->first <= now; ++each)
            keys.push_back(each->second);
        return keys;
    }

private:
    std::set<std::pair<TimePoint, Key>> times_;
};

}  // namespace farlink::cfdp
