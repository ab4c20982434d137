// SPDX-License-Identifier: Apache-2.0
// Writes records behind the end of the log, file after file, and flushes them.
// Owned by LogDisk; its thread only.
// Nothing that was written is ever overwritten, and no file is written again after a failed flush.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "module/storage/store/directory/log_directory.hpp"
#include "module/storage/store/log/index_format.hpp"
#include "module/storage/store/log/log_files.hpp"

namespace farlink::storage {

struct LogOptions {
    NodeNumber node;
    std::uint64_t segment_bytes = 64 * 1024 * 1024;  ///< a file is full at this size
    SipKey fresh_key{};     ///< random octets: the key of the store if it is new
    DiskId fresh_disk = 0;  ///< a random number: that of the disk, if it has none
    bool discard = false;   ///< what an earlier run has left is deleted when the log is opened
};

class LogWriter {
public:
    LogWriter(LogDirectory &directory, LogFiles &files, const LogOptions &options);

    /// Continues an existing log: the next file gets a number above all others.
    void resume(FileNumber last_file, const SipKey &key);

    /// Before the first write of a log without files: it belongs to a store that has a key.
    void adopt_key(const SipKey &key) { key_ = key; }

    /// Numbers, places and writes the records; sets their `at`. See DiskStatus for failures.
    [[nodiscard]] DiskStatus append(std::span<DiskRecord> records);
    /// Writes the erasures, all or none.
    [[nodiscard]] bool append_erasures(std::span<const RecordNumber> erased);
    /// Begins to flush what was written so far; appends may go on meanwhile.
    void start_sync();
    /// How the flush ended, once; nothing while it goes on. False when anything that was written
    /// since the last good one, and before this one began, may be lost.
    [[nodiscard]] std::optional<bool> poll_sync();
    /// Ends the active file: it is flushed, gets its index, and is cut to its content.
    void seal();

    /// 0 when no file is being written.
    [[nodiscard]] FileNumber active() const { return active_; }
    [[nodiscard]] const SipKey &key() const { return key_; }

private:
    [[nodiscard]] DiskStatus make_room(std::uint64_t bytes);
    [[nodiscard]] DiskStatus start_file(std::uint64_t bytes);
    [[nodiscard]] Result<void, FileError> write_file_header(FileNumber file);
    void lay_out(std::span<DiskRecord> records);
    [[nodiscard]] FileHeader header_of(FileNumber file) const;
    [[nodiscard]] DiskStatus write_failed(FileError error);
    void abandon();
    void complete_sync();
    void end_sync(bool good);

    LogDirectory &directory_;
    LogFiles &files_;
    LogOptions options_;
    SipKey key_;
    FileNumber last_file_ = 0;
    FileNumber active_ = 0;
    std::uint64_t tail_ = 0;      ///< end of the active file's records
    std::uint64_t reserved_ = 0;  ///< FileHeader::reserved of the active file
    std::uint32_t places_ = 0;    ///< records numbered in the active file
    bool dirty_ = false;          ///< written since the last flush began
    bool flush_failed_ = false;   ///< a file was left behind that holds unflushed records
    bool syncing_ = false;        ///< the active file is being flushed
    std::optional<bool> synced_;
    std::vector<ByteView> pieces_;
    Bytes headers_;
    IndexBuilder index_;  ///< of the active file
};

}  // namespace farlink::storage
