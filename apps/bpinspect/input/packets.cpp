// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/input/packets.hpp"

#include <array>
#include <cstdio>
#include <optional>
#include <vector>

namespace farlink::inspect {
namespace {

constexpr std::uint32_t kSectionBlock = 0x0a0d0d0a;
constexpr std::uint32_t kByteOrder = 0x1a2b3c4d;
constexpr std::size_t kFileHeader = 24;
constexpr std::size_t kPacketHeader = 16;
constexpr std::size_t kBlockHeader = 8;
constexpr std::size_t kSmallestBlock = 12;

/// Numbers of a file in its byte order.
class Numbers {
public:
    explicit Numbers(bool swapped) : swapped_(swapped) {}
    [[nodiscard]] std::uint32_t u32(ByteView octets, std::size_t at) const {
        const auto value = load_be<std::uint32_t>(octets.data() + at);
        return swapped_ ? __builtin_bswap32(value) : value;
    }
    [[nodiscard]] std::uint16_t u16(ByteView octets, std::size_t at) const {
        const auto value = load_be<std::uint16_t>(octets.data() + at);
        return swapped_ ? __builtin_bswap16(value) : value;
    }

private:
    bool swapped_;
};

/// Microseconds or nanoseconds, in either byte order.
std::optional<bool> pcap_swapped(ByteView file) {
    if (file.size() < kFileHeader) return std::nullopt;
    switch (load_be<std::uint32_t>(file.data())) {
        case 0xa1b2c3d4:
        case 0xa1b23c4d:
            return false;
        case 0xd4c3b2a1:
        case 0x4d3cb2a1:
            return true;
        default:
            return std::nullopt;
    }
}

bool read_pcap(ByteView file, bool swapped, const std::function<void(const Packet &)> &on_packet) {
    const Numbers numbers(swapped);
    Packet packet;
    packet.link_type = numbers.u32(file, 20) & 0x0fffffff;
    ByteView left = file.subspan(kFileHeader);
    while (left.size() >= kPacketHeader) {
        const std::uint32_t kept = numbers.u32(left, 8);
        if (kept > left.size() - kPacketHeader) return false;
        ++packet.number;
        packet.octets = left.subspan(kPacketHeader, kept);
        packet.cut = kept < numbers.u32(left, 12);
        on_packet(packet);
        left = left.subspan(kPacketHeader + kept);
    }
    return left.empty();
}

/// The blocks of pcapng that carry packets, and those that describe interfaces.
class PcapngBlocks {
public:
    explicit PcapngBlocks(const std::function<void(const Packet &)> &on_packet)
        : on_packet_(on_packet) {}

    bool take(std::uint32_t type, ByteView body, const Numbers &numbers) {
        constexpr std::uint32_t kInterface = 1;
        constexpr std::uint32_t kSimplePacket = 3;
        constexpr std::uint32_t kEnhancedPacket = 6;
        if (type == kSectionBlock) link_types_.clear();
        if (type == kInterface && body.size() >= 8) link_types_.push_back(numbers.u16(body, 0));
        if (type == kSimplePacket && body.size() >= 4)
            return packet(0, body.subspan(4), numbers.u32(body, 0), numbers.u32(body, 0));
        if (type == kEnhancedPacket && body.size() >= 20)
            return packet(numbers.u32(body, 0), body.subspan(20), numbers.u32(body, 12),
                          numbers.u32(body, 16));
        return true;
    }

private:
    bool packet(std::uint32_t interface, ByteView octets, std::uint32_t kept,
                std::uint32_t original) {
        if (interface >= link_types_.size()) return false;
        const std::size_t size = std::min<std::size_t>(kept, octets.size());
        on_packet_({++number_, link_types_[interface], octets.first(size), size < original});
        return true;
    }

