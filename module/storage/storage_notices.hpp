// SPDX-License-Identifier: Apache-2.0
// What storage logs of its disks, its clock, refusals and custody signals.
// Owned by StorageAgent; one thread.
// Each event is logged once, or at intervals while it lasts.
#pragma once

#include <cstdint>
#include <deque>

#include "common/runtime/log/log.hpp"
#include "module/storage/core/storage_core.hpp"
#include "module/storage/core/upkeep/downtime.hpp"
#include "module/storage/storage_disk.hpp"

namespace farlink::storage {

class StorageNotices {
public:
    StorageNotices(Logger &log, StorageCore &core, std::deque<StorageDisk> &disks)
        : log_(log), core_(core), disks_(disks) {}

    /// Logs what is new since the last call.
    void on_second();
    void log_disks();
    /// Logs the state of the clock, if it is not `before`.
    void log_clock(ClockState before);
    /// The operator has confirmed the clock, by which `overdue` stored bundles have expired.
    void log_confirmation(std::uint64_t overdue);
    /// At the start: how long the node was off, and how many bundles have expired meanwhile.
    void log_downtime(Downtime off, std::uint64_t off_ms, std::uint64_t overdue);

private:
    static constexpr Duration kRefusalsLoggedEach = seconds(60);
    static constexpr Duration kSignalsLoggedEach = seconds(10);

    void log_unreadable();
    [[nodiscard]] bool accepts_bundles();
    void log_faults(StorageDisk &disk, DiskTrouble trouble, bool accepted);
    void log_refusals();
    void log_too_large();
    void log_refused_bundles();
    void log_large_bundles();
    void log_signals();
    void log_tasks();

    Logger &log_;
    StorageCore &core_;
    std::deque<StorageDisk> &disks_;
    std::uint64_t seen_stored_ = 0;
    std::uint64_t seen_refused_ = 0;
    std::uint64_t logged_refused_ = 0;  ///< refusals for lack of room
    LogLimiter refusal_limiter_{kRefusalsLoggedEach};
    std::uint64_t logged_too_large_ = 0;  ///< refusals for the size
    LogLimiter too_large_limiter_{kRefusalsLoggedEach};
    std::uint64_t logged_waiting_ = 0;  ///< bundles that neighbours have refused
    LogLimiter waiting_limiter_{kRefusalsLoggedEach};
    std::uint64_t logged_large_ = 0;  ///< bundles that are too large for their link
    LogLimiter large_limiter_{kRefusalsLoggedEach};
    LogLimiter signal_limiter_{kSignalsLoggedEach};
};

}  // namespace farlink::storage
