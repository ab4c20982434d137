// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/store_reserve.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/runtime/file_descriptor.hpp"
#include "module/storage/store/store_room.hpp"

namespace farlink::storage {
namespace {

/// Less than this is not asked for.
constexpr std::uint64_t kLeastStep = 64 * 1024;

bool means_no_room(int error) {
    return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

std::uint64_t size_of(int file) {
    struct stat about{};
    return ::fstat(file, &about) == 0 ? static_cast<std::uint64_t>(about.st_size) : 0;
}

}  // namespace

void StoreReserve::grow(std::uint64_t bytes) {
    error_ = 0;
    const FileDescriptor file(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!file) {
        error_ = means_no_room(errno) ? 0 : errno;
        return;
    }
    // The file of a killed run, which may have ended before all of it was reserved.
    const std::uint64_t left = bytes_ == 0 ? size_of(file.get()) : 0;
    if (left > bytes) (void)!::ftruncate(file.get(), static_cast<off_t>(bytes));
    (void)extend(file.get(), std::min(bytes, left));
    std::uint64_t step = bytes - std::min(bytes, bytes_);
    while (bytes_ < bytes && error_ == 0) {
        step = std::min({step, bytes - bytes_, free_bytes_at(folder_)});
        if (step < std::min(kLeastStep, bytes - bytes_)) break;
        if (!extend(file.get(), step)) step /= 2;
    }
    if (bytes_ == 0) give_back();
}

// Room that is only promised (a sparse file) would be no reserve. A quota shows only here.
bool StoreReserve::extend(int file, std::uint64_t bytes) {
    if (bytes == 0) return true;
    if (::fallocate(file, 0, static_cast<off_t>(bytes_), static_cast<off_t>(bytes)) == 0) {
        bytes_ += bytes;
        return true;
    }
    if (!means_no_room(errno)) error_ = errno;
    (void)!::ftruncate(file, static_cast<off_t>(bytes_));
    return false;
}

void StoreReserve::shrink(std::uint64_t bytes) {
    if (bytes >= bytes_) return;
    if (bytes == 0) return give_back();
    if (::truncate(path_.c_str(), static_cast<off_t>(bytes)) == 0) bytes_ = bytes;
}

void StoreReserve::give_back() {
    (void)::unlink(path_.c_str());
    bytes_ = 0;
}

}  // namespace farlink::storage
