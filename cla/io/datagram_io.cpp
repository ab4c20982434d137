// SPDX-License-Identifier: Apache-2.0
#include "cla/io/datagram_io.hpp"

#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>

namespace farlink::cla {
namespace {

/// Room for one control message with a value of this type.
template <class Value>
struct ControlSpace {
    alignas(cmsghdr) std::array<std::uint8_t, CMSG_SPACE(sizeof(Value))> octets;
};

// UDP_GRO carries the size of the datagrams that the kernel has put together.
[[nodiscard]] std::uint32_t coalesced_size(msghdr &header) {
    for (cmsghdr *control = CMSG_FIRSTHDR(&header); control != nullptr;
         control = CMSG_NXTHDR(&header, control)) {
        if (control->cmsg_level != SOL_UDP || control->cmsg_type != UDP_GRO) continue;
        int size = 0;
        std::memcpy(&size, CMSG_DATA(control), sizeof size);
        return size > 0 ? static_cast<std::uint32_t>(size) : 0;
    }
    return 0;
}

void ask_to_segment(msghdr &header, ControlSpace<std::uint16_t> &space, std::uint32_t bytes) {
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

DatagramAddress::DatagramAddress(const boost::asio::ip::udp::endpoint &endpoint) : v6{} {
    size = static_cast<socklen_t>(std::min(endpoint.size(), sizeof v6));
    std::memcpy(&v6, endpoint.data(), size);
}

boost::asio::ip::udp::endpoint DatagramAddress::endpoint() const {
    boost::asio::ip::udp::endpoint made;
    std::memcpy(made.data(), &v6, std::min<std::size_t>(size, made.capacity()));
    made.resize(size);
    return made;
}

bool operator==(const DatagramAddress &a, const DatagramAddress &b) {
    if (a.any.sa_family != b.any.sa_family) return false;
    if (a.any.sa_family == AF_INET)
        return a.v4.sin_port == b.v4.sin_port && a.v4.sin_addr.s_addr == b.v4.sin_addr.s_addr;
    return a.v6.sin6_port == b.v6.sin6_port &&
           std::memcmp(&a.v6.sin6_addr, &b.v6.sin6_addr, sizeof a.v6.sin6_addr) == 0;
}

int receive_datagrams(int fd, std::span<IncomingMessage> messages) {
    std::array<mmsghdr, kMostMessages> headers;
    std::array<std::array<iovec, 2>, kMostMessages> spaces;
    std::array<ControlSpace<int>, kMostMessages> controls;
    messages = messages.first(std::min(messages.size(), kMostMessages));
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const auto &[space, spill] = std::tie(messages[i].space, messages[i].spill);
        spaces[i] = {iovec{space.data(), space.size()}, iovec{spill.data(), spill.size()}};
        headers[i] = {};
        msghdr &header = headers[i].msg_hdr;
        header.msg_name = &messages[i].from.v6;
        header.msg_namelen = sizeof messages[i].from.v6;
        header.msg_iov = spaces[i].data();
        header.msg_iovlen = spill.empty() ? 1 : 2;
        header.msg_control = controls[i].octets.data();
        header.msg_controllen = controls[i].octets.size();
    }
    const int count = ::recvmmsg(fd, headers.data(), static_cast<unsigned>(messages.size()),
                                 MSG_DONTWAIT, nullptr);
    for (std::size_t i = 0; count > 0 && i < static_cast<std::size_t>(count); ++i) {
        messages[i].size = headers[i].msg_len;
        messages[i].segment_size = coalesced_size(headers[i].msg_hdr);
        messages[i].from.size = headers[i].msg_hdr.msg_namelen;
    }
    return count;
}

int send_datagrams(int fd, std::span<const OutgoingMessage> messages) {
    std::array<mmsghdr, kMostMessages> headers;
    std::array<ControlSpace<std::uint16_t>, kMostMessages> controls;
    messages = messages.first(std::min(messages.size(), kMostMessages));
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const OutgoingMessage &message = messages[i];
        headers[i] = {};
        msghdr &header = headers[i].msg_hdr;
        // The interface of the kernel takes both without const and changes neither.
        header.msg_iov = const_cast<iovec *>(message.pieces.data());
        header.msg_iovlen = message.pieces.size();
        if (message.to != nullptr) {
            header.msg_name = const_cast<sockaddr_in6 *>(&message.to->v6);
            header.msg_namelen = message.to->size;
        }
        if (message.segment_size > 0) ask_to_segment(header, controls[i], message.segment_size);
    }
    return ::sendmmsg(fd, headers.data(), static_cast<unsigned>(messages.size()),
                      MSG_DONTWAIT | MSG_NOSIGNAL);
}

}  // namespace farlink::cla
