// SPDX-License-Identifier: Apache-2.0
#include "cla/udp/udp_socket.hpp"

#include <algorithm>
#include <array>

#include "cla/io/datagram_io.hpp"

namespace farlink::cla::udp {

int receive_messages(int fd, std::span<const UdpReceiver::Space> spaces,
                     std::span<InMessage> messages) {
    static_assert(UdpReceiver::kMaxMessages <= kMostMessages);
    std::array<IncomingMessage, UdpReceiver::kMaxMessages> incoming;
    const std::size_t most = std::min({spaces.size(), messages.size(), incoming.size()});
    for (std::size_t i = 0; i < most; ++i) {
        incoming[i].space = spaces[i].slot;
        incoming[i].spill = spaces[i].spill;
    }
    const int count = receive_datagrams(fd, std::span(incoming).first(most));
    for (std::size_t i = 0; count > 0 && i < static_cast<std::size_t>(count); ++i)
        messages[i] = {incoming[i].size, incoming[i].segment_size};
    return count;
}

int send_messages(int fd, std::span<const OutMessage> messages) {
    static_assert(UdpSender::kMaxMessages <= kMostMessages);
    std::array<OutgoingMessage, UdpSender::kMaxMessages> outgoing;
    messages = messages.first(std::min(messages.size(), outgoing.size()));
    for (std::size_t i = 0; i < messages.size(); ++i)
        outgoing[i] = {messages[i].pieces, messages[i].datagrams > 1 ? messages[i].segment_size : 0,
                       nullptr};
    return send_datagrams(fd, std::span(outgoing).first(messages.size()));
}

}  // namespace farlink::cla::udp
