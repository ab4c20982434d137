// SPDX-License-Identifier: Apache-2.0
// Compares a fragment with those of its set that have octets in common with it, before it is
// written: one that contradicts them is refused.
// Owned by StoreWriter; one thread.
// What is not in memory any more is read from the disks; meanwhile the batch waits. Fragments that
// overlap are rare: two different cuts of one bundle, or an attack.
#pragma once

#include <map>
#include <vector>

#include "module/storage/core/state/storage_context.hpp"
#include "module/storage/core/write/pending_writes.hpp"

namespace farlink::storage {

/// A received fragment.
struct ReceivedFragment {
    FragmentLabel label;
    std::uint64_t payload_offset = 0;  ///< in `slices`
    std::span<const ByteView> slices;
};

enum class OverlapVerdict : std::uint8_t {
    kNone,         ///< it has octets that are not flushed yet
    kKnown,        ///< all its octets are flushed already
    kContradicts,  ///< an octet differs
    kTooMany,      ///< it overlaps more than is compared
    kReading,      ///< records are read first: poll_read()
};

class OverlapCheck {
public:
    /// Marks its reads among those of others.
    static constexpr std::uint64_t kTag = ~std::uint64_t{0} - 5;
    /// For one fragment.
    static constexpr std::size_t kMostPieces = 256;
    static constexpr std::uint64_t kMostBytes = 64 * 1024 * 1024;

    explicit OverlapCheck(StorageContext &context) : context_(context) {}

    /// `pending` and `current` have the fragments that are not flushed yet.
    [[nodiscard]] OverlapVerdict judge(const ReceivedFragment &fragment,
                                       const PendingWrites &pending, const PendingBatch &current);
    /// The batch is through: what was read for it is not needed any more.
    void forget();

    [[nodiscard]] DiskRequestPtr poll_read(DiskIndex disk);
    /// A request with kTag has come back. True when it was the last one.
    [[nodiscard]] bool handle_read_done(DiskIndex disk, DiskRequestPtr read);
    /// Reads are queued or at a disk.
    [[nodiscard]] bool reading() const { return reading_ > 0; }

private:
    /// The octets of a stored fragment: its whole record, or as it came.
    struct Stored {
        std::span<const ByteView> slices;
        std::uint64_t payload_offset = 0;
    };

    [[nodiscard]] bool find(const FragmentPiece &piece, const PendingWrites &pending,
                            const PendingBatch &current, Stored &stored) const;
    void read(SetIndex set, const std::vector<FragmentPiece> &pieces);
    void take(DiskIndex disk, const DiskRecord &record);

    StorageContext &context_;
    std::array<DiskRequestPtr, kMaxDisks> queued_;
    std::vector<DiskRequestPtr> done_;
    std::map<std::uint64_t, ByteView> octets_;  ///< by handle, of what was read
    Hash128 set_;                               ///< whose records are read
    std::size_t reading_ = 0;                   ///< requests
};

}  // namespace farlink::storage
