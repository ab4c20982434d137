// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/store_reserve.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

namespace farlink::storage {

// Room that is only promised (a sparse file) would be no reserve.
bool StoreReserve::take(std::uint64_t bytes) const {
    const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return false;
    const auto size = static_cast<off_t>(bytes);
    const bool taken = ::ftruncate(file, size) == 0 && ::fallocate(file, 0, 0, size) == 0;
    const int why = errno;
    ::close(file);
    if (!taken) give_back();
    errno = why;
    return taken;
}

void StoreReserve::give_back() const {
    (void)::unlink(path_.c_str());
}

}  // namespace farlink::storage
