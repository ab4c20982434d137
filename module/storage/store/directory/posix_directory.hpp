// SPDX-License-Identifier: Apache-2.0
// A folder of a real file system as a LogDirectory: files "00000001.log", "00000001.idx", ...
// Owned by the owner of the log; one thread at a time.
// Descriptors of complete files are kept open up to a limit, the least recently read closed first.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "common/runtime/file_descriptor.hpp"
#include "module/storage/store/directory/blocking_directory.hpp"

namespace farlink::storage {

/// The number in the name of a log's file, "00000001.log"; 0 for every other name.
[[nodiscard]] FileNumber log_number(std::string_view name);

class PosixDirectory final : public BlockingDirectory {
public:
    explicit PosixDirectory(std::string path) : path_(std::move(path)) {}

    /// Makes the folder when it does not exist.
    [[nodiscard]] Result<void, FileError> lock() override;
    /// Instead of lock(), for reading only: another process may own the directory meanwhile.
    [[nodiscard]] Result<void, FileError> open_unlocked();
    [[nodiscard]] DiskId identify(DiskId fresh) override;
    [[nodiscard]] Result<std::vector<FileNumber>, FileError> list() override;
    [[nodiscard]] Result<void, FileError> create(FileNumber file,
                                                 std::uint64_t expected_bytes) override;
    [[nodiscard]] Result<void, FileError> publish(FileNumber file, std::uint64_t end) override;
    [[nodiscard]] bool rebooted() override;
    [[nodiscard]] bool reserves() override;
    [[nodiscard]] Result<void, FileError> write(FileNumber file, std::uint64_t offset,
                                                std::span<const ByteView> pieces) override;
    [[nodiscard]] Result<void, FileError> sync(FileNumber file) override;
    void close_for_writing(FileNumber file) override;
    [[nodiscard]] Result<void, FileError> truncate(FileNumber file, std::uint64_t size) override;
    [[nodiscard]] Result<std::uint64_t, FileError> size(FileNumber file) override;
    [[nodiscard]] Result<std::size_t, FileError> read(FileNumber file, std::uint64_t offset,
                                                      MutableBytes out) override;
    [[nodiscard]] Result<void, FileError> remove(FileNumber file) override;
    [[nodiscard]] Result<void, FileError> write_index(FileNumber file, ByteView octets) override;
    [[nodiscard]] Result<Bytes, FileError> read_index(FileNumber file) override;
    [[nodiscard]] Result<std::vector<FileNumber>, FileError> list_indexes() override;
    [[nodiscard]] Result<void, FileError> sync_directory() override;

    /// The file past the page cache; none where the file system does not offer that.
    [[nodiscard]] FileDescriptor open_direct(FileNumber file, bool writing);

private:
    struct Open {
        FileDescriptor descriptor;
        bool writing = false;
        std::uint64_t used = 0;  ///< when, by `uses_`
        bool named = true;       ///< published, or opened by its name
    };
    [[nodiscard]] Result<std::vector<FileNumber>, FileError> list(std::string_view suffix) const;
    [[nodiscard]] Result<void, FileError> unlink(const std::string &name);
    [[nodiscard]] Result<int, FileError> descriptor_of(FileNumber file);
    void close_oldest();
    void remove_unpublished();
    void mark_boot();

    std::string path_;
    FileDescriptor folder_;
    FileDescriptor lock_;
    std::unordered_map<FileNumber, Open> open_;
    std::uint64_t uses_ = 0;
    bool boot_marked_ = false;  ///< the lock file names the boot of the system that runs
};

}  // namespace farlink::storage
