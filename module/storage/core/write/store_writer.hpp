// SPDX-License-Identifier: Apache-2.0
// Takes bundles from ingress, has them written, and answers once they are flushed.
// Owned by StorageCore; one thread.
// Batches that wait for a write are answered in the order in which they came, each once all the
// disks that it was spread over have flushed it.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "module/storage/core/custody/custodian.hpp"
#include "module/storage/core/index/identity.hpp"
#include "module/storage/core/state/storage_context.hpp"
#include "module/storage/core/upkeep/evictor.hpp"
#include "module/storage/core/write/stripe_cutter.hpp"

namespace farlink::storage {

class StoreWriter {
public:
    StoreWriter(StorageContext &context, Evictor &evictor, Custodian &custodian)
        : context_(context), evictor_(evictor), custodian_(custodian) {}

    void set_key(const SipKey &key) { identity_of_.set_key(key); }

    void handle(BatchPtr batch, TimePoint now);
    /// The next append for a disk; empty when there is none.
    [[nodiscard]] DiskRequestPtr poll_append(DiskIndex disk);
    void handle_append_done(DiskIndex disk, DiskRequestPtr request);

    /// What became of a bundle of which there may be a copy. The entry of a copy that is the bundle
    /// now, for the releaser to take back; kNoEntry otherwise.
    [[nodiscard]] EntryIndex handle_fate(const bus::CopyFate &fate, std::size_t instance);
    /// That instance of ingress will tell no fate: its copies are bundles now. Those on disk, for
    /// the releaser.
    [[nodiscard]] std::vector<EntryIndex> end_copies(std::size_t instance);

    /// A flush of a disk begins: it covers every append polled for it so far.
    void handle_flush(DiskIndex disk);
    /// It has ended: answers what is complete. The flows that have got bundles go to `offered`.
    void handle_flush_done(DiskIndex disk, bool good, std::vector<FlowIndex> &offered,
                           TimePoint now);

    [[nodiscard]] bool idle() const { return pending_.empty(); }

private:
    /// A bundle that equals one whose write is not flushed yet.
    struct Twin {
        std::uint32_t place = 0;   ///< in the batch
        std::uint64_t handle = 0;  ///< of the first copy
    };
    /// Something was refused: what is behind it on the way must not overtake it, and is refused,
    /// too, until the instance of ingress begins again with the oldest.
    struct Refusing {
        bool all = false;
        bool write_failed = false;  ///< likewise what was on its way to the disk already
        QuotaSet quotas = 0;        ///< likewise what counts in these quotas
    };
    /// queued -> at disk -> covered -> flushed
    enum class PartState : std::uint8_t {
        kQueued,
        kAtDisk,   ///< handed to the disk, and perhaps back already
        kCovered,  ///< by the flush that is under way
        kFlushed,
    };
    /// What one disk has of a batch.
    struct Part {
        DiskIndex disk = 0;
        PartState state = PartState::kQueued;
        bool good = false;  ///< once flushed: the flush succeeded
        std::uint64_t bytes = 0;
        DiskRequestPtr request;  ///< before and after its time at the disk
    };
    /// A batch between its arrival and its answer.
    struct Pending {
        BatchPtr batch;
        std::vector<Part> parts;
        std::vector<Twin> twins;
        std::size_t unflushed = 0;         ///< parts
        HeadSpace heads;                   ///< of bundles in custody; the request refers to it
        std::vector<StripeSpace> stripes;  ///< of large bundles; the request refers to it, too
        bool abandoned = false;            ///< copies of an ingress that has died
    };

    [[nodiscard]] Outcome admit(Pending &pending, Batch &batch, std::uint32_t place, TimePoint now);
    [[nodiscard]] bool write(Pending &pending, Batch &batch, std::uint32_t place,
                             const bp::BundleView &view, const Hash128 &identity, TimePoint now);
    [[nodiscard]] bool write_stripes(Pending &pending, DiskRecord &record, FlowIndex flow,
                                     const Shortage &need, TimePoint now);
    void add_record(Pending &pending, DiskIndex disk, const DiskRecord &record);
    [[nodiscard]] std::optional<DiskIndex> find_room(const Pending &pending, const Batch &batch,
                                                     const Shortage &need, TimePoint now);
    [[nodiscard]] Part &part_on(DiskIndex disk, Pending &pending);
    void queue_parts(Pending &pending);
    void complete_written(Pending &pending, std::vector<FlowIndex> &offered, TimePoint now);
    void keep_written(const Part &part, Batch &batch, std::vector<FlowIndex> &offered,
                      TimePoint now);
    void drop_written(const Pending &pending, const Part &part, Batch &batch, TimePoint now);
    [[nodiscard]] EntryIndex set_copy_outcome(std::uint64_t arrival, CopyTable::Copy &copy,
                                              bool sent);
    [[nodiscard]] EntryIndex set_single_outcome(EntryIndex index, bool sent);
    [[nodiscard]] EntryIndex set_shared_outcome(EntryIndex index, std::uint64_t arrival, bool sent);
    void shelve_copy(EntryIndex index, std::uint64_t arrival, std::vector<FlowIndex> &offered);
    void set_twin_outcomes(const Pending &pending, Batch &batch, TimePoint now);
    [[nodiscard]] bool ends_critical(const Batch &batch, const BatchedBundle &bundle,
                                     const Hash128 &identity, TimePoint now);
    void note_repeat(const Batch &batch, const BatchedBundle &bundle, EntryIndex held, bool copy);
    [[nodiscard]] bool note_return(const BatchedBundle &bundle, EntryIndex held);
    [[nodiscard]] bool share_copy(const Batch &batch, const BatchedBundle &bundle, EntryIndex held);
    /// No space for the bundle; its custodian hears of it once.
    Outcome refuse(const Batch &batch, const BatchedBundle &bundle, TimePoint now);
    void answer(BatchPtr batch);

    StorageContext &context_;
    Evictor &evictor_;
    Custodian &custodian_;
    std::array<Refusing, kMostInstances> refusing_;
    IdentityHasher identity_of_;
    Bytes label_;
    Ring<Pending> pending_;                       ///< oldest first
    std::uint64_t first_tag_ = 0;                 ///< the running number of pending_.front()
    std::vector<std::vector<Part>> spare_parts_;  ///< with their memory, for use again
    std::size_t twins_ = 0;                       ///< that wait for the write of their first copy
    std::unordered_set<std::uint64_t> failed_;    ///< handles whose write failed, while twins wait
};

}  // namespace farlink::storage
