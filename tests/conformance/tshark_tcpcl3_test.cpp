// SPDX-License-Identifier: Apache-2.0
// tshark reads TCPCLv3 sessions (RFC 7242) as farlink's two roles speak them.
#include <gtest/gtest.h>

#include <array>

#include "cla/tcpcl/v3/core/session.hpp"
#include "tests/conformance/tshark_sessions.hpp"

namespace farlink::tshark_tcpcl3_test {
namespace {

using cla::SessionConfig;
using cla::SessionRole;
using cla::tcpclv3::Session;

enum Field { kMarks, kTypes, kNodes, kKeepAlives, kDataLengths, kAckLengths };
constexpr std::array<std::string_view, 6> kFields{
    "_ws.expert.message",           "tcpcl.pkt_type",    "tcpcl.contact_hdr.local_eid",
    "tcpcl.contact_hdr.keep_alive", "tcpcl.data.length", "tcpcl.ack.length"};

SessionConfig config(SessionRole role, std::string node_id) {
    SessionConfig config;
    config.role = role;
    config.node_id = std::move(node_id);
    config.keep_alive = seconds(20);
    config.segment_mru = 10'000'000;
    config.transfer_mru = 10'000'000;
    config.max_segment = role == SessionRole::kActive ? 700 : 100'000;
    config.max_unacknowledged = 100'000'000;
    config.max_unsent = 100'000'000;
    config.max_transfers = 100;
    config.handshake_limit = seconds(10);
    config.termination_limit = seconds(10);
    return config;
}

/// tshark 4.0 does not read the LENGTH message, so neither side asks for it (section 4.1).
void do_without_length(Bytes &octets) {
    constexpr std::uint8_t kLengthWanted = 0x08;
    if (as_text(octets).starts_with("dtn!")) octets[5] &= static_cast<std::uint8_t>(~kLengthWanted);
}

TEST(TsharkTcpclV3, ReadsASessionBothWays) {
    Session active(config(SessionRole::kActive, "ipn:1.0"), UpstreamId{1});
    Session passive(config(SessionRole::kPassive, "ipn:2.0"), UpstreamId{2});
    test::RecordedSession session(active, passive, do_without_length);
    const auto there = test::bundles_of({1, 500, 5'000}, 1, 2);
    const auto back = test::bundles_of({20, 70'000, 200'000}, 2, 1);
    // TCPCLv3 does not number transfers; tshark takes an acknowledgement for the last one begun.
    for (std::size_t i = 0; i < there.size(); ++i) {
        session.send(active, {&there[i], 1});
        session.run();
        session.send(passive, {&back[i], 1});
        session.run();
    }
    session.pass(seconds(20));
    active.handle_terminate(cla::LinkFault::kNone, session.now());
    session.run();
    EXPECT_EQ(session.received(passive), there);
    EXPECT_EQ(session.received(active), back);

    const auto packets =
        test::dissect_session("tshark_tcpcl3", session.dialogue(), test::Passes::kTwo, kFields);
    test::expect_no_fault(test::values_of(packets, kMarks));
    const std::vector<std::string> nodes{"ipn:1.0", "ipn:2.0"};
    EXPECT_EQ(test::values_of(packets, kNodes), nodes);
    const std::vector<std::string> keep_alives{"20", "20"};
    EXPECT_EQ(test::values_of(packets, kKeepAlives), keep_alives);

    // Each segment is acknowledged (section 5.3), with the octets of its bundle so far.
    const auto data = test::values_of(packets, kDataLengths);
    const auto acknowledged = test::values_of(packets, kAckLengths);
    EXPECT_GT(data.size(), 6U);
    EXPECT_EQ(data.size(), acknowledged.size());
    for (const auto &bundle : back)
        EXPECT_EQ(test::count(acknowledged, std::to_string(bundle.size())), 1) << bundle.size();
    test::expect_bundles("tshark_tcpcl3", session.dialogue(), 3, 3);
}

}  // namespace
}  // namespace farlink::tshark_tcpcl3_test
