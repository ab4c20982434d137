// SPDX-License-Identifier: Apache-2.0
// A TCPCLv4 sender without manners: Nagle's algorithm is on, and each message is written in pieces,
// first two octets, then the rest, which its kernel keeps until the two are acknowledged.
// Owned by the test, which calls pump() until all is done. One thread.
// It keeps a few transfers in flight, as a peer with a small window does.
#pragma once

#include "cla/tcpclv4/core/message.hpp"
#include "tests/support/hand_made.hpp"
#include "tests/support/tcp_peer.hpp"
#include "tests/support/tcpclv4_stream.hpp"

namespace farlink::test {

class RudeNagleSender {
public:
    static constexpr std::uint64_t kWindow = 5;

    RudeNagleSender(std::uint16_t port, std::uint64_t bundles, Bytes bundle)
        : peer_(TcpPeer::connect(port)), bundles_(bundles), bundle_(std::move(bundle)) {
        peer_.send(v4::contact());
        peer_.send(v4::session_init(1 << 20, 1 << 20));
    }

    /// Reads answers, and sends as the window allows. True when every bundle is acknowledged.
    bool pump() {
        const Bytes answers = peer_.receive();
        for (ByteView rest(answers); !rest.empty();) {
            const auto taken = stream_.take(rest);
            rest = rest.subspan(taken.octets);
            if (!taken.complete) break;
            using cla::tcpclv4::MessageType;
            if (stream_.type() == MessageType::kSessInit) open_ = true;
            if (stream_.type() == MessageType::kXferAck) ++acknowledged_;
        }
        while (open_ && sent_ < bundles_ && sent_ - acknowledged_ < kWindow) send_one();
        return acknowledged_ == bundles_;
    }
    [[nodiscard]] std::uint64_t acknowledged() const { return acknowledged_; }
    [[nodiscard]] int fd() const { return peer_.fd(); }

private:
    void send_one() {
        constexpr std::uint8_t kStartAndEnd = 3;
        Bytes message = v4::segment_head(kStartAndEnd, sent_++, bundle_.size());
        append(message, bundle_);
        peer_.send(ByteView(message).first(2));
        peer_.send(ByteView(message).subspan(2));
    }

    TcpPeer peer_;
    Tcpclv4Stream stream_;
    std::uint64_t bundles_;
    Bytes bundle_;
    std::uint64_t sent_ = 0;
    std::uint64_t acknowledged_ = 0;
    bool open_ = false;
};

}  // namespace farlink::test
