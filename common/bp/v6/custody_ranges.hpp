// SPDX-License-Identifier: Apache-2.0
// A set of custody ids as the fills of an aggregate custody signal: ranges, ascending and apart.
// Owned by the collector of the ids; one thread.
// Most ids arrive in order, so adding one usually extends the last range.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "common/bp/v6/admin_record_codec.hpp"

namespace farlink::bp::v6 {

class CustodyRanges {
public:
    void add(std::uint64_t id) {
        // The first range that does not end before `id` - 1.
        const auto at =
            std::ranges::find_if(ranges_.rbegin(), ranges_.rend(), [id](const CustodyRange &range) {
                return range.last < id && id - range.last > 1;
            }).base();
        if (at == ranges_.end() || (at->first > id && at->first - id > 1)) {
            ranges_.insert(at, {id, id});
            return;
        }
        at->first = std::min(at->first, id);
        at->last = std::max(at->last, id);
        const auto next = at + 1;
        if (next == ranges_.end() || at->last == kMost || next->first != at->last + 1) return;
        at->last = next->last;
        ranges_.erase(next);
    }
    [[nodiscard]] std::size_t fills() const { return ranges_.size(); }
    [[nodiscard]] const std::vector<CustodyRange> &ranges() const { return ranges_; }

private:
    static constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    std::vector<CustodyRange> ranges_;
};

}  // namespace farlink::bp::v6
