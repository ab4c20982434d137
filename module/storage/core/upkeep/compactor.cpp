// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/upkeep/compactor.hpp"

#include <algorithm>

namespace farlink::storage {
namespace {

/// What is on its way at a time, for each disk.
constexpr std::uint64_t kPieceBytes = 1024 * 1024;
constexpr std::size_t kPieceRecords = 1024;
/// A file counts as mostly dead when less than this part of it lives.
constexpr std::uint64_t kLivingPart = 4;
/// The same for a pass that the operator asks for: what is moved is less than what is freed.
constexpr std::uint64_t kLivingPartOfPass = 2;
/// After a failure, or when nothing of a file could be moved.
constexpr Duration kPause = seconds(10);

}  // namespace

Compactor::Compactor(StorageContext &context, const config::StorageConfig &config)
    : context_(context),
      segment_bytes_(config.segment_bytes),
      threshold_bytes_(config.compaction_threshold_bytes),
      jobs_(context.placement.volumes().size()) {
    state_.task = bus::StoreTask::kCompact;
}

DiskRequestPtr Compactor::poll_read(DiskIndex disk, bool more, TimePoint now) {
    const Job &job = jobs_[disk];
    const bool stop = !more || context_.volume(disk).is_set_aside();
    if (job.state == State::kReady && !stop) {
        DiskRequestPtr request = read(disk, now);
        // A pass goes on with the next file at once.
        if (request != nullptr || !job.passing) return request;
    }
    if (job.state == State::kReady) end(disk, now);
    if (job.state != State::kIdle) return nullptr;
    if (job.passing && context_.volume(disk).is_set_aside()) end_pass(disk, now);
    return stop ? nullptr : list(disk, now);
}

std::optional<FileTable::File> Compactor::choose(DiskIndex disk, TimePoint now) const {
    const Job &job = jobs_[disk];
    const FileTable &files = context_.inventory.files(disk);
    if (job.passing)
        return files.emptiest(segment_bytes_ / kLivingPartOfPass, [&job](FileTable::File file) {
            return file <= job.last && !job.tried.contains(file);
        });
    if (threshold_bytes_ == 0 || now < job.not_before) return std::nullopt;
    const std::uint64_t dead = files.dead_bytes(segment_bytes_);
    if (dead < threshold_bytes_ || dead < files.live_bytes()) return std::nullopt;
    return files.emptiest(segment_bytes_ / kLivingPart);
}

DiskRequestPtr Compactor::list(DiskIndex disk, TimePoint now) {
    Job &job = jobs_[disk];
    const auto file = choose(disk, now);
    if (!file) {
        if (job.passing) end_pass(disk, now);
        return nullptr;
    }
    job.file = *file;
    job.moved = false;
    job.file_bytes = job.moved_bytes = 0;
    if (job.passing) job.tried.insert(*file);
    job.state = State::kListing;
    // What dies in the file meanwhile is erased afterwards: it must not vanish while it is read.
    context_.volume(disk).keep_file(*file);
    DiskRequestPtr request = context_.requests.acquire(DiskVerb::kList);
    request->tag = kTag;
    request->file = *file;
    return request;
}

/// A record is alive if the inventory has the bundle at this place.
void Compactor::take_list(DiskIndex disk, const DiskRequest &listed) {
    Job &job = jobs_[disk];
    job.moves.clear();
    job.file_bytes = listed.bytes;
    if (listed.status != DiskStatus::kOk) return;
    const Inventory &inventory = context_.inventory;
    for (const DiskRecord &record : listed.records) {
        const EntryIndex index = inventory.find(record.head.identity);
        if (index == kNoEntry) continue;
        const Move move{inventory.entries().handle_of(index), record.at};
        if (find(disk, move) != nullptr) job.moves.push_back(move);
    }
    std::ranges::reverse(job.moves);
}

/// The entry, if its bundle still lies there and no read of it is under way.
const Entry *Compactor::find(DiskIndex disk, const Move &move) const {
    const EntryTable &entries = context_.inventory.entries();
    const auto index = entries.find(move.handle);
    if (!index) return nullptr;
    const Entry &entry = entries[*index];
    const bool at_rest =
        entry.state() == EntryState::kWaiting || entry.state() == EntryState::kReleased ||
        entry.state() == EntryState::kExceedsContacts || entry.state() == EntryState::kInCustody ||
        (entry.state() == EntryState::kGathered && !context_.fragments.is_read(*index)) ||
        (entry.state() == EntryState::kCritical &&
         !context_.critical.any(*index, CriticalCopy::State::kLent));
    const bool there = context_.inventory.record_on(disk, *index).at.number == move.from.number;
    return at_rest && there ? &entry : nullptr;
}

DiskRequestPtr Compactor::read(DiskIndex disk, TimePoint now) {
    Job &job = jobs_[disk];
    DiskRequestPtr request = context_.requests.acquire(DiskVerb::kRead);
    request->tag = kTag;
    std::uint64_t bytes = 0;
    std::vector<std::uint64_t> sizes;
    job.moving.clear();
    while (!job.moves.empty() && request->records.size() < kPieceRecords && bytes < kPieceBytes) {
        const Move move = job.moves.back();
        job.moves.pop_back();
        if (find(disk, move) == nullptr) continue;
        DiskRecord record;
        record.at = move.from;
        record.entry = static_cast<EntryIndex>(move.handle);
        request->records.push_back(record);
        job.moving.push_back(move);
        sizes.push_back(context_.inventory.record_on(disk, record.entry).bytes);
        bytes += sizes.back();
    }
    if (request->records.empty()) {
        context_.requests.recycle(std::move(request));
        end(disk, now);
        return nullptr;
    }
    request->slab = context_.slabs.acquire_sized(static_cast<std::uint32_t>(bytes));
    std::uint8_t *at = request->slab->data;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        request->records[i].buffer = {at, sizes[i]};
        at += sizes[i];
    }
    job.state = State::kReading;
    return request;
}

