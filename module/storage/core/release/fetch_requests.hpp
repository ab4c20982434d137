// SPDX-License-Identifier: Apache-2.0
// Turns bundles that are to be read into requests for the disks that hold them.
// Owned by Releaser; one thread.
// One request a disk: a fetch may be spread over several disks.
#pragma once

#include <array>
#include <span>

#include "module/storage/core/release/release_links.hpp"

namespace farlink::storage {

class FetchRequests {
public:
    /// Requests of at most this many octets share slabs of one size.
    static constexpr std::uint64_t kReadBytes = StorageContext::kSlabBytes;
    /// Tag of a read that is for a deletion report; any other tag names a link and a fetch.
    static constexpr std::uint64_t kReportTag = ~std::uint64_t{0};

    explicit FetchRequests(StorageContext &context) : context_(context) {}

    /// Adds the records of a bundle to a fetch, or those of the fragments it is joined from.
    void add(Fetch &fetch, EntryIndex index);
    /// Queues a fetch for a link at its disks.
    void queue(LinkId id, ReleaseLink &link, Fetch fetch);
    /// The same for one bundle that goes ahead of all flows.
    void queue_alone(LinkId id, ReleaseLink &link, EntryIndex index);
    /// The bundle leaves by the link in pieces from now on: queues the read of the first one.
    void queue_spooled(LinkId id, ReleaseLink &link, EntryIndex index);
    /// The same for the next one.
    void queue_piece(LinkId id, ReleaseLink &link);
    /// Queues a fetch for a deletion report; its parts come back to the reporter.
    void queue_report(Fetch &fetch);

    /// The next read that is queued for the disk; null when there is none.
    [[nodiscard]] DiskRequestPtr poll(DiskIndex disk);
    void handle_read_done() { --reading_; }
    /// No read is queued or at a disk.
    [[nodiscard]] bool idle() const { return reading_ == 0; }

private:
    using Parts = std::array<DiskRequestPtr, kMaxDisks>;

    void add_records(Fetch &fetch, EntryIndex index);
    [[nodiscard]] Parts take_parts(Fetch &fetch) const;
    void place_buffers(std::span<const DiskRequestPtr> parts) const;
    void queue(Parts parts, std::uint64_t tag);

    StorageContext &context_;
    std::size_t reading_ = 0;  ///< requests that are queued or at a disk
};

}  // namespace farlink::storage
