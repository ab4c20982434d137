// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsendfile/file_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "apps/shared/messages/octet_writer.hpp"

namespace farlink::bpsendfile {
namespace {

/// A larger file is sent by itself.
constexpr std::uint64_t kSmallBytes = 64 * 1024;
constexpr std::size_t kTogetherBytes = 512 * 1024;
constexpr std::size_t kTogether = 1000;
constexpr std::chrono::milliseconds kTogetherTime{20};
/// What the kernel reads ahead of the piece that is read.
constexpr std::uint64_t kAheadBytes = 32 * 1024 * 1024;
constexpr std::uint32_t kModeBits = 0777;

files::FileVersion version_of(const struct stat &status) {
    return {static_cast<std::uint64_t>(status.st_size), status.st_mtim.tv_sec,
            static_cast<std::uint32_t>(status.st_mtim.tv_nsec)};
}

/// Octets that were read; fewer than wanted: the end, or an error.
std::size_t read_at(int file, MutableBytes to, std::uint64_t offset) {
    std::size_t got = 0;
    while (got < to.size()) {
        const ssize_t size =
            ::pread(file, to.data() + got, to.size() - got, static_cast<off_t>(offset + got));
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) break;
        got += static_cast<std::size_t>(size);
    }
    return got;
}

}  // namespace

void FileReader::run() {
    for (;;) {
        auto source = queues_.sources.pop_within(kTogetherTime);
        if (!source) {
            // Small files do not wait for others that may never come.
            flush();
            source = queues_.sources.pop();
        }
        if (!source) return;
        send(*source);
    }
}

void FileReader::send(const Source &source) {
    if (source.folder) return send_folder(source);
    OpenFile file;
    if (!open(source, file)) return;
    if (file.version.size <= std::min(kSmallBytes, piece_bytes_))
        send_small(source, file);
    else
        send_large(source, file);
}

bool FileReader::open(const Source &source, OpenFile &file) {
    // A pipe or a device does not hold it up.
    file.descriptor = FileDescriptor(
        ::open(source.path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat status{};
    if (!file.descriptor || ::fstat(file.descriptor.get(), &status) != 0) {
        if (errno == ENOENT && watched_) return false;
        ledger_.fail(source.name, {}, "cannot read the file: " + messages::reason_of(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode)) {
        ledger_.skip(source.name, "is not a regular file");
        return false;
    }
    file.version = version_of(status);
    file.attributes = {status.st_mode & kModeBits, file.version.mtime_s, file.version.mtime_ns};
    return ledger_.claim(source.name, file.version);
}

bool FileReader::has_changed(const OpenFile &file) const {
    struct stat status{};
    return ::fstat(file.descriptor.get(), &status) != 0 || version_of(status) != file.version;
}

void FileReader::report_changed(const std::string &name, const files::FileVersion &version) {
    if (watched_)
        ledger_.give_back(name);
    else
        ledger_.fail(name, version, "the file changed while it was read");
}

void FileReader::send_folder(const Source &source) {
    add_small({.name = source.name, .folder = true}, {.mode = source.mode & kModeBits}, {});
}

void FileReader::send_small(const Source &source, const OpenFile &file) {
    space_.resize(static_cast<std::size_t>(file.version.size));
    const std::size_t size = read_at(file.descriptor.get(), space_, 0);
    if (size != space_.size() || has_changed(file))
        return report_changed(source.name, file.version);
    sha_.update(space_);
    add_small({.name = source.name, .version = file.version, .digest = sha_.finish()},
              file.attributes, space_);
}

void FileReader::add_small(SmallFile small, const files::Attributes &attributes, ByteView data) {
    if (small_.payload.size() + data.size() > kTogetherBytes) flush();
    if (small_.small.empty()) {
        auto buffer = queues_.buffers.pop();
        if (!buffer) return;  // the program ends
        small_.payload = std::move(*buffer);
        small_.payload.clear();
        files::begin_entries(small_.payload);
    }
    files::append_entry(small_.payload, {.name = small.name,
                                         .attributes = attributes,
                                         .folder = small.folder,
                                         .digest = small.digest,
                                         .data = data});
    small_.small.push_back(std::move(small));
    if (small_.small.size() >= kTogether) flush();
}

void FileReader::flush() {
    if (small_.small.empty()) return;
    queues_.parcels.push(std::exchange(small_, {}));
}

void FileReader::send_large(const Source &source, const OpenFile &file) {
    auto large = std::make_shared<LargeFile>();
    large->name = source.name;
    large->version = file.version;
    if (send_pieces(file, large)) return ledger_.end_of(*large);
    // Its pieces that are under way get their answers, but it is never whole.
    if (watched_ || queues_.abandoned)
        ledger_.give_back(source.name);
    else
        ledger_.fail(*large, "the file changed while it was read, or cannot be read");
}

bool FileReader::send_pieces(const OpenFile &file, const std::shared_ptr<LargeFile> &large) {
    const files::Extents accepted = ledger_.begin(*large);
    ::posix_fadvise(file.descriptor.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
    sha_ = {};
    const std::uint64_t size = file.version.size;
    for (std::uint64_t begin = 0; begin < size; begin += piece_bytes_) {
        const files::Extent extent{begin, std::min(begin + piece_bytes_, size)};
        // The digest goes with the last one.
        const bool wanted = extent.end == size || !accepted.covers(extent);
        if (!send_piece(file, large, extent, wanted)) return false;
    }
    return true;
}

bool FileReader::send_piece(const OpenFile &file, const std::shared_ptr<LargeFile> &large,
                            files::Extent extent, bool wanted) {
    auto buffer = queues_.buffers.pop();
    if (!buffer) return false;
    Parcel parcel{.payload = std::move(*buffer), .file = large, .extent = extent};
    ::posix_fadvise(file.descriptor.get(), static_cast<off_t>(extent.end),
                    static_cast<off_t>(kAheadBytes), POSIX_FADV_WILLNEED);
    const std::size_t head = files::piece_head_bytes(large->name);
    parcel.payload.resize(head + static_cast<std::size_t>(extent.size()));
    const MutableBytes data = MutableBytes(parcel.payload).subspan(head);
    const bool read = read_at(file.descriptor.get(), data, extent.begin) == data.size();
    const bool last = extent.end == file.version.size;
    if (!read || (last && has_changed(file))) {
        queues_.buffers.push(std::move(parcel.payload));
        return false;
    }
    sha_.update(data);
    if (!wanted) return queues_.buffers.push(std::move(parcel.payload));
    files::Piece piece{.transfer = large->transfer,
                       .name = large->name,
                       .attributes = file.attributes,
                       .size = file.version.size,
                       .offset = extent.begin};
    if (last) piece.digest = large->digest = sha_.finish();
    Bytes head_octets;
    files::append_piece_head(head_octets, piece);
    std::ranges::copy(head_octets, parcel.payload.begin());
    ledger_.add_piece(*large);
    return queues_.parcels.push(std::move(parcel));
}

}  // namespace farlink::bpsendfile
