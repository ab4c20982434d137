// SPDX-License-Identifier: Apache-2.0
#include "cla/io/datagram_options.hpp"

#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <limits>

namespace farlink::cla {
namespace {

template <class Option>
[[nodiscard]] bool get_option(int fd, int level, int name, Option &value) {
    socklen_t size = sizeof value;
    return ::getsockopt(fd, level, name, &value, &size) == 0 && size == sizeof value;
}

template <class Option>
[[nodiscard]] bool set_option(int fd, int level, int name, const Option &value) {
    return ::setsockopt(fd, level, name, &value, sizeof value) == 0;
}

// The kernel doubles the size for its own bookkeeping, and returns the doubled one.
std::uint64_t set_buffer(int fd, int forced, int plain, std::uint64_t bytes) {
    constexpr std::uint64_t kMost = std::numeric_limits<int>::max() / 2;
    const int wanted = static_cast<int>(std::min(bytes, kMost));
    if (!set_option(fd, SOL_SOCKET, forced, wanted) && !set_option(fd, SOL_SOCKET, plain, wanted))
        return 0;
    int given = 0;
    if (!get_option(fd, SOL_SOCKET, plain, given)) return 0;
    return static_cast<std::uint64_t>(given) / 2;
}

}  // namespace

bool has_segmentation(int fd) {
    return set_option(fd, SOL_UDP, UDP_SEGMENT, int{0});
}

bool enable_coalescing(int fd) {
    return set_option(fd, SOL_UDP, UDP_GRO, int{1});
}

std::uint64_t set_receive_buffer(int fd, std::uint64_t bytes) {
    return set_buffer(fd, SO_RCVBUFFORCE, SO_RCVBUF, bytes);
}

std::uint64_t set_send_buffer(int fd, std::uint64_t bytes) {
    return set_buffer(fd, SO_SNDBUFFORCE, SO_SNDBUF, bytes);
}

std::uint32_t unfragmented_bytes(int fd, bool ipv6) {
    const int headers = (ipv6 ? 40 : 20) + 8;
    int mtu = 0;
    const bool known = ipv6 ? get_option(fd, IPPROTO_IPV6, IPV6_MTU, mtu)
                            : get_option(fd, IPPROTO_IP, IP_MTU, mtu);
    return known && mtu > headers ? static_cast<std::uint32_t>(mtu - headers) : 0;
}

std::uint32_t dropped_datagrams(int fd) {
    std::array<std::uint32_t, SK_MEMINFO_VARS> levels{};
    return get_option(fd, SOL_SOCKET, SO_MEMINFO, levels) ? levels[SK_MEMINFO_DROPS] : 0;
}

int pending_error(int fd) {
    int error = 0;
    return get_option(fd, SOL_SOCKET, SO_ERROR, error) ? error : 0;
}

}  // namespace farlink::cla
