// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/log_recovery.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace farlink::storage {
namespace {

constexpr std::size_t kMaxNamedDamages = 100;

class Recoverer {
public:
    Recoverer(LogDirectory &directory, const LogOptions &options, LogFiles &files,
              const RestoreSink &sink)
        : directory_(directory), options_(options), files_(files), sink_(sink) {
        recovery_.key = options.fresh_key;
    }

    Result<Recovery, StoreError> run() {
        if (const auto locked = directory_.lock(); !locked)
            return fail(locked.error() == FileError::kLocked ? StoreError::kLocked
                                                             : StoreError::kUnusable);
        recovery_.disk = directory_.identify(options_.fresh_disk);
        const auto numbers = directory_.list();
        if (!numbers) return fail(StoreError::kUnusable);
        if (!numbers->empty()) recovery_.last_file = numbers->back();
        for (const FileNumber number : *numbers) files_[number];
        orphans_ = find_orphans(directory_, *numbers);
        for (auto at = numbers->rbegin(); at != numbers->rend(); ++at)
            if (const auto done = open_file(*at); !done) return fail(done.error());
        remove_orphans();
        if (options_.discard) return discard(*numbers);
        return std::move(recovery_);
    }

private:
    Result<void, StoreError> open_file(FileNumber number) {
        auto scanned = read_index(directory_, number);
        const bool indexed = scanned.has_value();
        if (!indexed) {
            note(scanned.error());
            auto found = scan_file(directory_, number, !intact_seen_);
            if (!found) return fail(StoreError::kUnusable);
            scanned = std::move(*found);
            note_short(number, *scanned);
        }
        FileScan &scan = *scanned;
        LogFile &file = files_[number];
        if (scan.empty) {  // sealed and dead: it goes with the first reclaim
            if (!indexed) note_loss(number, nullptr);
            return {};
        }
        const bool readable =
            indexed || scan.damages.empty() || scan.damages.front().kind != DamageKind::kFileHeader;
        if (!readable || scan.header.file != number) {
            file.state = FileState::kUnreadable;
            name({DamageKind::kFileHeader, number, 0, 0});
            if (!note_loss(number, nullptr) && !has_index(directory_, number))
                recovery_.unreadable_files.push_back(number);
            return {};
        }
        if (const auto fault = fault_of(scan.header, options_.node)) return fail(*fault);
        if (!key_known_) recovery_.key = scan.header.key;
        key_known_ = true;
        if (!indexed) complete(scan);
        recovery_.fresh = false;
        file.mark = scan.header.mark;
        file.bytes = scan.bytes;
        intact_seen_ |= scan.intact;
        take_erasures(number, file, scan);
        if (!indexed) note_loss(number, &scan);
        hand_over(number, file, scan);
        return {};
    }

    /// A file that was left in the midst of things: what has been read of it may not be on disk
    /// yet, and must be before it counts as stored. Then it gets the index that it lacks.
    void complete(FileScan &scan) {
        const FileNumber number = scan.header.file;
        if (!directory_.sync(number))
            scan.damages.push_back({DamageKind::kUnflushed, number, 0, 0});
        else if (scan.damages.empty())
            static_cast<void>(write_index(directory_, scan));
    }

    void take_erasures(FileNumber number, LogFile &file, const FileScan &scan) {
        for (const RecordNumber erased : scan.erasures) {
            const FileNumber of = file_of(erased);
            if (!files_.contains(of) && !std::ranges::binary_search(orphans_, of)) continue;
            erased_[of].push_back(static_cast<std::uint32_t>(erased));
            if (of != number && files_.contains(of)) file.erasures.push_back(erased);
        }
    }

    /// Whatever erases records of this file has been read: it stands in it or in a younger one.
    void hand_over(FileNumber number, LogFile &file, const FileScan &scan) {
        std::vector<std::uint32_t> &erased = erased_[number];
        std::ranges::sort(erased);
        const auto gone = [&erased](RecordNumber record) {
            return std::ranges::binary_search(erased, static_cast<std::uint32_t>(record));
        };
        auto at = erased.begin();  // both are in ascending order
        for (const ScannedRecord &record : scan.records) {
            const auto place = static_cast<std::uint32_t>(record.at.number);
            while (at != erased.end() && *at < place) ++at;
            if (at != erased.end() && *at == place) continue;
            ++file.live;
            if (!record.damaged) ++recovery_.bundles;
            if (!options_.discard)
                sink_({record.head, record.at, scan.label_of(record), record.damaged});
        }
        for (const RecordNumber torn : scan.torn)
            if (!gone(torn)) recovery_.torn.push_back(torn);
        for (const Damage &damage : scan.damages)
            if (damage.number == 0 || !gone(damage.number)) name(damage);
        erased_.erase(number);
    }