    const std::function<void(const Packet &)> &on_packet_;
    std::vector<std::uint32_t> link_types_;
    std::uint64_t number_ = 0;
};

bool read_pcapng(ByteView file, const std::function<void(const Packet &)> &on_packet) {
    PcapngBlocks blocks(on_packet);
    bool swapped = false;
    while (file.size() >= kSmallestBlock) {
        const auto raw_type = load_be<std::uint32_t>(file.data());
        if (raw_type == kSectionBlock)
            swapped = load_be<std::uint32_t>(file.data() + kBlockHeader) != kByteOrder;
        const Numbers numbers(swapped);
        const std::uint32_t length = numbers.u32(file, 4);
        if (length < kSmallestBlock || length % 4 != 0 || length > file.size()) return false;
        const ByteView body = file.subspan(kBlockHeader, length - kSmallestBlock);
        if (!blocks.take(numbers.u32(file, 0), body, numbers)) return false;
        file = file.subspan(length);
    }
    return file.empty();
}

constexpr std::uint16_t kIpv4 = 0x0800;
constexpr std::uint16_t kIpv6 = 0x86dd;

std::uint16_t u16(ByteView octets, std::size_t at) {
    return at + 2 <= octets.size() ? load_be<std::uint16_t>(octets.data() + at) : 0;
}

/// The IP packet in a frame; empty where there is none.
ByteView ip_in(const Packet &packet) {
    const auto behind = [&](std::size_t header) {
        return packet.octets.size() > header ? packet.octets.subspan(header) : ByteView();
    };
    std::size_t type_at = 0;
    switch (packet.link_type) {
        case 0:    // BSD loopback
        case 108:  // OpenBSD loopback
            return behind(4);
        case 12:
        case 14:
        case 101:
        case 228:
        case 229:
            return packet.octets;
        case 1:  // Ethernet
            type_at = 12;
            // IEEE 802.1Q: tags precede the type.
            while (u16(packet.octets, type_at) == 0x8100 || u16(packet.octets, type_at) == 0x88a8)
                type_at += 4;
            break;
        case 113:  // Linux "cooked" capture
            type_at = 14;
            break;
        case 276: {  // the same, version 2
            const std::uint16_t type = u16(packet.octets, 0);
            return type == kIpv4 || type == kIpv6 ? behind(20) : ByteView();
        }
        default:
            return {};
    }
    const std::uint16_t type = u16(packet.octets, type_at);
    return type == kIpv4 || type == kIpv6 ? behind(type_at + 2) : ByteView();
}

std::string address4(ByteView octets) {
    std::string text;
    for (const std::uint8_t octet : octets)
        text += (text.empty() ? "" : ".") + std::to_string(octet);
    return text;
}

/// Without the short form for zeros.
std::string address6(ByteView octets) {
    std::string text = "[";
    for (std::size_t at = 0; at < octets.size(); at += 2) {
        std::array<char, 8> group{};
        std::snprintf(group.data(), group.size(), "%s%x", at == 0 ? "" : ":", u16(octets, at));
        text += group.data();
    }
    return text + "]";
}

/// The IP header: what follows, and between whom.
struct IpHeader {
    std::uint8_t protocol = 0;
    std::string source;
    std::string destination;
    ByteView content;
};

IpKind read_ipv4(ByteView ip, bool cut, IpHeader &header) {
    constexpr std::size_t kLeast = 20;
    if (ip.size() < kLeast) return cut ? IpKind::kCut : IpKind::kOther;
    const std::size_t head = std::size_t{4} * (ip[0] & 15U);
    std::size_t total = u16(ip, 2);
    if (total == 0) total = ip.size();  // left to the network adapter
    if (head < kLeast || total < head) return IpKind::kOther;
    if (total > ip.size()) return IpKind::kCut;
    if ((u16(ip, 6) & 0x3fff) != 0) return IpKind::kFragment;
    header = {ip[9], address4(ip.subspan(12, 4)), address4(ip.subspan(16, 4)),
              ip.subspan(head, total - head)};
    return IpKind::kTransport;
}

IpKind read_ipv6(ByteView ip, bool cut, IpHeader &header) {
    constexpr std::size_t kIpv6Head = 40;
    constexpr std::uint8_t kFragmentHeader = 44;
    if (ip.size() < kIpv6Head) return cut ? IpKind::kCut : IpKind::kOther;
    std::size_t length = u16(ip, 4);
    if (length == 0) length = ip.size() - kIpv6Head;
    if (length > ip.size() - kIpv6Head) return IpKind::kCut;
    std::uint8_t next = ip[6];
    ByteView content = ip.subspan(kIpv6Head, length);
    // RFC 8200 section 4: hop-by-hop, routing and destination options.
    while ((next == 0 || next == 43 || next == 60) && content.size() >= 8) {
        const std::size_t size = 8 + std::size_t{8} * content[1];
        if (size > content.size()) return IpKind::kOther;
        next = content[0];
        content = content.subspan(size);
    }
    if (next == kFragmentHeader) return IpKind::kFragment;
    header = {next, address6(ip.subspan(8, 16)), address6(ip.subspan(24, 16)), content};
    return IpKind::kTransport;
}

bool read_transport(const IpHeader &header, Transport &transport) {
    const ByteView octets = header.content;
    const bool tcp = header.protocol == Transport::kTcp;
    const std::size_t least = tcp ? 20 : 8;
    if ((!tcp && header.protocol != Transport::kUdp) || octets.size() < least) return false;
    transport.protocol = header.protocol;
    transport.source_port = u16(octets, 0);
    transport.destination_port = u16(octets, 2);
    transport.source = header.source + ':' + std::to_string(transport.source_port);
    transport.destination = header.destination + ':' + std::to_string(transport.destination_port);
    std::size_t head = least;
    std::size_t total = octets.size();
    if (tcp) {
        head = std::size_t{4} * (octets[12] >> 4);
        transport.sequence = load_be<std::uint32_t>(octets.data() + 4);
        transport.syn = (octets[13] & 0x02) != 0;
        transport.fin = (octets[13] & 0x01) != 0;
    } else if (u16(octets, 4) != 0) {
        total = u16(octets, 4);
    }
    if (head < least || total < head || total > octets.size()) return false;
    transport.payload = octets.subspan(head, total - head);
    return true;
}

}  // namespace

bool is_capture(ByteView file) {
    return pcap_swapped(file).has_value() ||
           (file.size() >= kSmallestBlock && load_be<std::uint32_t>(file.data()) == kSectionBlock);
}

bool read_packets(ByteView file, const std::function<void(const Packet &)> &on_packet) {
    if (const auto swapped = pcap_swapped(file)) return read_pcap(file, *swapped, on_packet);
    return is_capture(file) && read_pcapng(file, on_packet);
}

IpKind read_ip(const Packet &packet, Transport &transport) {
    const ByteView ip = ip_in(packet);
    if (ip.empty()) return packet.cut ? IpKind::kCut : IpKind::kOther;
    const unsigned version = ip[0] >> 4;
    if (version != 4 && version != 6) return IpKind::kOther;
    IpHeader header;
    const IpKind kind =
        version == 4 ? read_ipv4(ip, packet.cut, header) : read_ipv6(ip, packet.cut, header);
    if (kind != IpKind::kTransport) return kind;
    return read_transport(header, transport) ? IpKind::kTransport : IpKind::kOther;
}

}  // namespace farlink::inspect
