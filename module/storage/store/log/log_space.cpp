// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/log_space.hpp"

#include <algorithm>
#include <utility>

namespace farlink::storage {

void LogSpace::erase(std::span<const RecordNumber> numbers) {
    bool dead = false;
    for (const RecordNumber number : numbers) {
        const auto found = files_.find(file_of(number));
        if (found == files_.end()) continue;
        FARLINK_INVARIANT(found->second.live > 0);
        dead |= --found->second.live == 0;
        pending_.push_back(number);
    }
    if (dead) {
        work_left_ = true;
        reclaim();
    }
    write_pending();
}

void LogSpace::write_pending() {
    std::erase_if(pending_, [&](RecordNumber number) { return !files_.contains(file_of(number)); });
    if (!pending_.empty()) {
        if (!writer_.append_erasures(pending_)) return;
        unflushed_.insert(unflushed_.end(), pending_.begin(), pending_.end());
        pending_.clear();
    }
    if (work_left_) reset_state(FileState::kEvacuating, FileState::kEvacuated);
}

void LogSpace::start_sync() {
    flushing_.insert(flushing_.end(), unflushed_.begin(), unflushed_.end());
    unflushed_.clear();
    reset_state(FileState::kEvacuated, FileState::kCovered);
}

void LogSpace::handle_sync(bool good) {
    if (!good) {
        // The erasures may be lost with the file they were written to, later ones too.
        for (std::vector<RecordNumber> *lost : {&flushing_, &unflushed_}) {
            pending_.insert(pending_.end(), lost->begin(), lost->end());
            lost->clear();
        }
        reset_state(FileState::kCovered, FileState::kEvacuating);
        reset_state(FileState::kEvacuated, FileState::kEvacuating);
        return;
    }
    flushing_.clear();
    reset_state(FileState::kCovered, FileState::kDead);
    // A file that was sealed may have been dead before.
    if (std::exchange(last_active_, writer_.active()) != writer_.active()) work_left_ = true;
    if (work_left_) reclaim();
}

void LogSpace::reclaim() {
    work_left_ = false;
    for (auto at = files_.begin(); at != files_.end();) {
        const FileNumber number = at->first;
        LogFile &file = at->second;
        bool removable = file.state == FileState::kUnlinked || file.state == FileState::kDead;
        if (file.state == FileState::kSealed && file.live == 0) {
            const std::vector<RecordNumber> needed = needed_erasures(number);
            pending_.insert(pending_.end(), needed.begin(), needed.end());
            file.state = FileState::kEvacuating;
            removable = needed.empty();
        }
        if (removable && remove(number, file)) {
            at = files_.erase(at);
            continue;
        }
        work_left_ |= file.state >= FileState::kEvacuating;
        ++at;
    }
}

/// The directory is flushed after each removal: if a younger file with the erasures of this one
/// could vanish first, a power cut would bring erased bundles back.
bool LogSpace::remove(FileNumber number, LogFile &file) {
    if (file.state != FileState::kUnlinked) {
        if (!directory_.remove(number)) return false;
        file.state = FileState::kUnlinked;
    }
    return directory_.sync_directory().has_value();
}

bool LogSpace::make_space() {
    const std::size_t before = files_.size();
    if (writer_.active() != 0) {
        const LogFile &file = files_.at(writer_.active());
        if (file.live == 0 && file.bytes > kDataStart) writer_.seal();
    }
    reclaim();
    return files_.size() < before;
}

std::vector<RecordNumber> LogSpace::needed_erasures(FileNumber number) const {
    std::vector<RecordNumber> needed;
    for (const RecordNumber erased : files_.at(number).erasures)
        if (files_.contains(file_of(erased))) needed.push_back(erased);
    return needed;
}

void LogSpace::reset_state(FileState from, FileState to) {
    for (auto &[number, file] : files_)
        if (file.state == from) file.state = to;
}

}  // namespace farlink::storage
