// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceivefile/part_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "common/files/octet_files.hpp"
#include "common/files/record_log.hpp"

namespace farlink::bpreceivefile {
namespace {

constexpr int kMakePart = O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
constexpr int kContinuePart = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
constexpr mode_t kPartMode = 0600;
constexpr std::size_t kDigestStep = 1024 * 1024;
constexpr std::size_t kLargestState = 64 * 1024 * 1024;

std::size_t octets_of_records(ByteView content) {
    files::RecordReader reader(content);
    while (reader.next()) {
    }
    return reader.read();
}

}  // namespace

int set_attributes(int file, const files::Attributes &attributes) {
    if (::fchmod(file, attributes.mode) != 0) return errno;
    const std::array<timespec, 2> times{
        {{0, UTIME_OMIT}, {attributes.mtime_s, static_cast<long>(attributes.mtime_ns)}}};
    // A file system may not have this time; the file is worth more.
    if (::futimens(file, times.data()) != 0 && errno != EINVAL) return errno;
    return 0;
}

PartFile::PartFile(files::ArrivingFile file, FileDescriptor part, FileDescriptor state,
                   std::uint64_t state_bytes)
    : file_(std::move(file)),
      part_(std::move(part)),
      state_(std::move(state)),
      state_bytes_(state_bytes) {}

// The octets' file is made first: a state without it is one whose file has got its name.
Result<PartFile, int> PartFile::make(int folder, const std::string &key,
                                     const files::Piece &first) {
    FileDescriptor part(::openat(folder, part_name(key).c_str(), kMakePart, kPartMode));
    if (!part) return fail(int{errno});
    FileDescriptor state(::openat(folder, state_name(key).c_str(), kMakePart, kPartMode));
    if (!state) return fail(int{errno});
    return PartFile(files::ArrivingFile(first), std::move(part), std::move(state), 0);
}

std::optional<PartFile> PartFile::load(int folder, const std::string &key) {
    FileDescriptor part(::openat(folder, part_name(key).c_str(), kContinuePart));
    FileDescriptor state(::openat(folder, state_name(key).c_str(), kContinuePart));
    if (!part || !state) return std::nullopt;
    const Bytes content = files::read_all(state.get(), kLargestState);
    auto file = files::ArrivingFile::load(content);
    if (!file) return std::nullopt;
    // A torn end is overwritten.
    return PartFile(std::move(*file), std::move(part), std::move(state),
                    octets_of_records(content));
}

void PartFile::remove(int folder, const std::string &key) {
    ::unlinkat(folder, state_name(key).c_str(), 0);
    ::unlinkat(folder, part_name(key).c_str(), 0);
}

int PartFile::write(const files::Piece &piece) {
    const auto missing = file_.missing(piece);
    for (const files::Extent &each : missing) {
        const ByteView octets =
            piece.data.subspan(static_cast<std::size_t>(each.begin - piece.offset),
                               static_cast<std::size_t>(each.size()));
        if (const int error = files::write_all(part_.get(), octets, each.begin); error != 0)
            return error;
        // It goes to disk while the digest is made; sync_data() waits for the rest.
        ::sync_file_range(part_.get(), static_cast<off_t>(each.begin),
                          static_cast<off_t>(each.size()), SYNC_FILE_RANGE_WRITE);
    }
    // Only what was written from this piece is what a reader of the file would see.
    const bool whole = missing.size() == 1 && missing.front() == piece.extent();
    if (whole && piece.offset == hashed_) {
        sha_.update(piece.data);
        hashed_ += piece.data.size();
    }
    file_.add(piece);
    append(records_, file_.take_records());
    return 0;
}

int PartFile::sync_data() const {
    return ::fdatasync(part_.get()) == 0 ? 0 : errno;
}

int PartFile::sync_state() {
    if (records_.empty()) return 0;
    if (const int error = files::write_all(state_.get(), records_, state_bytes_); error != 0)
        return error;
    if (::fdatasync(state_.get()) != 0) return errno;
    state_bytes_ += records_.size();
    records_.clear();
    return 0;
}

int PartFile::advance_digest(std::uint64_t most) {
    Bytes space;
    const std::uint64_t end = std::min(file_.first_gap(), hashed_ + most);
    while (hashed_ < end) {
        space.resize(kDigestStep);
        const std::size_t wanted = std::min<std::uint64_t>(space.size(), end - hashed_);
        const ssize_t size =
            ::pread(part_.get(), space.data(), wanted, static_cast<off_t>(hashed_));
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return errno;
        if (size == 0) return ENODATA;  // shorter than its records
        sha_.update(ByteView(space).first(static_cast<std::size_t>(size)));
        hashed_ += static_cast<std::uint64_t>(size);
    }
    return 0;
}

int PartFile::finish_attributes() const {
    if (const int error = set_attributes(part_.get(), file_.attributes()); error != 0) return error;
    return ::fsync(part_.get()) == 0 ? 0 : errno;
}

}  // namespace farlink::bpreceivefile
