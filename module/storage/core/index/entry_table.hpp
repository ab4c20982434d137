// SPDX-License-Identifier: Apache-2.0
// One entry for each bundle that storage holds, in memory that never moves.
// Owned by Inventory; one thread.
// An entry is named by its place; a handle adds a part of its arrival number, so that a stale one
// is recognised.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "common/base/invariant.hpp"
#include "module/storage/disk/disk_io.hpp"

namespace farlink::storage {

using EntryIndex = std::uint32_t;
using FlowIndex = std::uint32_t;
inline constexpr EntryIndex kNoEntry = 0xffffffffU;
inline constexpr FlowIndex kNoFlow = 0xffffffffU;

/// Entry::transition() holds the transitions that are allowed.
enum class EntryState : std::uint8_t {
    kFree,
    kWriting,          ///< not flushed yet
    kWaiting,          ///< on disk, in its flow's queue
    kReading,          ///< being read from the disk for a link
    kReleased,         ///< lent to egress, or a copy of what ingress has lent
    kInCustody,        ///< sent; kept until the next custodian answers
    kExceedsContacts,  ///< too large for every contact, or refused by a neighbour; younger bundles
                       ///< need not stay behind it
    kCritical,         ///< on disk, for every neighbour in turn or at the same time: CriticalTable
    kExpiring,         ///< deleted; its head is being read for the deletion report
    kQuarantined,      ///< unreadable; kept until it expires, never sent
    kGathered,         ///< a fragment or a piece on disk, of a set: FragmentSets
};
inline constexpr std::size_t kEntryStateCount = 11;

/// By state, the states that may follow it, as bits. Any state but kFree may end in kFree.
inline constexpr std::array<std::uint16_t, kEntryStateCount> kEntryTransitions = [] {
    using enum EntryState;
    const auto to = [](auto... states) {
        return static_cast<std::uint16_t>((0U | ... | (1U << static_cast<unsigned>(states))));
    };
    return std::array{
        to(kWriting, kQuarantined),                                      // kFree
        to(kWaiting, kGathered, kFree),                                  // kWriting
        to(kReading, kReleased, kCritical, kExpiring, kFree),            // kWaiting
        to(kWaiting, kReleased, kExceedsContacts, kQuarantined, kFree),  // kReading
        to(kWaiting, kInCustody, kFree),                                 // kReleased
        to(kWaiting, kFree),                                             // kInCustody
        to(kWaiting, kFree),                                             // kExceedsContacts
        to(kWaiting, kQuarantined, kFree),                               // kCritical
        to(kFree),                                                       // kExpiring
        to(kFree),                                                       // kQuarantined
        to(kExpiring, kQuarantined, kFree),                              // kGathered
    };
}();

[[nodiscard]] constexpr bool may_follow(EntryState from, EntryState to) {
    return (kEntryTransitions[static_cast<std::size_t>(from)] >> static_cast<unsigned>(to) & 1U) !=
           0;
}

/// Octets that the label of a gathered fragment, or of a piece, has beyond the endpoint's.
inline constexpr std::size_t kFragmentLabelBytes = 49;

/// What an entry stands for.
enum class EntryKind : std::uint8_t {
    kBundle,
    kFragment,  ///< gathered with others of its bundle
    kJoined,    ///< the bundle of a complete set of fragments, without a record of its own
    kPiece,     ///< octets of a bundle that is too large for memory
    kSpooled,   ///< the bundle of a complete set of pieces, without a record of its own
};

/// In place of a disk: the bundle is cut in stripes, which are in StripeTable.
inline constexpr DiskIndex kStriped = 0xff;

/// 72 bytes a bundle; with its place in the identity index less than 90.
struct Entry {
    Hash128 identity;
    std::uint64_t arrival = 0;
    DtnTime expiry = kDtnNever;
    RecordNumber record = 0;               ///< of a joined bundle, its size
    std::uint32_t offset_words = 0;        ///< in the log file, in units of kRecordAlignment
    std::uint32_t size = 0;                ///< of the record: see bytes()
    EntryIndex previous = kNoEntry;        ///< in the flow's queue
    EntryIndex next = kNoEntry;            ///< likewise; of one that is gathered, its set
    EntryIndex expires_after = kNoEntry;   ///< in a list of the expiry queue
    EntryIndex expires_before = kNoEntry;  ///< the same
    FlowIndex flow = kNoFlow;

private:
    EntryState state_ : 4 = EntryState::kFree;

public:
    bool came_back : 1 = false;  ///< it has come again while it was lent
    bool shared : 1 = false;     ///< copies share the record: CopyTable
    bool stuck : 1 = false;      ///< its disk is set aside: deleting it makes no room
    bool expires : 1 = false;    ///< it is in the expiry queue
    bool gathered : 1 = false;   ///< a fragment or piece that belongs to a set
    bool joined : 1 = false;     ///< it has no record: it stands for those of a set
    bool spooled : 1 = false;    ///< with `gathered` a piece, with `joined` the bundle of pieces
    DiskIndex disk = 0;
    std::uint8_t requests = 0;

