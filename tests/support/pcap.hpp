// SPDX-License-Identifier: Apache-2.0
// A capture file as tshark reads it: each datagram in an Ethernet, IPv4 and UDP packet of its own.
// Built in memory by the test that writes it to a file.
// Plain functions, one thread. Checksums stay 0, which readers take as "not computed".
#pragma once

#include <cstdint>
#include <span>

#include "common/base/bytes.hpp"

namespace farlink::test {

namespace pcap {

inline constexpr std::size_t kEthernetBytes = 14;
inline constexpr std::size_t kIpBytes = 20;
inline constexpr std::size_t kUdpBytes = 8;
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

/// One packet from loopback to loopback; `second` is its time.
inline void append_datagram(Bytes &to, std::uint32_t second, std::uint16_t port, ByteView payload) {
    const auto udp = static_cast<std::uint16_t>(kUdpBytes + payload.size());
    const auto ip = static_cast<std::uint16_t>(kIpBytes + udp);
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
    append_be<std::uint32_t>(to, 0);       // not a fragment
    append_be<std::uint16_t>(to, 0x4011);  // 64 hops, UDP
    append_be<std::uint16_t>(to, 0);
    append_be<std::uint32_t>(to, kLoopback);
    append_be<std::uint32_t>(to, kLoopback);

    append_be<std::uint16_t>(to, port);
    append_be<std::uint16_t>(to, port);
    append_be<std::uint16_t>(to, udp);
    append_be<std::uint16_t>(to, 0);
    append(to, payload);
}

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

}  // namespace farlink::test
