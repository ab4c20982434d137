// SPDX-License-Identifier: Apache-2.0
// What the modules of a node add to their bundle histories, from now on.
// Owned by one watcher; one thread, of any process.
// The writers have no part in it: a follower that is too slow misses records, which are counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/history/found_bundles.hpp"

namespace farlink::history {

class HistoryFollower {
public:
    /// Begins behind the newest records of the folder.
    explicit HistoryFollower(std::string folder);

    /// Appends at most `limit` new records of each module, each module's in their order. Returns
    /// the number of records that were overwritten before they were read, about. Files that have
    /// grown, were replaced or are new are opened again.
    [[nodiscard]] std::uint64_t poll(std::size_t limit, std::vector<FoundBundle> &found);
    /// Files that were there at the last look.
    [[nodiscard]] std::size_t histories() const { return places_.size(); }

private:
    std::string folder_;
    std::map<std::string, HistoryPlace> places_;  ///< by module
};

}  // namespace farlink::history
