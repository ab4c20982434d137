// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/storage_core.hpp"

#include <algorithm>

namespace farlink::storage {
namespace {

/// A lost erasure means a repeat on the wire, not a loss, so erasures are flushed with the next
/// commit, or after a second.
constexpr Duration kFlushErasuresWithin = seconds(1);
/// How many expired bundles one call of handle_timeout() deals with.
constexpr std::size_t kExpireAtOnce = 4096;
/// The same for bundles that no custodian has answered.
constexpr std::size_t kRetryAtOnce = 4096;

}  // namespace

StorageCore::StorageCore(const config::StorageConfig &config, bool status_reports, WallClock clock,
                         const ReleaseLimits &limits, const CustodyOptions &custody)
    : context_(config, clock),
      custody_(custody.config),
      custodian_(context_, custody, status_reports, clock.dtn_ms),
      releaser_(context_, custodian_, limits, status_reports),
      evictor_(context_, releaser_, config.when_full),
      writer_(context_, evictor_, custodian_),
      compactor_(context_, config),
      restorer_(context_, custodian_),
      queries_(context_, releaser_),
      pieces_(context_),
      verifier_(context_) {}

// ---- start
// ---------------------------------------------------------------------------------------

void StorageCore::handle_opened(const SipKey &identity_key) {
    writer_.set_key(identity_key);
    custodian_.set_key(identity_key);
    restorer_.end();
    context_.clock.judge_start(newest_received());
    count_suspension();
    // What the disks found to be torn or dead is erased even if nothing else is written.
    for (Volume &volume : context_.placement.volumes())
        if (!volume.is_set_aside())
            volume.commit.handle_lazy_write(context_.clock.read_at() + kFlushErasuresWithin);
    publish_to_ingress();
}

// ---- inputs
// --------------------------------------------------------------------------------------

void StorageCore::handle(bus::StoreBatch message, TimePoint now) {
    releaser_.forwarded_before().handle_stored(*message.batch);
    writer_.handle(std::move(message.batch), now);
    custodian_.send_signals(now);
}

void StorageCore::handle(bus::BatchOutcome message, TimePoint now) {
    releaser_.handle(std::move(message.batch), now);
}

void StorageCore::handle(const bus::CopyOutcomes &message, TimePoint now) {
    for (const bus::CopyFate &fate : message.fates) {
        const EntryIndex kept = writer_.handle_fate(fate, message.instance);
        if (kept != kNoEntry) releaser_.take_back(kept, now);
    }
}

void StorageCore::handle(const bus::CustodyRecord &message, TimePoint now) {
    const auto depleted = custodian_.handle(message, now);
    if (!depleted || custody_.depleted_delay == Duration::zero()) return;
    releaser_.hold_back(*depleted, now + custody_.depleted_delay);
    context_.send(bus::AgentId::kScheduler,
                  bus::NeighbourDepleted{*depleted, custody_.depleted_delay});
    // What has been refused need not wait where there is a way round.
    DestinationTable &destinations = context_.inventory.destinations();
    for (const EntryIndex index : custodian_.answered()) {
        const Entry &entry = context_.inventory.entry(index);
        if (entry.state != EntryState::kInCustody) continue;
        const std::span<const Way> ways = destinations.ways(entry.flow);
        if (ways.empty() || ways.front().node == *depleted) continue;
        context_.custody.stop_waiting(index);
        releaser_.take_back(index, now);
    }
}

void StorageCore::handle(const bus::RouteUpdate &update, TimePoint) {
    releaser_.handle_routes(update);
}

void StorageCore::handle(const bus::LinkUp &event, TimePoint) {
    releaser_.handle_link(event.link, event.neighbour, true, event.rate, event.owlt);
}

void StorageCore::handle(const bus::LinkDown &event, TimePoint) {
    releaser_.handle_link(event.link, event.neighbour, false);
}

void StorageCore::handle(const bus::LinkSnapshot &snapshot, TimePoint) {
    releaser_.handle_snapshot(snapshot);
}

void StorageCore::handle(const bus::StoreRequest &request, TimePoint) {
    queries_.handle(request);
}

void StorageCore::handle(const bus::BundlePieceRequest &request, TimePoint) {
    pieces_.handle(request);
}

void StorageCore::handle(const bus::StoreTaskRequest &request, TimePoint now) {
    if (request.task == bus::StoreTask::kCompact)
        compactor_.handle(request, now);
    else
        verifier_.handle(request, now);
}

std::optional<bus::StoreTaskReply> StorageCore::poll_ended_task() {
    if (auto ended = verifier_.take_ended()) return ended;
    return compactor_.take_ended();
}

void StorageCore::handle(DiskIndex disk, DiskRequestPtr completed, TimePoint now) {
    Volume &volume = context_.volume(disk);
    --volume.at_disk;
    watch_health(disk, *completed, now);
    if (completed->verb == DiskVerb::kAppend) volume.commit.handle_append_done();
    if (completed->tag == Compactor::kTag)
        return compactor_.handle(disk, std::move(completed), now);
    if (completed->tag == StoredBundleQueries::kTag)
        return queries_.handle_read_done(disk, std::move(completed));
    if (completed->tag == PieceReader::kTag)
        return pieces_.handle_read_done(disk, std::move(completed));
    if (completed->tag == StoreVerifier::kTag)
        return verifier_.handle_read_done(disk, std::move(completed), now);
    switch (completed->verb) {
        case DiskVerb::kAppend:
            writer_.handle_append_done(disk, std::move(completed));
            return;
        case DiskVerb::kErase:
        case DiskVerb::kList:
        case DiskVerb::kReadPart:
            context_.requests.recycle(std::move(completed));
            return;
        case DiskVerb::kSync:
            volume.commit.handle_flush_done();
            handle_flushed(disk, *completed, now);
            context_.requests.recycle(std::move(completed));
            return;
        case DiskVerb::kRead:
            releaser_.handle_read_done(disk, std::move(completed), now);
            return;
    }
}

void StorageCore::handle_flushed(DiskIndex disk, const DiskRequest &flush, TimePoint now) {
    const bool good = flush.status == DiskStatus::kOk;
    if (good) {
        context_.counters.increment(StorageCounter::kFlushes);
        const std::int64_t took = context_.volume(disk).flush_time(now).count();
        flush_times_.add(static_cast<std::uint64_t>(std::max<std::int64_t>(took, 0)));
    }
    // After a failure the disk writes its erasures again.
    const bool again = !good || (flush.unfinished && !draining_);
    if (again && !is_set_aside(disk))
        context_.volume(disk).commit.handle_lazy_write(now + kFlushErasuresWithin);
    writer_.handle_flush_done(disk, good, offered_, now);
    compactor_.handle_flush_done(disk, good, now);
    custodian_.send_signals(now);
    for (const FlowIndex flow : offered_) releaser_.offer(flow);
    offered_.clear();
}

/// A disk that fails now and then is avoided for a moment, one that only fails is set aside.
void StorageCore::watch_health(DiskIndex disk, const DiskRequest &completed, TimePoint now) {
    Volume &volume = context_.volume(disk);
    for (const DiskRecord &record : completed.records)
        if (is_read(completed.verb) && record.status == DiskStatus::kIoError)
            context_.counters.increment(StorageCounter::kIoErrors);
    if (completed.verb != DiskVerb::kAppend && completed.verb != DiskVerb::kSync) return;
    if (completed.status == DiskStatus::kNoSpace) return volume.handle_full(now);
    if (completed.status == DiskStatus::kOk) return;
    context_.counters.increment(StorageCounter::kIoErrors);
    if (volume.handle_failure(now)) set_aside(disk);
}

void StorageCore::set_aside(DiskIndex disk) {
    if (!context_.placement.set_aside(disk)) return;
    context_.counters.increment(StorageCounter::kDisksSetAside);
    context_.inventory.hold_fast(disk);
}

// ---- the clock
// ---------------------------------------------------------------------------------------

void StorageCore::set_wall_clock(WallClock reading) {
    if (context_.clock.handle_reading(reading))
        context_.counters.increment(StorageCounter::kClockSteps);
    count_suspension();
}

void StorageCore::handle(const bus::ClockConfirm &, TimePoint) {
    context_.clock.confirm();
    clock_doubted_ = false;
    count_suspension();
}

std::uint64_t StorageCore::overdue() const {
    const DtnTime now = context_.clock.dtn_at(context_.clock.read_at());
    std::uint64_t count = 0;
    context_.inventory.entries().for_each_held(
        [&](const Entry &entry) { count += entry.expiry <= now ? 1 : 0; });
    return count;
}

void StorageCore::count_suspension() {
    context_.counters.set(StorageCounter::kExpirySuspended,
                          context_.clock.expiry_suspended() ? 1 : 0);
}

// ---- time
// ----------------------------------------------------------------------------------------

TimePoint StorageCore::next_timeout() const {
    TimePoint next = std::min({custodian_.next_timeout(), releaser_.next_timeout(),
                               queries_.next_timeout(), verifier_.next_timeout(), next_report()});
    for (const Volume &volume : context_.placement.volumes())
        next = std::min(next, volume.next_timeout());
    return std::min(next, context_.clock.expiry_timer(context_.inventory.next_expiry()));
}

void StorageCore::handle_timeout(TimePoint now) {
    custodian_.send_signals(now);
    releaser_.handle_timeout(now);
    queries_.handle_timeout(now);
    verifier_.handle_timeout(now);
    report_backlog(now);
    for (std::size_t done = 0; done < kRetryAtOnce; ++done) {
        const EntryIndex overdue = custodian_.poll_overdue(now);
        if (overdue == kNoEntry) break;
        releaser_.take_back(overdue, now);
    }
    // The queue is not asked with a time that lies before all others.
    if (context_.clock.expiry_suspended()) return;
    const DtnTime now_ms = context_.dtn_at(now);
    for (std::size_t done = 0; done < kExpireAtOnce; ++done) {
        const EntryIndex expired = context_.inventory.pop_expired(now_ms);
        if (expired == kNoEntry) return;
        releaser_.expire(expired);
    }
}

// The router books what waits; what it hears may be a tenth of a second old.
TimePoint StorageCore::next_report() const {
    constexpr Duration kReportPause = milliseconds(100);
    const bool changed = context_.inventory.changes() != reported_changes_;
    return changed && !draining_ ? reported_at_ + kReportPause : kNever;
}

void StorageCore::report_backlog(TimePoint now) {
    if (next_report() > now) return;
    reported_at_ = now;
    reported_changes_ = context_.inventory.changes();
    std::vector<bus::WaitingBytes> waiting = context_.inventory.waiting();
    // Nothing waits as long as everything is passed on at once.
    if (waiting.empty() && !std::exchange(backlog_known_, false)) return;
    backlog_known_ = !waiting.empty();
    context_.send(bus::AgentId::kRouter,
                  bus::BacklogReport{bus::AgentId::kStorage, std::move(waiting)});
}

// ---- outputs
// -------------------------------------------------------------------------------------

DiskRequestPtr StorageCore::poll_disk_request(DiskIndex disk, TimePoint now) {
    DiskRequestPtr request = next_request(disk, now);
    if (request != nullptr) ++context_.volume(disk).at_disk;
    return request;
}

/// Appends first, so that a flush covers all that is at hand; reads last.
DiskRequestPtr StorageCore::next_request(DiskIndex disk, TimePoint now) {
    DiskRequestPtr append = writer_.poll_append(disk);
    if (append == nullptr) append = compactor_.poll_append(disk);
    if (append != nullptr) {
        context_.volume(disk).handle_append(now);
        return append;
    }
    if (DiskRequestPtr request = poll_erasures(disk, now)) return request;
    if (DiskRequestPtr request = poll_flush(disk, now)) return request;
    if (DiskRequestPtr request = releaser_.poll_read(disk, !draining_, now)) return request;
    if (!draining_) {
        if (DiskRequestPtr request = queries_.poll_read(disk, now)) return request;
        if (DiskRequestPtr request = pieces_.poll_read(disk)) return request;
    }
    if (DiskRequestPtr request = compactor_.poll_read(disk, !draining_, now)) return request;
    return draining_ ? nullptr : verifier_.poll_read(disk, now);
}

DiskRequestPtr StorageCore::poll_erasures(DiskIndex disk, TimePoint now) {
    Volume &volume = context_.volume(disk);
    if (!volume.has_erasures()) return nullptr;
    DiskRequestPtr request = context_.requests.acquire(DiskVerb::kErase);
    if (!volume.take_erasures(request->erased, now, draining_)) {
        context_.requests.recycle(std::move(request));
        return nullptr;
    }
    volume.commit.handle_lazy_write(draining_ ? now : now + kFlushErasuresWithin);
    return request;
}

DiskRequestPtr StorageCore::poll_flush(DiskIndex disk, TimePoint now) {
    Volume &volume = context_.volume(disk);
    if (!volume.commit.due(now)) return nullptr;
    volume.commit.handle_flush();
    volume.handle_flush_ordered(now);
    writer_.handle_flush(disk);
    compactor_.handle_flush(disk);
    return context_.requests.acquire(DiskVerb::kSync);
}

std::optional<bus::Outgoing> StorageCore::poll_message() {
    if (!context_.messages.empty()) return context_.messages.pop_front();
    if (const auto backlog = context_.inventory.backlogs().poll())
        return bus::Outgoing{bus::AgentId::kIngress, false, *backlog};
    return std::nullopt;
}

std::optional<Unreadable> StorageCore::poll_unreadable() {
    if (context_.unreadable.empty()) return std::nullopt;
    return context_.unreadable.pop_front();
}

void StorageCore::drain() {
    draining_ = true;
    custodian_.expedite();
}

bool StorageCore::idle() const {
    return writer_.idle() && releaser_.idle() &&
           std::ranges::all_of(context_.placement.volumes(), &Volume::idle);
}

}  // namespace farlink::storage
