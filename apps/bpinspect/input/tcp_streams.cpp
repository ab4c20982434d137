// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/input/tcp_streams.hpp"

#include <utility>

namespace farlink::inspect {

std::uint64_t TcpStream::packet_of(std::uint64_t at) const {
    auto found = packets.upper_bound(at);
    return found == packets.begin() ? 0 : (--found)->second;
}

void TcpStreams::append(Side &side, std::uint64_t at, ByteView octets, std::uint64_t packet) {
    Bytes &all = side.stream.octets;
    const std::uint64_t known = all.size() - at;  // repeated
    if (known >= octets.size()) return;
    side.stream.packets.emplace(all.size(), packet);
    farlink::append(all, octets.subspan(known));
}

void TcpStreams::join(Side &side) {
    while (!side.ahead.empty() && side.ahead.begin()->first <= side.stream.octets.size()) {
        const auto piece = side.ahead.extract(side.ahead.begin());
        append(side, piece.key(), piece.mapped().octets, piece.mapped().packet);
    }
}

void TcpStreams::add(const Transport &segment, std::uint64_t packet) {
    const std::string name = segment.source + " to " + segment.destination;
    const auto found = latest_.find(name);
    const bool known = found != latest_.end();
    // A connection may use the ports of an earlier one again.
    const bool again = known && segment.syn && !sides_[found->second].stream.octets.empty();
    if (!known || again) {
        if (!segment.syn && segment.payload.empty()) return;
        latest_[name] = sides_.size();
        Side side;
        side.stream.name = name;
        side.stream.from_start = segment.syn;
        side.first = segment.sequence + (segment.syn ? 1 : 0);
        sides_.push_back(std::move(side));
    }
    Side &side = sides_[latest_[name]];
    if (segment.payload.empty()) return;
    const std::uint32_t sequence = segment.sequence + (segment.syn ? 1 : 0);
    const auto expected = static_cast<std::uint32_t>(side.first + side.stream.octets.size());
    const auto ahead = static_cast<std::int32_t>(sequence - expected);
    const auto at = static_cast<std::int64_t>(side.stream.octets.size()) + ahead;
    if (at < 0) return;  // in front of the first segment of the capture
    if (ahead > 0) {
        Piece &piece = side.ahead[static_cast<std::uint64_t>(at)];
        if (piece.octets.size() < segment.payload.size())
            piece = {Bytes(segment.payload.begin(), segment.payload.end()), packet};
        return;
    }
    append(side, static_cast<std::uint64_t>(at), segment.payload, packet);
    join(side);
}

std::vector<TcpStream> TcpStreams::take() {
    std::vector<TcpStream> streams;
    for (Side &side : sides_) {
        for (const auto &[at, piece] : side.ahead) side.stream.missing += piece.octets.size();
        if (!side.stream.octets.empty()) streams.push_back(std::move(side.stream));
    }
    sides_.clear();
    latest_.clear();
    return streams;
}

}  // namespace farlink::inspect
