// SPDX-License-Identifier: Apache-2.0
// A TCPCL sender with Nagle's algorithm, which writes each message in two pieces: first two octets,
// then the rest, which its kernel keeps until the two are acknowledged.
// Owned by the test, which calls pump() until all is done. One thread.
// It keeps a few transfers in flight, like a peer with a small window. For comparison, an option
// makes it write each message in one piece.
#pragma once

#include <netinet/tcp.h>

#include <functional>

#include "cla/tcpcl/v3/core/message.hpp"
#include "cla/tcpcl/v4/core/message.hpp"
#include "tests/support/hand_made.hpp"
#include "tests/support/tcp_peer.hpp"
#include "tests/support/tcpclv4_stream.hpp"

namespace farlink::test {

class RudeNagleSender {
public:
    static constexpr std::uint64_t kWindow = 5;

    struct Options {
        bool v3 = false;  ///< TCPCLv3, else TCPCLv4
        bool with_manners = false;
    };
    /// The octets of a bundle by its number.
    using Make = std::function<Bytes(std::uint64_t)>;

    RudeNagleSender(std::uint16_t port, std::uint64_t bundles, Make make, const Options &options)
        : peer_(TcpPeer::connect(port)),
          options_(options),
          bundles_(bundles),
          make_(std::move(make)) {
        const int at_once = options.with_manners ? 1 : 0;
        ::setsockopt(peer_.fd(), IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
        peer_.send(options.v3 ? v3::contact() : v4::opening());
    }
    RudeNagleSender(std::uint16_t port, std::uint64_t bundles, const Bytes &bundle)
        : RudeNagleSender(port, bundles, [bundle](std::uint64_t) { return bundle; }, Options{}) {}

    /// Reads answers, and sends as the window allows. True when every bundle is acknowledged.
    bool pump() {
        append(received_at_, peer_.receive());
        if (options_.v3)
            take_v3();
        else
            take_v4();
        while (open_ && sent_ < bundles_ && sent_ - acknowledged_ < kWindow) send_one();
        return acknowledged_ == bundles_;
    }
    [[nodiscard]] std::uint64_t acknowledged() const { return acknowledged_; }
    [[nodiscard]] int fd() const { return peer_.fd(); }

private:
    void take_v4() {
        using cla::tcpclv4::MessageType;
        for (ByteView rest(received_at_); !rest.empty();) {
            const auto taken = stream_.take(rest);
            rest = rest.subspan(taken.octets);
            if (!taken.complete) break;
            if (stream_.type() == MessageType::kSessInit) open_ = true;
            if (stream_.type() == MessageType::kXferAck) ++acknowledged_;
        }
        received_at_.clear();
    }
    void take_v3() {
        constexpr std::size_t kIdLengthAt = 8;
        ByteView rest(received_at_);
        if (!open_ && rest.size() > kIdLengthAt && rest.size() > kIdLengthAt + rest[kIdLengthAt]) {
            open_ = true;
            rest = rest.subspan(kIdLengthAt + 1 + rest[kIdLengthAt]);
        }
        while (open_ && !rest.empty()) {
            const auto head = cla::tcpclv3::decode_head(rest);
            if (!head) break;
            if (head->type == cla::tcpclv3::MessageType::kAckSegment) ++acknowledged_;
            rest = rest.subspan(head->size);
        }
        received_at_.erase(received_at_.begin(),
                           received_at_.end() - static_cast<std::ptrdiff_t>(rest.size()));
    }
    void send_one() {
        constexpr unsigned kStartAndEnd = 3;
        constexpr std::size_t kFirst = 2;
        const Bytes bundle = make_(sent_);
        Bytes message = options_.v3 ? v3::segment_head(kStartAndEnd, bundle.size())
                                    : v4::segment_head(kStartAndEnd, sent_, bundle.size());
        ++sent_;
        append(message, bundle);
        if (!options_.with_manners) peer_.send(ByteView(message).first(kFirst));
        peer_.send(ByteView(message).subspan(options_.with_manners ? 0 : kFirst));
    }

    TcpPeer peer_;
    Options options_;
    std::uint64_t bundles_;
    Make make_;
    Tcpclv4Stream stream_;
    Bytes received_at_;
    std::uint64_t sent_ = 0;
    std::uint64_t acknowledged_ = 0;
    bool open_ = false;
};

}  // namespace farlink::test
