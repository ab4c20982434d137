// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store_opener.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>
#include <thread>

#include "common/base/counted.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/kernel_clock_state.hpp"
#include "common/runtime/private_folder.hpp"
#include "common/runtime/process/current_work.hpp"
#include "module/storage/alive_stamp.hpp"
#include "module/storage/known_losses.hpp"
#include "module/storage/lost_bundles_text.hpp"
#include "module/storage/restore_queue.hpp"
#include "module/storage/store/log/store_key.hpp"
#include "module/storage/store/store_review.hpp"

namespace farlink::storage {
namespace {

/// While a record is taken in, memory for so many further ones is on its way into the cache.
constexpr std::size_t kRestoreAhead = 16;
constexpr DtnTime kSecondMs = 1000;
/// A disk is stamped every half minute, and written to in between.
constexpr DtnTime kStampsApartMs = 120 * kSecondMs;

/// Why the node cannot use a folder, as far as the system reports it.
std::string obstacle(const std::string &folder) {
    // With the slash, a file is told from a folder.
    const std::string inside = folder + "/";
    if (::faccessat(AT_FDCWD, inside.c_str(), R_OK | W_OK | X_OK, AT_EACCESS) == 0) return {};
    return ": " + std::generic_category().message(errno);
}

/// What a verification names besides damaged records.
std::vector<bus::LostFile> lost_files_of(DiskIndex disk, const Recovery &recovery) {
    std::vector<bus::LostFile> files;
    for (const FileLoss &loss : recovery.losses)
        files.push_back({.disk = disk, .file = loss.file, .records = loss.bundles});
    for (const ShortFile &cut : recovery.short_files) {
        const auto same = std::ranges::find(files, cut.file, &bus::LostFile::file);
        bus::LostFile &file = same != files.end() ? *same : files.emplace_back();
        file.disk = disk;
        file.file = cut.file;
        file.cut = true;
        file.bytes = cut.bytes;
        file.expected_bytes = cut.expected;
    }
    for (const FileNumber file : recovery.unreadable_files)
        files.push_back({.disk = disk, .file = file});
    return files;
}

}  // namespace

bool StoreOpener::open() {
    last_used_ = compare_stamps();
    std::vector<Opened> opened = read_disks();
    bool any = false;
    for (std::size_t at = 0; at < disks_.size(); ++at) {
        if (!judge(static_cast<DiskIndex>(at), opened[at])) return false;
        any |= disks_[at].open;
    }
    if (!any) {
        log_.error("no disk of the store is usable; the node does not start");
        return false;
    }
    judge_clock(opened);
    return true;
}

/// Whether bundles expire by the clock. Those that would expire are counted before the store is
/// complete, and logged after.
void StoreOpener::judge_clock(const std::vector<Opened> &opened) {
    const bool holds = core_.figures().held() > 0;
    const DtnTime now = read_wall_clock().dtn_ms;
    const std::uint64_t overdue = holds ? core_.figures().overdue() : 0;
    const Downtime off = judge_downtime(last_used_, now, is_clock_synchronised(), overdue);
    const bool doubtful = is_doubtful(off) && holds;
    if (doubtful) core_.clock().doubt();
    awaits_synchronisation_ = doubtful && off == Downtime::kUnsynchronised;
    share_key(opened);
    if (core_.figures().held() > 0)
        notices_.log_downtime(off, now - last_used_, overdue > 0 ? core_.figures().overdue() : 0);
    if (!doubtful) notices_.log_clock(ClockState::kTrusted);
}

/// When the store was in use last. The disks of one run have the same time. Otherwise some were
/// missing, or are older copies, and what they lack may have been stored.
DtnTime StoreOpener::compare_stamps() {
    std::vector<DtnTime> alive;
    for (const StorageDisk &disk : disks_) alive.push_back(last_alive(disk.directory));
    const DtnTime newest = *std::ranges::max_element(alive);
    for (std::size_t at = 0; at < disks_.size(); ++at) {
        // A new folder has no time.
        if (alive[at] == 0 || newest - alive[at] <= kStampsApartMs) continue;
        in_step_ = false;
        log_.warn(
            "disk {}: last used {} s before another disk of the store: the disk was missing, or "
            "one of the two is an older copy; stripes of incomplete bundles are kept until they "
            "expire",
            disks_[at].name, (newest - alive[at]) / kSecondMs);
    }
    return newest;
}

/// Reads all disks at the same time, each on its own thread; this thread restores the records.
std::vector<StoreOpener::Opened> StoreOpener::read_disks() {
    const CurrentWork work("restoring the index of stored bundles");
    std::vector<Opened> opened(disks_.size());
    RestoreQueue found(disks_.size());
    std::vector<std::thread> readers;
    for (std::size_t at = 0; at < disks_.size(); ++at)
        readers.emplace_back([this, at, &opened, &found] {
            const CurrentWork reading("reading the store on disk", disks_[at].name);
            const auto disk = static_cast<DiskIndex>(at);
            opened[at] = disks_[at].thread.open(
                [&found, disk](const RestoredRecord &record) { found.add(disk, record); });
            found.end(disk);
        });
    while (const auto chunk = found.take()) {
        const std::size_t ahead = std::min(kRestoreAhead, chunk->size());
        for (std::size_t at = 0; at < ahead; ++at) core_.foresee(chunk->identity(at));
        for (std::size_t at = 0; at < chunk->size(); ++at) {
            if (at + ahead < chunk->size()) core_.foresee(chunk->identity(at + ahead));
            core_.restore(chunk->disk(), chunk->record(at));
        }
    }
    for (std::thread &reader : readers) reader.join();
    return opened;
}

/// False when the node must not start: the disk belongs to another node. A disk that does not work
/// is left out.
bool StoreOpener::judge(DiskIndex index, const Opened &opened) {
    StorageDisk &disk = disks_[index];
    disk.open = opened.has_value();
    if (opened) {
        if (is_open_to_others(disk.directory))
            log_.warn("disk {}: other users have access to {}; set the mode of the folder to 0700",
                      disk.name, disk.directory);
        log_recovery(disk, *opened);
        core_.handle_disk_opened(index, opened->disk, opened->sound && in_step_,
                                 lost_files_of(index, *opened));
        return true;
    }
    const bool unusable = opened.error() == StoreError::kUnusable;
    if (!unusable) {
        log_.error("{}", refusal_of(disk.name, opened.error()));
        return false;
    }
    log_.error("disk {}: {}{}; the disk is not used until a restart", disk.name,
               to_string(opened.error()), obstacle(disk.directory));
    disk.logged_set_aside = true;
    core_.set_aside(index);
    return true;
}

void StoreOpener::log_recovery(const StorageDisk &disk, const Recovery &recovery) {
    if (recovery.bundles > 0)
        log_.info("disk {}: {} of stored bundles found", disk.name,
                  counted(recovery.bundles, "record"));
    if (recovery.discarded > 0)
        log_.warn("disk {}: {} of stored bundles deleted, since `restore` is false", disk.name,
                  counted(recovery.discarded, "record"));
    for (const Damage &damage : recovery.damages)
        log_.warn("disk {}: {}", disk.name, words_of(damage));
    for (const IndexFault &fault : recovery.index_faults)
        log_.info("disk {}: log file {} read completely, since its index is {}", disk.name,
                  fault.file, to_string(fault.kind));
    log_losses(disk, recovery);
    if (recovery.damage_count > recovery.damages.size())
        log_.warn("disk {}: {} damaged places in total; the first {} are listed above", disk.name,
                  recovery.damage_count, recovery.damages.size());
}

/// Each file once.
void StoreOpener::log_losses(const StorageDisk &disk, const Recovery &recovery) {
    const KnownLosses known = read_known_losses(disk.directory);
    KnownLosses losses;
    for (const FileLoss &loss : recovery.losses) {
        losses[loss.file] = loss.bundles;
        if (const auto before = known.find(loss.file);
            before != known.end() && before->second >= loss.bundles) {
            log_.info(
                "disk {}: log file {}: {} of stored bundles lost, as logged at an earlier "
                "start",
                disk.name, loss.file, counted(loss.bundles, "record"));
            continue;
        }
        LostBundlesText lost;
        for (const LostBundle &bundle : loss.named)
            lost.add(bundle.number, bundle.bytes, bundle.label);
        log_.error("disk {}: log file {}: {} of stored bundles lost: {}", disk.name, loss.file,
                   counted(loss.bundles, "record"), lost.words(loss.bundles));
    }
    for (const ShortFile &cut : recovery.short_files) {
        losses.try_emplace(cut.file, 0);
        if (known.contains(cut.file)) continue;
        log_.error("disk {}: {}; stored bundles may be lost, and their number is not known",
                   disk.name, words_of(cut));
    }
    for (const FileNumber file : recovery.unreadable_files) {
        losses.try_emplace(file, 0);
        if (known.contains(file)) continue;
        log_.error(
            "disk {}: log file {}: header damaged; its bundles are lost, and their number is not "
            "known",
            disk.name, file);
    }
    if (losses != known) keep_known_losses(disk.directory, losses);
}

void StoreOpener::share_key(const std::vector<Opened> &opened) {
    std::vector<DiskKey> keys;
    for (std::size_t at = 0; at < disks_.size(); ++at)
        if (disks_[at].open) keys.push_back({opened[at]->fresh, opened[at]->key});
    const SipKey key = common_key(keys);
    for (std::size_t at = 0; at < disks_.size(); ++at) {
        if (!disks_[at].open) continue;
        if (opened[at]->fresh)
            disks_[at].thread.adopt_key(key);
        else if (opened[at]->key != key)
            log_.warn(
                "disk {}: belongs to another store (different key); duplicates of its bundles are "
                "not detected",
                disks_[at].name);
    }
    core_.handle_opened(key);
    for (const LoneStripe &stripe : core_.restorer().lone_stripes())
        log_.warn(
            "disk {}: record {}: stripe {} of {} of an incomplete bundle of {} bytes: another disk "
            "is missing, damaged or an older copy",
            disks_[stripe.disk].name, name_of(stripe.record), stripe.number + 1, stripe.count,
            stripe.bundle_bytes);
    log_erased(core_.restorer().erased());
}

void StoreOpener::log_erased(const ErasedBundles &erased) {
    if (erased.count == 0) return;
    LostBundlesText words;
    for (const ErasedBundle &each : erased.named)
        words.add(each.record, each.bytes, each.endpoint, disks_[each.disk].name);
    log_.warn(
        "erased {} of which a working disk lacks a stripe, since such a bundle was never "
        "acknowledged to its sender, or was sent or deleted before the restart: {}",
        counted(erased.count, "bundle"), words.words(erased.count));
}

}  // namespace farlink::storage
