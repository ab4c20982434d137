// SPDX-License-Identifier: Apache-2.0
#include "tests/support/sim_disk.hpp"

#include <algorithm>

namespace farlink::test {

void SimDirectory::apply(Bytes &content, const Change &change) {
    if (change.new_size) {
        content.resize(*change.new_size, 0);
        return;
    }
    const std::uint64_t end = change.offset + change.octets.size();
    if (content.size() < end) content.resize(end, 0);
    std::ranges::copy(change.octets, content.begin() + static_cast<std::ptrdiff_t>(change.offset));
}

void SimDirectory::crash(std::uint64_t seed) {
    Random random(seed);
    crash(files_, random);
    crash(indexes_, random);
    faults_.clear();
    rebooted_ = true;
    kill();
}

void SimDirectory::crash(Files &files, Random &random) {
    for (auto at = files.begin(); at != files.end();) {
        File &file = at->second;
        // A name that was made or removed without a flush of the directory exists or not, by
        // chance.
        const bool named = file.linked == file.linked_durably ? file.linked : random.chance(1, 2);
        if (!named) {
            at = files.erase(at);
            continue;
        }
        // 0: everything is lost, 1: everything is kept, else: each change by itself, any torn.
        const std::uint64_t mood = random.below(4);
        for (Change &change : file.changes) {
            if (mood == 0 || (mood > 1 && random.chance(1, 2))) continue;
            if (mood > 1 && random.chance(1, 2) && !change.octets.empty())
                change.octets.resize(random.below(change.octets.size()));
            apply(file.durable, change);
        }
        file = {file.durable, file.durable, {}, true, true, false};
        ++at;
    }
}

void SimDirectory::close() {
    close(files_);
    close(indexes_);
    locked_ = false;
}

void SimDirectory::close(Files &files) {
    for (auto &[number, file] : files) {
        if (file.lost_writes) continue;
        file.durable = file.now;
        file.changes.clear();
        file.linked_durably = file.linked;
    }
    std::erase_if(files, [](const auto &item) { return !item.second.linked; });
}

std::vector<FileNumber> SimDirectory::numbers_of(const Files &files) {
    std::vector<FileNumber> numbers;
    for (const auto &[number, file] : files)
        if (file.linked) numbers.push_back(number);
    return numbers;
}

std::vector<FileNumber> SimDirectory::files() const {
    return numbers_of(files_);
}

bool SimDirectory::has_index(FileNumber file) const {
    const auto found = indexes_.find(file);
    return found != indexes_.end() && found->second.linked && !found->second.now.empty();
}

std::uint64_t SimDirectory::used_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto &[number, file] : files_)
        if (file.linked || file.unpublished) bytes += file.now.size();
    for (const auto &[number, index] : indexes_)
        if (index.linked) bytes += index.now.size();
    return bytes;
}

Result<void, storage::FileError> SimDirectory::lock() {
    if (faults_.removed()) return fail(FileError::kIo);
    if (locked_) return fail(FileError::kLocked);
    locked_ = true;
    return {};
}

Result<std::vector<FileNumber>, storage::FileError> SimDirectory::list() {
    return files();
}

Result<void, storage::FileError> SimDirectory::create(FileNumber file,
                                                      std::uint64_t expected_bytes) {
    if (const auto allowed = faults_.operation(); !allowed) return allowed;
    File &made = files_[file];
    made = {};
    made.unpublished = true;
    rebooted_ = false;
    if (!reserves_) return {};
    Change change;
    change.new_size = expected_bytes;
    apply(made.now, change);
    made.changes.push_back(std::move(change));
    return {};
}

Result<void, storage::FileError> SimDirectory::publish(FileNumber file, std::uint64_t) {
    if (const auto allowed = faults_.operation(); !allowed) return allowed;
    files_.at(file).linked = true;
    files_.at(file).unpublished = false;
    return {};
}

Result<void, storage::FileError> SimDirectory::write(FileNumber file, std::uint64_t offset,
                                                     std::span<const ByteView> pieces) {
    File &to = files_.at(file);
    Change change;
    change.offset = offset;
    for (const ByteView piece : pieces) append(change.octets, piece);
    const std::uint64_t end = offset + change.octets.size();
    const std::uint64_t growth = end > to.now.size() ? end - to.now.size() : 0;
    auto allowed = faults_.operation();
    if (allowed && used_bytes() + growth > capacity_) allowed = fail(FileError::kNoSpace);
    // A failed write may have been written in part.
    if (!allowed) change.octets.resize(change.octets.size() / 2);
    apply(to.now, change);
    to.changes.push_back(std::move(change));
    return allowed;
}

Result<void, storage::FileError> SimDirectory::sync(FileNumber file) {
    FARLINK_INVARIANT(!flush_ || flush_->file != file);
    return flush(file, files_.at(file).changes.size());
}

void SimDirectory::start_sync(FileNumber file) {
    if (flush_polls_ == 0) return BlockingDirectory::start_sync(file);
    FARLINK_INVARIANT(!flush_);
    flush_ = {file, files_.at(file).changes.size(), flush_polls_};
}

