// SPDX-License-Identifier: Apache-2.0
// A folder of a real file system whose log files are written and read past the page cache, several
// operations at a time. Owned by the owner of the log; one thread, but wake() may be called by any.
// What the file system or the room on it does not allow to be done so goes by PosixDirectory.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "module/storage/store/directory/direct_reads.hpp"
#include "module/storage/store/directory/posix_directory.hpp"
#include "module/storage/store/directory/write_behind.hpp"

namespace farlink::storage {

class UringDirectory final : public LogDirectory {
    struct Private {};

public:
    UringDirectory(Private, const std::string &path, std::unique_ptr<Uring> ring);
    /// Empty where io_uring is not allowed.
    [[nodiscard]] static std::unique_ptr<UringDirectory> make(const std::string &path);
    ~UringDirectory() override;

    [[nodiscard]] Result<void, FileError> lock() override { return folder_.lock(); }
    [[nodiscard]] DiskId identify(DiskId fresh) override { return folder_.identify(fresh); }
    [[nodiscard]] Result<std::vector<FileNumber>, FileError> list() override {
        return folder_.list();
    }
    [[nodiscard]] Result<void, FileError> create(FileNumber file,
                                                 std::uint64_t expected_bytes) override;
    [[nodiscard]] Result<void, FileError> publish(FileNumber file, std::uint64_t end) override;
    [[nodiscard]] bool rebooted() override { return folder_.rebooted(); }
    [[nodiscard]] bool reserves() override { return folder_.reserves(); }
    [[nodiscard]] Result<void, FileError> write(FileNumber file, std::uint64_t offset,
                                                std::span<const ByteView> pieces) override;
    [[nodiscard]] Result<void, FileError> sync(FileNumber file) override;
    void close_for_writing(FileNumber file) override;
    [[nodiscard]] Result<void, FileError> truncate(FileNumber file, std::uint64_t size) override;
    [[nodiscard]] Result<std::uint64_t, FileError> size(FileNumber file) override;
    [[nodiscard]] Result<std::size_t, FileError> read(FileNumber file, std::uint64_t offset,
                                                      MutableBytes out) override;
    [[nodiscard]] Result<void, FileError> remove(FileNumber file) override;
    [[nodiscard]] Result<void, FileError> write_index(FileNumber file, ByteView octets) override {
        return folder_.write_index(file, octets);
    }
    [[nodiscard]] Result<Bytes, FileError> read_index(FileNumber file) override {
        return folder_.read_index(file);
    }
    [[nodiscard]] Result<std::vector<FileNumber>, FileError> list_indexes() override {
        return folder_.list_indexes();
    }
    [[nodiscard]] Result<void, FileError> sync_directory() override {
        return folder_.sync_directory();
    }

    void start_sync(FileNumber file) override;
    [[nodiscard]] std::optional<Result<void, FileError>> poll_sync() override;
    void start_read(FileNumber file, std::uint64_t offset, MutableBytes out,
                    std::uint64_t tag) override;
    [[nodiscard]] std::optional<ReadDone> poll_read() override;
    void wait() override;
    void wake() override { ring_->wake(); }

private:
    void complete(FileNumber file);
    [[nodiscard]] bool leave_to_folder();
    [[nodiscard]] int direct_of(FileNumber file);

    PosixDirectory folder_;
    std::unique_ptr<Uring> ring_;
    WriteBehind writes_;
    DirectReads reads_;
    std::unordered_map<FileNumber, FileDescriptor> direct_;  ///< for reading
};

/// The best that this machine and its file system allow.
[[nodiscard]] std::unique_ptr<LogDirectory> make_directory(const std::string &path);

}  // namespace farlink::storage
