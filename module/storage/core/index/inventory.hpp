// SPDX-License-Identifier: Apache-2.0
// Everything that storage holds: found by identity, by flow in order of arrival, and by expiry.
// Owned by StorageCore; one thread.
// It decides nothing: the parts of the core move entries from state to state through it, and each
// transition is checked (Entry::transition()).
#pragma once

#include "module/storage/core/index/backlogs.hpp"
#include "module/storage/core/index/eviction_order.hpp"
#include "module/storage/core/index/expiry_queue.hpp"
#include "module/storage/core/index/file_table.hpp"
#include "module/storage/core/index/identity_index.hpp"
#include "module/storage/core/index/store_usage.hpp"
#include "module/storage/core/index/stripe_table.hpp"

namespace farlink::storage {

class Inventory {
public:
    explicit Inventory(std::span<const config::StorageQuota> quotas = {})
        : identities_(entries_),
          expiries_(entries_),
          quotas_(quotas),
          eviction_order_(destinations_) {}
    Inventory(const Inventory &) = delete;
    Inventory &operator=(const Inventory &) = delete;

    [[nodiscard]] Entry &entry(EntryIndex index) { return entries_[index]; }
    [[nodiscard]] const EntryTable &entries() const { return entries_; }
    [[nodiscard]] DestinationTable &destinations() { return destinations_; }
    [[nodiscard]] Quotas &quotas() { return quotas_; }
    [[nodiscard]] const DestinationTable &destinations() const { return destinations_; }
    [[nodiscard]] Backlogs &backlogs() { return backlogs_; }

    /// The entry that holds an equal bundle; kNoEntry when there is none.
    [[nodiscard]] EntryIndex find(const Hash128 &identity) const {
        return identities_.find(identity);
    }
    /// find() and add() will be called for it soon.
    void foresee(const Hash128 &identity) const { identities_.foresee(identity); }
    /// A new entry, in state kWriting; its record goes to `disk`.
    [[nodiscard]] EntryIndex add(const RecordHead &head, FlowIndex flow, DiskIndex disk,
                                 EntryKind kind = EntryKind::kBundle);
    /// The same for a bundle in stripes; `head` is that of the whole.
    [[nodiscard]] EntryIndex add_striped(const RecordHead &head, FlowIndex flow,
                                         std::vector<StoredRecord> stripes);
    /// Its record on `disk` lies there, or lies elsewhere now.
    void locate(EntryIndex index, DiskIndex disk, RecordLocation at);
    /// kWriting to kWaiting, kCritical or kGathered: it is on disk, and all its records are
    /// located.
    void shelve(EntryIndex index);
    /// kWaiting to kReading, or another state outside of the queue.
    void take(EntryIndex index, EntryState to = EntryState::kReading);
    /// kWaiting or kGathered to kExpiring: it will be removed, and its room counts as free from now
    /// on.
    void doom(EntryIndex index);
    /// kReleased to kInCustody: sent, not waiting any more, and not gone.
    void enter_custody(EntryIndex index);
    /// kReading to kExceedsContacts: it waits for a plan that has a contact for it.
    void set_aside(EntryIndex index);
    /// kReading, kReleased, kInCustody, kExceedsContacts or kCritical to kWaiting.
    void give_back(EntryIndex index);
    /// kReading to kWaiting, in another flow of the same endpoint and priority.
    void change_flow(EntryIndex index, FlowIndex flow);
    /// A bundle that cannot be read: it is no longer waiting nor known by identity.
    void quarantine(EntryIndex index);
    /// A record that was unreadable at the start already.
    void add_quarantined(const RestoredRecord &record, DiskIndex disk);
    /// Any state to free.
    void remove(EntryIndex index);

    /// When the next bundle expires; kDtnNever when none does.
    [[nodiscard]] DtnTime next_expiry() const { return expiries_.next(); }
    /// The next that has expired at `now_ms`, each once; kNoEntry when there is none.
    [[nodiscard]] EntryIndex pop_expired(DtnTime now_ms) { return expiries_.pop(now_ms); }

    /// The oldest that may be deleted to make room, of that priority, and with `blocking` only of
    /// those in one of these quotas; kNoEntry when there is none.
    [[nodiscard]] EntryIndex oldest_spare(Priority priority, QuotaSet blocking) {
        return eviction_order_.oldest(entries_, priority, blocking);
    }
    /// Nothing is written to the disk any more: deleting what it holds makes no room.
    void hold_fast(DiskIndex disk);

    /// Calls `visit(record)` for each record of the bundle in the order of its octets: one, or one
    /// for each stripe. A joined bundle has none.
    template <class Visit>
    void for_each_record(EntryIndex index, Visit &&visit) const {
        const Entry &entry = entries_[index];
        if (entry.joined) return;
        if (!entry.striped())
            visit(StoredRecord{entry.disk, entry.location(), record_bytes_of(index)});
        else
            for (const StoredRecord &stripe : stripes_.of(index)) visit(stripe);
    }
    /// Its record on that disk; number 0 when it has none there.
    [[nodiscard]] StoredRecord record_on(DiskIndex disk, EntryIndex index) const;
    /// Octets that the records of an entry take in the log.
    [[nodiscard]] std::uint64_t record_bytes_of(EntryIndex index) const;
    /// Octets of the label of each record of an entry.
    [[nodiscard]] std::uint64_t label_bytes_of(EntryIndex index) const;
    /// What the held records take of the disks.
    [[nodiscard]] const StoreUsage &usage() const { return usage_; }
    /// What lives where on a disk.
    [[nodiscard]] const FileTable &files(DiskIndex disk) const { return files_[disk]; }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    /// Another number when something else waits.
    [[nodiscard]] std::uint64_t changes() const { return changes_; }
    /// Gives the memory for very many bundles back when none is held.
    void give_back() {
        entries_.give_back();
        if (entries_.places() > 0) return;
        identities_.give_back();
        eviction_order_.give_back();
    }
    /// Memory for the held bundles, that for their flows apart.
    [[nodiscard]] std::size_t memory_bytes() const {
        return entries_.memory_bytes() + identities_.memory_bytes() + stripes_.memory_bytes();
    }

private:
    [[nodiscard]] EntryIndex add_entry(const RecordHead &head, FlowIndex flow, DiskIndex disk);
    void count_bytes(EntryIndex index, bool held);
    void count_in_flow(const Entry &entry, std::uint64_t bytes, bool held);
    void leave_flow(Entry &entry, EntryIndex index);

    EntryTable entries_;
    StripeTable stripes_;
    IdentityIndex identities_;
    ExpiryQueue expiries_;
    Quotas quotas_;
    DestinationTable destinations_;
    EvictionOrder eviction_order_;
    Backlogs backlogs_;
    std::array<FileTable, kMaxDisks> files_;
    StoreUsage usage_;
    std::uint64_t count_ = 0;
    std::uint64_t changes_ = 0;
};

}  // namespace farlink::storage
