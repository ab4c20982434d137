// SPDX-License-Identifier: Apache-2.0
// Batches from their arrival until all the disks that they are spread over have flushed them.
// Owned by StoreWriter; one thread.
// Batches complete in the order in which they came.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "module/storage/core/custody/custodian.hpp"
#include "module/storage/core/state/storage_context.hpp"
#include "module/storage/core/write/stripe_cutter.hpp"

namespace farlink::storage {

/// queued -> at disk -> covered -> flushed
enum class PartState : std::uint8_t {
    kQueued,
    kAtDisk,   ///< handed to the disk, and perhaps back already
    kCovered,  ///< by the flush that is under way
    kFlushed,
};

/// The part of a batch that goes to one disk.
struct BatchPart {
    DiskIndex disk = 0;
    PartState state = PartState::kQueued;
    bool good = false;  ///< once flushed: the flush succeeded
    std::uint64_t bytes = 0;
    DiskRequestPtr request;  ///< before and after its time at the disk
};

/// A bundle that equals one whose write is not flushed yet.
struct Twin {
    std::uint32_t place = 0;   ///< in the batch
    std::uint64_t handle = 0;  ///< of the first copy
};

/// The head of a bundle with custody, as it was received; it lies in the batch.
struct ReceivedHead {
    std::uint32_t place = 0;  ///< in the batch
    bp::BundleView view;
};

/// A fragment that is joined with others, as it was received; it lies in the batch.
struct WrittenFragment {
    EntryIndex entry = kNoEntry;
    std::span<const ByteView> slices;
    std::uint64_t payload_offset = 0;  ///< in `slices`
};

struct PendingBatch {
    BatchPtr batch;
    std::vector<BatchPart> parts;
    std::vector<Twin> twins;
    std::size_t unflushed = 0;           ///< parts
    HeadSpace heads;                     ///< of bundles in custody; the request refers to it
    std::vector<ReceivedHead> received;  ///< of bundles with custody, by place
    std::vector<StripeSpace> stripes;    ///< of large bundles; the request refers to it, too
    std::vector<WrittenFragment> fragments;
    std::vector<Bytes> labels;  ///< of fragments; the request refers to them, too
    bool abandoned = false;     ///< copies of an ingress that has died
};

class PendingWrites {
public:
    explicit PendingWrites(StorageContext &context) : context_(context) {}

    /// Adds a record to the part of its disk.
    void add(PendingBatch &pending, DiskIndex disk, const DiskRecord &record);
    /// Queues the parts of a batch at their disks.
    void queue(PendingBatch pending);
    /// The next append for a disk; empty when there is none.
    [[nodiscard]] DiskRequestPtr poll_append(DiskIndex disk);
    void handle_append_done(DiskIndex disk, DiskRequestPtr request);
    /// A flush of a disk begins: it covers every append polled for it so far.
    void handle_flush(DiskIndex disk);
    /// It has ended.
    void handle_flush_done(DiskIndex disk, bool good, TimePoint now);
    /// The oldest batch, once all its disks have flushed it.
    [[nodiscard]] std::optional<PendingBatch> poll_complete();
    /// The parts of a batch are needed no more.
    void recycle(std::vector<BatchPart> parts);
    /// A fragment that is not flushed yet, of a batch that is queued or of `current`.
    [[nodiscard]] std::optional<WrittenFragment> find_fragment(EntryIndex entry,
                                                               const PendingBatch &current) const;
    /// That instance of ingress will not report what became of its originals.
    void abandon(std::size_t instance);

    [[nodiscard]] bool idle() const { return pending_.empty(); }

private:
    [[nodiscard]] BatchPart &part_on(DiskIndex disk, PendingBatch &pending);

    StorageContext &context_;
    Ring<PendingBatch> pending_;                       ///< oldest first
    std::uint64_t first_tag_ = 0;                      ///< the running number of pending_.front()
    std::vector<std::vector<BatchPart>> spare_parts_;  ///< with their memory, for use again
};

}  // namespace farlink::storage
