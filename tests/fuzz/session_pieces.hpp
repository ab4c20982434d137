// SPDX-License-Identifier: Apache-2.0
// What a stream of octets leads to in a TCPCL session, given in pieces of one size.
// Owned by a fuzz target; virtual time, one thread.
// The session ends with the stream, and then holds no memory.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "tests/support/core_host.hpp"

namespace farlink::test {

struct PiecesOutcome {
    std::vector<Bytes> received;
    Bytes said;
    cla::LinkFault fault = cla::LinkFault::kNone;
    std::map<std::uint64_t, cla::Refusal> refused;
    std::uint64_t transmitted = 0;
};

/// Small limits, so that streams reach them.
inline cla::SessionConfig small_session() {
    cla::SessionConfig config;
    config.node_id = "ipn:1.0";
    config.keep_alive = seconds(10);
    config.transfer_mru = 20'000;
    config.max_segment = 3000;
    config.max_unacknowledged = 10'000;
    config.max_unsent = 100'000;
    config.max_transfers = 10;
    return config;
}

/// Bundles of several sizes, which the session sends.
inline void send_some(CoreHost &host) {
    host.send_all({Bytes(20), Bytes(7000), Bytes(2500), Bytes(1)}, {}, 2);
}

/// Feeds the stream; what arrived is safe, and then the peer closes the connection. `said`: the
/// session's octets so far. `hoard`: slabs that it lacks meanwhile.
inline PiecesOutcome feed_pieces(CoreHost &host, ByteView stream, std::size_t piece, Bytes said,
                                 std::vector<SlabRef> hoard = {}) {
    PiecesOutcome outcome;
    outcome.said = std::move(said);
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
    FARLINK_INVARIANT(host.ended && host.count(CoreHost::Kind::kEnded) == 1);
    (void)host.drain({});
    hoard.clear();
    host.buffer.rest();
    FARLINK_INVARIANT(host.pool.pinned_bytes() == 0);
    outcome.received = host.received;
    outcome.fault = host.fault;
    outcome.refused = host.refused;
    outcome.transmitted = host.transmitted;
    return outcome;
}

}  // namespace farlink::test
