// SPDX-License-Identifier: Apache-2.0
// tshark reads what two LTP engines say to each other, a lost segment and its repair among it.
#include <gtest/gtest.h>

#include <array>

#include "cla/ltp/hmac_authenticator.hpp"
#include "tests/conformance/tshark_sessions.hpp"
#include "tests/support/ltp_pair.hpp"

namespace farlink::tshark_ltp_test {
namespace {

constexpr std::uint16_t kLtpPort = 1113;

/// Everything that was on the wire, in both directions, lost datagrams too.
struct Conversation {
    std::vector<Bytes> datagrams;
    std::size_t lost_datagram = ~std::size_t{0};

    /// False when `from` has nothing to say.
    bool pass(test::LtpSide &from, test::LtpSide &to, TimePoint now) {
        from.batch.clear();
        from.engine.poll_segments(from.peer, from.batch, ~std::uint64_t{0}, now);
        for (const cla::ltp::OutSegment &segment : from.batch.segments()) {
            Bytes octets;
            for (const ByteView piece : from.batch.pieces_of(segment))
                octets.insert(octets.end(), piece.begin(), piece.end());
            if (datagrams.size() != lost_datagram) to.engine.handle_datagram(to.peer, octets, now);
            datagrams.push_back(std::move(octets));
        }
        return !from.batch.empty();
    }
    void run(test::LtpSide &a, test::LtpSide &b, TimePoint now) {
        while (pass(a, b, now) || pass(b, a, now)) {
            a.drain(now);
            b.drain(now);
        }
        a.drain(now);
        b.drain(now);
    }
};

/// Engine 10 sends bundles of these sizes to engine 20, and one datagram is lost.
Conversation send_bundles(std::initializer_list<std::size_t> sizes,
                          cla::ltp::Authenticator *authenticator) {
    cla::ltp::PeerConfig to_b;
    to_b.engine = cla::ltp::EngineId{20};
    to_b.authenticator = authenticator;
    // Without a rate there are checkpoints in the midst of a block; tshark 4.0 takes what has come
    // until then for the whole bundle.
    to_b.rate = BitRate{1'000'000'000};
    cla::ltp::PeerConfig to_a = to_b;
    to_a.engine = cla::ltp::EngineId{10};
    test::LtpSide a({cla::ltp::EngineId{10}, {}, 1024}, to_b, 1);
    test::LtpSide b({cla::ltp::EngineId{20}, {}, 1024}, to_a, 2);
    TimePoint now{seconds(1)};
    a.engine.contact_opened(a.peer, now);
    b.engine.contact_opened(b.peer, now);
    const auto bundles = test::bundles_of(sizes, 1, 2);
    std::uint64_t number = 0;
    for (const Bytes &bundle : bundles) {
        const cla::ltp::BlockPiece piece{bundle, false};
        cla::ltp::BlockRequest request;
        request.pieces = {&piece, 1};
        request.token = number++;
        EXPECT_TRUE(a.engine.send_block(a.peer, request, now));
    }
    Conversation wire;
    wire.lost_datagram = 6;
    wire.run(a, b, now);
    for (int rounds = 0; rounds < 10 && a.delivered.size() < bundles.size(); ++rounds) {
        now += seconds(1);
        a.engine.handle_timeout(now);
        b.engine.handle_timeout(now);
        wire.run(a, b, now);
    }
    EXPECT_EQ(a.delivered.size(), bundles.size());
    return wire;
}

TEST(TsharkLtp, ReadsSegmentsReportsAndBundles) {
    const Conversation wire = send_bundles({1, 900, 1'300, 5'000, 60'000}, nullptr);
    constexpr std::array<std::string_view, 2> kFields{"_ws.expert.message", "bpv7.primary.src_uri"};
    const auto packets = test::dissect("tshark_ltp", wire.datagrams, kLtpPort, kFields);
    ASSERT_TRUE(packets.has_value()) << "tshark did not run";
    ASSERT_EQ(packets->size(), wire.datagrams.size());
    test::expect_no_fault(test::values_of(*packets, 0));
    EXPECT_EQ(test::count(test::values_of(*packets, 1), "ipn:1.1"), 5);
}

#if FARLINK_TLS

// RFC 5327 section 2.1. tshark 4.0 reads header extensions; it does not look for trailers, and
// shows that of a data segment behind its data.
TEST(TsharkLtp, ReadsAuthenticatedSegments) {
    const Bytes key_id{0x24};
    const auto key = cla::ltp::HmacAuthenticator::make(config::LtpCiphersuite::kHmacSha256,
                                                       Bytes(32, 1), key_id);
    ASSERT_TRUE(key);
    const Conversation wire = send_bundles({1, 900, 1'300, 5'000, 60'000}, key->get());
    constexpr std::array<std::string_view, 4> kFields{"_ws.expert.message", "ltp.hdr.extn.tag",
                                                      "ltp.hdr.extn.val", "ltp.trl.extn.cnt"};
    const auto packets = test::dissect("tshark_ltp_keys", wire.datagrams, kLtpPort, kFields);
    ASSERT_TRUE(packets.has_value()) << "tshark did not run";
    ASSERT_EQ(packets->size(), wire.datagrams.size());
    test::expect_no_fault(test::values_of(*packets, 0));
    for (const test::Dissection &packet : *packets) {
        ASSERT_FALSE(packet[1].empty() || packet[2].empty() || packet[3].empty());
        EXPECT_EQ(packet[1][0], "0x00");
        EXPECT_EQ(packet[2][0], "c024") << "ciphersuite and key id";
        EXPECT_EQ(packet[3][0], "1");
    }
}

#endif  // FARLINK_TLS

}  // namespace
}  // namespace farlink::tshark_ltp_test
