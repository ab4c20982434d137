// SPDX-License-Identifier: Apache-2.0
// Takes bundles from ingress, has them written, and answers once they are flushed.
// Owned by StorageCore; one thread.
// Batches that wait for a write are answered in the order in which they came, each once all the
// disks that it was spread over have flushed it. A fragment that overlaps stored ones is compared
// with them first: its batch, and those behind it, wait for the reads. Pieces of bundles that are
// too large for memory are SpoolWriter's.
#pragma once

#include <array>
#include <optional>
#include <unordered_set>
#include <vector>

#include "module/storage/core/index/identity.hpp"
#include "module/storage/core/upkeep/evictor.hpp"
#include "module/storage/core/write/duplicates.hpp"
#include "module/storage/core/write/gathering.hpp"
#include "module/storage/core/write/overlap_check.hpp"
#include "module/storage/core/write/pending_writes.hpp"
#include "module/storage/core/write/spool_writer.hpp"
#include "module/storage/core/write/stored_copies.hpp"

namespace farlink::storage {

class StoreWriter {
public:
    StoreWriter(StorageContext &context, Evictor &evictor, Custodian &custodian,
                const routing::ReassemblyRules &rules, const config::ReassemblyConfig &limits)
        : context_(context),
          evictor_(evictor),
          custodian_(custodian),
          pending_(context),
          copies_(context),
          duplicates_(context, custodian),
          gathering_(context, rules, limits),
          overlaps_(context),
          spools_(context, evictor, duplicates_, pending_) {}

    void set_key(const SipKey &key) {
        identity_of_.set_key(key);
        spools_.set_key(key);
    }

    void handle(BatchPtr batch, TimePoint now);
    /// The next append for a disk; empty when there is none.
    [[nodiscard]] DiskRequestPtr poll_append(DiskIndex disk) { return pending_.poll_append(disk); }
    void handle_append_done(DiskIndex disk, DiskRequestPtr request) {
        pending_.handle_append_done(disk, std::move(request));
    }
    /// A flush of a disk begins: it covers every append polled for it so far.
    void handle_flush(DiskIndex disk) { pending_.handle_flush(disk); }
    /// It has ended: answers what is complete. The flows that have got bundles go to `offered`.
    void handle_flush_done(DiskIndex disk, bool good, std::vector<FlowIndex> &offered,
                           TimePoint now);

    /// A read of stored fragments, with OverlapCheck::kTag.
    [[nodiscard]] DiskRequestPtr poll_read(DiskIndex disk) { return overlaps_.poll_read(disk); }
    void handle_read_done(DiskIndex disk, DiskRequestPtr read, TimePoint now);

    [[nodiscard]] Gathering &gathering() { return gathering_; }
    [[nodiscard]] StoredCopies &copies() { return copies_; }
    /// That instance of ingress is lost: its copies are bundles now, and what it has sent in pieces
    /// and not to the end is void. The entries of copies on disk, for the releaser.
    [[nodiscard]] std::vector<EntryIndex> handle_ingress_lost(std::size_t instance);

    [[nodiscard]] bool idle() const { return pending_.idle() && waiting_.empty(); }

private:
    /// A bundle was refused: later ones of the same instance of ingress must not overtake it, and
    /// are refused too, until that instance begins again with the oldest.
    struct Refusing {
        bool all = false;
        bool write_failed = false;  ///< also refuses bundles that were queued for the disk
        QuotaSet quotas = 0;        ///< refuses what counts in these quotas
    };

    /// The oldest batch that came, as far as it is admitted.
    struct Admission {
        PendingBatch pending;
        std::uint32_t place = 0;  ///< of the next bundle
    };

    void admit_waiting(TimePoint now);
    [[nodiscard]] bool admit_all(Batch &batch, TimePoint now);
    void admit_piece(Batch &batch, TimePoint now);
    [[nodiscard]] Result<bp::BundleView, bp::ParseError> read_head(
        const Batch &batch, const BatchedBundle &bundle) const;
    [[nodiscard]] Hash128 identity_of(const bp::BundleView &view, const Batch &batch,
                                      const BatchedBundle &bundle);
    [[nodiscard]] std::optional<Outcome> admit(PendingBatch &pending, Batch &batch,
                                               std::uint32_t place, TimePoint now);
    [[nodiscard]] Outcome expire(const Batch &batch, const BatchedBundle &bundle, TimePoint now);
    [[nodiscard]] Outcome admit_known(PendingBatch &pending, Batch &batch, std::uint32_t place,
                                      const bp::BundleView &view, EntryIndex held, TimePoint now);
    [[nodiscard]] std::optional<Outcome> admit_fragment(const PendingBatch &pending, Batch &batch,
                                                        std::uint32_t place,
                                                        const bp::BundleView &view,
                                                        std::optional<FragmentLabel> &label);
    [[nodiscard]] bool write(PendingBatch &pending, Batch &batch, std::uint32_t place,
                             const bp::BundleView &view, const Hash128 &identity,
                             const std::optional<FragmentLabel> &fragment, TimePoint now);
    [[nodiscard]] bool write_stripes(PendingBatch &pending, DiskRecord &record, FlowIndex flow,
                                     const Shortage &need, TimePoint now);
    void write_fragment(PendingBatch &pending, DiskRecord &record, FlowIndex flow, DiskIndex disk,
                        FragmentLabel label);
    [[nodiscard]] std::optional<DiskIndex> find_room(const PendingBatch &pending,
                                                     const Batch &batch, const Shortage &need,
                                                     TimePoint now);
    void complete_written(PendingBatch &pending, std::vector<FlowIndex> &offered, TimePoint now);
    void keep_written(const PendingBatch &pending, const BatchPart &part,
                      std::vector<FlowIndex> &offered, TimePoint now);
    void drop_written(const PendingBatch &pending, const BatchPart &part, Batch &batch,
                      TimePoint now);
    void set_twin_outcomes(const PendingBatch &pending, Batch &batch, TimePoint now);
    void keep_head(PendingBatch &pending, const Batch &batch, std::uint32_t place,
                   const bp::BundleView &view) const;
    /// No space for the bundle; its custodian gets one signal.
    Outcome refuse(const Batch &batch, const BatchedBundle &bundle, const bp::BundleView &view,
                   TimePoint now);
    /// The same of one whose head was not read.
    Outcome refuse_unread(const Batch &batch, const BatchedBundle &bundle, TimePoint now);
    void answer(BatchPtr batch);

    StorageContext &context_;
    Evictor &evictor_;
    Custodian &custodian_;
    PendingWrites pending_;
    StoredCopies copies_;
    Duplicates duplicates_;
    Gathering gathering_;
    OverlapCheck overlaps_;
    SpoolWriter spools_;
    Ring<BatchPtr> waiting_;  ///< while the first of them waits for a read
    Admission admission_;     ///< of waiting_.front()
    std::array<Refusing, kMostInstances> refusing_;
    IdentityHasher identity_of_;
    Bytes label_;
    std::size_t twins_ = 0;                     ///< that wait for the write of their first copy
    std::unordered_set<std::uint64_t> failed_;  ///< handles whose write failed, while twins wait
};

}  // namespace farlink::storage
