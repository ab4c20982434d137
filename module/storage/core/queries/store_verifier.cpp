// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/queries/store_verifier.hpp"

#include <algorithm>

#include "common/base/invariant.hpp"
#include "module/storage/core/queries/stored_bundle_queries.hpp"

namespace farlink::storage {
namespace {

using bus::TaskState;
using bus::TaskVerb;

Duration time_for(std::uint64_t bytes, std::uint64_t bytes_per_second) {
    const double wanted = static_cast<double>(bytes) / static_cast<double>(bytes_per_second);
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(wanted));
}

}  // namespace

// ---- commands
// ------------------------------------------------------------------------------------

void StoreVerifier::handle(const bus::StoreTaskRequest &request, TimePoint now) {
    const bool running = state_.state == TaskState::kRunning;
    bool refused = false;
    switch (request.verb) {
        case TaskVerb::kShow:
            break;
        case TaskVerb::kStart:
            refused = running;
            if (!refused) start(request.rate_bytes_per_s, now);
            break;
        case TaskVerb::kCancel:
            refused = !running;
            if (!refused) end(TaskState::kCancelled, now);
            break;
    }
    bus::StoreTaskReply reply = state_;
    reply.id = request.id;
    reply.refused = refused;
    context_.send(bus::AgentId::kSupervisor, std::move(reply));
}

void StoreVerifier::start(std::uint64_t rate, TimePoint now) {
    state_ = {};
    state_.task = bus::StoreTask::kVerify;
    state_.state = TaskState::kRunning;
    state_.started = context_.dtn_at(now);
    state_.rate_bytes_per_s = rate == 0 ? kUsualBytesPerSecond : rate;
    state_.bundles_in_all = context_.inventory.count();
    state_.bytes_in_all = context_.inventory.usage().bytes();
    state_.lost_files = lost_;
    phase_ = Phase::kLooking;
    due_ = now;
    place_ = 0;
    record_ = 0;
}

void StoreVerifier::end(TaskState how, TimePoint now) {
    state_.state = how;
    state_.ended = context_.dtn_at(now);
    phase_ = Phase::kIdle;
    stale_ = reading_;
    wanted_.clear();
    wanted_bytes_ = 0;
    large_.reset();
    ended_ = state_;
}

// ---- looking
// -------------------------------------------------------------------------------------

TimePoint StoreVerifier::next_timeout() const {
    return phase_ == Phase::kLooking && !reading_ ? due_ : kNever;
}

void StoreVerifier::handle_timeout(TimePoint now) {
    if (next_timeout() <= now) look(now);
}

void StoreVerifier::look(TimePoint now) {
    if (large_) {
        phase_ = Phase::kWanted;
        return;
    }
    const Inventory &inventory = context_.inventory;
    const EntryTable &entries = inventory.entries();
    const std::size_t places = entries.places();
    const std::size_t last = std::min(place_ + kLookAtOnce, places);
    for (; place_ < last; ++place_, record_ = 0) {
        const EntryState state = entries[place_].state();
        // What is not flushed yet is not read, and what is erased soon does not matter.
        if (state == EntryState::kFree || state == EntryState::kWriting ||
            state == EntryState::kExpiring)
            continue;
        std::size_t number = 0;
        bool full = false;
        inventory.for_each_record(place_, [&](const StoredRecord &record) {
            if (full || number++ < record_) return;
            full = !want(place_, record);
            if (!full) ++record_;
        });
        if (full || large_) {
            phase_ = Phase::kWanted;
            return;
        }
    }
    if (place_ < places) return;
    if (wanted_.empty()) return end(TaskState::kDone, now);
    phase_ = Phase::kWanted;
}

/// False: it is read by itself, or with others that follow.
bool StoreVerifier::want(EntryIndex index, const StoredRecord &record) {
    const Target target{name_of(context_.inventory.entries(), index), record.disk};
    const bool first = wanted_.empty() && !large_;
    const bool large = record.bytes > kReadBytes;
    const bool fits = !large_ && !large && record.disk == disk_ && wanted_.size() < kReadRecords &&
                      wanted_bytes_ + record.bytes <= kReadBytes;
    if (!first && !fits) return false;
    disk_ = record.disk;
    if (large) {
        large_.emplace();
        large_->target = target;
        return true;
    }
    wanted_.push_back(target);
    wanted_bytes_ += record.bytes;
    return true;
}

/// kNoEntry: it has gone.
EntryIndex StoreVerifier::find(std::uint64_t bundle) const {
    const EntryTable &entries = context_.inventory.entries();
    const EntryIndex index = find_named(entries, bundle);
    return index != kNoEntry && entries[index].state() != EntryState::kExpiring ? index : kNoEntry;
}

// ---- reading
// -------------------------------------------------------------------------------------

// A bundle may have gone or moved meanwhile: where it lies is looked up now.
DiskRequestPtr StoreVerifier::poll_read(DiskIndex disk, TimePoint now) {
    if (phase_ != Phase::kWanted || disk != disk_) return nullptr;
    DiskRequestPtr read = large_ ? read_stretch() : read_small();
    if (read == nullptr) {
        phase_ = Phase::kLooking;
        return nullptr;
    }
    read->tag = kTag;
    phase_ = Phase::kReading;
    reading_ = true;
    read_at_ = now;
    return read;
}

