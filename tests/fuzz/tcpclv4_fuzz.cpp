// SPDX-License-Identifier: Apache-2.0
// Octets of a peer, given to a TCPCLv4 session at once and in pieces: both must come to the same.
// Input: an octet of circumstances, an octet that is the size of the pieces, the stream.
#include <memory>

#include "cla/tcpcl/v4/core/session.hpp"
#include "tests/fuzz/session_pieces.hpp"

namespace {

using namespace farlink;
using cla::tcpclv4::Session;
using Outcome = test::PiecesOutcome;

// Bits of the first octet.
constexpr unsigned kActive = 1;
constexpr unsigned kStrict = 2;
constexpr unsigned kTls = 4;
constexpr unsigned kEstablished = 8;  ///< the stream begins behind the peer's SESS_INIT
constexpr unsigned kSending = 16;     ///< and bundles have been sent to it
constexpr unsigned kPaused = 32;

cla::SessionConfig config_of(unsigned bits) {
    cla::SessionConfig config = test::small_session();
    config.role = (bits & kActive) != 0 ? cla::SessionRole::kActive : cla::SessionRole::kPassive;
    config.tls = (bits & kTls) != 0 ? cla::TlsPolicy::kOptional : cla::TlsPolicy::kNone;
    config.segment_mru = 4000;
    config.strict = (bits & kStrict) != 0;
    return config;
}

/// A session that ends when both sides have agreed to hears nothing of what follows in a later
/// read, and answers what follows in the same one.
bool equal(const Outcome &whole, const Outcome &pieces) {
    const bool agreed = pieces.fault == cla::LinkFault::kPeerTerminated ||
                        pieces.fault == cla::LinkFault::kVersionMismatch ||
                        pieces.fault == cla::LinkFault::kTcpclVersion3 ||
                        pieces.fault == cla::LinkFault::kPeerRequiresTls ||
                        pieces.fault == cla::LinkFault::kPeerRefusedSession;
    const bool same_words =
        agreed ? whole.said.size() >= pieces.said.size() &&
                     std::ranges::equal(pieces.said, ByteView(whole.said).first(pieces.said.size()))
               : whole.said == pieces.said && whole.fault == pieces.fault;
    return same_words && whole.received == pieces.received && whole.refused == pieces.refused &&
           whole.transmitted == pieces.transmitted;
}

void establish(test::CoreHost &host) {
    constexpr std::uint8_t kPeer[] = {'d', 't', 'n', '!', 4,   0,   7,   0,   5, 0, 0, 0, 0,
                                      0,   1,   0,   0,   0,   0,   0,   0,   0, 1, 0, 0, 0,
                                      7,   'i', 'p', 'n', ':', '9', '.', '0', 0, 0, 0, 0};
    host.feed(kPeer, {});
    FARLINK_INVARIANT(host.established);
}

Outcome outcome_of(unsigned bits, ByteView stream, std::size_t piece) {
    test::CoreHost host(std::make_unique<Session>(config_of(bits), UpstreamId{1}), 32 * 1024);
    host.core->handle_connected({});
    if ((bits & kEstablished) != 0) establish(host);
    if (host.established && (bits & kSending) != 0) test::send_some(host);
    Bytes said = host.drain({});
    host.core->handle_pause((bits & kPaused) != 0);
    return test::feed_pieces(host, stream, piece, std::move(said));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size < 2) return 0;
    const ByteView stream(data + 2, size - 2);
    const Outcome whole = outcome_of(data[0], stream, ~std::size_t{0});
    const Outcome pieces = outcome_of(data[0], stream, std::size_t{data[1]} + 1);
    FARLINK_INVARIANT(equal(whole, pieces));
    return 0;
}
