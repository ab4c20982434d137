// SPDX-License-Identifier: Apache-2.0
// TCPCLv4 sessions for tests, and messages to talk to one of them by hand.
// Plain functions for tests.
// One thread.
#pragma once

#include <memory>

#include "cla/tcpcl/v4/core/session.hpp"
#include "tests/support/core_pair.hpp"
#include "tests/support/hex.hpp"

namespace farlink::cla::tcpclv4 {

inline constexpr UpstreamId kSession{1};

inline TimePoint at(std::int64_t ms) {
    return TimePoint{} + milliseconds(ms);
}

inline SessionConfig config_of(SessionRole role) {
    SessionConfig config;
    config.role = role;
    config.node_id = role == SessionRole::kActive ? "ipn:1.0" : "ipn:2.0";
    config.keep_alive = seconds(0);
    config.segment_mru = 1024 * 1024;
    config.transfer_mru = 16 * 1024 * 1024;
    config.max_segment = 64 * 1024;
    config.max_unacknowledged = 1024 * 1024;
    config.max_unsent = 4 * 1024 * 1024;
    config.max_transfers = 1000;
    config.handshake_limit = seconds(10);
    config.termination_limit = seconds(5);
    config.acknowledge_limit = seconds(60);
    return config;
}

inline std::unique_ptr<SessionCore> session_of(const SessionConfig &config) {
    return std::make_unique<Session>(config, kSession);
}

template <class Message>
Bytes octets_of_message(const Message &message) {
    Bytes octets(4096);
    octets.resize(static_cast<std::size_t>(encode(octets.data(), message) - octets.data()));
    return octets;
}

inline Bytes segment_octets(std::uint8_t flags, std::uint64_t id, ByteView data,
                            ByteView items = {}) {
    Bytes octets = octets_of_message(Segment{flags, id, items, data.size()});
    append(octets, data);
    return octets;
}
inline Bytes ack_octets(std::uint8_t flags, std::uint64_t id, std::uint64_t length) {
    return octets_of_message(Ack{flags, id, length});
}
inline Bytes refuse_octets(Refusal reason, std::uint64_t id) {
    return octets_of_message(Refuse{static_cast<std::uint8_t>(reason), id});
}
inline Bytes length_item(std::uint64_t length) {
    Bytes value(8);
    store_be(value.data(), length);
    return octets_of_message(ExtensionItem{kCritical, kTransferLengthType, value});
}
inline Bytes operator+(Bytes left, const Bytes &right) {
    append(left, right);
    return left;
}

/// One session, established with a peer that the test plays.
struct Played {
    explicit Played(SessionConfig config = config_of(SessionRole::kPassive),
                    std::uint64_t segment_mru = 1000, std::uint64_t transfer_mru = 1000000,
                    std::uint16_t keep_alive_seconds = 0)
        : host(session_of(config)) {
        host.core->handle_connected(now);
        host.feed(octets_of_message(ContactHeader{}), now);
        SessionInit init;
        init.keep_alive_seconds = keep_alive_seconds;
        init.segment_mru = segment_mru;
        init.transfer_mru = transfer_mru;
        init.node_id = "ipn:99.0";
        host.feed(octets_of_message(init), now);
        (void)said();
    }
    void handle(const Bytes &octets) { host.feed(octets, now); }
    /// What the session has said since the last call.
    Bytes said() { return host.drain(now); }
    std::string said_hex() { return test::to_hex(said()); }

    TimePoint now{};
    test::CoreHost host;
};

}  // namespace farlink::cla::tcpclv4
