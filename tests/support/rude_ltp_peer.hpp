// SPDX-License-Identifier: Apache-2.0
// An LTP engine that cancels every block sent to it, always for the same reason: UNREACH (RFC 5326
// section 3.2.4) is what an engine sends whose node is not running.
// Owned by the test; a socket on the loopback interface, never blocking.
// One thread; it answers when the test calls it.
#pragma once

#include <set>
#include <utility>

#include "cla/ltp/core/codec/segment.hpp"
#include "tests/support/udp_peer.hpp"

namespace farlink::test {

class RudeLtpPeer {
public:
    /// Port 0 lets the system choose.
    explicit RudeLtpPeer(cla::ltp::CancelReason reason, std::uint16_t port = 0)
        : peer_(port), reason_(reason) {}

    [[nodiscard]] std::uint16_t port() const { return peer_.port(); }
    /// Cancels the sessions of all data segments that have arrived; returns the number of sessions
    /// since the start.
    std::size_t answer() {
        Bytes datagram(65'536);
        for (;;) {
            sockaddr_in from{};
            socklen_t size = sizeof from;
            auto *generic = reinterpret_cast<sockaddr *>(&from);
            const ssize_t got =
                ::recvfrom(peer_.fd(), datagram.data(), datagram.size(), 0, generic, &size);
            if (got < 0) return cancelled_.size();
            const auto segment =
                cla::ltp::decode_segment(ByteView(datagram).first(static_cast<std::size_t>(got)));
            if (!segment || !cla::ltp::is_data(segment->type)) continue;
            cancelled_.emplace(segment->originator, segment->session);
            peer_.send_to(ntohs(from.sin_port), cancel(segment->originator, segment->session));
        }
    }

private:
    [[nodiscard]] Bytes cancel(std::uint64_t originator, std::uint64_t session) const {
        Bytes octets(64);
        std::uint8_t *end = cla::ltp::encode_prefix(
            octets.data(), cla::ltp::SegmentType::kCancelByReceiver, originator, session);
        *end++ = static_cast<std::uint8_t>(reason_);
        octets.resize(static_cast<std::size_t>(end - octets.data()));
        return octets;
    }

    UdpPeer peer_;
    cla::ltp::CancelReason reason_;
    std::set<std::pair<std::uint64_t, std::uint64_t>> cancelled_;
};

}  // namespace farlink::test
