// SPDX-License-Identifier: Apache-2.0
// Datagrams of many engines at an induct with few places.
#include "cla/ltp/engine_places.hpp"

#include "tests/unit/cla/ltp/ltp_link_fixture.hpp"

namespace farlink::cla::ltp::engine_places_test {
namespace {

using boost::asio::ip::udp;

/// The first octet of a block; the other one is missing.
Bytes first_half(std::uint64_t engine) {
    return {0x00,
            static_cast<std::uint8_t>(0x80 | engine >> 7U),
            static_cast<std::uint8_t>(engine & 0x7fU),
            5,
            0,
            1,
            0,
            1,
            0};
}
/// The other octet, with the end of the block and a checkpoint.
Bytes second_half(std::uint64_t engine) {
    Bytes octets = first_half(engine);
    octets[0] = 0x03;
    octets[6] = 1;
    octets.pop_back();
    octets.insert(octets.end(), {7, 0, 0});
    return octets;
}
/// Ends a session that does not exist.
Bytes cancel(std::uint8_t engine) {
    return {0x0c, engine, 5, 0, 0};
}

class LtpEnginePlaces : public LtpLinkTest {
protected:
    LtpEnginePlaces() {
        acknowledge.reset();
        max_sessions = 16;
        neighbours = {{NodeNumber{60}, "127.0.0.60", {}, {}}};
        listen();
    }
    /// From a port of its own at this address, which it keeps.
    udp::socket &send_from(const std::string &address, const Bytes &octets) {
        const udp::endpoint any(boost::asio::ip::make_address(address), 0);
        sockets.push_back(std::make_unique<udp::socket>(bench.io, any));
        send_again(*sockets.back(), octets);
        return *sockets.back();
    }
    void send_again(udp::socket &socket, const Bytes &octets) const {
        const auto loopback = boost::asio::ip::address_v4::loopback();
        socket.send_to(boost::asio::buffer(octets), udp::endpoint(loopback, induct->port()));
    }
    void bring_block(const std::string &address, std::uint64_t engine) {
        udp::socket &socket = send_from(address, first_half(engine));
        send_again(socket, second_half(engine));
    }
    /// Another address for each engine.
    static std::string address_of(std::uint64_t engine) {
        return "127.0." + std::to_string(1 + engine / 250) + '.' + std::to_string(1 + engine % 250);
    }
    [[nodiscard]] bool has_answer(udp::socket &socket) {
        return bench.run_until([&] { return socket.available() > 0; });
    }

    std::vector<std::unique_ptr<udp::socket>> sockets;
};

TEST_F(LtpEnginePlaces, OneAddressGetsAQuarterAndShutsNobodyOut) {
    for (std::uint64_t engine = 200; engine < 240; ++engine)
        send_from("127.0.1.1", first_half(engine));
    bench.run_idle();
    EXPECT_EQ(induct->engines(), 4U);
    EXPECT_TRUE(has_answer(send_from("127.0.0.60", cancel(60))));
    EXPECT_TRUE(has_answer(send_from("127.0.2.1", cancel(90))));
    EXPECT_EQ(induct->engines(), 6U);
}

TEST_F(LtpEnginePlaces, StrangersWithoutABlockLeaveForOthers) {
    for (std::uint64_t engine = 200; engine < 240; ++engine)
        send_from(address_of(engine), first_half(engine));
    bench.run_idle();
    EXPECT_EQ(induct->engines(), 16U);
    EXPECT_TRUE(has_answer(send_from("127.0.0.60", cancel(60))));
    EXPECT_TRUE(has_answer(send_from("127.0.0.1", cancel(90))));
    EXPECT_EQ(induct->engines(), 16U);
    EXPECT_EQ(receiving.peers.size(), 1U) << "the host knows the neighbour only";
    EXPECT_TRUE(receiving.closed.empty());
}

TEST_F(LtpEnginePlaces, StrangersWithABlockLeaveForANeighbourOnly) {
    for (std::uint64_t engine = 200; engine < 216; ++engine)
        bring_block(address_of(engine), engine);
    ASSERT_TRUE(bench.run_until([&] { return arrived() == 16; }));
    send_from("127.0.0.1", cancel(90));
    ASSERT_TRUE(bench.run_until([&] { return induct->strangers_refused() == 1; }));
    EXPECT_TRUE(receiving.closed.empty());
    EXPECT_TRUE(has_answer(send_from("127.0.0.60", cancel(60))));
    ASSERT_EQ(receiving.closed.size(), 1U);
    EXPECT_EQ(receiving.closed.begin()->second, LinkFault::kTooManySessions);
}

TEST_F(LtpEnginePlaces, APortOfANeighbourDoesNotShutOutTheNeighbour) {
    for (std::uint64_t i = 0; i < 40; ++i) send_from("127.0.0.60", {0, 60, 5, 0, 1, 0, 1, 0});
    bench.run_idle();
    EXPECT_LE(induct->engines(), 16U);
    EXPECT_TRUE(has_answer(send_from("127.0.0.60", cancel(60))));
}

TEST_F(LtpEnginePlaces, FewEndInASecond) {
    const std::uint64_t last = 200 + 16 + EnginePlaces::kMostEnds + 40;
    for (std::uint64_t engine = 200; engine < last; ++engine) {
        send_from(address_of(engine), first_half(engine));
        if (engine % 16 == 0) bench.run_slice(milliseconds(1));
    }
    ASSERT_TRUE(bench.run_until([&] { return induct->strangers_refused() == 40; }));
    EXPECT_TRUE(has_answer(send_from("127.0.0.60", cancel(60)))) << "a neighbour has no such limit";
}

TEST_F(LtpEnginePlaces, AStrangerWithoutABlockHasNoCountersOfItsOwn) {
    udp::socket &socket = send_from("127.0.1.1", first_half(200));
    ASSERT_TRUE(bench.run_until([&] { return induct->engines() == 1; }));
    induct->report_counts();
    EXPECT_EQ(receiving.counted.size(), 1U);
    EXPECT_EQ(count(receiving, "", "segments_received"), 1U);
    EXPECT_EQ(count(receiving, "", "sessions_in_open"), 1U);
    send_again(socket, second_half(200));
    ASSERT_TRUE(bench.run_until([&] { return arrived() == 1; }));
    induct->report_counts();
    EXPECT_EQ(count(receiving, "", "segments_received"), 1U);
    EXPECT_EQ(count(receiving, "", "sessions_in_open"), 0U);
    EXPECT_EQ(count(receiving, "ipn:200.0", "blocks_received"), 1U);
    EXPECT_EQ(count(receiving, "ipn:200.0", "sessions_in_open"), 1U);
}

}  // namespace
}  // namespace farlink::cla::ltp::engine_places_test
