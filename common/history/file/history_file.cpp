// SPDX-License-Identifier: Apache-2.0
#include "common/history/file/history_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <system_error>

#include "common/history/file/history_header.hpp"
#include "common/runtime/private_folder.hpp"
#include "common/runtime/process/process_limits.hpp"

namespace farlink::history {
namespace {

constexpr mode_t kOwnerOnly = 0600;
/// The file grows by so many at a time: one system call for 16,000 records.
constexpr std::size_t kBlocksAtOnce = 16;

std::string error_text(const std::string &path) {
    return path + ": " + std::generic_category().message(errno);
}

std::size_t blocks_for(std::uint64_t records) {
    const std::uint64_t blocks = (records + kRecordsPerBlock - 1) / kRecordsPerBlock;
    return static_cast<std::size_t>(std::max<std::uint64_t>(blocks, 1));
}

std::string mapping_error(const std::string &path, std::size_t bytes) {
    if (errno != ENOMEM) return error_text(path);
    return path + ": cannot map " + std::to_string(bytes / (1024 * 1024)) +
           " MiB into memory: " + memory_shortage();
}

FileDescriptor open_file(const std::string &path, int flags) {
    return FileDescriptor(
        ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, kOwnerOnly));
}

bool lock(const FileDescriptor &file) {
    return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

/// How many blocks a file of the node has, or why it cannot be continued.
struct Found {
    std::size_t blocks = 0;
    std::string wrong;
    bool foreign = false;  ///< of another node: not to be replaced
};
Found look_at(const FileDescriptor &file, NodeNumber node, std::size_t most) {
    std::array<std::uint8_t, kHeaderUsedBytes> octets{};
    const ssize_t got = ::pread(file.get(), octets.data(), octets.size(), 0);
    if (got < 0) return {0, "the file cannot be read"};
    const ByteView header = ByteView(octets).first(static_cast<std::size_t>(got));
    if (std::string wrong = wrong_with_header(header); !wrong.empty()) return {0, wrong};
    if (node_of_header(header) != node) return {0, foreign_words(header, node), true};
    struct stat status{};
    if (::fstat(file.get(), &status) != 0) return {0, "the file cannot be read"};
    const auto bytes = static_cast<std::size_t>(status.st_size);
    const std::size_t blocks = bytes < kHeaderBytes ? 0 : (bytes - kHeaderBytes) / kBlockBytes;
    if (blocks > most) return {0, "the file has more records than `history.bundles`"};
    return {blocks, {}};
}

/// A new file in place of the one of that name; readers of the old one keep it.
FileDescriptor start_anew(const std::string &path, NodeNumber node) {
    const std::string beside = path + ".new";
    FileDescriptor file = open_file(beside, O_CREAT | O_TRUNC);
    if (!file || !lock(file)) return {};
    const Bytes header = make_header(node);
    const bool written = ::pwrite(file.get(), header.data(), header.size(), 0) ==
                         static_cast<ssize_t>(header.size());
    if (!written || std::rename(beside.c_str(), path.c_str()) != 0) return {};
    return file;
}

}  // namespace

std::uint64_t HistoryFile::mapped_bytes(std::uint64_t records) {
    return kHeaderBytes + blocks_for(records) * kBlockBytes;
}

HistoryFile::Opened HistoryFile::open(const HistoryFileOptions &options) {
    const std::string path = options.folder + '/' + options.module + kFileEnding;
    const auto fail = [](const std::string &why) {
        return Opened{nullptr,
                      why + "; the bundle history is not written until the node is restarted"};
    };
    if (const std::error_code error = make_private_folder(options.folder))
        return fail(options.folder + ": " + error.message());
    const std::size_t most = blocks_for(options.records);
    std::string notice;
    Found found;
    FileDescriptor file = open_file(path, 0);
    if (!file && errno != ENOENT && errno != ELOOP) return fail(error_text(path));
    if (file) {
        if (!lock(file)) return fail(path + ": in use by another process");
        found = look_at(file, options.node, most);
        if (found.foreign) return fail(path + ": " + found.wrong);
        if (!found.wrong.empty())
            notice = path + " replaced by an empty bundle history: " + found.wrong;
    }
    if (!file || !found.wrong.empty()) {
        file = start_anew(path, options.node);
        if (!file) return fail(error_text(path));
    }
    MappedMemory memory(file.get(), mapped_bytes(options.records), true);
    if (!memory) return fail(mapping_error(path, mapped_bytes(options.records)));
    auto opened = std::make_unique<HistoryFile>(std::move(file), std::move(memory), found.blocks,
                                                most, options.free_bytes);
    if (opened->count() == 0 && !opened->grow())
        return fail(path +
                    ": less space is free than history.freeSpaceBytes requires, or the "
                    "file system does not allocate it");
    return {std::move(opened), notice};
}

std::span<Word, kBlockWords> HistoryFile::block(std::size_t index) {
    std::byte *const at = memory_.data() + kHeaderBytes + index * kBlockBytes;
    return std::span<Word, kBlockWords>(reinterpret_cast<Word *>(at), kBlockWords);
}

// Room on the disk is taken before memory is written: a write to a hole of a full disk would end
// the process.
bool HistoryFile::grow() {
    if (count_ == most_) return false;
    const std::size_t more = std::min(kBlocksAtOnce, most_ - count_);
    const std::uint64_t bytes = more * kBlockBytes;
    struct statvfs disk{};
    if (::fstatvfs(file_.get(), &disk) != 0 ||
        std::uint64_t{disk.f_bavail} * disk.f_frsize < free_bytes_ + bytes)
        return false;
    const auto at = static_cast<off_t>(kHeaderBytes + count_ * kBlockBytes);
    if (::posix_fallocate(file_.get(), at, static_cast<off_t>(bytes)) != 0) return false;
    count_ += more;
    return true;
}

}  // namespace farlink::history
