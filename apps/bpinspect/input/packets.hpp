// SPDX-License-Identifier: Apache-2.0
// The packets of a capture file, and what of IP they carry.
// Views borrow the octets of the file; plain functions.
// Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "apps/bpinspect/input/found.hpp"

namespace farlink::inspect {

/// A packet as it was captured.
struct Packet {
    std::uint64_t number = 0;     ///< from 1
    std::uint32_t link_type = 0;  ///< LINKTYPE_ of the capture file's format
    ByteView octets;
    bool cut = false;  ///< the capture has kept its beginning only
};

/// The file begins like a capture: pcap of either byte order, or pcapng.
[[nodiscard]] bool is_capture(ByteView file);
/// Calls `on_packet` for each packet; false where the file is damaged, or no capture.
bool read_packets(ByteView file, const std::function<void(const Packet &)> &on_packet);

/// What an IP packet carries: a UDP datagram or a TCP segment.
struct Transport {
    static constexpr std::uint8_t kTcp = 6;
    static constexpr std::uint8_t kUdp = 17;

    std::uint8_t protocol = 0;
    std::string source;  ///< "10.0.0.1:4556", "[::1]:4556"
    std::string destination;
    std::uint16_t source_port = 0;
    std::uint16_t destination_port = 0;
    std::uint32_t sequence = 0;  ///< of a TCP segment
    bool syn = false;
    bool fin = false;
    ByteView payload;
};

enum class IpKind : std::uint8_t {
    kOther,     ///< neither UDP nor TCP over IP
    kCut,       ///< the capture lacks its end
    kFragment,  ///< a part of an IP packet
    kTransport,
};

[[nodiscard]] IpKind read_ip(const Packet &packet, Transport &transport);

}  // namespace farlink::inspect
