// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceivefile/done_transfers.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <utility>

#include "apps/shared/files/digest.hpp"
#include "common/files/octet_files.hpp"

namespace farlink::bpreceivefile {
namespace {

constexpr const char *kDoneName = "done";
constexpr const char *kNewDoneName = "new-done";
constexpr mode_t kDoneMode = 0600;
constexpr std::size_t kIdBytes = sizeof(files::TransferId);
/// A longer file is written anew.
constexpr std::uint64_t kLongestFile = 4 * DoneTransfers::kMost * kIdBytes;

Bytes octets_of(const std::string &key) {
    Bytes octets;
    for (std::size_t at = 0; at + 2 <= key.size(); at += 2) {
        std::uint8_t octet = 0;
        std::from_chars(key.data() + at, key.data() + at + 2, octet, 16);
        octets.push_back(octet);
    }
    return octets;
}

}  // namespace

Result<DoneTransfers, int> DoneTransfers::open(int folder) {
    DoneTransfers done(folder);
    done.file_ = FileDescriptor(
        ::openat(folder, kDoneName, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kDoneMode));
    if (!done.file_) return fail(int{errno});
    if (int error = done.load(); error != 0) return fail(std::move(error));
    return done;
}

int DoneTransfers::load() {
    struct stat status{};
    if (::fstat(file_.get(), &status) != 0) return errno;
    // An id that is cut is written over.
    file_bytes_ = static_cast<std::uint64_t>(status.st_size) / kIdBytes * kIdBytes;
    const std::uint64_t begin =
        file_bytes_ - std::min<std::uint64_t>(file_bytes_, kMost * kIdBytes);
    Bytes content(static_cast<std::size_t>(file_bytes_ - begin));
    const ssize_t size =
        ::pread(file_.get(), content.data(), content.size(), static_cast<off_t>(begin));
    if (size < 0 || static_cast<std::size_t>(size) != content.size()) return size < 0 ? errno : EIO;
    for (std::size_t at = 0; at < content.size(); at += kIdBytes)
        remember(files::hex_of(ByteView(content).subspan(at, kIdBytes)));
    return 0;
}

void DoneTransfers::add(const std::string &key) {
    if (keys_.contains(key)) return;
    remember(key);
    append(unwritten_, octets_of(key));
}

void DoneTransfers::remember(const std::string &key) {
    if (!keys_.insert(key).second) return;
    order_.push_back(key);
    if (order_.size() <= kMost) return;
    keys_.erase(order_.front());
    order_.pop_front();
}

int DoneTransfers::sync() {
    if (unwritten_.empty()) return 0;
    if (file_bytes_ > kLongestFile) return rewrite();
    if (const int error = files::write_all(file_.get(), unwritten_, file_bytes_); error != 0)
        return error;
    if (::fdatasync(file_.get()) != 0) return errno;
    file_bytes_ += unwritten_.size();
    unwritten_.clear();
    return 0;
}

int DoneTransfers::rewrite() {
    FileDescriptor file(::openat(folder_, kNewDoneName,
                                 O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kDoneMode));
    if (!file) return errno;
    Bytes content;
    for (const std::string &key : order_) append(content, octets_of(key));
    if (const int error = files::write_all(file.get(), content, 0); error != 0) return error;
    if (::fsync(file.get()) != 0 || ::renameat(folder_, kNewDoneName, folder_, kDoneName) != 0 ||
        ::fsync(folder_) != 0)
        return errno;
    file_ = std::move(file);
    file_bytes_ = content.size();
    unwritten_.clear();
    return 0;
}

}  // namespace farlink::bpreceivefile
