// SPDX-License-Identifier: Apache-2.0
// tshark reads TCPCLv4 sessions (RFC 9174) as farlink's two roles speak them.
#include <gtest/gtest.h>

#include <array>

#include "cla/tcpcl/v4/core/session.hpp"
#include "tests/conformance/tshark_sessions.hpp"

namespace farlink::tshark_tcpcl4_test {
namespace {

using cla::SessionConfig;
using cla::SessionRole;
using cla::tcpclv4::Session;

enum Field { kMarks, kTypes, kNodes, kTransfers, kSources, kCrcs, kReasons, kAckLengths, kLengths };
constexpr std::array<std::string_view, 9> kFields{"_ws.expert.message",
                                                  "tcpcl.v4.mhdr.type",
                                                  "tcpcl.v4.sess_init.nodeid_data",
                                                  "tcpcl.v4.xfer_id",
                                                  "bpv7.primary.src_uri",
                                                  "bpv7.crc_status",
                                                  "tcpcl.v4.xfer_refuse.reason",
                                                  "tcpcl.v4.xfer_ack.ack_len",
                                                  "tcpcl.v4.xferext.transfer_length.total_len"};

// Message types, RFC 9174 section 9.4, as tshark writes them.
constexpr std::string_view kXferSegment = "0x01";
constexpr std::string_view kXferAck = "0x02";
constexpr std::string_view kXferRefuse = "0x03";
constexpr std::string_view kKeepAlive = "0x04";
constexpr std::string_view kSessTerm = "0x05";
constexpr std::string_view kSessInit = "0x07";

SessionConfig config(SessionRole role, std::string node_id, std::uint64_t segment_mru) {
    SessionConfig config;
    config.role = role;
    config.node_id = std::move(node_id);
    config.keep_alive = seconds(20);
    config.segment_mru = segment_mru;
    config.transfer_mru = 10'000'000;
    config.max_segment = 10'000'000;
    config.max_unacknowledged = 100'000'000;
    config.max_unsent = 100'000'000;
    config.max_transfers = 100;
    config.handshake_limit = seconds(10);
    config.termination_limit = seconds(10);
    return config;
}

class TsharkTcpclV4 : public testing::Test {
protected:
    /// What tshark reads in everything that was said.
    std::vector<test::Dissection> dissect(std::string_view name) {
        return test::dissect_session(name, session_.dialogue(), test::Passes::kTwo, kFields);
    }

    Session active_{config(SessionRole::kActive, "ipn:1.0", 700), UpstreamId{1}};
    Session passive_{config(SessionRole::kPassive, "ipn:2.0", 60'000), UpstreamId{2}};
    test::RecordedSession session_{active_, passive_};
};

TEST_F(TsharkTcpclV4, ReadsASessionBothWays) {
    // One segment each, and several: 700 octets at most towards the active side.
    const auto there = test::bundles_of({1, 500, 70'000, 200'000}, 1, 2);
    const auto back = test::bundles_of({20, 600, 701, 5'000}, 2, 1);
    session_.send(active_, there);
    session_.send(passive_, back);
    session_.run();
    session_.pass(seconds(20));
    active_.handle_terminate(cla::LinkFault::kNone, session_.now());
    session_.run();
    EXPECT_EQ(session_.received(passive_), there);
    EXPECT_EQ(session_.received(active_), back);

    const auto packets = dissect("tshark_tcpcl4");
    test::expect_no_fault(test::values_of(packets, kMarks));
    const std::vector<std::string> nodes{"ipn:1.0", "ipn:2.0"};
    EXPECT_EQ(test::values_of(packets, kNodes), nodes);

    const auto types = test::values_of(packets, kTypes);
    EXPECT_EQ(test::count(types, kSessInit), 2);
    EXPECT_EQ(test::count(types, kSessTerm), 2);
    EXPECT_GE(test::count(types, kKeepAlive), 1);
    EXPECT_EQ(test::count(types, kXferSegment), test::count(types, kXferAck));
    EXPECT_GT(test::count(types, kXferSegment), 16);

    test::expect_bundles("tshark_tcpcl4", session_.dialogue(), 4, 4);
    // The last acknowledgement of a transfer says all of its octets (section 5.2.3).
    const auto lengths = test::values_of(packets, kAckLengths);
    for (const auto &bundle : there)
        EXPECT_EQ(test::count(lengths, std::to_string(bundle.size())), 1) << bundle.size();
    // Section 5.2.5.1: in transfers of several segments only.
    EXPECT_EQ(test::values_of(packets, kLengths).size(), 4U);
}

TEST_F(TsharkTcpclV4, ReadsARefusal) {
    session_.acknowledge_as(TransferDisposition::kNoResources);
    session_.send(active_, test::bundles_of({300}, 1, 2));
    session_.run();
    session_.acknowledge_as(TransferDisposition::kSafe);
    session_.send(active_, test::bundles_of({300}, 1, 2));
    session_.run();
    passive_.handle_terminate(cla::LinkFault::kNone, session_.now());
    session_.run();

    const auto packets = dissect("tshark_tcpcl4_refusal");
    // tshark relates segments to acknowledgements only, so a refusal has two marks.
    for (const std::string &mark : test::values_of(packets, kMarks))
        EXPECT_TRUE(test::is_remark(mark) || mark == "XFER_SEGMENT has no related XFER_ACK" ||
                    mark == "XFER_REFUSE has no related XFER_SEGMENT(s)")
            << mark;
    const auto types = test::values_of(packets, kTypes);
    EXPECT_EQ(test::count(types, kXferRefuse), 1);
    EXPECT_EQ(test::count(types, kXferSegment), 2);
    EXPECT_EQ(test::values_of(packets, kReasons), std::vector<std::string>{"2"});
}

// Without this, a judge that says nothing would look like one that agrees.
TEST_F(TsharkTcpclV4, SeesAWrongAcknowledgement) {
    session_.send(active_, test::bundles_of({300}, 1, 2));
    session_.run();
    std::vector<test::Spoken> dialogue(session_.dialogue().begin(), session_.dialogue().end());
    dialogue.back().octets.at(1) = 0;  // the flags of the last XFER_ACK
    const auto packets =
        test::dissect_session("tshark_tcpcl4_wrong", dialogue, test::Passes::kTwo, kFields);
    EXPECT_TRUE(std::ranges::any_of(test::values_of(packets, kMarks),
                                    [](const auto &mark) { return !test::is_remark(mark); }));
}

}  // namespace
}  // namespace farlink::tshark_tcpcl4_test