    /// The log is this node's, and goes. Numbers of its files are not used again.
    Result<Recovery, StoreError> discard(const std::vector<FileNumber> &numbers) {
        for (const FileNumber number : numbers)
            if (!directory_.remove(number)) return fail(StoreError::kUnusable);
        if (!directory_.sync_directory()) return fail(StoreError::kUnusable);
        files_.clear();
        Recovery empty;
        empty.key = options_.fresh_key;
        empty.disk = recovery_.disk;
        empty.last_file = recovery_.last_file;
        empty.discarded = recovery_.bundles;
        return empty;
    }

    /// An orphan must not meet a new file of its number. Records in it without an erasure are lost.
    void remove_orphans() {
        for (const FileNumber number : orphans_) {
            if (note_loss(number, nullptr)) name({DamageKind::kMissing, number, 0, 0});
            static_cast<void>(directory_.remove(number));
        }
    }

    /// All erasures of its records have been read. True when bundles went with it.
    bool note_loss(FileNumber number, const FileScan *found) {
        const std::vector<std::uint32_t> &places = erased_[number];
        const std::unordered_set<std::uint32_t> erased(places.begin(), places.end());
        FileLoss loss = loss_of(directory_, number, found, [&erased](RecordNumber record) {
            return erased.contains(static_cast<std::uint32_t>(record));
        });
        if (loss.bundles == 0) return false;
        recovery_.sound = false;
        recovery_.losses.push_back(std::move(loss));
        return true;
    }

    /// Before the file gets an index.
    void note_short(FileNumber number, const FileScan &scan) {
        const auto found = find_short(directory_, number, scan, number == recovery_.last_file);
        if (!found || found->indexed) return;
        recovery_.sound = false;
        recovery_.short_files.push_back(*found);
    }

    void note(const IndexFault &fault) {
        ++recovery_.scanned_files;
        if (recovery_.index_faults.size() < kMaxNamedDamages)
            recovery_.index_faults.push_back(fault);
    }

    void name(const Damage &damage) {
        ++recovery_.damage_count;
        recovery_.sound &= damage.kind == DamageKind::kTorn;
        if (recovery_.damages.size() < kMaxNamedDamages) recovery_.damages.push_back(damage);
    }

    LogDirectory &directory_;
    const LogOptions &options_;
    LogFiles &files_;
    const RestoreSink &sink_;
    Recovery recovery_;
    /// Places of erased records, by file: of those that are still to be read.
    std::unordered_map<FileNumber, std::vector<std::uint32_t>> erased_;
    std::vector<FileNumber> orphans_;  ///< indexes without a file
    bool key_known_ = false;
    bool intact_seen_ = false;
};

}  // namespace

std::optional<StoreError> fault_of(const FileHeader &header, NodeNumber node) {
    if (header.version < kOldestLogVersion || header.version > kLogVersion)
        return StoreError::kUnknownVersion;
    if (header.node != node) return StoreError::kForeignNode;
    return std::nullopt;
}

std::string_view to_string(StoreError error) {
    switch (error) {
        case StoreError::kLocked:
            return "the folder of the store is in use by another node, or as another disk of this "
                   "node";
        case StoreError::kUnusable:
            return "the folder of the store cannot be created, read or written";
        case StoreError::kForeignNode:
            return "the folder of the store contains the bundles of a node with another number";
        case StoreError::kUnknownVersion:
            return "the store was written by a newer version of farlink";
    }
    return "unknown";
}

Result<Recovery, StoreError> recover_log(LogDirectory &directory, const LogOptions &options,
                                         LogFiles &files, const RestoreSink &sink) {
    return Recoverer(directory, options, files, sink).run();
}

}  // namespace farlink::storage
