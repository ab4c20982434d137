// SPDX-License-Identifier: Apache-2.0
// Counts what storage holds for each node, by number or name, a part of the destinations at a time,
// so that a store with very many of them is never held up. Owned by StorageCore; one thread. What
// comes and goes while it counts may be in the result or not.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/bus/messages.hpp"
#include "module/storage/core/index/destination_table.hpp"

namespace farlink::storage {

class PendingSurvey {
public:
    /// Destinations of one step(): about a millisecond.
    static constexpr std::size_t kAtOnce = 8192;
    /// Nodes in the result; of more, those with most bundles.
    static constexpr std::size_t kMostNodes = 1000;

    struct Result {
        std::vector<bus::PendingReport> pending;  ///< by node and name
        std::uint64_t destinations = 0;           ///< nodes, all of them
    };

    [[nodiscard]] bool running() const { return running_; }
    void start();
    /// Counts on; the result when it is complete.
    [[nodiscard]] std::optional<Result> step(DestinationTable &destinations,
                                             const EntryTable &entries);

private:
    /// What is held for one endpoint. There may be a million: they are as small as can be.
    struct Row {
        std::uint64_t key = 0;  ///< DestinationTable::HeldCount::row
        std::uint32_t place = 0;
        std::uint32_t named : 1 = 0;
        std::uint32_t bundles : 31 = 0;
    };
    /// The rows of one node, which lie together.
    struct Group {
        std::uint64_t bundles = 0;
        std::size_t first = 0;
        std::size_t count = 0;
    };
    [[nodiscard]] Result finish(DestinationTable &destinations, const EntryTable &entries);
    [[nodiscard]] std::vector<Group> find_fullest(std::uint64_t &nodes);
    [[nodiscard]] bus::PendingReport sum_of(const Group &group, DestinationTable &destinations,
                                            const EntryTable &entries) const;

    std::vector<Row> rows_;
    std::size_t next_ = 0;
    bool running_ = false;
};

}  // namespace farlink::storage
