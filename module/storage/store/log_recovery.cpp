// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log_recovery.hpp"

#include <algorithm>
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
        const auto numbers = directory_.list();
        if (!numbers) return fail(StoreError::kUnusable);
        if (!numbers->empty()) recovery_.last_file = numbers->back();
        for (auto at = numbers->rbegin(); at != numbers->rend(); ++at)
            if (const auto done = open_file(*at); !done) return fail(done.error());
        return std::move(recovery_);
    }

private:
    Result<void, StoreError> open_file(FileNumber number) {
        auto scanned = scan_file(directory_, number, !intact_seen_);
        if (!scanned) return fail(StoreError::kUnusable);
        FileScan &scan = *scanned;
        LogFile &file = files_[number];
        if (scan.empty) return {};  // sealed and dead: it goes with the first reclaim
        const bool readable =
            scan.damages.empty() || scan.damages.front().kind != DamageKind::kFileHeader;
        if (!readable || scan.header.file != number) {
            file.state = FileState::kUnreadable;
            name({DamageKind::kFileHeader, number, 0, 0});
            return {};
        }
        if (scan.header.version != kLogVersion) return fail(StoreError::kUnknownVersion);
        if (scan.header.node != options_.node) return fail(StoreError::kForeignNode);
        if (!key_known_) recovery_.key = scan.header.key;
        key_known_ = true;
        recovery_.fresh = false;
        file.mark = scan.header.mark;
        file.bytes = scan.bytes;
        intact_seen_ |= scan.intact;
        take_erasures(number, file, scan);
        for (const RecordNumber torn : scan.torn)
            if (!erased_.contains(torn)) recovery_.torn.push_back(torn);
        for (const ScannedRecord &record : scan.records) hand_over(file, scan, record);
        for (const Damage &damage : scan.damages)
            if (damage.number == 0 || !erased_.contains(damage.number)) name(damage);
        // Whatever erases records of this file has been read by now.
        for (const ScannedRecord &record : scan.records) erased_.erase(record.at.number);
        return {};
    }

    void take_erasures(FileNumber number, LogFile &file, const FileScan &scan) {
        for (const RecordNumber erased : scan.erasures) {
            erased_.insert(erased);
            if (file_of(erased) != number) file.erasures.push_back(erased);
        }
    }

    void hand_over(LogFile &file, const FileScan &scan, const ScannedRecord &record) {
        if (erased_.contains(record.at.number)) return;
        ++file.live;
        if (!record.damaged) ++recovery_.bundles;
        sink_({record.head, record.at, scan.label_of(record), record.damaged});
    }

    void name(const Damage &damage) {
        ++recovery_.damage_count;
        if (recovery_.damages.size() < kMaxNamedDamages) recovery_.damages.push_back(damage);
    }

    LogDirectory &directory_;
    const LogOptions &options_;
    LogFiles &files_;
    const RestoreSink &sink_;
    Recovery recovery_;
    std::unordered_set<RecordNumber> erased_;
    bool key_known_ = false;
    bool intact_seen_ = false;
};

}  // namespace

std::string_view to_string(StoreError error) {
    switch (error) {
        case StoreError::kLocked:
            return "the storage directory is in use by another node";
        case StoreError::kUnusable:
            return "the storage directory cannot be made, listed or read";
        case StoreError::kForeignNode:
            return "the storage directory holds the bundles of a node with another number";
        case StoreError::kUnknownVersion:
            return "the storage directory was written by a newer version of farlink";
    }
    return "unknown";
}

Result<Recovery, StoreError> recover_log(LogDirectory &directory, const LogOptions &options,
                                         LogFiles &files, const RestoreSink &sink) {
    return Recoverer(directory, options, files, sink).run();
}

}  // namespace farlink::storage