void Compactor::handle(DiskIndex disk, DiskRequestPtr completed, TimePoint now) {
    Job &job = jobs_[disk];
    switch (completed->verb) {
        case DiskVerb::kList:
            take_list(disk, *completed);
            context_.requests.recycle(std::move(completed));
            job.state = State::kReady;
            return;
        case DiskVerb::kRead:
            return take_piece(disk, std::move(completed), now);
        default:
            job.piece = std::move(completed);
            return;
    }
}

/// An unreadable record stays where it is; it is quarantined when it is read for a link.
void Compactor::take_piece(DiskIndex disk, DiskRequestPtr piece, TimePoint now) {
    Job &job = jobs_[disk];
    std::vector<DiskRecord> &records = piece->records;
    std::size_t good = 0;
    job.octets.clear();
    for (std::size_t at = 0; at < records.size(); ++at) {
        if (records[at].status != DiskStatus::kOk) continue;
        job.octets.push_back(records[at].octets);
        job.moving[good] = job.moving[at];
        records[good++] = records[at];
    }
    records.resize(good);
    job.moving.resize(good);
    if (good == 0) {
        context_.requests.recycle(std::move(piece));
        return end(disk, now);
    }
    for (std::size_t at = 0; at < good; ++at) {
        records[at].slices = {&job.octets[at], 1};
        records[at].buffer = {};
    }
    piece->verb = DiskVerb::kAppend;
    job.piece = std::move(piece);
    job.state = State::kRead;
}

DiskRequestPtr Compactor::poll_append(DiskIndex disk) {
    Job &job = jobs_[disk];
    if (job.state != State::kRead) return nullptr;
    job.state = State::kAppending;
    return std::move(job.piece);
}

