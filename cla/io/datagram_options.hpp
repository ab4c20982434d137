// SPDX-License-Identifier: Apache-2.0
// Options and state of a UDP socket in the kernel: offloads, buffers, path MTU, drops, errors.
// Plain functions on a descriptor that a link owns.
// Called on the link's thread; none of them waits.
#pragma once

#include <cstdint>

namespace farlink::cla {

/// True where the kernel cuts a message into datagrams (UDP_SEGMENT, Linux 4.18).
[[nodiscard]] bool has_segmentation(int fd);
/// Asks the kernel to put datagrams of one flow together (UDP_GRO, Linux 5.0); false: it cannot.
bool enable_coalescing(int fd);

/// Asks for room for `bytes`, beyond the system's limit where the process may; returns what the
/// kernel gives.
std::uint64_t set_receive_buffer(int fd, std::uint64_t bytes);
std::uint64_t set_send_buffer(int fd, std::uint64_t bytes);

/// The largest datagram to the peer that IP does not fragment; the socket is connected. 0: unknown.
[[nodiscard]] std::uint32_t unfragmented_bytes(int fd, bool ipv6);
/// Datagrams that the kernel had no room for, since the socket exists; it wraps around.
[[nodiscard]] std::uint32_t dropped_datagrams(int fd);
/// The error that the network has reported for an earlier datagram (ICMP), once; 0: none.
[[nodiscard]] int pending_error(int fd);

}  // namespace farlink::cla
