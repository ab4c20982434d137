// SPDX-License-Identifier: Apache-2.0
// Opens the disks at the start, and hands what they hold to the core.
// Made by StorageAgent for the time of its open(); one thread, and one for each disk while they are
// read.
#pragma once

#include <deque>
#include <vector>

#include "common/runtime/log/log.hpp"
#include "module/storage/storage_notices.hpp"

namespace farlink::storage {

class StoreOpener {
public:
    StoreOpener(Logger &log, StorageNotices &notices, StorageCore &core,
                std::deque<StorageDisk> &disks)
        : log_(log), notices_(notices), core_(core), disks_(disks) {}

    /// False, with the reason in the log, when the store cannot be used. Of several disks some may
    /// be missing.
    [[nodiscard]] bool open();
    // ---- once it is open
    /// When the store was in use last; 0 when that is not known.
    [[nodiscard]] DtnTime last_used() const { return last_used_; }
    /// Expiry is suspended only because the kernel reports that the clock is not synchronised.
    [[nodiscard]] bool awaits_synchronisation() const { return awaits_synchronisation_; }

private:
    using Opened = Result<Recovery, StoreError>;

    [[nodiscard]] DtnTime compare_stamps();
    [[nodiscard]] std::vector<Opened> read_disks();
    [[nodiscard]] bool judge(DiskIndex index, const Opened &opened);
    void judge_clock(const std::vector<Opened> &opened);
    void log_recovery(const StorageDisk &disk, const Recovery &recovery);
    void log_losses(const StorageDisk &disk, const Recovery &recovery);
    void share_key(const std::vector<Opened> &opened);
    void log_erased(const ErasedBundles &erased);

    Logger &log_;
    StorageNotices &notices_;
    StorageCore &core_;
    std::deque<StorageDisk> &disks_;
    bool in_step_ = true;  ///< all disks were in use until the same time
    DtnTime last_used_ = 0;
    bool awaits_synchronisation_ = false;
};

}  // namespace farlink::storage
