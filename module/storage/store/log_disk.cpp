// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log_disk.hpp"

#include "module/storage/store/log_reader.hpp"

namespace farlink::storage {

Result<Recovery, StoreError> LogDisk::open(const RestoreSink &sink) {
    auto recovery = recover_log(directory_, options_, files_, sink);
    if (recovery) {
        writer_.resume(recovery->last_file, recovery->key);
        space_.erase_torn(recovery->torn);
        space_.reclaim();
    }
    return recovery;
}

void LogDisk::execute(DiskRequest &request) {
    switch (request.verb) {
        case DiskVerb::kAppend:
            request.status = writer_.append(request.records);
            if (request.status == DiskStatus::kNoSpace && space_.make_space())
                request.status = writer_.append(request.records);
            break;
        case DiskVerb::kErase:
            space_.erase(request.erased);
            break;
        case DiskVerb::kSync: {
            space_.write_pending();
            const bool good = writer_.sync();
            space_.handle_sync(good);
            request.status = good ? DiskStatus::kOk : DiskStatus::kIoError;
            request.unfinished = space_.work_left();
            break;
        }
        case DiskVerb::kRead:
            read_records(directory_, files_, request.records);
            break;
        case DiskVerb::kList:
            list(request);
            break;
    }
}

void LogDisk::list(DiskRequest &request) {
    request.records.clear();
    const auto file = files_.find(request.file);
    if (file == files_.end() || file->second.state == FileState::kUnreadable) return;
    const auto scanned = scan_file(directory_, request.file, false);
    if (!scanned) {
        request.status = DiskStatus::kIoError;
        return;
    }
    for (const ScannedRecord &found : scanned->records) {
        if (found.damaged) continue;
        DiskRecord &record = request.records.emplace_back();
        record.head = found.head;
        record.at = found.at;
    }
}

}  // namespace farlink::storage
