// SPDX-License-Identifier: Apache-2.0
// Octets of a peer, given to a TCPCLv3 session at once and in pieces: both must come to the same.
// Input: an octet of circumstances, an octet that is the size of the pieces, the stream.
#include <memory>

#include "cla/tcpcl/v3/core/session.hpp"
#include "tests/fuzz/session_pieces.hpp"

namespace {

using namespace farlink;
using cla::tcpclv3::Session;
using Outcome = test::PiecesOutcome;

// Bits of the first octet.
constexpr unsigned kStrict = 1;
constexpr unsigned kOpen = 2;     ///< the stream begins behind the peer's contact header
constexpr unsigned kPlain = 4;    ///< which asks for nothing
constexpr unsigned kSending = 8;  ///< bundles have been sent to the peer
constexpr unsigned kPaused = 16;
constexpr unsigned kStarving = 32;  ///< there is no slab
constexpr unsigned kLeaving = 64;   ///< the host has ended the session

cla::SessionConfig config_of(unsigned bits) {
    cla::SessionConfig config = test::small_session();
    config.strict = (bits & kStrict) != 0;
    return config;
}

/// Of a session that ends in agreement nothing later is read; what stands behind its end in the
/// same read still is. The SHUTDOWN of a side that leaves stands behind the answers to one read:
/// its place among them depends on the pieces, and the peer's may end the session before it.
bool equal(const Outcome &whole, const Outcome &pieces, bool leaving) {
    const bool agreed =
        pieces.fault == cla::LinkFault::kPeerTerminated || pieces.fault == cla::LinkFault::kNone;
    if (agreed) return whole.received == pieces.received;
    const bool same_words = leaving || whole.said == pieces.said;
    return whole.received == pieces.received && same_words && whole.fault == pieces.fault &&
           whole.refused == pieces.refused && whole.transmitted == pieces.transmitted;
}

void open(test::CoreHost &host, unsigned bits) {
    std::uint8_t peer[] = {'d', 't', 'n', '!', 3, 0xf, 0, 7, 7, 'i', 'p', 'n', ':', '9', '.', '0'};
    if ((bits & kPlain) != 0) peer[5] = 0;
    host.feed(peer, {});
    FARLINK_INVARIANT(host.established);
    if ((bits & kSending) != 0) test::send_some(host);
}

Outcome outcome_of(unsigned bits, ByteView stream, std::size_t piece) {
    test::CoreHost host(std::make_unique<Session>(config_of(bits), UpstreamId{1}), 16 * 1024,
                        64 * 1024);
    host.core->handle_connected({});
    if ((bits & kOpen) != 0) open(host, bits);
    Bytes said = host.drain({});
    host.core->handle_pause((bits & kPaused) != 0);
    std::vector<SlabRef> hoard;
    while ((bits & kStarving) != 0 && (hoard.empty() || hoard.back()))
        hoard.push_back(host.pool.acquire());
    if ((bits & kLeaving) != 0) host.terminate({});
    return test::feed_pieces(host, stream, piece, std::move(said), std::move(hoard));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size < 2) return 0;
    const ByteView stream(data + 2, size - 2);
    const Outcome whole = outcome_of(data[0], stream, ~std::size_t{0});
    const Outcome pieces = outcome_of(data[0], stream, std::size_t{data[1]} + 1);
    FARLINK_INVARIANT(equal(whole, pieces, (data[0] & kLeaving) != 0));
    return 0;
}
