// SPDX-License-Identifier: Apache-2.0
// Octets of a peer, given to a TCPCLv4 session at once and in pieces: both must come to the same.
// Input: an octet of circumstances, an octet that is the size of the pieces, the stream.
#include <memory>

#include "cla/tcpcl/v4/core/session.hpp"
#include "tests/support/core_host.hpp"

namespace {

using namespace farlink;
using cla::tcpclv4::Session;

// Bits of the first octet.
constexpr unsigned kActive = 1;
constexpr unsigned kStrict = 2;
constexpr unsigned kTls = 4;
constexpr unsigned kEstablished = 8;  ///< the stream begins behind the peer's SESS_INIT
constexpr unsigned kSending = 16;     ///< and bundles have been sent to it
constexpr unsigned kPaused = 32;

cla::SessionConfig config_of(unsigned bits) {
    cla::SessionConfig config;
    config.role = (bits & kActive) != 0 ? cla::SessionRole::kActive : cla::SessionRole::kPassive;
    config.node_id = "ipn:1.0";
    config.tls = (bits & kTls) != 0 ? cla::TlsPolicy::kOptional : cla::TlsPolicy::kNone;
    config.keep_alive = seconds(10);
    config.segment_mru = 4000;
    config.transfer_mru = 20'000;
    config.max_segment = 3000;
    config.max_unacknowledged = 10'000;
    config.max_unsent = 100'000;
    config.max_transfers = 10;
    config.strict = (bits & kStrict) != 0;
    return config;
}

/// What a stream led to.
struct Outcome {
    std::vector<Bytes> received;
    Bytes said;
    cla::LinkFault fault = cla::LinkFault::kNone;
    std::map<std::uint64_t, cla::Refusal> refused;
    std::uint64_t transmitted = 0;
};

/// A session that ends when both sides have agreed to hears nothing of what follows in a later
/// read, and answers what follows in the same one.
bool equal(const Outcome &whole, const Outcome &pieces) {
    const bool agreed = pieces.fault == cla::LinkFault::kPeerTerminated ||
                        pieces.fault == cla::LinkFault::kVersionMismatch ||
                        pieces.fault == cla::LinkFault::kTcpclVersion3 ||
                        pieces.fault == cla::LinkFault::kPeerRequiresTls ||
                        pieces.fault == cla::LinkFault::kContactFailure;
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
    if (host.established && (bits & kSending) != 0)
        host.send_all({Bytes(20), Bytes(7000), Bytes(2500), Bytes(1)}, {}, 2);
    Outcome outcome;
    outcome.said = host.drain({});
    host.core->handle_pause((bits & kPaused) != 0);
    while (!stream.empty() && !host.ended) {
        const ByteView part = stream.first(std::min(piece, stream.size()));
        host.feed(part, {});
        stream = stream.subspan(part.size());
        append(outcome.said, host.drain({}));
    }
    if (!host.ended && !host.received.empty())
        host.acknowledge(0, static_cast<std::uint32_t>(host.received.size()),
                         cla::TransferDisposition::kSafe, {});
    append(outcome.said, host.drain({}));
    if (!host.ended) host.peer_closed({});
    FARLINK_INVARIANT(host.ended && host.count(test::CoreHost::Kind::kEnded) == 1);
    host.buffer.rest();
    FARLINK_INVARIANT(host.pool.pinned_bytes() == 0);
    outcome.received = host.received;
    outcome.fault = host.fault;
    outcome.refused = host.refused;
    outcome.transmitted = host.transmitted;
    return outcome;
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
