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
#include "module/storage/core/index/fragment_sets.hpp"
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
    [[nodiscard]] FragmentSets &sets() { return sets_; }
    [[nodiscard]] const FragmentSets &sets() const { return sets_; }

    /// The entry that holds an equal bundle; kNoEntry when there is none.
    [[nodiscard]] EntryIndex find(const Hash128 &identity) const {
        return identities_.find(identity);
    }
    /// find() and add() will be called for it soon.
    void foresee(const Hash128 &identity) const { identities_.foresee(identity); }
    /// A new entry, in state kWriting; its record goes to `disk`.
    [[nodiscard]] EntryIndex add(const RecordHead &head, FlowIndex flow, DiskIndex disk);
    /// The same for a bundle in stripes; `head` is that of the whole.
    [[nodiscard]] EntryIndex add_striped(const RecordHead &head, FlowIndex flow,
                                         std::vector<StoredRecord> stripes);
    /// The same for a fragment that is joined with others of its set.
    [[nodiscard]] EntryIndex add_fragment(const RecordHead &head, FlowIndex flow, DiskIndex disk,
                                          const FragmentLabel &label);
    /// Its record on `disk` lies there, or lies elsewhere now.
    void locate(EntryIndex index, DiskIndex disk, RecordLocation at);
    /// kWriting to kWaiting, or kCritical: it is on disk, and all its records are located.
    void shelve(EntryIndex index);
    /// kWriting to kGathered: a fragment is on disk. Returns its bundle, in state kWaiting, if
    /// this was the last one; else kNoEntry. The bundle's identity is `whole`'s.
    [[nodiscard]] EntryIndex gather(EntryIndex index);
    /// A bundle that was joined is one no more: its fragments wait again for what was missing.
    void disjoin(EntryIndex whole);
    /// The bundle was sent, or is deleted: its fragments are in no set any more, and are removed
    /// next.
    void end_set(EntryIndex whole);
    /// A fragment leaves its set, which has no bundle.
    void leave_set(EntryIndex index);
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
    /// Octets that are read for it: of its records, or those of the fragments it is joined from.
    [[nodiscard]] std::uint64_t bytes_to_read(EntryIndex index) const;
    /// Octets of the label of each record of an entry.
    [[nodiscard]] std::uint64_t label_bytes_of(EntryIndex index) const;
    /// What the held records take of the disks.
    [[nodiscard]] const StoreUsage &usage() const { return usage_; }
    /// What lives where on a disk.
    [[nodiscard]] const FileTable &files(DiskIndex disk) const { return files_[disk]; }
    [[nodiscard]] std::uint64_t count() const { return count_; }
    /// Another number when something else waits.
    [[nodiscard]] std::uint64_t changes() const { return changes_; }
    /// Memory for the held bundles, that for their flows apart.
    [[nodiscard]] std::size_t memory_bytes() const {
        return entries_.memory_bytes() + identities_.memory_bytes() + stripes_.memory_bytes() +
               sets_.memory_bytes();
    }

private:
    [[nodiscard]] EntryIndex add_entry(const RecordHead &head, FlowIndex flow, DiskIndex disk);
    void count_bytes(EntryIndex index, bool held);
    void count_in_flow(const Entry &entry, std::uint64_t bytes, bool held);
    void leave_flow(Entry &entry, EntryIndex index);
    void enter_critical(EntryIndex index);
    [[nodiscard]] EntryIndex join(SetIndex set);

    EntryTable entries_;
    StripeTable stripes_;
    FragmentSets sets_;
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
