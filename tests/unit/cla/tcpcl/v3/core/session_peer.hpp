// SPDX-License-Identifier: Apache-2.0
// A TCPCLv3 session whose peer is the test, which sends and receives octets.
// Owned by the test.
// One thread, virtual time.
#pragma once

#include <gtest/gtest.h>

#include "cla/tcpcl/v3/core/session.hpp"
#include "tests/support/core_host.hpp"
#include "tests/support/hex.hpp"

namespace farlink::cla::tcpclv3 {

inline constexpr TimePoint kNow{seconds(1000)};
inline constexpr UpstreamId kId{7};
inline constexpr std::uint32_t kSlab = 16 * 1024;

inline SessionConfig config_for_test() {
    SessionConfig config;
    config.node_id = "ipn:10.0";
    config.keep_alive = seconds(15);
    config.transfer_mru = 1'000'000;
    config.max_segment = 1000;
    config.max_unacknowledged = 10'000;
    config.max_unsent = 100'000;
    config.max_transfers = 100;
    config.handshake_limit = seconds(10);
    config.termination_limit = seconds(5);
    config.acknowledge_limit = seconds(60);
    return config;
}

inline Bytes contact_of(std::uint8_t flags = 0xd, std::uint16_t keep_alive_s = 15) {
    return encode_contact({.flags = flags, .keep_alive_s = keep_alive_s, .node_id = "ipn:99.0"});
}

inline Bytes segment(const Bytes &data, std::uint8_t flags = kSegmentFlags) {
    Bytes octets(kMaxHeadBytes);
    octets.resize(encode_head(MessageType::kDataSegment, flags, data.size(), octets.data()));
    append(octets, data);
    return octets;
}

struct Peer : test::CoreHost {
    explicit Peer(const SessionConfig &config = config_for_test(), std::uint64_t limit = 64 * kSlab)
        : CoreHost(std::make_unique<Session>(config, kId), kSlab, limit) {
        acknowledge_at_once = true;
    }

    void connect(TimePoint now) {
        core->handle_connected(now);
        handle_events(now);
    }
    /// Up to the session; what the core has to say by then is thrown away.
    void open(const Bytes &contact = contact_of()) {
        connect(kNow);
        say(contact);
        handle();
        ASSERT_TRUE(established);
    }
    void say(const Bytes &octets, TimePoint now = kNow) { feed(octets, now); }
    std::string handle(TimePoint now = kNow) { return test::to_hex(drain(now)); }
};

}  // namespace farlink::cla::tcpclv3
