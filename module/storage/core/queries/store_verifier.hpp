// SPDX-License-Identifier: Apache-2.0
// Reads every record of the store beside its work and compares checksums, when the operator asks.
// Owned by StorageCore; one thread.
// One read at a time, behind all others, at a rate; a record larger than a read is read in
// stretches, whose checksum the disk computes. A bundle that leaves meanwhile does not count.
//
//     idle -> looking -> wanted -> reading -> looking or idle
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "module/storage/core/state/storage_context.hpp"

namespace farlink::storage {

class StoreVerifier {
public:
    /// Marks its reads among those of others.
    static constexpr std::uint64_t kTag = ~std::uint64_t{0} - 4;
    /// Places of the table of entries looked at in one turn.
    static constexpr std::size_t kLookAtOnce = 4096;
    /// Of one read; so many records only, as each may lie elsewhere.
    static constexpr std::uint64_t kReadBytes = 256 * 1024;
    static constexpr std::size_t kReadRecords = 32;
    /// What a small record counts for the rate: a block of the disk.
    static constexpr std::uint64_t kLeastBytes = 4096;
    static constexpr std::uint64_t kUsualBytesPerSecond = 16 * 1024 * 1024;
    /// Damaged records that are named, and lost files.
    static constexpr std::size_t kMostNamed = 100;

    explicit StoreVerifier(StorageContext &context) : context_(context) {
        state_.task = bus::StoreTask::kVerify;
    }

    /// Found as the store was opened: each verification names them.
    void add_lost(std::span<const bus::LostFile> files) {
        const std::size_t room = kMostNamed - std::min(lost_.size(), kMostNamed);
        const auto some = files.first(std::min(files.size(), room));
        lost_.insert(lost_.end(), some.begin(), some.end());
    }
    void handle(const bus::StoreTaskRequest &request, TimePoint now);
    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);
    [[nodiscard]] DiskRequestPtr poll_read(DiskIndex disk, TimePoint now);
    /// A request with kTag has come back.
    void handle_read_done(DiskIndex disk, DiskRequestPtr read, TimePoint now);
    /// What became of it, once, when it has ended.
    [[nodiscard]] std::optional<bus::StoreTaskReply> take_ended() {
        return std::exchange(ended_, std::nullopt);
    }

private:
    enum class Phase : std::uint8_t {
        kIdle,
        kLooking,  ///< for what is read next, from `due_` on
        kWanted,   ///< found, on `disk_`
        kReading,  ///< at the disk
    };
    /// A record: a bundle, or a stripe of one.
    struct Target {
        std::uint64_t bundle = 0;
        DiskIndex disk = 0;
    };
    /// A record that is read in stretches.
    struct Large {
        Large() {}  // clang: optional<Large> needs it, since the members have defaults
        Target target;
        bool header_read = false;
        std::uint64_t size = 0;      ///< as the header says
        std::uint32_t expected = 0;  ///< the same
        std::uint64_t done = 0;      ///< octets of the bundle
        std::uint32_t crc = 0;       ///< of these
    };

    void start(std::uint64_t rate, TimePoint now);
    void end(bus::TaskState how, TimePoint now);
    void look(TimePoint now);
    [[nodiscard]] bool want(EntryIndex index, const StoredRecord &record);
    [[nodiscard]] EntryIndex find(std::uint64_t bundle) const;
    [[nodiscard]] DiskRequestPtr read_small();
    [[nodiscard]] DiskRequestPtr read_stretch();
    void judge(const Target &target, const DiskRecord &record);
    void judge_stretch(const DiskRecord &record);
    void end_large(DiskStatus status);
    [[nodiscard]] bool is_counted(EntryIndex index) const;
    void note(const Target &target, const StoredRecord &record, DiskStatus status);

    StorageContext &context_;
    bus::StoreTaskReply state_;
    std::optional<bus::StoreTaskReply> ended_;
    Phase phase_ = Phase::kIdle;
    bool reading_ = false;  ///< a read is at a disk
    bool stale_ = false;    ///< it is of a run that was cancelled
    TimePoint due_{};
    TimePoint read_at_{};
    EntryIndex place_ = 0;    ///< the next entry to look at
    std::size_t record_ = 0;  ///< the next record of it
    DiskIndex disk_ = 0;
    std::vector<Target> wanted_;
    std::uint64_t wanted_bytes_ = 0;
    std::optional<Large> large_;
    std::vector<bus::LostFile> lost_;
};

}  // namespace farlink::storage
