// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/input/capture.hpp"

#include <algorithm>

#include "apps/bpinspect/input/stream_bundles.hpp"
#include "apps/bpinspect/input/tcp_streams.hpp"
#include "common/bp/parse.hpp"

namespace farlink::inspect {
namespace {

/// RFC 7122 section 3.4: a keepalive is four octets of zero.
bool is_keepalive(ByteView datagram) {
    return datagram.size() <= 4 && std::ranges::all_of(datagram, [](auto c) { return c == 0; });
}

class Capture {
public:
    Capture(const std::set<std::uint16_t> &ports, const OnFound &on_found)
        : ports_(ports), on_found_(on_found) {}

    void take(const Packet &packet) {
        Transport transport;
        switch (read_ip(packet, transport)) {
            case IpKind::kOther:
                return;
            case IpKind::kCut:
                ++cut_;
                return;
            case IpKind::kFragment:
                ++fragments_;
                return;
            case IpKind::kTransport:
                break;
        }
        if (transport.protocol == Transport::kTcp)
            streams_.add(transport, packet.number);
        else
            datagram(transport, packet.number);
    }

    void finish(Notes &notes) {
        for (const TcpStream &stream : streams_.take()) read(stream, notes);
        const auto note = [&notes](std::uint64_t count, const char *what) {
            if (count != 0) notes.push_back(std::to_string(count) + what);
        };
        note(cut_, " packets were not captured to their end");
        note(fragments_, " IP fragments were skipped: bpinspect does not join them");
        note(
            other_streams_,
            " TCP streams were skipped: they have no bundles, or their beginning was not captured");
    }

private:
    void datagram(const Transport &transport, std::uint64_t packet) {
        const ByteView octets = transport.payload;
        if (is_keepalive(octets)) return;
        const bool expected =
            ports_.contains(transport.source_port) || ports_.contains(transport.destination_port);
        if (!expected && !bp::parse({&octets, 1})) return;
        on_found_({"packet " + std::to_string(packet) + ", UDP from " + transport.source + " to " +
                       transport.destination,
                   Bytes(octets.begin(), octets.end())});
    }

    void read(const TcpStream &stream, Notes &notes) {
        const auto on_bundle = [&](StreamBundle bundle) {
            on_found_({"packet " + std::to_string(stream.packet_of(bundle.at)) + ", " +
                           std::string(bundle.protocol) + " from " + stream.name,
                       std::move(bundle.octets)});
        };
        const StreamResult result = read_stream(stream.octets, on_bundle);
        if (result.protocol.empty())
            ++other_streams_;
        else if (!result.fault.empty())
            notes.push_back(std::string(result.protocol) + " from " + stream.name + ": " +
                            std::string(result.fault) +
                            (stream.missing != 0 ? "; parts of the stream were not captured" : ""));
    }

    const std::set<std::uint16_t> &ports_;
    const OnFound &on_found_;
    TcpStreams streams_;
    std::uint64_t cut_ = 0;
    std::uint64_t fragments_ = 0;
    std::uint64_t other_streams_ = 0;
};

}  // namespace

bool read_capture(ByteView file, const std::set<std::uint16_t> &ports, const OnFound &on_found,
                  Notes &notes) {
    Capture capture(ports, on_found);
    const bool whole = read_packets(file, [&](const Packet &packet) { capture.take(packet); });
    capture.finish(notes);
    return whole;
}

}  // namespace farlink::inspect
