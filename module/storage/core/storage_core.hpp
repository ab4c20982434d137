// SPDX-License-Identifier: Apache-2.0
// Storage thinks here: what is written, flushed, read, lent to egress, deleted, and told to whom.
// Owned by the storage agent (or a simulated node); one thread; no file, clock or log.
// Around it: a disk that executes poll_disk_request() and comes back with handle(DiskRequestPtr),
// and a bus. Messages are handled first and outputs polled afterwards, all of them until empty.
#pragma once

#include <optional>

#include "common/config/node_config.hpp"
#include "module/storage/core/custodian.hpp"
#include "module/storage/core/group_commit.hpp"
#include "module/storage/core/holdings.hpp"
#include "module/storage/core/intake.hpp"
#include "module/storage/core/releaser.hpp"

namespace farlink::storage {

class StorageCore {
public:
    StorageCore(const config::StorageConfig &config, bool status_reports, WallClock clock,
                const ReleaseLimits &limits = {}, const CustodyOptions &custody = {});

    // ---- start: the disk hands over what it found, then says that it is open
    void restore(const RestoredRecord &record);
    void handle_opened(const SipKey &identity_key);

    // ---- from the bus
    void handle(bus::StoreBatch message, TimePoint now);
    void handle(bus::BatchOutcome message, TimePoint now);
    void handle(const bus::CopyFates &message, TimePoint now);
    void handle(const bus::CustodyRecord &message, TimePoint now);
    void handle(const bus::RouteUpdate &update, TimePoint now);
    void handle(const bus::LinkUp &event, TimePoint now);
    void handle(const bus::LinkDown &event, TimePoint now);
    void handle(const bus::LinkSnapshot &snapshot, TimePoint now);
    void set_wall_clock(WallClock clock) { shelf_.clock = clock; }

    // ---- from the disk
    void handle(DiskRequestPtr completed, TimePoint now);
    void set_segments(std::uint64_t files) {
        shelf_.counters.set(StorageCounter::kSegments, files);
    }

    // ---- time
    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);

    // ---- what to do
    [[nodiscard]] DiskRequestPtr poll_disk_request(TimePoint now);
    [[nodiscard]] std::optional<bus::Outgoing> poll_message();

    /// From now on nothing is put off, so that idle() comes soon.
    void drain();
    /// No request is at the disk, no batch at egress, and nothing is left to write or flush.
    [[nodiscard]] bool idle() const;

    [[nodiscard]] const telemetry::StorageCounters &counters() const { return shelf_.counters; }
    /// Bundles held, unreadable ones too.
    [[nodiscard]] std::uint64_t held() const { return shelf_.inventory.count(); }
    /// What is held for each destination. It looks at every bundle: for people, not for the data
    /// path.
    [[nodiscard]] std::vector<Holding> holdings() const { return count_holdings(shelf_.inventory); }

private:
    [[nodiscard]] DiskRequestPtr poll_erasures(TimePoint now);
    [[nodiscard]] DiskRequestPtr poll_flush(TimePoint now);
    [[nodiscard]] DiskRequestPtr submit(DiskRequestPtr request);
    void handle_flushed(bool good, TimePoint now);

    Shelf shelf_;
    config::CustodyConfig custody_;
    Custodian custodian_;
    GroupCommit commit_;
    Intake intake_;
    Releaser releaser_;
    std::vector<FlowIndex> offered_;
    TimePoint erase_by_ = kNever;
    std::size_t at_disk_ = 0;
    bool draining_ = false;
};

}  // namespace farlink::storage
