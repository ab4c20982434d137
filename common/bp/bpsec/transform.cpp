// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/transform.hpp"

#include <algorithm>
#include <array>

#include "common/bp/bpsec/crypto/secret.hpp"

namespace farlink::bp::bpsec {

void transform_pieces(Gcm &gcm, std::span<const ByteView> from, std::uint64_t size,
                      std::span<const MutableBytes> room, std::vector<ByteView> &made) {
    std::size_t at = 0;    // of `room`
    std::size_t used = 0;  // octets of room[at]
    for_each_piece(from, 0, size, [&](ByteView piece) {
        while (!piece.empty()) {
            if (used == room[at].size()) {
                ++at;
                used = 0;
                continue;
            }
            const std::size_t part = std::min(piece.size(), room[at].size() - used);
            std::uint8_t *const to = room[at].data() + used;
            gcm.transform(piece.first(part), to);
            made.emplace_back(to, part);
            used += part;
            piece = piece.subspan(part);
        }
    });
}

void transform_and_drop(Gcm &gcm, std::span<const ByteView> from, std::uint64_t size) {
    std::array<std::uint8_t, 4096> dropped;
    for_each_piece(from, 0, size, [&](ByteView piece) {
        while (!piece.empty()) {
            const std::size_t part = std::min(piece.size(), dropped.size());
            gcm.transform(piece.first(part), dropped.data());
            piece = piece.subspan(part);
        }
    });
    wipe(dropped);
}

}  // namespace farlink::bp::bpsec
