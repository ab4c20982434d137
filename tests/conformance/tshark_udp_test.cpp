// SPDX-License-Identifier: Apache-2.0
// tshark reads the datagrams of the UDP layer (RFC 7122 section 3.2), also those that are grouped.
#include <gtest/gtest.h>

#include <array>

#include "cla/udp/core/udp_sender.hpp"
#include "tests/conformance/tshark_sessions.hpp"

namespace farlink::tshark_udp_test {
namespace {

/// The octets of a message, cut into datagrams as the kernel does.
void append_datagrams(const cla::udp::OutMessage &message, std::vector<Bytes> &datagrams) {
    Bytes octets;
    for (const iovec &piece : message.pieces) {
        const auto *data = static_cast<const std::uint8_t *>(piece.iov_base);
        octets.insert(octets.end(), data, data + piece.iov_len);
    }
    ByteView rest(octets);
    while (!rest.empty()) {
        const ByteView one = rest.first(std::min<std::size_t>(message.segment_size, rest.size()));
        datagrams.emplace_back(one.begin(), one.end());
        rest = rest.subspan(one.size());
    }
}

TEST(TsharkUdp, ReadsEveryDatagram) {
    const auto bundles = test::bundles_of({1, 900, 900, 900, 900, 40, 9'000, 60'000}, 1, 2);
    cla::udp::UdpSender sender;
    sender.restart(65'507);
    sender.set_offload(1'472);
    std::uint64_t token = 0;
    for (const Bytes &bundle : bundles) {
        const TxBundle one{{}, bundle, {}, bundle.size(), token++};
        sender.handle_send({&one, 1});
    }
    std::vector<Bytes> datagrams;
    std::size_t messages = 0;
    while (sender.done_below() < bundles.size()) {
        const auto polled = sender.poll_messages(64);
        ASSERT_FALSE(polled.empty());
        for (const cla::udp::OutMessage &message : polled) append_datagrams(message, datagrams);
        messages += polled.size();
        sender.handle_sent(polled.size());
    }
    EXPECT_EQ(datagrams, bundles);
    EXPECT_LT(messages, bundles.size());  // the four of equal size leave together

    constexpr std::array<std::string_view, 3> kFields{"_ws.expert.message", "bpv7.primary.src_uri",
                                                      "bpv7.crc_status"};
    const auto packets = test::dissect("tshark_udp", datagrams, test::kTcpclPort, kFields);
    ASSERT_TRUE(packets.has_value()) << "tshark did not run";
    ASSERT_EQ(packets->size(), bundles.size());
    test::expect_no_fault(test::values_of(*packets, 0));
    EXPECT_EQ(test::count(test::values_of(*packets, 1), "ipn:1.1"), std::ssize(bundles));
    const auto crcs = test::values_of(*packets, 2);
    EXPECT_EQ(test::count(crcs, "1"), std::ssize(crcs));
}

}  // namespace
}  // namespace farlink::tshark_udp_test
