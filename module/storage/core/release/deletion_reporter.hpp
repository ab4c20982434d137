// SPDX-License-Identifier: Apache-2.0
// Deletes bundles, records them, and has the deletion reported where the bundle requests it.
// Owned by Releaser; one thread.
// Both need the head of the bundle, which is read from the disk first; the bundle is discarded
// afterwards. One at a time: reports are rare, and a bundle may be large. What expires faster than
// it is read, or is large, gets no record.
#pragma once

#include "module/storage/core/release/fetch_requests.hpp"

namespace farlink::storage {

class DeletionReporter {
public:
    // RFC 9171 section 9.5, RFC 5050 section 6.1.1
    static constexpr std::uint8_t kReasonLifetimeExpired = 1;
    static constexpr std::uint8_t kReasonTransmissionCancelled = 3;
    static constexpr std::uint8_t kReasonDepletedStorage = 4;
    static constexpr std::uint8_t kReasonDestinationUnavailable = 5;
    /// Of bundles that are read only to be recorded: how many wait at most, and their size.
    static constexpr std::size_t kMostRecorded = 64;
    static constexpr std::uint64_t kMostRecordedBytes = 256UL * 1024;

    /// `reports`: deletions are reported at all.
    DeletionReporter(StorageContext &context, FetchRequests &requests, bool reports)
        : context_(context), requests_(requests), reports_wanted_(reports) {}

    void want_reports(bool reports) { reports_wanted_ = reports; }

    /// Deletes a waiting bundle; `why` counts it, `reason` goes into the report.
    void remove(EntryIndex index, StorageCounter why, std::uint8_t reason);
    /// Queues the read for the next report, unless one is under way.
    void queue_read();
    void handle_read_done(DiskIndex disk, DiskRequestPtr part, TimePoint now);

private:
    struct Deletion {
        std::uint64_t handle = 0;
        StorageCounter why = StorageCounter::kExpired;
        std::uint8_t reason = 0;
        bool reported = false;  ///< the bundle requests it
    };
    [[nodiscard]] EntryIndex keep_head(EntryIndex whole, StorageCounter why);
    [[nodiscard]] bool is_recorded(EntryIndex index) const;
    void conclude(const DiskRecord &record, TimePoint now);
    void report(const bp::BundleView &view, ByteView head);
    void record(const bp::BundleView &view, TimePoint now);

    StorageContext &context_;
    FetchRequests &requests_;
    bool reports_wanted_;
    Ring<Deletion> pending_;  ///< bundles whose heads are to be read
    Deletion current_;        ///< its head is being read
    Fetch parts_;             ///< reads of `current_` that have come back
    bool reading_ = false;
};

}  // namespace farlink::storage
