// SPDX-License-Identifier: Apache-2.0
#include "module/storage/storage_notices.hpp"

#include <map>
#include <string>
#include <utility>

#include "common/base/counted.hpp"
#include "common/base/duration_words.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/log/suppressed_lines.hpp"
#include "module/storage/lost_bundles_text.hpp"

namespace farlink::storage {
namespace {

/// How many files a second with bundles that cannot be read have a line each.
constexpr std::size_t kMaxFilesLogged = 8;
constexpr const char *kHowToConfirm =
    "correct the clock first, then run `farlinkctl clock confirm`: bundles that have expired by "
    "this clock are deleted";

/// Why custody signals are refused where `custodySignalProof` is `link`.
std::string unproven_text(const IgnoredSignal &signal) {
    if (!signal.ipn) return "custodySignalProof `link` accepts ipn sources only";
    return "custodySignalProof `link` requires that they arrive on a link of " + signal.source +
           " itself, proved by TLS, or by its address in `neighbours` or in an outduct";
}

/// Why those of a source that may not report on the bundles are refused.
std::string strange_text(const IgnoredSignal &signal) {
    const std::string &source = signal.source;
    const std::string report =
        signal.partly ? "they also report on bundles " : "they report on bundles ";
    const std::string add = "; if " + source + " is a custodian, add it to custodySignalsFrom";
    if (!signal.ipn) return report + "of which " + source + " is not the destination" + add;
    return report + "that were sent on no known route through " + source + add;
}

/// Because storage is full, or over another limit than the size of one bundle.
std::uint64_t refused_as_full(const telemetry::StorageCounters &counters) {
    return counters.value(StorageCounter::kRefused) -
           counters.value(StorageCounter::kRefusedTooLarge);
}

std::string waiting_text(std::uint64_t bundles) {
    return counted(bundles, "bundle") + (bundles == 1 ? " waits" : " wait");
}

}  // namespace

void StorageNotices::on_second() {
    log_disks();
    log_refusals();
    log_too_large();
    log_refused_bundles();
    log_large_bundles();
    log_signals();
    log_tasks();
}

void StorageNotices::log_disks() {
    log_unreadable();
    const bool accepted = accepts_bundles();
    for (std::size_t at = 0; at < disks_.size(); ++at) {
        StorageDisk &disk = disks_[at];
        log_faults(disk, core_.figures().trouble(static_cast<DiskIndex>(at)), accepted);
        if (!core_.figures().is_set_aside(static_cast<DiskIndex>(at)) || disk.logged_set_aside)
            continue;
        disk.logged_set_aside = true;
        log_.error(
            "disk {}: nothing more is written to it until the node is restarted, since writes "
            "failed repeatedly; its bundles are still read and sent",
            disk.name);
    }
}

// One line for each file, of a few files: a disk that has failed fails for every record.
void StorageNotices::log_unreadable() {
    struct Lost {
        std::uint64_t bundles = 0;
        LostBundlesText words;
    };
    std::map<std::pair<DiskIndex, FileNumber>, Lost> files;
    while (const auto lost = core_.figures().poll_unreadable()) {
        Lost &of = files[{lost->disk, file_of(lost->at.number)}];
        ++of.bundles;
        of.words.add(lost->at.number, lost->bytes, lost->label);
    }
    std::uint64_t nameless = core_.figures().take_nameless_unreadable();
    std::size_t logged = 0;
    for (const auto &[place, lost] : files) {
        if (logged++ >= kMaxFilesLogged) {
            nameless += lost.bundles;
            continue;
        }
        log_.error(
            "disk {}: log file {}: {} kept on disk but not sent, since a record cannot be "
            "read (for a bundle in stripes, this record may be on another disk): {}",
            disks_[place.first].name, place.second, counted(lost.bundles, "bundle"),
            lost.words.words(lost.bundles));
    }
    if (nameless > 0)
        log_.error("cannot read {}, kept on disk but not sent",
                   counted(nameless, "further bundle"));
}

// Since the last call.
bool StorageNotices::accepts_bundles() {
    const auto &counters = core_.figures().counters();
    const std::uint64_t stored = counters.value(StorageCounter::kStoredTotal);
    const std::uint64_t refused = refused_as_full(counters);
    const bool more = stored > std::exchange(seen_stored_, stored);
    return refused == std::exchange(seen_refused_, refused) && more;
}

void StorageNotices::log_faults(StorageDisk &disk, DiskTrouble trouble, bool accepted) {
    const auto change = disk.notice.look(trouble, accepted, monotonic_now());
    if (!change) return;
    switch (change->now) {
        case DiskTrouble::kNone:
            return log_.info("disk {}: {}", disk.name,
                             change->before == DiskTrouble::kFull
                                 ? "bundles are accepted again: the file system has free space"
                                 : "writes succeed again");
        case DiskTrouble::kFull:
            return log_.warn(
                "disk {}: the file system is full, or a disk quota or the limit of file sizes is "
                "reached, although capacityBytes is not used up; bundles are refused or stored on "
                "other disks until space is free",
                disk.name);
        case DiskTrouble::kFailing:
            return log_.error(
                "disk {}: writes fail; bundles are refused or stored on other disks until writes "
                "succeed",
                disk.name);
    }
}

void StorageNotices::log_refusals() {
    const std::uint64_t refused = refused_as_full(core_.figures().counters());
    if (refused == logged_refused_ || !refusal_limiter_.admit(monotonic_now())) return;
    const auto &counters = core_.figures().counters();
    log_.warn(
        "storage refused {}: there is not enough space, a quota or the limit of a million "
        "destinations is reached, or no disk works; stored: {} with {} bytes in total",
        counted(refused - std::exchange(logged_refused_, refused), "bundle"),
        counted(counters.value(StorageCounter::kStoredNow), "bundle"),
        counters.value(StorageCounter::kStoredBytes));
}

void StorageNotices::log_too_large() {
    const std::uint64_t refused =
        core_.figures().counters().value(StorageCounter::kRefusedTooLarge);
    if (refused == logged_too_large_ || !too_large_limiter_.admit(monotonic_now())) return;
    log_.warn(
        "storage refused {} that arrived in pieces: larger than the store, a disk or a quota, or "
        "than the room that was left; nothing of them is kept. If such bundles are wanted, raise "
        "totalStorageCapacityBytes or the limit of the disk or quota",
        counted(refused - std::exchange(logged_too_large_, refused), "bundle"));
}

// A refusal deletes no bundle, so the operator has to look at them.
void StorageNotices::log_refused_bundles() {
    const std::uint64_t waiting = core_.figures().counters().value(StorageCounter::kRefusedNow);
    if (waiting == logged_waiting_ || !waiting_limiter_.admit(monotonic_now())) return;
    logged_waiting_ = waiting;
    if (waiting == 0)
        return log_.info(
            "no bundles refused or not acknowledged by a neighbour are waiting any more");
    log_.warn(
        "{}: refused or not acknowledged by a neighbour, most recently node {}; each is sent again "
        "after increasing pauses until it expires; see `farlinkctl storage list`",
        waiting_text(waiting), core_.figures().last_refuser(false).value());
}

void StorageNotices::log_large_bundles() {
    const std::uint64_t waiting = core_.figures().counters().value(StorageCounter::kTooLargeNow);
    if (waiting == logged_large_ || !large_limiter_.admit(monotonic_now())) return;
    logged_large_ = waiting;
    if (waiting == 0) return log_.info("no bundles too large for their link are waiting any more");
    log_.warn(
        "{}: larger than the link accepts, and not cut into fragments, most recently for the link "
        "to node {}; each is tried again after increasing pauses until it expires; see "
        "`farlinkctl storage list`",
        waiting_text(waiting), core_.figures().last_refuser(true).value());
}

void StorageNotices::log_signals() {
    const auto ignored = core_.poll_ignored_signal();
    if (!ignored) return;
    const auto suppressed = signal_limiter_.admit(monotonic_now());
    if (!suppressed) return;
    const std::string by =
        ignored->sender == NodeNumber{}
            ? ""
            : " received on the link of node " + std::to_string(ignored->sender.value());
    log_.warn("custody signals from {}{} {}: {}{}", ignored->source, by,
              ignored->partly ? "ignored in part" : "ignored",
              ignored->unproven ? unproven_text(*ignored) : strange_text(*ignored),
              suppressed_lines_text(*suppressed));
}

// Tasks that an operator has started.
void StorageNotices::log_tasks() {
    while (const auto ended = core_.poll_ended_task()) {
        const char *how = ended->state == bus::TaskState::kDone ? "done" : "cancelled";
        if (ended->task == bus::StoreTask::kCompact)
            log_.info("compaction {}: {} moved, {} removed, {} bytes freed", how,
                      counted(ended->bundles, "record"), counted(ended->files, "log file"),
                      ended->freed_bytes);
        else if (ended->damaged == 0)
            log_.info("verification {}: {} with {} bytes in total read, no records damaged", how,
                      counted(ended->bundles, "bundle"), ended->bytes);
        else
            log_.error(
                "verification {}: {} read, {} damaged; see `farlinkctl storage verify --status`",
                how, counted(ended->bundles, "bundle"), counted(ended->damaged, "record"));
    }
}

// All modules judge the clock alike; only storage logs it.
void StorageNotices::log_clock(ClockState before) {
    if (core_.clock().state() == before) return;
    switch (core_.clock().state()) {
        case ClockState::kTrusted:
            return log_.info("the wall clock is trusted again: bundles expire by it");
        case ClockState::kUnset:
            return log_.warn(
                "the wall clock is not set, or behind the time at which the newest stored bundle "
                "was received: no bundle expires until the clock is confirmed; {}",
                kHowToConfirm);
        case ClockState::kSteppedForward:
            return log_.warn(
                "the wall clock stepped forward by more than a minute: no bundle expires until the "
                "clock is confirmed, or shows the expected time again; {}",
                kHowToConfirm);
        case ClockState::kSteppedBack:
            return log_.warn(
                "the wall clock stepped back by more than a minute: bundles expire by elapsed time "
                "until the clock is confirmed, or shows the expected time again; {}",
                kHowToConfirm);
    }
}

void StorageNotices::log_confirmation(std::uint64_t overdue) {
    log_.info("clock confirmed: {} of {} stored bundles have expired by it and are deleted",
              overdue, core_.figures().held());
}

/// Bundles that expired while the node was off are all deleted at the start.
void StorageNotices::log_downtime(Downtime off, std::uint64_t off_ms, std::uint64_t overdue) {
    const std::string duration = duration_in_words(off_ms / 1000);
    switch (off) {
        case Downtime::kUnknown:
            return;
        case Downtime::kPlausible:
            if (overdue > 0)
                log_.warn(
                    "the node was off for {} according to the wall clock: {} of {} stored bundles "
                    "expired in the meantime",
                    duration, overdue, core_.figures().held());
            return;
        case Downtime::kUnsynchronised:
        case Downtime::kImplausible:
            return log_.warn(
                "the node was off for {} according to the wall clock, {}: {} of {} stored bundles "
                "would expire; no bundle expires until {}; {}",
                duration,
                off == Downtime::kImplausible ? "which is implausible"
                                              : "and the clock is not synchronised",
                overdue, core_.figures().held(),
                off == Downtime::kImplausible ? "the clock is confirmed"
                                              : "the clock is synchronised or confirmed",
                kHowToConfirm);
    }
}

}  // namespace farlink::storage