void Compactor::handle_flush(DiskIndex disk) {
    Job &job = jobs_[disk];
    if (job.state == State::kAppending) job.state = State::kCovered;
}

void Compactor::handle_flush_done(DiskIndex disk, bool good, TimePoint now) {
    Job &job = jobs_[disk];
    if (job.state != State::kCovered) return;
    FARLINK_INVARIANT(job.piece != nullptr);
    const bool kept = good && job.piece->status == DiskStatus::kOk;
    set_outcome(disk, *job.piece, kept);
    context_.requests.recycle(std::move(job.piece));
    job.state = State::kReady;
    if (kept) return;
    job.moved = false;
    end(disk, now);
}

/// The new place counts if it is safe and the bundle is still at the old one; else it is erased.
void Compactor::set_outcome(DiskIndex disk, const DiskRequest &piece, bool kept) {
    Job &job = jobs_[disk];
    for (std::size_t at = 0; at < piece.records.size(); ++at) {
        const DiskRecord &record = piece.records[at];
        const Move &move = job.moving[at];
        if (kept && find(disk, move) != nullptr) {
            context_.inventory.locate(record.entry, disk, record.at);
            context_.erase(disk, move.from.number);
            context_.counters.increment(StorageCounter::kMoved);
            job.moved = true;
            const std::uint64_t bytes = context_.inventory.record_on(disk, record.entry).bytes;
            job.moved_bytes += bytes;
            if (!job.passing) continue;
            ++state_.bundles;
            state_.bytes += bytes;
        } else if (record.at.number != 0) {
            context_.erase(disk, record.at.number);
        }
    }
}

void Compactor::end(DiskIndex disk, TimePoint now) {
    Job &job = jobs_[disk];
    job.state = State::kIdle;
    job.not_before = job.moved ? now : now + kPause;
    job.moves.clear();
    context_.volume(disk).let_go_of_file();
    // What left by itself meanwhile has freed its room, too.
    if (!job.passing || context_.inventory.files(disk).holds(job.file)) return;
    ++state_.files;
    state_.freed_bytes += job.file_bytes - std::min(job.file_bytes, job.moved_bytes);
}

// ---- on demand
// -----------------------------------------------------------------------------------

void Compactor::handle(const bus::StoreTaskRequest &request, TimePoint now) {
    const bool running = state_.state == bus::TaskState::kRunning;
    bool refused = false;
    switch (request.verb) {
        case bus::TaskVerb::kShow:
            break;
        case bus::TaskVerb::kStart:
            refused = running;
            if (!refused) start_pass(now);
            break;
        case bus::TaskVerb::kCancel:
            refused = !running;
            if (!refused) end_task(bus::TaskState::kCancelled, now);
            break;
    }
    bus::StoreTaskReply reply = state_;
    reply.id = request.id;
    reply.refused = refused;
    context_.send(bus::AgentId::kSupervisor, std::move(reply));
}

void Compactor::start_pass(TimePoint now) {
    state_ = {};
    state_.task = bus::StoreTask::kCompact;
    state_.state = bus::TaskState::kRunning;
    state_.started = context_.dtn_at(now);
    for (std::size_t at = 0; at < jobs_.size(); ++at) {
        jobs_[at].passing = true;
        jobs_[at].last = context_.inventory.files(static_cast<DiskIndex>(at)).youngest();
    }
}

void Compactor::end_pass(DiskIndex disk, TimePoint now) {
    jobs_[disk].passing = false;
    jobs_[disk].tried.clear();
    if (std::ranges::none_of(jobs_, &Job::passing)) end_task(bus::TaskState::kDone, now);
}

// A file that is half moved is moved on.
void Compactor::end_task(bus::TaskState how, TimePoint now) {
    for (Job &job : jobs_) {
        job.passing = false;
        job.tried.clear();
    }
    state_.state = how;
    state_.ended = context_.dtn_at(now);
    ended_ = state_;
}

}  // namespace farlink::storage
