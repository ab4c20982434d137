// SPDX-License-Identifier: Apache-2.0
// Moves the few bundles that live in a mostly dead file to the end of the log, so that the file
// goes.
// Owned by StorageCore; one thread.
// One file of a disk at a time, a piece at a time: what is
// moved is read, appended, flushed, and only then erased where it was. A crash in between leaves
// two copies, of which a restart keeps one.
//
//     idle -> listing -> ready -> reading -> read -> appending -> covered -> ready or idle
//
// On demand it passes over all files that exist at that time, however little of them is dead.
#pragma once

#include <optional>
#include <set>

#include <vector>

#include "module/storage/core/state/storage_context.hpp"

namespace farlink::storage {

class Compactor {
public:
    /// Marks the requests of a compactor among those of others.
    static constexpr std::uint64_t kTag = ~std::uint64_t{0} - 1;

    Compactor(StorageContext &context, const config::StorageConfig &config);

    /// An append of what has been read; the disk flushes it with the appends of others.
    [[nodiscard]] DiskRequestPtr poll_append(DiskIndex disk);
    /// A list or a read, when a file is worth it; nothing new with `more` false.
    [[nodiscard]] DiskRequestPtr poll_read(DiskIndex disk, bool more, TimePoint now);
    /// A request with kTag has come back.
    void handle(DiskIndex disk, DiskRequestPtr completed, TimePoint now);
    /// The operator requests a pass, or its state.
    void handle(const bus::StoreTaskRequest &request, TimePoint now);
    /// What became of a pass, once, when it has ended.
    [[nodiscard]] std::optional<bus::StoreTaskReply> take_ended() {
        return std::exchange(ended_, std::nullopt);
    }
    void handle_flush(DiskIndex disk);
    void handle_flush_done(DiskIndex disk, bool good, TimePoint now);

private:
    enum class State : std::uint8_t {
        kIdle,
        kListing,    ///< the disk names the records of the file
        kReady,      ///< the next piece may be read
        kReading,    ///< at the disk
        kRead,       ///< in memory, to be appended
        kAppending,  ///< at the disk, or written and not covered by a flush
        kCovered,    ///< by the flush that is under way
    };
    struct Move {
        std::uint64_t handle = 0;  ///< of the entry
        RecordLocation from;
    };
    struct Job {
        State state = State::kIdle;
        FileTable::File file = 0;
        std::vector<Move> moves;   ///< the last ones first
        bool moved = false;        ///< the file has lost something
        TimePoint not_before{};    ///< the next look at the files
        DiskRequestPtr piece;      ///< read and not appended, or appended and not flushed
        std::vector<Move> moving;  ///< its records
        std::vector<ByteView> octets;
        std::uint64_t file_bytes = 0;
        std::uint64_t moved_bytes = 0;    ///< out of the file
        bool passing = false;             ///< the operator's pass goes on here
        FileTable::File last = 0;         ///< of the files that it is about
        std::set<FileTable::File> tried;  ///< of them
    };

    [[nodiscard]] DiskRequestPtr list(DiskIndex disk, TimePoint now);
    [[nodiscard]] DiskRequestPtr read(DiskIndex disk, TimePoint now);
    void take_list(DiskIndex disk, const DiskRequest &listed);
    void take_piece(DiskIndex disk, DiskRequestPtr piece, TimePoint now);
    [[nodiscard]] const Entry *find(DiskIndex disk, const Move &move) const;
    void set_outcome(DiskIndex disk, const DiskRequest &piece, bool kept);
    void end(DiskIndex disk, TimePoint now);
    void start_pass(TimePoint now);
    void end_pass(DiskIndex disk, TimePoint now);
    void end_task(bus::TaskState how, TimePoint now);
    [[nodiscard]] std::optional<FileTable::File> choose(DiskIndex disk, TimePoint now) const;

    StorageContext &context_;
    std::uint64_t segment_bytes_;
    std::uint64_t threshold_bytes_;  ///< 0: never
    std::vector<Job> jobs_;          ///< by disk
    bus::StoreTaskReply state_;
    std::optional<bus::StoreTaskReply> ended_;
};

}  // namespace farlink::storage
