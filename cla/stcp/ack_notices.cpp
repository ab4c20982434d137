// SPDX-License-Identifier: Apache-2.0
#include "cla/stcp/ack_notices.hpp"

#include <linux/net_tstamp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace farlink::cla::stcp {
namespace {

/// Taken from the queue in one call.
constexpr std::size_t kNoticesAtOnce = 16;

ssize_t send_plain(int socket, std::span<iovec> entries) {
    msghdr message{};
    message.msg_iov = entries.data();
    message.msg_iovlen = entries.size();
    return ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

ssize_t send_with_notice(int socket, std::span<iovec> entries) {
    constexpr std::uint32_t kAsk = SOF_TIMESTAMPING_TX_ACK;
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof kAsk)> space{};
    msghdr message{};
    message.msg_iov = entries.data();
    message.msg_iovlen = entries.size();
    message.msg_control = space.data();
    message.msg_controllen = space.size();
    cmsghdr *const control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SO_TIMESTAMPING;
    control->cmsg_len = CMSG_LEN(sizeof kAsk);
    std::memcpy(CMSG_DATA(control), &kAsk, sizeof kAsk);
    return ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

}  // namespace

// Notices come without the octets that they are about: nobody needs them.
void AckNotices::restart(int socket) {
    constexpr std::uint32_t kReport = SOF_TIMESTAMPING_SOFTWARE | SOF_TIMESTAMPING_OPT_TSONLY;
    asked_ = 0;
    available_ = ::setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPING, &kReport, sizeof kReport) == 0;
}

ssize_t AckNotices::write(int socket, std::span<iovec> entries, std::uint64_t written,
                          std::uint64_t acknowledged) {
    if (!available_ || !due(written, acknowledged)) return send_plain(socket, entries);
    const ssize_t size = send_with_notice(socket, entries);
    if (size > 0) handle_asked(written + static_cast<std::uint64_t>(size));
    if (size >= 0 || errno != EINVAL) return size;
    available_ = false;  // a kernel that takes the option only
    return send_plain(socket, entries);
}

void AckNotices::discard(int socket) {
    std::array<mmsghdr, kNoticesAtOnce> notices{};
    int count = 0;
    do {
        count = ::recvmmsg(socket, notices.data(), notices.size(), MSG_ERRQUEUE | MSG_DONTWAIT,
                           nullptr);
    } while (count == static_cast<int>(notices.size()));
}

}  // namespace farlink::cla::stcp
