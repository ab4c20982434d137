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

}  // namespace

StorageCore::StorageCore(const config::StorageConfig &config, bool status_reports, WallClock clock,
                         const ReleaseLimits &limits)
    : shelf_(clock),
      commit_(config.group_commit_window),
      intake_(shelf_, config.capacity_bytes),
      releaser_(shelf_, limits, status_reports) {}

// ---- start
// ---------------------------------------------------------------------------------------

void StorageCore::restore(const RestoredRecord &record) {
    newest_received_ = std::max(newest_received_, record.head.received);
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
    shelf_.clock.judge_start(newest_received_);
    count_suspension();
    for (const bus::Backlog &backlog : shelf_.inventory.backlogs().restored())
        shelf_.send(bus::AgentId::kIngress, backlog);
    shelf_.send(bus::AgentId::kIngress,
                bus::StorageReady{shelf_.counters.value(StorageCounter::kRestored)});
}

// ---- inputs
// --------------------------------------------------------------------------------------

void StorageCore::handle(bus::StoreBatch message, TimePoint now) {
    intake_.handle(std::move(message.batch), now);
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

void StorageCore::handle(const bus::RouteUpdate &update, TimePoint) {
    releaser_.handle_routes(update);
}

void StorageCore::handle(const bus::LinkUp &event, TimePoint) {
    releaser_.handle_link(event.link, event.neighbour, true);
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
    intake_.handle_flush_done(good, offered_);
    for (const FlowIndex flow : offered_) releaser_.offer(flow);
    offered_.clear();
}

// ---- the clock
// ---------------------------------------------------------------------------------------

void StorageCore::set_wall_clock(WallClock reading) {
    if (shelf_.clock.handle_reading(reading))
        shelf_.counters.increment(StorageCounter::kClockSteps);
    count_suspension();
}

void StorageCore::handle(const bus::ClockConfirm &, TimePoint) {
    shelf_.clock.confirm();
    count_suspension();
}

void StorageCore::count_suspension() {
    shelf_.counters.set(StorageCounter::kExpirySuspended, shelf_.clock.expiry_suspended() ? 1 : 0);
}

// ---- time
// ----------------------------------------------------------------------------------------

TimePoint StorageCore::next_timeout() const {
    const TimePoint write = std::min(erase_by_, commit_.next_timeout());
    return std::min(write, shelf_.clock.expiry_timer(shelf_.inventory.next_expiry()));
}

void StorageCore::handle_timeout(TimePoint now) {
    if (shelf_.clock.expiry_suspended()) return;
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

bool StorageCore::idle() const {
    return at_disk_ == 0 && intake_.idle() && releaser_.idle() && shelf_.erasures.empty() &&
           commit_.clean();
}

}  // namespace farlink::storage
