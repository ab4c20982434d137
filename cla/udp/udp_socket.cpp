// SPDX-License-Identifier: Apache-2.0
#include "cla/udp/udp_socket.hpp"

#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

namespace farlink::cla::udp {
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

// The kernel doubles what it is asked for, to pay for its own bookkeeping, and tells the double.
std::uint64_t set_buffer(int fd, int forced, int plain, std::uint64_t bytes) {
    constexpr std::uint64_t kMost = std::numeric_limits<int>::max() / 2;
    const int wanted = static_cast<int>(std::min(bytes, kMost));
    if (!set_option(fd, SOL_SOCKET, forced, wanted) && !set_option(fd, SOL_SOCKET, plain, wanted))
        return 0;
    int given = 0;
    if (!get_option(fd, SOL_SOCKET, plain, given)) return 0;
    return static_cast<std::uint64_t>(given) / 2;
}

/// Room for one control message with a value of this type.
template <class Value>
struct ControlSpace {
    alignas(cmsghdr) std::array<std::uint8_t, CMSG_SPACE(sizeof(Value))> octets;
};

[[nodiscard]] std::uint32_t segment_size_of(msghdr &header) {
    for (cmsghdr *control = CMSG_FIRSTHDR(&header); control != nullptr;
         control = CMSG_NXTHDR(&header, control)) {
        if (control->cmsg_level != SOL_UDP || control->cmsg_type != UDP_GRO) continue;
        int size = 0;
        std::memcpy(&size, CMSG_DATA(control), sizeof size);
        return size > 0 ? static_cast<std::uint32_t>(size) : 0;
    }
    return 0;
}

void set_segment_size(msghdr &header, ControlSpace<std::uint16_t> &space, std::uint32_t bytes) {
    header.msg_control = space.octets.data();
    header.msg_controllen = space.octets.size();
    cmsghdr *const control = CMSG_FIRSTHDR(&header);
    control->cmsg_level = SOL_UDP;
    control->cmsg_type = UDP_SEGMENT;
    control->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto size = static_cast<std::uint16_t>(bytes);
    std::memcpy(CMSG_DATA(control), &size, sizeof size);
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

int receive_messages(int fd, std::span<const UdpReceiver::Space> spaces,
                     std::span<InMessage> messages) {
    std::array<mmsghdr, UdpReceiver::kMaxMessages> headers;
    std::array<std::array<iovec, 2>, UdpReceiver::kMaxMessages> pieces;
    std::array<ControlSpace<int>, UdpReceiver::kMaxMessages> controls;
    const std::size_t most = std::min(spaces.size(), messages.size());
    for (std::size_t i = 0; i < most; ++i) {
        const auto &[slot, spill] = spaces[i];
        pieces[i] = {iovec{slot.data(), slot.size()}, iovec{spill.data(), spill.size()}};
        headers[i] = {};
        msghdr &header = headers[i].msg_hdr;
        header.msg_iov = pieces[i].data();
        header.msg_iovlen = spill.empty() ? 1 : 2;
        header.msg_control = controls[i].octets.data();
        header.msg_controllen = controls[i].octets.size();
    }
    const int count =
        ::recvmmsg(fd, headers.data(), static_cast<unsigned>(most), MSG_DONTWAIT, nullptr);
    for (std::size_t i = 0; count > 0 && i < static_cast<std::size_t>(count); ++i)
        messages[i] = {headers[i].msg_len, segment_size_of(headers[i].msg_hdr)};
    return count;
}

int send_messages(int fd, std::span<const OutMessage> messages) {
    std::array<mmsghdr, UdpSender::kMaxMessages> headers;
    std::array<ControlSpace<std::uint16_t>, UdpSender::kMaxMessages> controls;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const OutMessage &message = messages[i];
        headers[i] = {};
        msghdr &header = headers[i].msg_hdr;
        header.msg_iov = message.pieces.data();
        header.msg_iovlen = message.pieces.size();
        if (message.datagrams > 1) set_segment_size(header, controls[i], message.segment_size);
    }
    return ::sendmmsg(fd, headers.data(), static_cast<unsigned>(messages.size()),
                      MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace farlink::cla::udp
