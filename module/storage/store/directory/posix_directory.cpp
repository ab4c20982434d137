// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/directory/posix_directory.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "common/base/invariant.hpp"
#include "common/codec/crc.hpp"
#include "common/runtime/private_folder.hpp"

namespace farlink::storage {
namespace {

constexpr std::size_t kMaxOpenFiles = 128;
constexpr std::size_t kMaxPieces = 1024;  // IOV_MAX of Linux
constexpr std::string_view kLogSuffix = ".log";
constexpr std::string_view kIndexSuffix = ".idx";
constexpr std::string_view kUnpublishedSuffix = ".new";

std::unexpected<FileError> file_error() {
    switch (errno) {
        case ENOSPC:
        case EDQUOT:
        case EFBIG:
            return fail(FileError::kNoSpace);
        default:
            return fail(FileError::kIo);
    }
}

Result<void, FileError> result_of(int returned) {
    if (returned < 0) return file_error();
    return {};
}

/// Repeats a system call that a signal has interrupted.
template <class Call>
auto retrying(Call call) {
    auto returned = call();
    while (returned < 0 && errno == EINTR) returned = call();
    return returned;
}

std::string name_of(FileNumber file, std::string_view suffix = kLogSuffix) {
    std::array<char, 32> name{};
    std::snprintf(name.data(), name.size(), "%08u%s", file, suffix.data());
    return name.data();
}

/// 0 for every other name.
FileNumber number_of(std::string_view name, std::string_view suffix) {
    FileNumber number = 0;
    if (!name.ends_with(suffix)) return 0;
    const char *end = name.data() + name.size() - suffix.size();
    const auto parsed = std::from_chars(name.data(), end, number);
    return parsed.ec == std::errc{} && parsed.ptr == end && name == name_of(number, suffix) ? number
                                                                                            : 0;
}

Result<std::size_t, FileError> read_at(int descriptor, std::uint64_t offset, MutableBytes out) {
    std::size_t got = 0;
    while (got < out.size()) {
        const ssize_t more = retrying([&] {
            return ::pread(descriptor, out.data() + got, out.size() - got,
                           static_cast<off_t>(offset + got));
        });
        if (more < 0) return file_error();
        if (more == 0) break;
        got += static_cast<std::size_t>(more);
    }
    return got;
}

/// Which boot of the system this is, and its checksum: in the lock file behind the number of the
/// disk.
constexpr std::size_t kBootIdBytes = 36;
constexpr std::uint64_t kBootMarkAt = 2 * sizeof(DiskId);
using BootMark = std::array<std::uint8_t, kBootIdBytes + sizeof(std::uint32_t)>;

/// Empty where the system does not tell.
std::optional<BootMark> boot_mark() {
    const FileDescriptor source(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
    if (!source) return std::nullopt;
    BootMark mark{};
    const MutableBytes id = MutableBytes(mark).first(kBootIdBytes);
    const ssize_t got = retrying([&] { return ::read(source.get(), id.data(), id.size()); });
    if (got != static_cast<ssize_t>(id.size())) return std::nullopt;
    store_be(&mark[kBootIdBytes], codec::crc32c(id));
    return mark;
}

}  // namespace

FileNumber log_number(std::string_view name) {
    return number_of(name, kLogSuffix);
}

Result<void, FileError> PosixDirectory::lock() {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::absolute(path_, error);
    if (error || make_private_folder(path.string())) return fail(FileError::kIo);
    folder_ = FileDescriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder_) return file_error();
    // The folder itself must survive a power cut, too.
    const FileDescriptor parent(
        ::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (parent) ::fsync(parent.get());
    lock_ = FileDescriptor(::openat(folder_.get(), "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock_) return file_error();
    if (retrying([&] { return ::flock(lock_.get(), LOCK_EX | LOCK_NB); }) != 0)
        return fail(errno == EWOULDBLOCK ? FileError::kLocked : FileError::kIo);
    remove_unpublished();
    return {};
}

/// Of a process that was killed as it made a log file. What cannot be removed only takes room.
void PosixDirectory::remove_unpublished() {
    const auto files = list(kUnpublishedSuffix);
    if (!files) return;
    for (const FileNumber file : *files)
        static_cast<void>(unlink(name_of(file, kUnpublishedSuffix)));
}

Result<void, FileError> PosixDirectory::open_unlocked() {
    folder_ = FileDescriptor(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder_) return file_error();
    return {};
}

/// The lock file holds it, with its checksum.
DiskId PosixDirectory::identify(DiskId fresh) {
    std::array<std::uint8_t, 2 * sizeof(DiskId)> octets{};
    const ByteView number = ByteView(octets).first(sizeof(DiskId));
    const auto got = read_at(lock_.get(), 0, octets);
    if (!got) return 0;
    if (*got == octets.size() &&
        codec::crc32c(number) == load_be<std::uint32_t>(&octets[sizeof(DiskId)]))
        return load_be<DiskId>(octets.data());
    if (fresh == 0) return 0;
    store_be(octets.data(), fresh);
    store_be(&octets[sizeof(DiskId)], codec::crc32c(number));
    const ssize_t written =
        retrying([&] { return ::pwrite(lock_.get(), octets.data(), octets.size(), 0); });
    const bool kept = written == static_cast<ssize_t>(octets.size()) && ::fsync(lock_.get()) == 0 &&
                      ::fsync(folder_.get()) == 0;
    return kept ? fresh : 0;
}

Result<std::vector<FileNumber>, FileError> PosixDirectory::list() {
    return list(kLogSuffix);
}

Result<std::vector<FileNumber>, FileError> PosixDirectory::list_indexes() {
    return list(kIndexSuffix);
}

Result<std::vector<FileNumber>, FileError> PosixDirectory::list(std::string_view suffix) const {
    std::vector<FileNumber> files;
    std::error_code error;
    for (std::filesystem::directory_iterator at(path_, error), end; !error && at != end;
         at.increment(error)) {
        if (const FileNumber number = number_of(at->path().filename().native(), suffix);
            number != 0)
            files.push_back(number);
    }
    if (error) return fail(FileError::kIo);
    std::ranges::sort(files);
    return files;
}

/// By the boot of which the last log file was made. Not flushed: a power cut leaves an older one.
bool PosixDirectory::rebooted() {
    const auto current = boot_mark();
    BootMark kept{};
    const auto got = read_at(lock_.get(), kBootMarkAt, kept);
    return !current || !got || *got != kept.size() || kept != *current;
}

void PosixDirectory::mark_boot() {
    if (std::exchange(boot_marked_, true) || !lock_) return;
    if (const auto mark = boot_mark())
        static_cast<void>(retrying(
            [&] { return ::pwrite(lock_.get(), mark->data(), mark->size(), kBootMarkAt); }));
}

/// Under another name, so that a process that is killed leaves no log file without a header.
Result<void, FileError> PosixDirectory::create(FileNumber file, std::uint64_t expected_bytes) {
    mark_boot();
    if (::faccessat(folder_.get(), name_of(file).c_str(), F_OK, 0) == 0)
        return fail(FileError::kIo);
    FileDescriptor made(::openat(folder_.get(), name_of(file, kUnpublishedSuffix).c_str(),
                                 O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!made) return file_error();
    // Reserved room makes flushing cheaper; without it the file grows as it is written.
    static_cast<void>(::fallocate(made.get(), 0, 0, static_cast<off_t>(expected_bytes)));
    if (open_.size() >= kMaxOpenFiles) close_oldest();
    open_[file] = {std::move(made), true, ++uses_, false};
    return {};
}

/// Nobody else makes files here: the folder is locked.
Result<void, FileError> PosixDirectory::publish(FileNumber file, std::uint64_t) {
    const int renamed = ::renameat(folder_.get(), name_of(file, kUnpublishedSuffix).c_str(),
                                   folder_.get(), name_of(file).c_str());
    if (renamed != 0) return file_error();
    if (const auto found = open_.find(file); found != open_.end()) found->second.named = true;
    return {};
}

/// Tried with a file that has no name. A full disk reserves nothing now, but has done so before.
bool PosixDirectory::reserves() {
    const FileDescriptor probe(
        ::openat(folder_.get(), ".", O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!probe) return false;
    return ::fallocate(probe.get(), 0, 0, 1) == 0 || errno == ENOSPC || errno == EDQUOT;
}

Result<void, FileError> PosixDirectory::write(FileNumber file, std::uint64_t offset,
                                              std::span<const ByteView> pieces) {
    const auto descriptor = descriptor_of(file);
    if (!descriptor) return fail(descriptor.error());
    std::array<iovec, kMaxPieces> vectors;
    std::size_t done_of_first = 0;  // octets of pieces[0] that are written already
    while (!pieces.empty()) {
        std::size_t count = 0;
        for (; count < std::min(pieces.size(), kMaxPieces); ++count) {
            const ByteView piece = pieces[count].subspan(count == 0 ? done_of_first : 0);
            vectors[count] = {const_cast<std::uint8_t *>(piece.data()), piece.size()};
        }
        const ssize_t written = retrying([&] {
            return ::pwritev(*descriptor, vectors.data(), static_cast<int>(count),
                             static_cast<off_t>(offset));
        });
        if (written < 0) return file_error();
        auto left = static_cast<std::size_t>(written);
        offset += left;
        while (!pieces.empty() && left >= pieces.front().size() - done_of_first) {
            left -= pieces.front().size() - done_of_first;
            done_of_first = 0;
            pieces = pieces.subspan(1);
        }
        done_of_first += left;
        if (written == 0 && !pieces.empty()) return fail(FileError::kNoSpace);
    }
    return {};
}

Result<void, FileError> PosixDirectory::sync(FileNumber file) {
    const auto descriptor = descriptor_of(file);
    if (!descriptor) return fail(descriptor.error());
    return result_of(::fdatasync(*descriptor));
}

void PosixDirectory::close_for_writing(FileNumber file) {
    if (const auto found = open_.find(file); found != open_.end()) found->second.writing = false;
}

Result<void, FileError> PosixDirectory::truncate(FileNumber file, std::uint64_t size) {
    const auto descriptor = descriptor_of(file);
    if (!descriptor) return fail(descriptor.error());
    return result_of(::ftruncate(*descriptor, static_cast<off_t>(size)));
}

Result<std::uint64_t, FileError> PosixDirectory::size(FileNumber file) {
    const auto descriptor = descriptor_of(file);
    if (!descriptor) return fail(descriptor.error());
    struct stat status{};
    if (::fstat(*descriptor, &status) != 0) return file_error();
    return static_cast<std::uint64_t>(status.st_size);
}

Result<std::size_t, FileError> PosixDirectory::read(FileNumber file, std::uint64_t offset,
                                                    MutableBytes out) {
    const auto descriptor = descriptor_of(file);
    if (!descriptor) return fail(descriptor.error());
    return read_at(*descriptor, offset, out);
}

Result<void, FileError> PosixDirectory::remove(FileNumber file) {
    const auto found = open_.find(file);
    if (found != open_.end() && !found->second.named) {
        open_.erase(found);
        return unlink(name_of(file, kUnpublishedSuffix));
    }
    if (const auto removed = unlink(name_of(file, kIndexSuffix)); !removed) return removed;
    open_.erase(file);
    return unlink(name_of(file));
}

Result<void, FileError> PosixDirectory::unlink(const std::string &name) {
    const int removed = ::unlinkat(folder_.get(), name.c_str(), 0);
    if (removed != 0 && errno == ENOENT) return {};
    return result_of(removed);
}

Result<void, FileError> PosixDirectory::write_index(FileNumber file, ByteView octets) {
    const std::string name = name_of(file, kIndexSuffix);
    const FileDescriptor made(
        ::openat(folder_.get(), name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!made) return file_error();
    while (!octets.empty()) {
        const ssize_t some =
            retrying([&] { return ::write(made.get(), octets.data(), octets.size()); });
        if (some <= 0) {
            const auto error = some < 0 ? file_error() : fail(FileError::kNoSpace);
            static_cast<void>(unlink(name));
            return error;
        }
        octets = octets.subspan(static_cast<std::size_t>(some));
    }
    return {};
}

Result<Bytes, FileError> PosixDirectory::read_index(FileNumber file) {
    const FileDescriptor opened(
        ::openat(folder_.get(), name_of(file, kIndexSuffix).c_str(), O_RDONLY | O_CLOEXEC));
    if (!opened && errno == ENOENT) return Bytes{};
    if (!opened) return file_error();
    struct stat status{};
    if (::fstat(opened.get(), &status) != 0) return file_error();
    Bytes octets(static_cast<std::size_t>(status.st_size));
    const auto got = read_at(opened.get(), 0, octets);
    if (!got) return fail(got.error());
    octets.resize(*got);
    return octets;
}

Result<void, FileError> PosixDirectory::sync_directory() {
    return result_of(::fsync(folder_.get()));
}

/// Only complete files are opened here, so a descriptor that is written to is never opened twice:
/// it is the one whose fdatasync reports a failed write.
Result<int, FileError> PosixDirectory::descriptor_of(FileNumber file) {
    if (const auto found = open_.find(file); found != open_.end()) {
        found->second.used = ++uses_;
        return found->second.descriptor.get();
    }
    FileDescriptor opened(::openat(folder_.get(), name_of(file).c_str(), O_RDONLY | O_CLOEXEC));
    if (!opened) return file_error();
    if (open_.size() >= kMaxOpenFiles) close_oldest();
    const int descriptor = opened.get();
    open_[file] = {std::move(opened), false, ++uses_};
    return descriptor;
}

FileDescriptor PosixDirectory::open_direct(FileNumber file, bool writing) {
    return FileDescriptor(::openat(folder_.get(), name_of(file).c_str(),
                                   (writing ? O_RDWR : O_RDONLY) | O_DIRECT | O_CLOEXEC));
}

void PosixDirectory::close_oldest() {
    auto oldest = open_.end();
    for (auto at = open_.begin(); at != open_.end(); ++at) {
        if (at->second.writing) continue;
        if (oldest == open_.end() || at->second.used < oldest->second.used) oldest = at;
    }
    if (oldest != open_.end()) open_.erase(oldest);
}

}  // namespace farlink::storage
