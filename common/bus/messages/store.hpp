// SPDX-License-Identifier: Apache-2.0
// What the operator asks of storage.
// Part of messages.hpp; a message is owned by whoever holds it.
// Values without behaviour; any thread, one at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/bus/messages/request_id.hpp"

namespace farlink::bus {

/// Storage to ingress and egress, once: the store is open, `restored` bundles wait in it. Ingress
/// opens its links only then, and both judge the clock by the newest time of reception in the
/// store.
struct StorageReady {
    std::uint64_t restored = 0;
    DtnTime newest_received = 0;
};
/// Storage to ingress, before StorageReady and when it changes: if the node stops, there is room on
/// disk for so many octets in the memory of all instances of ingress together. 0: not yet; until
/// there is, inducts without acknowledgements do not listen.
struct StorageReserve {
    std::uint64_t memory_bytes = 0;
};
/// Supervisor to storage: the operator lists or deletes stored bundles.
enum class StoreVerb : std::uint8_t {
    kList = 0,
    kDelete = 1,
    kSets = 2,  ///< lists fragment sets; `bundles` is not used
    kFind = 3,  ///< lists the bundles with the identity that `destination` is as text
};
struct StoreRequest {
    RequestId id{};
    StoreVerb verb = StoreVerb::kList;
    Bytes destination;                   ///< only those for it, an endpoint as text; empty: all
    std::vector<std::uint64_t> bundles;  ///< only these; empty: all
    std::uint64_t after = 0;             ///< only those behind this one, a bundle or a set
    std::uint32_t limit = 0;             ///< lists or deletes at most so many
    bool force = false;                  ///< deletes those in custody, too
};
enum class StoredState : std::uint8_t {
    kWaiting = 0,          ///< for a contact
    kLeaving = 1,          ///< lent to a link
    kInCustody = 2,        ///< sent, and kept until the next custodian answers
    kExceedsContacts = 3,  ///< larger than every contact on its routes
    kUnreadable = 4,
    kRefused = 5,   ///< refused by a neighbour: it waits for another way, or to be offered again
    kGathered = 6,  ///< a fragment that is joined with others of its bundle
    kTooLarge = 7,  ///< larger than its link takes, and may not be cut: it waits likewise
};
/// One bundle that storage holds.
struct StoredBundle {
    std::uint64_t bundle = 0;  ///< names it in this store
    StoredState state = StoredState::kWaiting;
    Priority priority = Priority::kNormal;
    bool custody = false;  ///< this node is its custodian
    std::uint8_t disk = 0;
    std::uint64_t bytes = 0;
    DtnTime expires = kDtnNever;
    Bytes destination;  ///< as text
    Bytes head;         ///< octets up to the payload block; empty: they were not read
};
/// Octets [from, to) of a data unit.
struct MissingRange {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
};
/// The stored fragments of one bundle.
struct StoredSet {
    std::uint64_t set = 0;  ///< names it in this store
    StoredBundle first{};   ///< its first flushed fragment
    /// Of the joined bundle; kGathered: octets are missing.
    StoredState state = StoredState::kGathered;
    std::uint64_t total_bytes = 0;   ///< of the data unit
    std::uint64_t stored_bytes = 0;  ///< of them, that are here
    std::uint64_t fragments = 0;
    std::uint64_t gaps = 0;               ///< missing ranges
    std::vector<MissingRange> missing{};  ///< the first of them
};
/// Storage to supervisor: the reply to it.
struct StoreReply {
    RequestId id{};
    Bytes error;                        ///< empty: it has been done
    std::vector<StoredBundle> bundles;  ///< of a list, in their order
    bool more = false;                  ///< `limit` was reached: it goes on behind `last`
    std::uint64_t last = 0;             ///< the last bundle, or set, that was looked at
    std::uint64_t deleted = 0;          ///< bundles
    std::uint64_t deleted_bytes = 0;
    std::uint64_t kept = 0;  ///< that were to be deleted, and are being written or sent just now
    std::uint64_t kept_in_custody = 0;  ///< the same, without `force`
    std::vector<StoredSet> sets{};      ///< of kSets, in their order
};
/// Supervisor to storage: octets of a bundle that it holds, from a disk.
struct BundlePieceRequest {
    RequestId id{};
    std::uint64_t bundle = 0;  ///< StoredBundle::bundle
    std::uint8_t stripe = 0;   ///< of a bundle in stripes, from 0
    std::uint64_t offset = 0;  ///< in the stripe
    std::uint32_t limit = 0;   ///< octets at most
};
enum class PieceFault : std::uint8_t {
    kNone = 0,
    kGone = 1,       ///< there is no such bundle, or no more
    kWriting = 2,    ///< it is being written
    kBeyondEnd = 3,  ///< it has no such stripe, or that no such offset
    kDamaged = 4,    ///< the octets on the disk differ from those written
    kIoError = 5,    ///< the disk cannot read it
    kTooMany = 6,    ///< too many requests wait
};
/// Storage to supervisor: the answer to it. The reader of all octets of a stripe compares their
/// CRC-32C.
struct BundlePiece {
    /// In place of the number of stripes, for a bundle in pieces. Offsets are those in the bundle;
    /// no reply goes beyond the piece in which it begins.
    static constexpr std::uint8_t kInPieces = 0;

