// SPDX-License-Identifier: Apache-2.0
// Takes bundles from ingress, has them written, and answers once they are flushed.
// Owned by StorageCore; one thread.
// Batches that wait for a write are answered in the order in which they came.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "module/storage/core/custodian.hpp"
#include "module/storage/core/identity.hpp"
#include "module/storage/core/shelf.hpp"

namespace farlink::storage {

class Intake {
public:
    Intake(Shelf &shelf, Custodian &custodian, std::uint64_t capacity_bytes)
        : shelf_(shelf), custodian_(custodian), capacity_bytes_(capacity_bytes) {}

    void set_key(const SipKey &key) { identity_of_.set_key(key); }

    void handle(BatchPtr batch, TimePoint now);
    /// The next append for the disk; empty when there is none.
    [[nodiscard]] DiskRequestPtr poll_append();
    void handle_append_done(DiskRequestPtr request);

    /// What became of a bundle of which there may be a copy. The entry of a copy that is the bundle
    /// now, for the releaser to take back; kNoEntry otherwise.
    [[nodiscard]] EntryIndex handle_fate(const bus::CopyFate &fate);

    /// A flush begins: it covers every append polled so far.
    void handle_flush();
    /// It has ended: answers what it covered. The flows that have got bundles go to `offer`.
    void handle_flush_done(bool good, std::vector<FlowIndex> &offered, TimePoint now);

    [[nodiscard]] bool idle() const { return pending_.empty(); }

private:
    /// A bundle that equals one whose write is not flushed yet.
    struct Twin {
        std::uint32_t place = 0;   ///< in the batch
        std::uint64_t handle = 0;  ///< of the first copy
    };
    /// A copy of a bundle that ingress has lent to egress, by its arrival. It may still be on its
    /// way to the disk when its fate is known.
    struct Copy {
        std::uint64_t handle = 0;
        bool on_disk = false;
        bool sent = false;
        bool kept = false;
    };
    /// A batch between its arrival and its answer.
    struct Pending {
        BatchPtr batch;          ///< when nothing of it must be written
        DiskRequestPtr request;  ///< before and after its time at the disk
        std::vector<Twin> twins;
        HeadSpace heads;       ///< of bundles in custody; the request refers to it
        bool covered = false;  ///< by the flush that is under way
    };

    [[nodiscard]] Outcome admit(Pending &pending, Batch &batch, std::uint32_t place, TimePoint now);
    [[nodiscard]] bool write(Pending &pending, Batch &batch, std::uint32_t place,
                             const bp::BundleView &view, const Hash128 &identity);
    void settle_written(const DiskRequest &request, Batch &batch, bool good,
                        std::vector<FlowIndex> &offered, TimePoint now);
    void shelve_copy(EntryIndex index, std::uint64_t arrival, std::vector<FlowIndex> &offered);
    void settle_twins(const Pending &pending, Batch &batch, TimePoint now);
    /// No space for the bundle; its custodian hears of it once.
    Outcome refuse(const Batch &batch, const BatchedBundle &bundle, TimePoint now);
    void answer(BatchPtr batch);

    Shelf &shelf_;
    Custodian &custodian_;
    std::uint64_t capacity_bytes_;
    /// Something was refused: what is behind it on the way must not overtake it, and is refused,
    /// too, until ingress begins again with the oldest.
    bool refusing_ = false;
    bool write_failed_ = false;  ///< the same for what was on its way to the disk already
    IdentityHasher identity_of_;
    Bytes label_;
    Ring<Pending> pending_;        ///< oldest first
    std::size_t submitted_ = 0;    ///< of pending_, how many have been polled (or need not)
    std::uint64_t first_tag_ = 0;  ///< the running number of pending_.front()
    std::size_t twins_ = 0;        ///< that wait for the write of their first copy
    std::unordered_set<std::uint64_t> failed_;  ///< handles whose write failed, while twins wait
    std::unordered_map<std::uint64_t, Copy> copies_;
};

}  // namespace farlink::storage
