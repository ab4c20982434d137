// SPDX-License-Identifier: Apache-2.0
// The state of one disk: its queued requests, its unflushed records, and its health.
// Owned by StorageContext; one thread.
// Disks are independent: each is written, flushed and read at its own pace.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "common/buffer/ring.hpp"
#include "module/storage/core/state/group_commit.hpp"
#include "module/storage/disk/disk_io.hpp"

namespace farlink::storage {

/// What keeps a disk from taking bundles.
enum class DiskTrouble : std::uint8_t {
    kNone,
    kFull,     ///< no room although its capacity is not used up
    kFailing,  ///< writes or flushes fail
};

class Volume {
public:
    Volume(Duration commit_window, std::uint64_t capacity_bytes)
        : commit(commit_window), capacity_bytes_(capacity_bytes) {}

    GroupCommit commit;
    Ring<DiskRequestPtr> appends;  ///< to be handed to the disk
    Ring<DiskRequestPtr> reads;    ///< the same
    std::size_t at_disk = 0;       ///< requests that the disk has

    [[nodiscard]] std::uint64_t capacity_bytes() const { return capacity_bytes_; }
    void set_capacity(std::uint64_t bytes) { capacity_bytes_ = bytes; }
    void add_capacity(std::uint64_t bytes) { capacity_bytes_ += bytes; }
    /// Distinguishes it from other disks, also after a restart; 0: not known.
    [[nodiscard]] DiskId id() const { return id_; }
    void set_id(DiskId id) { id_ = id; }

    // ---- load: octets of records that are queued, written or being flushed
    void add_load(std::uint64_t bytes) { load_bytes_ += bytes; }
    /// An append goes to the disk.
    void handle_append(TimePoint now) {
        if (!commit.writing()) busy_since_ = now;
        commit.handle_append(now);
    }
    /// A flush has ended which covered records of so many octets.
    void handle_written(std::uint64_t bytes, TimePoint now) {
        load_bytes_ -= bytes;
        written_bytes_ += bytes;
        writing_time_ += now - std::exchange(busy_since_, now);
        if (written_bytes_ < kRememberedBytes) return;
        written_bytes_ /= 2;
        writing_time_ /= 2;
    }
    /// Octets a second that it has lately shown; 0 when it has written too little.
    [[nodiscard]] double rate() const {
        if (written_bytes_ < kReportBytes || writing_time_ <= Duration{}) return 0;
        return static_cast<double>(written_bytes_) /
               std::chrono::duration<double>(writing_time_).count();
    }
    /// How long its load will keep it busy, by the rate that it has shown.
    [[nodiscard]] double expected_seconds() const {
        const double rate = written_bytes_ == 0 || writing_time_ <= Duration{}
                                ? kUnknownRate
                                : static_cast<double>(written_bytes_) /
                                      std::chrono::duration<double>(writing_time_).count();
        return static_cast<double>(load_bytes_) / rate;
    }

    // ---- erasures: lost ones mean repeats on the wire, not losses, so they go in groups
    void erase(RecordNumber number) {
        if (set_aside_) return;
        const bool kept = kept_file_ != 0 && number >> 32 == kept_file_;
        (kept ? put_off_ : erasures_).push_back(number);
    }
    /// Until let_go_of_file() nothing is erased in the file, so that the disk does not remove it.
    void keep_file(std::uint32_t file) { kept_file_ = file; }
    void let_go_of_file() {
        kept_file_ = 0;
        erasures_.insert(erasures_.end(), put_off_.begin(), put_off_.end());
        put_off_.clear();
    }
    [[nodiscard]] bool has_erasures() const { return !erasures_.empty(); }
    /// Moves the erasures to `to` when it is time for them.
    [[nodiscard]] bool take_erasures(std::vector<RecordNumber> &to, TimePoint now, bool at_once) {
        if (erasures_.empty()) return false;
        if (erase_by_ == kNever) erase_by_ = now + kEraseWithin;
        if (now < erase_by_ && erasures_.size() < kEraseAtOnce && !at_once) return false;
        erase_by_ = kNever;
        std::swap(to, erasures_);
        return true;
    }
    [[nodiscard]] TimePoint next_timeout() const {
        return std::min(erase_by_, commit.next_timeout());
    }

    // ---- how long flushes take
    void handle_flush_ordered(TimePoint now) { flush_ordered_ = now; }
    [[nodiscard]] Duration flush_time(TimePoint now) const { return now - flush_ordered_; }

    // ---- health
    /// Something was written and flushed.
    void handle_success() {
        failures_ = 0;
        trouble_ = DiskTrouble::kNone;
    }
    /// It did not: for a while other disks are preferred. True when that has gone on for too long.
    [[nodiscard]] bool handle_failure(TimePoint now) {
        doubtful_until_ = now + kDoubtfulFor;
        trouble_ = DiskTrouble::kFailing;
        return ++failures_ >= kToleratedFailures;
    }
    /// No room although its capacity is not used up: other programs fill the disk, too.
    void handle_full(TimePoint now) {
        doubtful_until_ = now + kDoubtfulFor;
        trouble_ = DiskTrouble::kFull;
    }
    /// Its file system has room again, though nothing was written since.
    void handle_room() {
        if (trouble_ == DiskTrouble::kFull) trouble_ = DiskTrouble::kNone;
    }
    /// Since it last wrote and flushed something, or has room again.
    [[nodiscard]] DiskTrouble trouble() const { return trouble_; }
    [[nodiscard]] bool doubtful(TimePoint now) const { return now < doubtful_until_; }
    /// Nothing more is written to it until the node starts anew; what it holds is still read.
    void set_aside() {
        set_aside_ = true;
        erasures_.clear();
        put_off_.clear();
        erase_by_ = kNever;
    }
    [[nodiscard]] bool is_set_aside() const { return set_aside_; }

    /// Nothing is queued for it, at it, or not flushed.
    [[nodiscard]] bool idle() const {
        return at_disk == 0 && appends.empty() && reads.empty() && erasures_.empty() &&
               put_off_.empty() && commit.clean();
    }

private:
    static constexpr std::size_t kEraseAtOnce = 4096;
    static constexpr Duration kEraseWithin = milliseconds(20);
    static constexpr Duration kDoubtfulFor = seconds(1);
    static constexpr std::uint32_t kToleratedFailures = 5;

    static constexpr std::uint64_t kRememberedBytes = 64 * 1024 * 1024;
    static constexpr std::uint64_t kReportBytes = 1024 * 1024;
    static constexpr double kUnknownRate = 1e8;  ///< bytes a second

    std::uint64_t capacity_bytes_;
    DiskId id_ = 0;
    std::uint64_t load_bytes_ = 0;
    std::uint64_t written_bytes_ = 0;  ///< lately, within writing_time_
    Duration writing_time_{};
    TimePoint busy_since_{};
    TimePoint flush_ordered_{};
    std::vector<RecordNumber> erasures_;
    std::vector<RecordNumber> put_off_;  ///< erasures in kept_file_
    std::uint32_t kept_file_ = 0;
    TimePoint erase_by_ = kNever;
    TimePoint doubtful_until_{};
    std::uint32_t failures_ = 0;  ///< in a row
    DiskTrouble trouble_ = DiskTrouble::kNone;
    bool set_aside_ = false;
};

}  // namespace farlink::storage
