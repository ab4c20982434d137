// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/history/history_folder.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "common/runtime/private_folder.hpp"

namespace farlink::telemetry {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnerOnly = 0600;

std::string failed(const std::string &path) {
    return path + ": " + std::generic_category().message(errno);
}

bool write_all(int descriptor, ByteView octets) {
    while (!octets.empty()) {
        const ssize_t written = ::write(descriptor, octets.data(), octets.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        octets = octets.subspan(static_cast<std::size_t>(written));
    }
    return true;
}

/// The octets of the file from its begin, at most `most`; false: an error.
bool read_all(int descriptor, Bytes &to, std::size_t most) {
    constexpr std::size_t kPiece = 256 * 1024;
    while (to.size() < most) {
        const std::size_t at = to.size();
        to.resize(std::min(most, at + kPiece));
        const ssize_t got = ::read(descriptor, to.data() + at, to.size() - at);
        const bool again = got < 0 && errno == EINTR;
        to.resize(at + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got < 0 && !again) return false;
        if (got == 0) break;
    }
    return true;
}

}  // namespace

std::string HistoryFolder::file_of(std::string_view name) const {
    return (fs::path(path_) / name).string();
}

std::string HistoryFolder::path_of(const HistoryFile &file) const {
    return file_of(file_name(file));
}

std::string HistoryFolder::open() {
    if (const std::error_code error = make_private_folder(path_))
        return path_ + ": " + error.message();
    const std::string name = file_of("lock");
    lock_ = FileDescriptor(::open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly));
    if (!lock_) return failed(name);
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return {};
    return errno == EWOULDBLOCK ? path_ + ": folder in use by another node" : failed(name);
}

std::vector<KeptFile> HistoryFolder::list() const {
    std::vector<KeptFile> files;
    std::error_code error;
    for (const fs::directory_entry &entry : fs::directory_iterator(path_, error)) {
        const auto file = parse_file_name(entry.path().filename().string());
        if (!file) continue;
        const std::uintmax_t size = entry.file_size(error);
        files.push_back({*file, error ? 0 : size});
    }
    std::ranges::sort(files, {}, &KeptFile::file);
    return files;
}

std::string HistoryFolder::append(const HistoryFile &file, ByteView octets) {
    const std::string path = path_of(file);
    const FileDescriptor opened(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kOwnerOnly));
    struct stat before{};
    if (!opened || ::fstat(opened.get(), &before) != 0) return failed(path);
    unflushed_.insert(file);
    if (write_all(opened.get(), octets)) return {};
    std::string wrong = failed(path);
    if (before.st_size == 0)
        (void)::unlink(path.c_str());
    else if (::ftruncate(opened.get(), before.st_size) != 0)
        wrong += "; the incomplete record stays in the file";
    return wrong;
}

std::string HistoryFolder::flush() {
    std::string wrong;
    for (const HistoryFile &file : unflushed_) {
        const std::string path = path_of(file);
        const FileDescriptor opened(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        if (opened && ::fdatasync(opened.get()) != 0) wrong = failed(path);
    }
    const FileDescriptor folder(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!unflushed_.empty() && folder && ::fsync(folder.get()) != 0) wrong = failed(path_);
    unflushed_.clear();
    return wrong;
}

Result<Bytes, std::string> HistoryFolder::read(const HistoryFile &file, std::size_t most) const {
    const std::string path = path_of(file);
    const FileDescriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    Bytes octets;
    if (!opened || !read_all(opened.get(), octets, most)) return fail(failed(path));
    return octets;
}

void HistoryFolder::remove(const HistoryFile &file) const {
    (void)::unlink(path_of(file).c_str());
}

std::optional<std::string> HistoryFolder::read_text(std::string_view name) const {
    constexpr std::size_t kMostTextBytes = 64 * 1024;
    const FileDescriptor opened(::open(file_of(name).c_str(), O_RDONLY | O_CLOEXEC));
    Bytes octets;
    if (!opened || !read_all(opened.get(), octets, kMostTextBytes)) return std::nullopt;
    return std::string(as_text(octets));
}

std::string HistoryFolder::replace_text(std::string_view name, std::string_view text) const {
    const std::string path = file_of(name);
    const std::string beside = path + ".new";
    const FileDescriptor file(
        ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerOnly));
    if (!file || !write_all(file.get(), as_bytes(text)) || ::fdatasync(file.get()) != 0) {
        std::string wrong = failed(beside);
        (void)::unlink(beside.c_str());
        return wrong;
    }
    return std::rename(beside.c_str(), path.c_str()) == 0 ? std::string() : failed(path);
}

void HistoryFolder::set_aside(std::string_view name) const {
    const std::string path = file_of(name);
    (void)std::rename(path.c_str(), (path + ".damaged").c_str());
}

std::optional<std::uint64_t> HistoryFolder::free_bytes() const {
    struct statvfs system{};
    if (::statvfs(path_.c_str(), &system) != 0) return std::nullopt;
    return std::uint64_t{system.f_bavail} * system.f_frsize;
}

bool HistoryFolder::shares_file_system(const std::string &other) const {
    std::error_code error;
    fs::path at = fs::absolute(other, error);
    while (!fs::exists(at, error) && at != at.root_path()) at = at.parent_path();
    struct stat ours{};
    struct stat theirs{};
    return ::stat(path_.c_str(), &ours) == 0 && ::stat(at.c_str(), &theirs) == 0 &&
           ours.st_dev == theirs.st_dev;
}

}  // namespace farlink::telemetry