DiskRequestPtr StoreVerifier::read_small() {
    DiskRequestPtr read = context_.requests.acquire(DiskVerb::kRead);
    std::uint64_t bytes = 0;
    for (std::size_t at = 0; at < wanted_.size(); ++at) {
        const EntryIndex index = find(wanted_[at].bundle);
        if (index == kNoEntry) continue;
        const StoredRecord stored = context_.inventory.record_on(disk_, index);
        if (stored.at.number == 0) continue;
        DiskRecord record;
        record.at = stored.at;
        record.place = static_cast<std::uint32_t>(at);
        record.buffer = {static_cast<std::uint8_t *>(nullptr), stored.bytes};
        read->records.push_back(record);
        bytes += stored.bytes;
    }
    if (read->records.empty()) {
        wanted_.clear();
        wanted_bytes_ = 0;
        context_.requests.recycle(std::move(read));
        return nullptr;
    }
    read->slab = context_.slabs.acquire_sized(static_cast<std::uint32_t>(bytes));
    std::uint8_t *at = read->slab->data;
    for (DiskRecord &record : read->records) {
        record.buffer = {at, record.buffer.size()};
        at += record.buffer.size();
    }
    return read;
}

/// The header first: it has the size of the bundle.
DiskRequestPtr StoreVerifier::read_stretch() {
    FARLINK_INVARIANT(large_);
    const EntryIndex index = find(large_->target.bundle);
    const StoredRecord stored =
        index == kNoEntry ? StoredRecord{} : context_.inventory.record_on(disk_, index);
    if (stored.at.number == 0) {
        large_.reset();
        return nullptr;
    }
    const std::uint64_t header = kRecordHeaderBytes + context_.inventory.label_bytes_of(index);
    const std::uint64_t bytes =
        large_->header_read ? std::min(kReadBytes, large_->size - large_->done) : header;
    DiskRequestPtr read = context_.requests.acquire(DiskVerb::kReadPart);
    read->slab = context_.slabs.acquire_sized(static_cast<std::uint32_t>(bytes));
    DiskRecord record;
    record.at = stored.at;
    record.from = large_->header_read ? header + large_->done : 0;
    record.crc = large_->crc;
    record.buffer = {read->slab->data, bytes};
    read->records.push_back(record);
    return read;
}

void StoreVerifier::handle_read_done(DiskIndex, DiskRequestPtr read, TimePoint now) {
    reading_ = false;
    if (!std::exchange(stale_, false)) {
        std::uint64_t cost = 0;
        for (const DiskRecord &record : read->records)
            cost += std::max<std::uint64_t>(record.buffer.size(), kLeastBytes);
        due_ = std::max(now, read_at_ + time_for(cost, state_.rate_bytes_per_s));
        if (large_) {
            judge_stretch(read->records.front());
        } else {
            for (const DiskRecord &record : read->records) judge(wanted_[record.place], record);
            wanted_.clear();
            wanted_bytes_ = 0;
        }
        phase_ = Phase::kLooking;
    }
    context_.requests.recycle(std::move(read));
}

// ---- what was found
// ------------------------------------------------------------------------------

// A record that was erased meanwhile, or moved and so read elsewhere, is not checked here.
void StoreVerifier::judge(const Target &target, const DiskRecord &record) {
    const EntryIndex index = find(target.bundle);
    if (index == kNoEntry) return;
    const StoredRecord stored = context_.inventory.record_on(target.disk, index);
    if (stored.at.number == record.at.number) note(target, stored, record.status);
}

void StoreVerifier::judge_stretch(const DiskRecord &record) {
    FARLINK_INVARIANT(large_);
    const EntryIndex index = find(large_->target.bundle);
    if (index == kNoEntry) return large_.reset();
    const StoredRecord stored = context_.inventory.record_on(disk_, index);
    if (stored.at.number != record.at.number) return;  // it was moved: the same stretch again
    if (record.status != DiskStatus::kOk) return end_large(record.status);
    if (!large_->header_read) {
        large_->header_read = true;
        large_->size = record.head.size;
        large_->expected = record.crc;
        const std::uint64_t bytes = record.buffer.size() + record.head.size;
        if (record.head.size == 0 || bytes > stored.bytes) end_large(DiskStatus::kDamaged);
        return;
    }
    if (record.octets.size() < record.buffer.size()) return end_large(DiskStatus::kDamaged);
    large_->done += record.octets.size();
    large_->crc = record.crc;
    if (large_->done < large_->size) return;
    end_large(large_->crc == large_->expected ? DiskStatus::kOk : DiskStatus::kDamaged);
}

/// The bundle is still there.
void StoreVerifier::end_large(DiskStatus status) {
    FARLINK_INVARIANT(large_);
    const Target target = large_->target;
    large_.reset();
    note(target, context_.inventory.record_on(target.disk, find(target.bundle)), status);
}

// Of a bundle in pieces the first one counts, once all of them are here.
bool StoreVerifier::is_counted(EntryIndex index) const {
    const Entry &entry = context_.inventory.entry(index);
    if (entry.counts()) return true;
    if (entry.state() != EntryState::kGathered) return false;
    const EntryIndex whole = context_.fragments.whole_of(index);
    return whole != kNoEntry && context_.fragments.piece_at(whole, 0) == index;
}

void StoreVerifier::note(const Target &target, const StoredRecord &record, DiskStatus status) {
    const EntryIndex index = find(target.bundle);
    std::optional<DiskIndex> first;  // a bundle in stripes counts with the first of them
    context_.inventory.for_each_record(index, [&first](const StoredRecord &each) {
        if (!first) first = each.disk;
    });
    if (first == record.disk && is_counted(index)) ++state_.bundles;
    state_.bytes += record.bytes;
    if (status == DiskStatus::kOk) return;
    ++state_.damaged;
    if (state_.damages.size() < kMostNamed)
        state_.damages.push_back({target.bundle, record.disk, record.at.number,
                                  context_.inventory.entry(index).size,
                                  status == DiskStatus::kIoError});
}

}  // namespace farlink::storage
