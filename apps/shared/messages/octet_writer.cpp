// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/messages/octet_writer.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace farlink::messages {
namespace {

/// More is written at once.
constexpr std::size_t kMostKept = 64 * 1024;

/// Of a descriptor that does not block.
void wait_until_writable(int descriptor) {
    pollfd waiting{descriptor, POLLOUT, 0};
    ::poll(&waiting, 1, -1);
}

}  // namespace

std::string reason_of(int error) {
    if (error == EPIPE) return "the reading program has closed it";
    return std::generic_category().message(error);
}

std::string OctetWriter::write(ByteView octets) {
    if (kept_.size() + octets.size() <= kMostKept) {
        kept_.insert(kept_.end(), octets.begin(), octets.end());
        return error_;
    }
    write_through(kept_);
    kept_.clear();
    write_through(octets);
    return error_;
}

std::string OctetWriter::flush() {
    write_through(kept_);
    kept_.clear();
    return error_;
}

void OctetWriter::write_through(ByteView octets) {
    while (!octets.empty() && error_.empty()) {
        const ssize_t written = ::write(descriptor_, octets.data(), octets.size());
        if (written >= 0) {
            octets = octets.subspan(static_cast<std::size_t>(written));
            continue;
        }
        const int error = errno;
        if (error == EAGAIN) wait_until_writable(descriptor_);
        if (error != EINTR && error != EAGAIN)
            error_ = "cannot write to " + name_ + ": " + reason_of(error);
    }
}

}  // namespace farlink::messages
