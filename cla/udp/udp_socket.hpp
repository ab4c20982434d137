// SPDX-License-Identifier: Apache-2.0
// The system calls of UDP: many messages of one peer at once, with the offloads.
// Plain functions on a descriptor that a link owns.
// Called on the link's thread; none of them waits.
#pragma once

#include <cstdint>
#include <span>

#include "cla/udp/core/udp_receiver.hpp"
#include "cla/udp/core/udp_sender.hpp"

namespace farlink::cla::udp {

/// Reads what is there into `spaces`; returns how many `messages` are set, or -1 with errno.
[[nodiscard]] int receive_messages(int fd, std::span<const UdpReceiver::Space> spaces,
                                   std::span<InMessage> messages);
/// Returns how many messages the kernel has taken, or -1 with errno when it took none.
[[nodiscard]] int send_messages(int fd, std::span<const OutMessage> messages);

}  // namespace farlink::cla::udp
