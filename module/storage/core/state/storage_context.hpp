// SPDX-License-Identifier: Apache-2.0
// What the parts of the storage core share: inventory, clock, counters, messages.
// Owned by StorageCore; one thread.
// A bundle leaves storage through discard() and in no other way.
#pragma once

#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "common/base/clock_guard.hpp"
#include "common/bp/parse.hpp"
#include "common/buffer/loop_delay_request.hpp"
#include "common/buffer/ring.hpp"
#include "common/bus/messages.hpp"
#include "common/history/bundle_history.hpp"
#include "common/telemetry/latency_histogram.hpp"
#include "common/telemetry/storage_counters.hpp"
#include "module/storage/core/fragments/gathered_fragments.hpp"
#include "module/storage/core/index/inventory.hpp"
#include "module/storage/core/state/copy_table.hpp"
#include "module/storage/core/state/critical_table.hpp"
#include "module/storage/core/state/custody_table.hpp"
#include "module/storage/core/state/cut_bundles.hpp"
#include "module/storage/core/state/looping_bundles.hpp"
#include "module/storage/core/state/placement.hpp"
#include "module/storage/core/state/refused_table.hpp"
#include "module/storage/core/state/request_pool.hpp"

namespace farlink::storage {

using telemetry::StorageCounter;

/// A record that the disk cannot read.
struct Unreadable {
    DiskIndex disk = 0;
    RecordLocation at;
    std::uint64_t bytes = 0;  ///< of the bundle
    Bytes label;              ///< of the record: its destination
};

struct StorageContext {
    static constexpr std::uint32_t kSlabBytes = 1024 * 1024;
    static constexpr std::size_t kMostNamed = 100;

    StorageContext(const config::StorageConfig &config, WallClock now,
                   history::BundleHistory records = {})
        : inventory(config.quotas),
          placement(config, inventory),
          clock(now),
          history(std::move(records)) {}
    StorageContext(const StorageContext &) = delete;
    StorageContext &operator=(const StorageContext &) = delete;

    /// For bundles read back. Releaser keeps the limit and not the pool: one bundle above it must
    /// still get through.
    SlabPool slabs{kSlabBytes, std::numeric_limits<std::uint64_t>::max() / 2};
    BatchPool batches{BatchOwner::kStorage};
    Inventory inventory;
    GatheredFragments fragments{inventory};
    Placement placement;
    CustodyTable custody;
    CriticalTable critical;
    RefusedTable refused;
    CopyTable copies;
    LoopingBundles looping;
    CutBundles cut;
    std::set<std::uint64_t> exceeding;  ///< handles of bundles that exceed every contact
    ClockGuard clock;
    telemetry::StorageCounters counters;
    history::BundleHistory history;
    telemetry::LatencyHistogram flush_times;  ///< of successful flushes, from the order to the end
    RequestPool requests;
    Ring<bus::Outgoing> messages;
    std::uint32_t next_writing = 1;  ///< StripeLabel::writing of the next bundle that is cut
    std::uint64_t next_spool = 1;  ///< BundlePiece::spool of the next bundle that leaves in pieces
    Ring<Unreadable> unreadable;   ///< the first of those that are not reported yet
    std::uint64_t nameless = 0;    ///< how many more there are of them

    [[nodiscard]] Volume &volume(DiskIndex disk) { return placement.volume(disk); }
    /// The record is gone; its disk gets an erasure.
    void erase(DiskIndex disk, RecordNumber number) { volume(disk).erase(number); }
    /// The same for all records of a bundle.
    void erase_records(EntryIndex index) {
        inventory.for_each_record(
            index, [this](const StoredRecord &record) { erase(record.disk, record.at.number); });
    }
    [[nodiscard]] DtnTime dtn_at(TimePoint now) const { return clock.dtn_at(now); }
    [[nodiscard]] bool expired(DtnTime expiry, TimePoint now) const {
        return expiry <= clock.expiry_time(now);
    }

