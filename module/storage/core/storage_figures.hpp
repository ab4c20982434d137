// SPDX-License-Identifier: Apache-2.0
// What storage reports of its disks and of the bundles in them, for operators and tests.
// Owned by StorageCore; one thread.
// It changes nothing of what is stored.
#pragma once

#include <optional>
#include <utility>

#include "module/storage/core/state/holdings.hpp"
#include "module/storage/core/state/storage_context.hpp"
#include "module/storage/core/upkeep/memory_return.hpp"
#include "module/storage/core/upkeep/pending_survey.hpp"

namespace farlink::storage {

class StorageFigures {
public:
    explicit StorageFigures(StorageContext &context) : context_(context), memory_(context) {}

    [[nodiscard]] const telemetry::StorageCounters &counters() const { return context_.counters; }
    void set_segments(std::uint64_t files) {
        context_.counters.set(StorageCounter::kSegments, files);
    }
    /// From the order of a flush to its end, of those that succeeded.
    [[nodiscard]] const telemetry::LatencyHistogram &flush_times() const {
        return context_.flush_times;
    }

    // ---- disks
    [[nodiscard]] std::size_t disk_count() const { return context_.placement.volumes().size(); }
    /// Without its path, which the agent adds.
    [[nodiscard]] bus::DiskReport disk_report(DiskIndex disk) const;
    [[nodiscard]] DiskTrouble trouble(DiskIndex disk) const { return volume(disk).trouble(); }
    [[nodiscard]] bool is_set_aside(DiskIndex disk) const { return volume(disk).is_set_aside(); }
    /// The file system of a disk that was full has room again.
    void handle_room(DiskIndex disk) { context_.volume(disk).handle_room(); }
    /// A record that could not be read, and is kept and not sent; of very many not each is named.
    [[nodiscard]] std::optional<Unreadable> poll_unreadable();
    /// How many further ones there are without a name, since the last call.
    [[nodiscard]] std::uint64_t take_nameless_unreadable() {
        return std::exchange(context_.nameless, 0);
    }

    // ---- bundles
    /// Bundles held, unreadable ones too.
    [[nodiscard]] std::uint64_t held() const { return context_.inventory.count(); }
    /// Bundles that have expired by the clock and are still held.
    [[nodiscard]] std::uint64_t overdue() const;
    /// Memory that is taken for them, the queues of their flows apart.
    [[nodiscard]] std::uint64_t index_bytes() const {
        return context_.inventory.memory_bytes() + context_.fragments.sets().memory_bytes() +
               context_.fragments.spools().memory_bytes();
    }
    /// For once a second: about how many octets were freed, see MemoryReturn.
    [[nodiscard]] std::uint64_t free_memory() { return memory_.poll(); }
    /// What is held for each destination. It visits every bundle: not for the data path.
    [[nodiscard]] std::vector<Holding> holdings() const {
        return count_holdings(context_.inventory);
    }
    /// The neighbour that was the last to refuse a bundle for its own sake.
    [[nodiscard]] NodeNumber last_refuser(bool too_large) const {
        return context_.refused.last_refuser(too_large);
    }
    /// Begins to count what is held for each node, if that has changed since the last count.
    void survey_pending();
    /// Counts on for a moment; the result when it is complete.
    [[nodiscard]] std::optional<PendingSurvey::Result> poll_survey();

private:
    /// Changes when what is held does.
    struct Surveyed {
        std::uint64_t changes = 0;
        std::uint64_t disk_bytes = 0;
        std::uint64_t stored = 0;
        friend bool operator==(const Surveyed &, const Surveyed &) = default;
    };
    [[nodiscard]] const Volume &volume(DiskIndex disk) const {
        return context_.placement.volumes()[disk];
    }
    [[nodiscard]] bus::DiskState disk_state(DiskIndex disk) const;

    StorageContext &context_;
    MemoryReturn memory_;
    PendingSurvey survey_;
    std::optional<Surveyed> surveyed_;
};

}  // namespace farlink::storage
