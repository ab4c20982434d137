// SPDX-License-Identifier: Apache-2.0
// A folder of numbered log files: the few file operations that a log is made of.
// Owned by the owner of the log; every call on one thread at a time. PosixDirectory is the real
// one; tests use a directory that loses, tears and fails writes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "module/storage/disk/disk_io.hpp"

namespace farlink::storage {

enum class FileError : std::uint8_t {
    kNoSpace = 0,  ///< the disk, a quota or a limit of the process is used up
    kIo = 1,
    kLocked = 2,  ///< another process holds the directory
};

/// A read that was started has ended.
struct ReadDone {
    std::uint64_t tag = 0;
    Result<std::size_t, FileError> result;  ///< as that of read()
};

class LogDirectory {
public:
    virtual ~LogDirectory() = default;

    /// Claims the directory until the process ends; kLocked when another one has it.
    [[nodiscard]] virtual Result<void, FileError> lock() = 0;
    /// After lock(): the number that the directory got once and keeps, also while it is empty. It
    /// becomes `fresh`, durably, when there is none yet. 0: none, and none could be kept.
    [[nodiscard]] virtual DiskId identify(DiskId fresh) = 0;
    /// Numbers of the log files, ascending.
    [[nodiscard]] virtual Result<std::vector<FileNumber>, FileError> list() = 0;
    /// Whether the system may have ended since a file of the log was made last: then writes that
    /// were not flushed may be missing, in any order. A process that ends loses none of them.
    [[nodiscard]] virtual bool rebooted() = 0;
    /// Makes an empty file that is open for writing. Room for `expected_bytes` is reserved where
    /// the file system can; it reads as zeros. It is not listed until it is published: what is
    /// left of it when the process ends before is removed by the next lock().
    [[nodiscard]] virtual Result<void, FileError> create(FileNumber file,
                                                         std::uint64_t expected_bytes) = 0;
    /// Gives the file that was created its name. `end`: of what was written to it so far.
    [[nodiscard]] virtual Result<void, FileError> publish(FileNumber file, std::uint64_t end) = 0;
    /// Whether create() reserves room here, so that a file without octets was emptied later.
    [[nodiscard]] virtual bool reserves() = 0;
    /// Writes all of `pieces` one after another from `offset`.
    [[nodiscard]] virtual Result<void, FileError> write(FileNumber file, std::uint64_t offset,
                                                        std::span<const ByteView> pieces) = 0;
    /// Makes the written octets of the file durable (fdatasync). Returns the error of a write that
    /// was still in progress, too.
    [[nodiscard]] virtual Result<void, FileError> sync(FileNumber file) = 0;
    /// No more writes come; the file stays readable.
    virtual void close_for_writing(FileNumber file) = 0;
    /// Cuts the file to `size` bytes.
    [[nodiscard]] virtual Result<void, FileError> truncate(FileNumber file, std::uint64_t size) = 0;
    [[nodiscard]] virtual Result<std::uint64_t, FileError> size(FileNumber file) = 0;
    /// Reads up to out.size() bytes and returns how many there were before the end of the file.
    [[nodiscard]] virtual Result<std::size_t, FileError> read(FileNumber file, std::uint64_t offset,
                                                              MutableBytes out) = 0;
    /// Removes a log file and its index, the index first. Either may be missing.
    [[nodiscard]] virtual Result<void, FileError> remove(FileNumber file) = 0;
    // An index lies beside its log file, is written in one piece and never flushed: it is verified
    // when it is read.

    /// Writes the index of a log file, instead of an older one; none is left when that fails.
    [[nodiscard]] virtual Result<void, FileError> write_index(FileNumber file, ByteView octets) = 0;
    /// The whole index of a log file; nothing when there is none.
    [[nodiscard]] virtual Result<Bytes, FileError> read_index(FileNumber file) = 0;
    /// Numbers of the log files that have or had an index.
    [[nodiscard]] virtual Result<std::vector<FileNumber>, FileError> list_indexes() = 0;

    /// Makes the creation and removal of files durable (fsync of the directory).
    [[nodiscard]] virtual Result<void, FileError> sync_directory() = 0;

    // Operations that may run while others are requested.

    /// Begins to make durable what was written to the file so far. One flush at a time, and no
    /// sync() of that file while it goes on.
    virtual void start_sync(FileNumber file) = 0;
    /// How the flush ended, once; nothing while it goes on.
    [[nodiscard]] virtual std::optional<Result<void, FileError>> poll_sync() = 0;
    /// Begins to read as read() does; `out` is the directory's until the read has ended.
    virtual void start_read(FileNumber file, std::uint64_t offset, MutableBytes out,
                            std::uint64_t tag) = 0;
    [[nodiscard]] virtual std::optional<ReadDone> poll_read() = 0;
    /// Waits until something that was started may have ended, or wake() has been called.
    virtual void wait() = 0;
    /// Any thread may call this one.
    virtual void wake() = 0;
};

}  // namespace farlink::storage