std::optional<Result<void, storage::FileError>> SimDirectory::poll_sync() {
    if (!flush_) return BlockingDirectory::poll_sync();
    if (flush_->polls > 0) {
        --flush_->polls;
        return std::nullopt;
    }
    const Flush ended = *flush_;
    flush_.reset();
    return flush(ended.file, ended.changes);
}

void SimDirectory::wait() {
    if (flush_)
        flush_->polls = 0;
    else
        BlockingDirectory::wait();
}

Result<void, storage::FileError> SimDirectory::flush(FileNumber file, std::size_t changes) {
    ++syncs_;
    File &to = files_.at(file);
    if (const auto allowed = faults_.operation(); !allowed) {
        // The pages count as clean now: the next flush succeeds, and these octets are still lost.
        if (!faults_.powered_off()) {
            to.changes.clear();
            to.lost_writes = true;
            if (failed_sync_keeps_) to.durable = to.now;
        }
        return allowed;
    }
    if (to.lost_writes) return {};
    const auto end = to.changes.begin() + static_cast<std::ptrdiff_t>(changes);
    std::for_each(to.changes.begin(), end,
                  [&](const Change &change) { apply(to.durable, change); });
    to.changes.erase(to.changes.begin(), end);
    return {};
}

Result<void, storage::FileError> SimDirectory::truncate(FileNumber file, std::uint64_t size) {
    FARLINK_INVARIANT(!flush_ || flush_->file != file);
    if (const auto allowed = faults_.operation(); !allowed) return allowed;
    Change change;
    change.new_size = size;
    apply(files_.at(file).now, change);
    files_.at(file).changes.push_back(std::move(change));
    return {};
}

Result<std::uint64_t, storage::FileError> SimDirectory::size(FileNumber file) {
    return files_.at(file).now.size();
}

Result<std::size_t, storage::FileError> SimDirectory::read(FileNumber file, std::uint64_t offset,
                                                           MutableBytes out) {
    if (faults_.removed()) return fail(FileError::kIo);
    const Bytes &content = files_.at(file).now;
    if (offset >= content.size()) return std::size_t{0};
    const std::size_t count = std::min<std::size_t>(out.size(), content.size() - offset);
    std::copy_n(content.begin() + static_cast<std::ptrdiff_t>(offset), count, out.begin());
    return count;
}

Result<void, storage::FileError> SimDirectory::remove(FileNumber file) {
    if (const auto allowed = faults_.operation(); !allowed) return allowed;
    if (const auto index = indexes_.find(file); index != indexes_.end())
        index->second.linked = false;
    if (const auto log = files_.find(file); log != files_.end())
        log->second.linked = log->second.unpublished = false;
    return {};
}

Result<void, storage::FileError> SimDirectory::write_index(FileNumber file, ByteView octets) {
    File &to = indexes_[file];
    auto allowed = faults_.operation();
    if (allowed && used_bytes() + octets.size() > capacity_) allowed = fail(FileError::kNoSpace);
    Change whole;
    whole.octets.assign(octets.begin(), octets.end());
    if (!allowed) whole.octets.resize(whole.octets.size() / 2);
    Change none;
    none.new_size = 0;
    to.linked = allowed || faults_.powered_off();
    for (Change *change : {&none, &whole}) {
        apply(to.now, *change);
        to.changes.push_back(std::move(*change));
    }
    return allowed;
}

Result<Bytes, storage::FileError> SimDirectory::read_index(FileNumber file) {
    const auto found = indexes_.find(file);
    if (found == indexes_.end() || !found->second.linked) return Bytes{};
    return found->second.now;
}

Result<std::vector<FileNumber>, storage::FileError> SimDirectory::list_indexes() {
    return numbers_of(indexes_);
}

Result<void, storage::FileError> SimDirectory::sync_directory() {
    if (const auto allowed = faults_.operation(); !allowed) return allowed;
    for (Files *files : {&files_, &indexes_}) {
        for (auto &[number, file] : *files) file.linked_durably = file.linked;
        std::erase_if(*files, [](const auto &item) {
            return !item.second.linked && !item.second.unpublished;
        });
    }
    return {};
}

Duration SimDisk::time_for(const DiskRequest &request) const {
    std::uint64_t bytes = 0;
    for (const DiskRecord &record : request.records)
        bytes += std::max<std::uint64_t>(record.buffer.size(), record.head.size);
    const Duration moving =
        speed_.bytes_per_second == 0
            ? Duration{}
            : Duration{static_cast<std::int64_t>(bytes * 1'000'000'000 / speed_.bytes_per_second)};
    switch (request.verb) {
        case DiskVerb::kAppend:
            return speed_.append + moving;
        case DiskVerb::kErase:
            return speed_.erase;
        case DiskVerb::kRead:
        case DiskVerb::kReadPart:
        case DiskVerb::kList:
            return speed_.read + moving;
        case DiskVerb::kSync:
            return speed_.sync;
    }
    return {};
}

void SimDisk::submit(DiskRequestPtr request, TimePoint now) {
    free_at_ = std::max(free_at_, now) + time_for(*request);
    queue_.push_back({std::move(request), free_at_});
}

DiskRequestPtr SimDisk::poll_completion(TimePoint now) {
    if (queue_.empty() || queue_.front().done > now) return nullptr;
    DiskRequestPtr request = queue_.pop_front().request;
    disk_.execute(*request);
    return request;
}

}  // namespace farlink::test
