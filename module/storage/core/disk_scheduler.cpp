// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/disk_scheduler.hpp"

#include <algorithm>
#include <utility>

namespace farlink::storage {
namespace {

/// A lost erasure means a repeat on the wire, not a loss, so erasures are flushed with the next
/// commit, or after a second.
constexpr Duration kFlushErasuresWithin = seconds(1);

}  // namespace

DiskRequestPtr DiskScheduler::poll(DiskIndex disk, TimePoint now) {
    DiskRequestPtr request = next(disk, now);
    if (request != nullptr) ++context_.volume(disk).at_disk;
    return request;
}

DiskRequestPtr DiskScheduler::next(DiskIndex disk, TimePoint now) {
    DiskRequestPtr append = writer_.poll_append(disk);
    if (append == nullptr) append = compactor_.poll_append(disk);
    if (append != nullptr) {
        context_.volume(disk).handle_append(now);
        return append;
    }
    if (DiskRequestPtr request = poll_erasures(disk, now)) return request;
    if (DiskRequestPtr request = poll_flush(disk, now)) return request;
    if (DiskRequestPtr request = writer_.poll_read(disk)) return request;
    if (DiskRequestPtr request = releaser_.poll_read(disk, !draining_, now)) return request;
    if (!draining_) {
        if (DiskRequestPtr request = queries_.poll_read(disk, now)) return request;
        if (DiskRequestPtr request = pieces_.poll_read(disk)) return request;
    }
    if (DiskRequestPtr request = compactor_.poll_read(disk, !draining_, now)) return request;
    return draining_ ? nullptr : verifier_.poll_read(disk, now);
}

DiskRequestPtr DiskScheduler::poll_erasures(DiskIndex disk, TimePoint now) {
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

DiskRequestPtr DiskScheduler::poll_flush(DiskIndex disk, TimePoint now) {
    Volume &volume = context_.volume(disk);
    if (!volume.commit.due(now)) return nullptr;
    volume.commit.handle_flush();
    volume.handle_flush_ordered(now);
    writer_.handle_flush(disk);
    compactor_.handle_flush(disk);
    return context_.requests.acquire(DiskVerb::kSync);
}

void DiskScheduler::handle(DiskIndex disk, DiskRequestPtr completed, TimePoint now) {
    Volume &volume = context_.volume(disk);
    --volume.at_disk;
    watch_health(disk, *completed, now);
    if (completed->verb == DiskVerb::kAppend) volume.commit.handle_append_done();
    if (completed->tag == Compactor::kTag)
        return compactor_.handle(disk, std::move(completed), now);
    if (completed->tag == OverlapCheck::kTag)
        return writer_.handle_read_done(disk, std::move(completed), now);
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

void DiskScheduler::handle_flushed(DiskIndex disk, const DiskRequest &flush, TimePoint now) {
    const bool good = flush.status == DiskStatus::kOk;
    Volume &volume = context_.volume(disk);
    if (good) {
        context_.counters.increment(StorageCounter::kFlushes);
        const std::int64_t took = volume.flush_time(now).count();
        context_.flush_times.add(static_cast<std::uint64_t>(std::max<std::int64_t>(took, 0)));
    }
    // After a failure the disk writes its erasures again.
    const bool again = !good || (flush.unfinished && !draining_);
    if (again && !volume.is_set_aside())
        volume.commit.handle_lazy_write(now + kFlushErasuresWithin);
    writer_.handle_flush_done(disk, good, offered_, now);
    compactor_.handle_flush_done(disk, good, now);
    custodian_.send_signals(now);
    for (const FlowIndex flow : offered_) releaser_.flows().offer(flow);
    offered_.clear();
}

/// A disk that fails now and then is avoided for a moment, one that only fails is set aside.
void DiskScheduler::watch_health(DiskIndex disk, const DiskRequest &completed, TimePoint now) {
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

void DiskScheduler::set_aside(DiskIndex disk) {
    if (!context_.placement.set_aside(disk)) return;
    context_.counters.increment(StorageCounter::kDisksSetAside);
    context_.inventory.hold_fast(disk);
}

void DiskScheduler::handle_opened() {
    for (Volume &volume : context_.placement.volumes())
        if (!volume.is_set_aside())
            volume.commit.handle_lazy_write(context_.clock.read_at() + kFlushErasuresWithin);
}

}  // namespace farlink::storage