    [[nodiscard]] EntryState state() const { return state_; }
    /// The only way to another state.
    void transition(EntryState to) {
        FARLINK_INVARIANT(may_follow(state_, to));
        state_ = to;
    }
    /// Whether it has come back since it was lent; clears the flag.
    [[nodiscard]] bool take_return() {
        const bool returned = came_back;
        came_back = false;
        return returned;
    }
    void set_kind(EntryKind kind) {
        gathered = kind == EntryKind::kFragment || kind == EntryKind::kPiece;
        joined = kind == EntryKind::kJoined || kind == EntryKind::kSpooled;
        spooled = kind == EntryKind::kPiece || kind == EntryKind::kSpooled;
    }
    /// Octets of the bundle, fragment or piece.
    [[nodiscard]] std::uint64_t bytes() const { return joined ? record : size; }
    void set_bytes(std::uint64_t bytes) {
        if (joined)
            record = bytes;
        else
            size = static_cast<std::uint32_t>(bytes);
    }
    /// It counts as a bundle that is held: so do fragments until their bundle has left, and a
    /// bundle in pieces once all of it is here.
    [[nodiscard]] bool counts() const { return spooled == joined; }
    [[nodiscard]] bool striped() const { return disk == kStriped; }
    /// This node is the bundle's custodian, whether or not it has been sent already.
    [[nodiscard]] bool in_custody() const { return (requests & kRequestCustody) != 0; }
    /// It goes to every neighbour that may bring it there.
    [[nodiscard]] bool critical() const { return (requests & kRequestCritical) != 0; }
    /// It may be deleted to make room for another one.
    [[nodiscard]] bool spare() const { return !in_custody() && !critical() && !stuck; }
    [[nodiscard]] RecordLocation location() const {
        return {record, std::uint64_t{offset_words} * kRecordAlignment};
    }
    void set_location(RecordLocation at) {
        record = at.number;
        offset_words = static_cast<std::uint32_t>(at.offset / kRecordAlignment);
    }
};
static_assert(sizeof(Entry) == 72);

class EntryTable {
public:
    [[nodiscard]] Entry &operator[](EntryIndex index) {
        return (*chunks_[index / kChunk])[index % kChunk];
    }
    [[nodiscard]] const Entry &operator[](EntryIndex index) const {
        return (*chunks_[index / kChunk])[index % kChunk];
    }

    /// Entries are below it, free ones too.
    [[nodiscard]] std::size_t places() const { return chunks_.size() * kChunk; }
    [[nodiscard]] EntryIndex allocate() {
        if (free_ == kNoEntry) grow();
        const EntryIndex index = free_;
        Entry &entry = (*this)[index];
        free_ = entry.next;
        entry = Entry{};
        ++held_;
        return index;
    }
    /// Gives the memory of very many entries back when none is held; stale handles find nothing.
    void give_back() {
        if (held_ > 0 || places() < kManyPlaces) return;
        chunks_ = std::vector<std::unique_ptr<Chunk>>();
        free_ = kNoEntry;
    }
    template <class Visit>
    void for_each_held(Visit &&visit) const {
        for (const auto &chunk : chunks_)
            for (const Entry &entry : *chunk)
                if (entry.state() != EntryState::kFree) visit(entry);
    }
    template <class Visit>
    void for_each_held(Visit &&visit) {
        for (const auto &chunk : chunks_)
            for (Entry &entry : *chunk)
                if (entry.state() != EntryState::kFree) visit(entry);
    }
    void release(EntryIndex index) {
        Entry &entry = (*this)[index];
        entry.transition(EntryState::kFree);
        entry.next = free_;
        free_ = index;
        --held_;
    }

    /// Never 0.
    [[nodiscard]] std::uint64_t handle_of(EntryIndex index) const {
        constexpr std::uint64_t kNotZero = std::uint64_t{1} << 63;
        return kNotZero | ((*this)[index].arrival << 32) | index;
    }
    /// Empty when the entry of this handle is gone.
    [[nodiscard]] std::optional<EntryIndex> find(std::uint64_t handle) const {
        const auto index = static_cast<EntryIndex>(handle);
        if (index >= places()) return std::nullopt;
        if ((*this)[index].state() == EntryState::kFree || handle_of(index) != handle)
            return std::nullopt;
        return index;
    }

    [[nodiscard]] std::size_t memory_bytes() const {
        return chunks_.size() * sizeof(Chunk) + chunks_.capacity() * sizeof(chunks_[0]);
    }

private:
    static constexpr std::size_t kChunk = 4096;
    static constexpr std::size_t kManyPlaces = 16 * kChunk;
    using Chunk = std::array<Entry, kChunk>;
    void grow() {
        const auto first = static_cast<EntryIndex>(chunks_.size() * kChunk);
        chunks_.push_back(std::make_unique<Chunk>());
        for (std::size_t i = kChunk; i-- > 0;) {
            (*chunks_.back())[i].next = free_;
            free_ = first + static_cast<EntryIndex>(i);
        }
    }

    std::vector<std::unique_ptr<Chunk>> chunks_;
    EntryIndex free_ = kNoEntry;
    std::size_t held_ = 0;
};

}  // namespace farlink::storage
