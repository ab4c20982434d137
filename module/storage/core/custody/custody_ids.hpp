// SPDX-License-Identifier: Apache-2.0
// Gives out custody ids, in runs for each source, so that the signals about them aggregate.
// Owned by Custodian; one thread.
// An id that may still be known in the network is never given out again, also over restarts: ids
// begin at the clock, which runs faster than they can be used up, and above all that are met on
// disk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "common/base/time.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::storage {

class CustodyIds {
public:
    /// A million ids for each second since the epoch.
    explicit CustodyIds(DtnTime started) : next_run_(started << kIdsPerMsBits) {}

    [[nodiscard]] std::uint64_t next(const bp::EidView &source) {
        if (runs_.size() >= kMostSources) runs_.clear();
        Run &run = runs_[bp::hash(source)];
        if (run.next == run.end) {
            run = {next_run_, next_run_ + kRunLength};
            next_run_ += kRunLength;
        }
        return run.next++;
    }
    /// The clock showed this in an earlier run; it may have been set back, or not been set yet.
    void stay_above(DtnTime shown) {
        if (shown >> (64 - kIdsPerMsBits) == 0) stay_above_id(shown << kIdsPerMsBits);
    }
    /// An id of an earlier run.
    void stay_above_id(std::uint64_t id) {
        if (id < next_run_) return;
        next_run_ = id + 1;
        runs_.clear();
    }

private:
    static constexpr unsigned kIdsPerMsBits = 10;
    static constexpr std::uint64_t kRunLength = 256;
    static constexpr std::size_t kMostSources = 1024;
    struct Run {
        std::uint64_t next = 0;
        std::uint64_t end = 0;
    };

    std::uint64_t next_run_;
    std::unordered_map<std::uint64_t, Run> runs_;  ///< by the hash of the source
};

}  // namespace farlink::storage
