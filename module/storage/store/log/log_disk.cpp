// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/log_disk.hpp"

#include "module/storage/store/log/log_index.hpp"
#include "module/storage/store/log/log_reader.hpp"

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

void LogDisk::start(DiskRequestPtr taken) {
    DiskRequest &request = *taken;
    switch (request.verb) {
        case DiskVerb::kAppend:
            request.status = writer_.append(request.records);
            if (request.status == DiskStatus::kNoSpace && space_.make_space())
                request.status = writer_.append(request.records);
            break;
        case DiskVerb::kErase:
            space_.erase(request.erased);
            break;
        case DiskVerb::kSync:
            while (sync_ != nullptr) {
                directory_.wait();
                poll_sync();
            }
            space_.write_pending();
            space_.start_sync();
            writer_.start_sync();
            sync_ = std::move(taken);
            poll_sync();
            return;
        case DiskVerb::kRead:
        case DiskVerb::kReadPart:
            reader_.start(std::move(taken));
            return;
        case DiskVerb::kList:
            list(request);
            break;
    }
    done_.push_back(std::move(taken));
}

void LogDisk::poll_sync() {
    if (sync_ == nullptr) return;
    const auto good = writer_.poll_sync();
    if (!good) return;
    space_.handle_sync(*good);
    sync_->status = *good ? DiskStatus::kOk : DiskStatus::kIoError;
    sync_->unfinished = space_.work_left();
    done_.push_back(std::move(sync_));
}

DiskRequestPtr LogDisk::poll() {
    poll_sync();
    if (!done_.empty()) return done_.pop_front();
    return reader_.poll();
}

void LogDisk::execute(DiskRequest &request) {
    FARLINK_INVARIANT(!busy() && done_.empty());
    auto lent = std::make_unique<DiskRequest>(std::move(request));
    DiskRequest *const wanted = lent.get();
    start(std::move(lent));
    for (;;) {
        DiskRequestPtr done = poll();
        if (done == nullptr) {
            directory_.wait();
        } else if (done.get() == wanted) {
            request = std::move(*done);
            return;
        }
    }
}

void LogDisk::close() {
    FARLINK_INVARIANT(!busy());
    space_.write_pending();
    writer_.seal();
}

/// Of a file that is being written, or has no index, all records are read.
void LogDisk::list(DiskRequest &request) {
    request.records.clear();
    const auto file = files_.find(request.file);
    if (file == files_.end() || file->second.state == FileState::kUnreadable) return;
    request.bytes = file->second.bytes;
    auto scan = read_index(directory_, request.file);
    if (!scan) {
        auto scanned = scan_file(directory_, request.file, false);
        if (!scanned) {
            request.status = DiskStatus::kIoError;
            return;
        }
        scan = std::move(*scanned);
    }
    request.records.reserve(scan->records.size());
    for (const ScannedRecord &found : scan->records) {
        if (found.damaged) continue;
        DiskRecord &record = request.records.emplace_back();
        record.head = found.head;
        record.at = found.at;
    }
}

}  // namespace farlink::storage
