// SPDX-License-Identifier: Apache-2.0
// Keeps account of erased records and gives the space of dead files back.
// Owned by LogDisk; its thread only.
// An erasure may be forgotten only when the file with the record that it erases is gone for good.
#pragma once

#include <span>
#include <vector>

#include "module/storage/store/directory/log_directory.hpp"
#include "module/storage/store/log/log_files.hpp"
#include "module/storage/store/log/log_writer.hpp"

namespace farlink::storage {

class LogSpace {
public:
    LogSpace(LogDirectory &directory, LogFiles &files, LogWriter &writer)
        : directory_(directory), files_(files), writer_(writer) {}

    /// The records are gone. Their erasures are written now or, while the disk refuses, later.
    void erase(std::span<const RecordNumber> numbers);
    /// The same for records that never counted as living.
    void erase_torn(std::span<const RecordNumber> numbers) {
        pending_.insert(pending_.end(), numbers.begin(), numbers.end());
    }
    /// Writes what erase() and evacuations left to write.
    void write_pending();
    /// A flush of everything written so far begins.
    void start_sync();
    /// It has ended: all of that is on disk, or may be lost.
    void handle_sync(bool good);
    /// A dead file waits for a flush before it can go.
    [[nodiscard]] bool work_left() const { return work_left_; }
    /// Removes the files in which nothing lives, oldest first.
    void reclaim();
    /// The disk is full: gives up the active file too if nothing lives in it. True when that or a
    /// removal has made room.
    [[nodiscard]] bool make_space();

private:
    [[nodiscard]] std::vector<RecordNumber> needed_erasures(FileNumber number) const;
    void reset_state(FileState from, FileState to);
    [[nodiscard]] bool remove(FileNumber number, LogFile &file);

    LogDirectory &directory_;
    LogFiles &files_;
    LogWriter &writer_;
    std::vector<RecordNumber> pending_;    ///< erasures not written yet
    std::vector<RecordNumber> unflushed_;  ///< erasures written since the last flush began
    std::vector<RecordNumber> flushing_;   ///< erasures that the flush covers
    FileNumber last_active_ = 0;           ///< the active file at the last good flush
    bool work_left_ = false;               ///< a file is dead and not yet gone
};

}  // namespace farlink::storage
