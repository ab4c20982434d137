// SPDX-License-Identifier: Apache-2.0
// A capture file as tshark reads it: datagrams, or a TCP connection, in Ethernet and IPv4 packets.
// Built in memory by the test that writes it to a file.
// Plain functions, one thread. Checksums stay 0, which readers take as "not computed".
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "common/base/bytes.hpp"

namespace farlink::test {

namespace pcap {

inline constexpr std::size_t kEthernetBytes = 14;
inline constexpr std::size_t kIpBytes = 20;
inline constexpr std::size_t kUdpBytes = 8;
inline constexpr std::size_t kTcpBytes = 20;
/// The largest payload of a UDP datagram over IPv4.
inline constexpr std::size_t kMaxDatagramBytes = 65535 - kIpBytes - kUdpBytes;

template <class Integer>
void append_be(Bytes &to, Integer value) {
    to.resize(to.size() + sizeof value);
    store_be(to.data() + to.size() - sizeof value, value);
}

/// The file's header; its magic number says that integers are big-endian, times in microseconds.
inline void append_file_header(Bytes &to) {
    constexpr std::uint32_t kMagic = 0xa1b2c3d4;
    constexpr std::uint32_t kEthernet = 1;
    append_be<std::uint32_t>(to, kMagic);
    append_be<std::uint16_t>(to, 2);  // version 2.4
    append_be<std::uint16_t>(to, 4);
    append_be<std::uint32_t>(to, 0);  // time zone, accuracy: unused
    append_be<std::uint32_t>(to, 0);
    append_be<std::uint32_t>(to, 0x40000);  // longest packet
    append_be<std::uint32_t>(to, kEthernet);
}

/// The headers in front of the transport's header, from loopback to loopback, at time `second`.
inline void append_ip(Bytes &to, std::uint32_t second, std::uint8_t protocol,
                      std::size_t transport_bytes) {
    const auto ip = static_cast<std::uint16_t>(kIpBytes + transport_bytes);
    const auto frame = static_cast<std::uint32_t>(kEthernetBytes + ip);
    constexpr std::uint32_t kLoopback = 0x7f000001;

    append_be<std::uint32_t>(to, second);
    append_be<std::uint32_t>(to, 0);  // microseconds
    append_be<std::uint32_t>(to, frame);
    append_be<std::uint32_t>(to, frame);

    to.insert(to.end(), 2 * std::size_t{6}, 0);  // Ethernet: to, from
    append_be<std::uint16_t>(to, 0x0800);        // IPv4

    append_be<std::uint16_t>(to, 0x4500);  // version 4, five words of header
    append_be<std::uint16_t>(to, ip);
    append_be<std::uint32_t>(to, 0);                                              // not a fragment
    append_be<std::uint16_t>(to, static_cast<std::uint16_t>(0x4000 | protocol));  // 64 hops
    append_be<std::uint16_t>(to, 0);
    append_be<std::uint32_t>(to, kLoopback);
    append_be<std::uint32_t>(to, kLoopback);
}

/// One datagram.
inline void append_datagram(Bytes &to, std::uint32_t second, std::uint16_t port, ByteView payload) {
    constexpr std::uint8_t kUdp = 17;
    const auto udp = static_cast<std::uint16_t>(kUdpBytes + payload.size());
    append_ip(to, second, kUdp, udp);
    append_be<std::uint16_t>(to, port);
    append_be<std::uint16_t>(to, port);
    append_be<std::uint16_t>(to, udp);
    append_be<std::uint16_t>(to, 0);
    append(to, payload);
}

/// A TCP connection, packet by packet; both sides' numbers begin at 0.
class TcpConnection {
public:
    TcpConnection(Bytes &to, std::uint16_t port) : to_(to), port_(port) {
        append(true, kSyn, {});
        append(false, kSyn | kAck, {});
        append(true, kAck, {});
    }
    /// Octets of the side that opened it, or of the other.
    void append(bool opener, ByteView octets) {
        while (!octets.empty()) {
            const ByteView piece = octets.first(std::min(octets.size(), kMostBytes));
            append(opener, kAck | kPush, piece);
            octets = octets.subspan(piece.size());
        }
    }

private:
    static constexpr std::uint16_t kSyn = 0x02;
    static constexpr std::uint16_t kPush = 0x08;
    static constexpr std::uint16_t kAck = 0x10;
    static constexpr std::size_t kMostBytes = 60'000;

    void append(bool opener, std::uint16_t flags, ByteView octets) {
        constexpr std::uint8_t kTcp = 6;
        constexpr std::uint16_t kTheOtherPort = 40'000;
        append_ip(to_, second_++, kTcp, kTcpBytes + octets.size());
        append_be<std::uint16_t>(to_, opener ? kTheOtherPort : port_);
        append_be<std::uint16_t>(to_, opener ? port_ : kTheOtherPort);
        append_be<std::uint32_t>(to_, sent_[opener]);
        append_be<std::uint32_t>(to_, (flags & kAck) != 0 ? sent_[!opener] : 0);
        append_be<std::uint16_t>(to_, static_cast<std::uint16_t>(0x5000 | flags));
        append_be<std::uint16_t>(to_, 0xffff);  // window
        append_be<std::uint32_t>(to_, 0);       // checksum, urgent pointer
        farlink::append(to_, octets);
        sent_[opener] += static_cast<std::uint32_t>(octets.size()) + ((flags & kSyn) != 0 ? 1 : 0);
    }

    Bytes &to_;
    std::uint16_t port_;
    std::uint32_t second_ = 0;
    std::array<std::uint32_t, 2> sent_{};
};

}  // namespace pcap

/// A capture file with each of `datagrams` sent to UDP `port`, a second apart. A datagram has at
/// most pcap::kMaxDatagramBytes.
inline Bytes pcap_of_datagrams(std::span<const Bytes> datagrams, std::uint16_t port) {
    Bytes file;
    pcap::append_file_header(file);
    std::uint32_t second = 0;
    for (const Bytes &datagram : datagrams) pcap::append_datagram(file, second++, port, datagram);
    return file;
}

/// Octets that one side of a connection wrote at once.
struct Spoken {
    bool opener = false;  ///< the side that opened the connection
    Bytes octets;
};

/// A capture file with a TCP connection to `port`.
inline Bytes pcap_of_connection(std::span<const Spoken> dialogue, std::uint16_t port) {
    Bytes file;
    pcap::append_file_header(file);
    pcap::TcpConnection connection(file, port);
    for (const Spoken &spoken : dialogue) connection.append(spoken.opener, spoken.octets);
    return file;
}

}  // namespace farlink::test
