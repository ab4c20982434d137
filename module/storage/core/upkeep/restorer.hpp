// SPDX-License-Identifier: Apache-2.0
// Takes in what the disks find at the start, and puts the stripes of bundles together again.
// Owned by StorageCore; one thread.
// A bundle counts as stored when all its stripes are flushed. So one that lacks a stripe was never
// stored, or is gone already, if the disk of that stripe is here and sound; then the rest goes,
// too. Otherwise the rest is kept until it expires, and named: the disk may come back. Of a bundle
// that is too large for memory the pieces are kept likewise, when one may have been lost that was
// stored.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "module/storage/core/custody/custodian.hpp"
#include "module/storage/core/state/storage_context.hpp"
#include "module/storage/core/state/stripe_label.hpp"

namespace farlink::storage {

/// A stripe that is kept though another one of its bundle is missing.
struct LoneStripe {
    DiskIndex disk = 0;
    RecordNumber record = 0;
    std::uint8_t number = 0;  ///< from 0
    std::uint8_t count = 0;
    std::uint64_t bundle_bytes = 0;
};

/// A bundle that is erased at the start because a stripe of it is missing.
struct ErasedBundle {
    DiskIndex disk = 0;  ///< of a stripe that was found
    RecordNumber record = 0;
    std::uint64_t bytes = 0;  ///< of the whole bundle
    Bytes endpoint;           ///< label of its destination
};
struct ErasedBundles {
    static constexpr std::size_t kMostNamed = 20;
    std::uint64_t count = 0;
    std::vector<ErasedBundle> named;  ///< the first ones
};

class Restorer {
public:
    Restorer(StorageContext &context, Custodian &custodian)
        : context_(context), custodian_(custodian) {}

    void restore(DiskIndex disk, const RestoredRecord &record);
    /// The disk has handed over everything. `sound`: nothing of it was damaged, and it is no older
    /// copy, so that what it lacks was never stored, or is gone.
    void handle_disk(DiskIndex disk, DiskId id, bool sound);
    /// All disks have.
    void end();

    /// The newest time of reception of all that was restored; 0 when nothing was.
    [[nodiscard]] DtnTime newest_received() const { return newest_received_; }
    /// After end().
    [[nodiscard]] const std::vector<LoneStripe> &lone_stripes() const { return lone_; }
    /// Likewise.
    [[nodiscard]] const ErasedBundles &erased() const { return erased_; }

private:
    struct Found {
        DiskIndex disk = 0;
        RestoredRecord record;  ///< without its label
        std::size_t label_size = 0;
        [[nodiscard]] std::uint64_t bytes() const {
            return record_bytes(label_size, record.head.size);
        }
    };
    /// Stripes of one writing of a bundle.
    struct Group {
        std::array<std::optional<Found>, kMaxDisks> stripes;  ///< by number
        StripeLabel label;
        Bytes endpoint;
        std::size_t found = 0;
    };
    /// Identity, arrival, time of reception, StripeLabel::writing and disks.
    using Key = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, DtnTime, std::uint32_t,
                           std::array<DiskId, kMaxDisks>>;

    void restore_fragment(DiskIndex disk, const RestoredRecord &record, const FragmentLabel &label);
    void restore_piece(DiskIndex disk, const RestoredRecord &record, const PieceLabel &label);
    void drop_incomplete_spools();
    void restore_stripe(DiskIndex disk, const RestoredRecord &record, const StripeLabel &stripe);
    void restore_joined(const Group &group);
    void drop_incomplete(const Group &group);
    [[nodiscard]] std::optional<FlowIndex> flow_of(ByteView label, Priority priority);
    void take_in(EntryIndex index);
    void note_erased(const Group &group);
    void erase(const Group &group);
    void quarantine(const Group &group);

    StorageContext &context_;
    Custodian &custodian_;
    std::map<Key, Group> groups_;  ///< that are not complete
    std::vector<DiskId> sound_;    ///< disks that are here and not damaged
    std::vector<Hash128> damaged_spools_;
    std::vector<LoneStripe> lone_;
    ErasedBundles erased_;
    DtnTime newest_received_ = 0;
};

}  // namespace farlink::storage
