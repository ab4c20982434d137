// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/storage_core.hpp"

#include <algorithm>

#include "module/storage/core/endpoint_label.hpp"

namespace farlink::storage {
namespace {

/// A lost erasure means a repeat on the wire, not a loss, so erasures are written in groups and
/// flushed with the next commit, or after a second.
constexpr std::size_t kEraseAtOnce = 4096;
constexpr Duration kEraseWithin = milliseconds(20);
constexpr Duration kFlushErasuresWithin = seconds(1);
/// How many expired bundles one call of handle_timeout() deals with.
constexpr std::size_t kExpireAtOnce = 4096;
/// The same for bundles that no custodian has answered.
constexpr std::size_t kRetryAtOnce = 4096;
/// No timer lies further away: the arithmetic of TimePoint is finite.
constexpr DtnTime kCenturyMs = 100ULL * 365 * 24 * 3600 * 1000;

}  // namespace

StorageCore::StorageCore(const config::StorageConfig &config, bool status_reports, WallClock clock,
                         const ReleaseLimits &limits, const CustodyOptions &custody)
    : custody_(custody.config),
      custodian_(shelf_, custody, clock.dtn_ms),
      commit_(config.group_commit_window),
      intake_(shelf_, custodian_, config.capacity_bytes),
      releaser_(shelf_, custodian_, limits, status_reports) {
    shelf_.clock = clock;
}

// ---- start
// ---------------------------------------------------------------------------------------

void StorageCore::restore(const RestoredRecord &record) {
    custodian_.handle_restored(record.head.received);
    const auto destination = decode_label(record.label);
    if (record.damaged || !destination) return shelf_.inventory.add_quarantined(record);
    if (shelf_.inventory.find(record.head.identity) != kNoEntry) {
        // Its first copy was written, not flushed for certain, sent again and stored again.
        shelf_.erasures.push_back(record.at.number);
        return;
    }
    const FlowIndex flow = shelf_.inventory.destinations().find_or_add(record.label, *destination,
                                                                       record.head.priority);
    const EntryIndex index = shelf_.inventory.add(record.head, flow);
    shelf_.inventory.shelve(index, record.at);
    shelf_.count_in(shelf_.inventory.entry(index));
    shelf_.counters.increment(StorageCounter::kRestored);
}

void StorageCore::handle_opened(const SipKey &identity_key) {
    intake_.set_key(identity_key);
    custodian_.set_key(identity_key);
    for (const bus::Backlog &backlog : shelf_.inventory.backlogs().restored())
        shelf_.send(bus::AgentId::kIngress, backlog);
    shelf_.send(bus::AgentId::kIngress,
                bus::StorageReady{shelf_.counters.value(StorageCounter::kRestored)});
}

// ---- inputs
// --------------------------------------------------------------------------------------

void StorageCore::handle(bus::StoreBatch message, TimePoint now) {
    intake_.handle(std::move(message.batch), now);
    custodian_.send_signals(now);
}

void StorageCore::handle(bus::BatchOutcome message, TimePoint now) {
    releaser_.handle(std::move(message.batch), now);
}

void StorageCore::handle(const bus::CopyFates &message, TimePoint now) {
    for (const bus::CopyFate &fate : message.fates) {
        const EntryIndex kept = intake_.handle_fate(fate);
        if (kept != kNoEntry) releaser_.take_back(kept, now);
    }
}

void StorageCore::handle(const bus::CustodyRecord &message, TimePoint now) {
    const auto depleted = custodian_.handle(message, now);
    if (depleted && custody_.depleted_delay > Duration::zero())
        releaser_.hold_back(*depleted, now + custody_.depleted_delay);
}

void StorageCore::handle(const bus::RouteUpdate &update, TimePoint) {
    releaser_.handle_routes(update);
}

void StorageCore::handle(const bus::LinkUp &event, TimePoint) {
    releaser_.handle_link(event.link, event.neighbour, true, event.light_time);
}

void StorageCore::handle(const bus::LinkDown &event, TimePoint) {
    releaser_.handle_link(event.link, event.neighbour, false);
}

void StorageCore::handle(const bus::LinkSnapshot &snapshot, TimePoint) {
    releaser_.handle_snapshot(snapshot);
}

void StorageCore::handle(DiskRequestPtr completed, TimePoint now) {
    --at_disk_;
    if (completed->status == DiskStatus::kIoError)
        shelf_.counters.increment(StorageCounter::kIoErrors);
    switch (completed->verb) {
        case DiskVerb::kAppend:
            commit_.handle_append_done();
            intake_.handle_append_done(std::move(completed));
            return;
        case DiskVerb::kErase:
            shelf_.requests.recycle(std::move(completed));
            return;
        case DiskVerb::kSync:
            commit_.handle_flush_done();
            handle_flushed(completed->status == DiskStatus::kOk, now);
            shelf_.requests.recycle(std::move(completed));
            return;
        case DiskVerb::kRead:
            for (const DiskRecord &record : completed->records)
                if (record.status == DiskStatus::kIoError)
                    shelf_.counters.increment(StorageCounter::kIoErrors);
            releaser_.handle_read_done(std::move(completed), now);
            return;
    }
}

void StorageCore::handle_flushed(bool good, TimePoint now) {
    if (good)
        shelf_.counters.increment(StorageCounter::kFlushes);
    else
        commit_.handle_lazy_write(now + kFlushErasuresWithin);  // the disk writes erasures again
    intake_.handle_flush_done(good, offered_, now);
    custodian_.send_signals(now);
    for (const FlowIndex flow : offered_) releaser_.offer(flow);
    offered_.clear();
}

// ---- time
// ----------------------------------------------------------------------------------------

TimePoint StorageCore::next_timeout() const {
    const TimePoint write = std::min(
        {erase_by_, commit_.next_timeout(), custodian_.next_timeout(), releaser_.next_timeout()});
    const DtnTime expiry = shelf_.inventory.next_expiry();
    if (expiry == kDtnNever) return write;
    const DtnTime horizon = saturating_add(shelf_.clock.dtn_ms, kCenturyMs);
    return std::min(write, shelf_.clock.point_of(std::min(expiry, horizon)));
}

void StorageCore::handle_timeout(TimePoint now) {
    custodian_.send_signals(now);
    releaser_.handle_timeout(now);
    for (std::size_t done = 0; done < kRetryAtOnce; ++done) {
        const EntryIndex overdue = custodian_.poll_overdue(now);
        if (overdue == kNoEntry) break;
        releaser_.take_back(overdue, now);
    }
    const DtnTime now_ms = shelf_.dtn_at(now);
    for (std::size_t done = 0; done < kExpireAtOnce; ++done) {
        const EntryIndex expired = shelf_.inventory.pop_expired(now_ms);
        if (expired == kNoEntry) return;
        releaser_.expire(expired);
    }
}

// ---- outputs
// -------------------------------------------------------------------------------------

DiskRequestPtr StorageCore::submit(DiskRequestPtr request) {
    ++at_disk_;
    return request;
}

/// Appends first, so that a flush covers all that is at hand; reads last.
DiskRequestPtr StorageCore::poll_disk_request(TimePoint now) {
    if (DiskRequestPtr request = intake_.poll_append()) {
        commit_.handle_append(now);
        return submit(std::move(request));
    }
    if (DiskRequestPtr request = poll_erasures(now)) return submit(std::move(request));
    if (DiskRequestPtr request = poll_flush(now)) return submit(std::move(request));
    if (draining_) return nullptr;
    if (DiskRequestPtr request = releaser_.poll_read(now)) return submit(std::move(request));
    return nullptr;
}

DiskRequestPtr StorageCore::poll_erasures(TimePoint now) {
    if (shelf_.erasures.empty()) return nullptr;
    if (erase_by_ == kNever) erase_by_ = now + kEraseWithin;
    if (now < erase_by_ && shelf_.erasures.size() < kEraseAtOnce && !draining_) return nullptr;
    erase_by_ = kNever;
    DiskRequestPtr request = shelf_.requests.acquire(DiskVerb::kErase);
    std::swap(request->erased, shelf_.erasures);
    commit_.handle_lazy_write(draining_ ? now : now + kFlushErasuresWithin);
    return request;
}

DiskRequestPtr StorageCore::poll_flush(TimePoint now) {
    if (!commit_.due(now)) return nullptr;
    commit_.handle_flush();
    intake_.handle_flush();
    return shelf_.requests.acquire(DiskVerb::kSync);
}

std::optional<bus::Outgoing> StorageCore::poll_message() {
    if (!shelf_.messages.empty()) return shelf_.messages.pop_front();
    if (const auto backlog = shelf_.inventory.backlogs().poll())
        return bus::Outgoing{bus::AgentId::kIngress, false, *backlog};
    return std::nullopt;
}

void StorageCore::drain() {
    draining_ = true;
    custodian_.expedite();
}

bool StorageCore::idle() const {
    return at_disk_ == 0 && intake_.idle() && releaser_.idle() && shelf_.erasures.empty() &&
           commit_.clean();
}

}  // namespace farlink::storage
