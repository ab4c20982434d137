// SPDX-License-Identifier: Apache-2.0
// Takes bundles that are too large for memory: ingress sends them in pieces, each of which is a
// record. The bundle is stored when all of them are flushed.
// Owned by StoreWriter; one thread.
// A bundle of which a piece is refused, or is not written, is void, and its sender sends all of it
// again. So, unlike a refused bundle, it keeps no others from being stored. It is counted as too
// large if no store of this size takes it, or if its first pieces had room: storage is not full
// then.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "module/storage/core/index/identity.hpp"
#include "module/storage/core/upkeep/evictor.hpp"
#include "module/storage/core/write/duplicates.hpp"
#include "module/storage/core/write/pending_writes.hpp"

namespace farlink::storage {

class SpoolWriter {
public:
    SpoolWriter(StorageContext &context, Evictor &evictor, Duplicates &duplicates,
                PendingWrites &pending)
        : context_(context), evictor_(evictor), duplicates_(duplicates), pending_(pending) {}

    void set_key(const SipKey &key) { identity_of_.set_key(key); }

    /// The outcome of the piece in the batch, or kPending while a write decides it.
    [[nodiscard]] Outcome admit(PendingBatch &pending, const Batch &batch, TimePoint now);
    /// The pieces that came before are void.
    void drop(const Batch &batch);
    /// That instance of ingress is lost: the bundles that it has not sent to their end are void.
    void end(std::size_t instance);
    /// The piece is flushed, or not written. The flow of a bundle that is complete goes to
    /// `offered`.
    void complete(const PendingBatch &pending, std::vector<FlowIndex> &offered, TimePoint now);

private:
    /// A bundle whose pieces are coming.
    struct Spool {
        Hash128 key;              ///< of its set
        Hash128 bundle;           ///< its identity
        std::uint64_t bytes = 0;  ///< of the whole
        std::uint64_t next = 0;   ///< where the next piece begins
        Bytes endpoint;           ///< the label that a record of the whole would have
        QuotaSet quotas = 0;
        NodeNumber source;                  ///< if policies depend on it
        Outcome ended = Outcome::kPending;  ///< of the further pieces, if it is void
    };
    /// Instance of ingress, and its number of the bundle.
    using Name = std::pair<std::size_t, std::uint64_t>;

    void begin(const Batch &batch, Spool &spool);
    [[nodiscard]] Outcome write(PendingBatch &pending, const Batch &batch, Spool &spool,
                                TimePoint now);
    [[nodiscard]] RecordHead head_of(const BatchedBundle &bundle) const;
    [[nodiscard]] bool exceeds_destinations(const Batch &batch, const Spool &spool);
    [[nodiscard]] Outcome refuse(const Batch &batch, bool too_large = false);
    [[nodiscard]] bool never_fits(const Shortage &need, std::uint64_t bundle) const;
    [[nodiscard]] std::optional<DiskIndex> find_room(const Shortage &need, std::uint64_t bundle,
                                                     TimePoint now);
    [[nodiscard]] Outcome keep(const Batch &batch, EntryIndex piece,
                               std::vector<FlowIndex> &offered, TimePoint now);
    [[nodiscard]] Outcome take_duplicate(const Batch &batch, SetIndex set);
    void drop_set(const Hash128 &key);

    StorageContext &context_;
    Evictor &evictor_;
    Duplicates &duplicates_;
    PendingWrites &pending_;
    IdentityHasher identity_of_;
    std::map<Name, Spool> spools_;
};

}  // namespace farlink::storage