    RequestId id{};
    PieceFault fault = PieceFault::kNone;
    std::uint64_t bundle_bytes = 0;
    std::uint8_t stripes = 1;        ///< 1: it is in one record
    std::uint64_t stripe_bytes = 0;  ///< of kInPieces: the end of the piece
    std::uint32_t crc32c = 0;        ///< of the stripe or piece, as it was written
    Bytes octets;
};
/// Tasks of storage that run beside its work, on an operator's command.
enum class StoreTask : std::uint8_t {
    kVerify = 0,   ///< reads every record and compares checksums
    kCompact = 1,  ///< moves what lives in mostly dead files
};
enum class TaskVerb : std::uint8_t { kShow = 0, kStart = 1, kCancel = 2 };
/// Supervisor to storage: one of each kind runs at a time.
struct StoreTaskRequest {
    RequestId id{};
    StoreTask task = StoreTask::kVerify;
    TaskVerb verb = TaskVerb::kShow;
    std::uint64_t rate_bytes_per_s = 0;  ///< of kVerify
};
enum class TaskState : std::uint8_t {
    kNever = 0,  ///< not since the start
    kRunning = 1,
    kDone = 2,
    kCancelled = 3,
};
/// A record that kVerify could not read.
struct RecordDamage {
    std::uint64_t bundle = 0;  ///< StoredBundle::bundle
    std::uint8_t disk = 0;
    std::uint64_t record = 0;  ///< its number in the log of the disk
    std::uint64_t bytes = 0;   ///< of the bundle
    bool io_error = false;     ///< the disk does not read it; else its checksum is wrong
};
/// A log file that bundles were lost with before storage started.
struct LostFile {
    std::uint8_t disk = 0;
    std::uint32_t file = 0;
    std::uint64_t records = 0;         ///< known to be lost
    bool cut = false;                  ///< it is cut short: further ones may be lost
    std::uint64_t bytes = 0;           ///< when it is cut: that were left
    std::uint64_t expected_bytes = 0;  ///< the same: of how many; 0: not known
};
/// Storage to supervisor: the answer, with the state behind what was asked.
struct StoreTaskReply {
    RequestId id{};
    StoreTask task = StoreTask::kVerify;
    bool refused = false;  ///< kStart: it runs already; kCancel: it does not
    TaskState state = TaskState::kNever;
    DtnTime started = 0;
    DtnTime ended = 0;  ///< 0: not yet
    std::uint64_t rate_bytes_per_s = 0;
    std::uint64_t bundles = 0;         ///< verified; kCompact: records moved
    std::uint64_t bytes = 0;           ///< of records, likewise
    std::uint64_t bundles_in_all = 0;  ///< kVerify: that were held when it started
    std::uint64_t bytes_in_all = 0;
    std::uint64_t damaged = 0;            ///< kVerify: records
    std::vector<RecordDamage> damages{};  ///< the first of them
    std::uint64_t files = 0;              ///< kCompact: given up
    std::uint64_t freed_bytes = 0;        ///< kCompact: their octets, without those moved
    std::vector<LostFile> lost_files{};   ///< kVerify: found at the start, the first of them
};

}  // namespace farlink::bus