    void send(bus::AgentId to, bus::Message message) {
        messages.push_back({to, false, std::move(message)});
    }
    /// The bundle is on disk, and flushed.
    void count_in(const Entry &entry) {
        counters.increment(StorageCounter::kStoredNow);
        counters.add(StorageCounter::kStoredBytes, entry.bytes());
        if (entry.in_custody()) counters.increment(StorageCounter::kCustodyHeld);
    }
    void count_out(const Entry &entry) {
        counters.subtract(StorageCounter::kStoredNow, 1);
        counters.subtract(StorageCounter::kStoredBytes, entry.bytes());
        if (entry.in_custody()) counters.subtract(StorageCounter::kCustodyHeld, 1);
    }
    /// The bundle is gone: sent, expired or deleted; `why` counts it.
    void discard(EntryIndex index, StorageCounter why) {
        const Entry &entry = inventory.entry(index);
        if (entry.spooled) return discard_spooled(index, why);
        if (entry.joined) return discard_joined(index, why);
        end_sharing(index, StorageCounter::kCopiesDropped);
        count_out(entry);
        counters.increment(why);
        if (entry.came_back) counters.increment(StorageCounter::kDuplicates);
        erase_records(index);
        forget(index);
        inventory.remove(index);
    }
    /// The same for a bundle that was joined. It is counted only now: until here its fragments
    /// were.
    void discard_joined(EntryIndex index, StorageCounter why) {
        end_sharing(index, StorageCounter::kCopiesDropped);
        counters.increment(StorageCounter::kJoined);
        counters.increment(why);
        if (inventory.entry(index).came_back) counters.increment(StorageCounter::kDuplicates);
        forget(index);
        for (const EntryIndex fragment : fragments.end(index)) {
            count_out(inventory.entry(fragment));
            counters.increment(StorageCounter::kJoinedFragments);
            erase_records(fragment);
            forget(fragment);
            inventory.remove(fragment);
        }
        count_sets();
    }
    /// The same for a bundle in pieces, or what is left of one that is counted already.
    void discard_spooled(EntryIndex index, StorageCounter why) {
        if (!inventory.entry(index).joined) return remove_piece(index);
        for (const EntryIndex piece : take_apart(index, why)) remove_piece(piece);
    }
    /// The same; its pieces stay, in no set, and are removed next.
    [[nodiscard]] std::vector<EntryIndex> take_apart(EntryIndex whole, StorageCounter why) {
        end_sharing(whole, StorageCounter::kCopiesDropped);
        count_out(inventory.entry(whole));
        counters.increment(why);
        if (inventory.entry(whole).came_back) counters.increment(StorageCounter::kDuplicates);
        forget(whole);
        return fragments.end(whole);
    }
    /// It belongs to no set.
    void remove_piece(EntryIndex piece) {
        erase_records(piece);
        inventory.remove(piece);
    }
    /// Pieces that will never be a bundle.
    void drop_spool(SetIndex spool) {
        for (const EntryIndex piece : fragments.drop(spool)) remove_piece(piece);
    }
    /// How many sets wait for fragments.
    void count_sets() {
        counters.set(StorageCounter::kSetsIncomplete, fragments.sets().incomplete());
    }
    /// The bundle was not sent: what has come meanwhile was a duplicate of it.
    void count_if_returned(EntryIndex index) {
        if (inventory.entry(index).take_return()) counters.increment(StorageCounter::kDuplicates);
    }
    /// No copy shares the record any more: it is a bundle that waits, or is gone.
    void end_sharing(EntryIndex index, StorageCounter why) {
        Entry &entry = inventory.entry(index);
        if (entry.shared)
            counters.add(why, copies.end_sharing(entry, inventory.entries().handle_of(index)));
    }
    /// A bundle that waits has come back to this node, and is to wait longer. False: it has not.
    bool rest(EntryIndex index, TimePoint now) {
        Entry &entry = inventory.entry(index);
        if ((entry.requests & kRequestLoopDelay) == 0) return false;
        entry.requests &= static_cast<std::uint8_t>(~kRequestLoopDelay);
        inventory.take(index);
        inventory.set_aside(index);
        looping.add(entry.identity, inventory.entries().handle_of(index), now);
        return true;
    }
    /// Removes the state of a bundle beside its entry.
    void forget(EntryIndex index) {
        const Entry &entry = inventory.entry(index);
        if (entry.critical())
            critical.forget(index, entry.identity, inventory.destinations().node_of(entry.flow));
        if (entry.in_custody()) custody.forget(index);
        leave_set(index);
        cut.forget(inventory.entries().handle_of(index));
        if (!exceeding.empty()) {
            exceeding.erase(inventory.entries().handle_of(index));
            count_exceeding();
        }
        if (refused.size() == 0) return;
        refused.forget(inventory.entries().handle_of(index));
        count_refused();
    }
    void count_exceeding() { counters.set(StorageCounter::kExceedsContacts, exceeding.size()); }
    /// A fragment that goes leaves its set; the bundle is one no more.
    void leave_set(EntryIndex index) {
        const Entry &entry = inventory.entry(index);
        if (!entry.gathered || entry.spooled || entry.next == kNoSet) return;
        const EntryIndex whole = fragments.whole_of(index);
        if (whole != kNoEntry) disjoin(whole);
        fragments.leave(index);
        count_sets();
    }
    /// A bundle that was joined is one no more; its fragments stay.
    void disjoin(EntryIndex whole) {
        end_sharing(whole, StorageCounter::kDuplicates);
        count_if_returned(whole);
        forget(whole);
        fragments.disjoin(whole);
        count_sets();
    }
    /// The neighbour has refused the bundle, or its link takes none of this size; its handling is
    /// decided afterwards.
    void note_refusal(EntryIndex index, NodeNumber by, Outcome outcome, TimePoint now) {
        refused.refuse(inventory.entries().handle_of(index), by, outcome == Outcome::kTooLarge,
                       now);
        count_refused();
    }
    void count_refused() {
        counters.set(StorageCounter::kRefusedNow, refused.size() - refused.too_large());
        counters.set(StorageCounter::kTooLargeNow, refused.too_large());
    }
    /// The disk does not give the bundle back: it stays there, and is never sent.
    void quarantine(EntryIndex index) {
        history.add_unrecorded(1);
        name_unreadable(index, inventory.entry(index).bytes());
        count_out(inventory.entry(index));
        counters.increment(StorageCounter::kDeletedUnreadable);
        forget(index);
        inventory.quarantine(index);
    }
    /// The same for a bundle of which that piece cannot be read.
    void quarantine_spooled(EntryIndex whole, EntryIndex damaged) {
        history.add_unrecorded(1);
        name_unreadable(damaged, inventory.entry(whole).bytes());
        for (const EntryIndex piece : take_apart(whole, StorageCounter::kDeletedUnreadable))
            inventory.quarantine(piece);
    }
    void name_unreadable(EntryIndex index, std::uint64_t bundle_bytes) {
        const ByteView label = inventory.destinations().label_of(inventory.entry(index).flow);
        inventory.for_each_record(index, [&](const StoredRecord &record) {
            if (unreadable.size() >= kMostNamed) return void(++nameless);
            unreadable.push_back(
                {record.disk, record.at, bundle_bytes, {label.begin(), label.end()}});
        });
    }
};

}  // namespace farlink::storage
