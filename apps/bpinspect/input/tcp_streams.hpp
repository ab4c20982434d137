// SPDX-License-Identifier: Apache-2.0
// Joins captured TCP segments to the octets that each side of each connection has sent.
// Owned by the reader of one capture.
// One thread. Segments may be repeated, overlap, or be captured in any order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "apps/bpinspect/input/packets.hpp"

namespace farlink::inspect {

/// What one side of a connection has sent.
struct TcpStream {
    std::string name;  ///< "10.0.0.1:40000 to 10.0.0.2:4556"
    Bytes octets;      ///< up to the first that is missing
    bool from_start = false;
    std::uint64_t missing = 0;  ///< octets behind the gap that were captured

    /// The packet in which octet `at` was captured.
    [[nodiscard]] std::uint64_t packet_of(std::uint64_t at) const;

    std::map<std::uint64_t, std::uint64_t> packets;  ///< by the first octet of each
};

class TcpStreams {
public:
    void add(const Transport &segment, std::uint64_t packet);
    /// All streams, in the order of their first packets.
    [[nodiscard]] std::vector<TcpStream> take();

private:
    struct Piece {
        Bytes octets;
        std::uint64_t packet = 0;
    };
    struct Side {
        TcpStream stream;
        std::uint32_t first = 0;               ///< sequence number of octet 0
        std::map<std::uint64_t, Piece> ahead;  ///< by their octet in the stream
    };

    static void append(Side &side, std::uint64_t at, ByteView octets, std::uint64_t packet);
    static void join(Side &side);

    std::vector<Side> sides_;
    std::map<std::string, std::size_t> latest_;  ///< by the name of the stream
};

}  // namespace farlink::inspect
