// SPDX-License-Identifier: Apache-2.0
// Many UDP datagrams to and from many peers in one system call, offloads included.
// Plain functions on a descriptor that the caller owns, and the value that names a peer.
// Called on the thread of that socket; none of them waits.
#pragma once

#include <netinet/in.h>
#include <sys/uio.h>

#include <boost/asio/ip/udp.hpp>
#include <cstdint>
#include <span>

#include "common/base/bytes.hpp"

namespace farlink::cla {

/// Where datagrams come from and go to, as the kernel writes it.
struct DatagramAddress {
    union {
        sockaddr any;
        sockaddr_in v4;
        sockaddr_in6 v6;
    };
    socklen_t size = 0;

    DatagramAddress() : v6{} {}
    explicit DatagramAddress(const boost::asio::ip::udp::endpoint &endpoint);
    [[nodiscard]] boost::asio::ip::udp::endpoint endpoint() const;
    /// Family, address and port are the same; a scope or a flow label does not matter.
    friend bool operator==(const DatagramAddress &, const DatagramAddress &);
};

/// One message of the kernel: a datagram, or several of one flow that it has put together.
struct IncomingMessage {
    MutableBytes space;  ///< set by the caller; 65,535 octets, with `spill`, are always enough
    MutableBytes spill;  ///< where `space` goes on; may be empty
    std::uint32_t size = 0;
    std::uint32_t segment_size = 0;  ///< of each datagram but the last; 0: there is only one
    DatagramAddress from;
};

/// One message for the kernel: a datagram, or several of equal size that it cuts apart.
struct OutgoingMessage {
    std::span<const iovec> pieces;
    std::uint32_t segment_size = 0;       ///< of each datagram but the last; 0: there is only one
    const DatagramAddress *to = nullptr;  ///< null: the peer that the socket is connected to
};

inline constexpr std::size_t kMostMessages = 64;
/// What the kernel cuts apart in one message (UDP_MAX_SEGMENTS), and what one message holds.
inline constexpr std::size_t kMostSegments = 64;
inline constexpr std::size_t kMostMessageBytes = 65535 - 8 - 40;

/// Datagrams `begin` to here go as one message: of one size, but the last may be shorter.
/// `size_of(i)` is that of the datagram at place `i` of `count`, which is not empty.
template <class SizeOf>
[[nodiscard]] std::size_t end_of_message(std::size_t begin, std::size_t count, bool offload,
                                         SizeOf size_of) {
    const std::size_t size = size_of(begin);
    std::size_t bytes = size;
    std::size_t end = begin + 1;
    while (offload && end < count && end - begin < kMostSegments && size_of(end - 1) == size &&
           size_of(end) > 0 && size_of(end) <= size && bytes + size_of(end) <= kMostMessageBytes)
        bytes += size_of(end++);
    return end;
}

/// How many messages are set, the first kMostMessages at most, or -1 with errno.
[[nodiscard]] int receive_datagrams(int fd, std::span<IncomingMessage> messages);
/// How many messages the kernel has taken, or -1 with errno when it took none.
[[nodiscard]] int send_datagrams(int fd, std::span<const OutgoingMessage> messages);

}  // namespace farlink::cla
