// SPDX-License-Identifier: Apache-2.0
// Two LTP ports on one loop, and users that end their port while it works.
#include "cla/ltp/ltp_port.hpp"

#include <gtest/gtest.h>

#include "cla/ltp/ltp_settings.hpp"
#include "tests/unit/cla/ltp/ltp_link_fixture.hpp"

namespace farlink::cla::ltp::ltp_port_test {
namespace {

using boost::asio::ip::udp;

struct PortOwner final : PortUser {
    PortOwner(test::LinkBench &bench, std::uint64_t own) : loop(bench) {
        config.id = LinkId{static_cast<std::uint32_t>(own)};
        config.ltp = quick_ltp(own);
        config = limited(config);
        port = std::make_unique<LtpPort>(bench.resources(), config, EngineId{own}, *this);
        EXPECT_FALSE(port->open({boost::asio::ip::address_v4::loopback(), 0}));
    }
    void connect_to(const PortOwner &other, std::uint64_t engine) {
        PeerConfig settings = peer_config(config, EngineId{engine});
        settings.hold_closing_reports = false;
        peer = port->add_peer(settings,
                              DatagramAddress(udp::endpoint(boost::asio::ip::address_v4::loopback(),
                                                            other.port->port())));
    }
    void send(const Bytes &octets) {
        const BlockPiece piece{octets, false};
        BlockRequest request;
        request.pieces = {&piece, 1};
        ASSERT_TRUE(port->engine().send_block(peer, request, monotonic_now()));
        port->pump();
    }
    void on_block(const ReceivedBlock &block) override {
        ++blocks;
        port->engine().block_safe(block.session, monotonic_now());
        if (ends_in_block) port.reset();
    }
    void on_event(const Event &) override {
        ++events;
        if (ends_in_event) port.reset();
    }
    void on_turn_end() override {
        if (ends_after_turn) port.reset();
    }

    test::LinkBench &loop;
    config::OutductConfig config;
    std::unique_ptr<LtpPort> port;
    PeerId peer{};
    int blocks = 0;
    int events = 0;
    bool ends_in_block = false;
    bool ends_in_event = false;
    bool ends_after_turn = false;
};

struct LtpPortTest : testing::Test {
    LtpPortTest() {
        bench.drive_clock();
        from.connect_to(to, 20);
        to.connect_to(from, 10);
    }

    test::LinkBench bench;
    const Bytes octets = Bytes(5000, 0x42);
    PortOwner from{bench, 10};
    PortOwner to{bench, 20};
};

TEST_F(LtpPortTest, ABlockArrivesAndItsSenderIsNotified) {
    from.send(octets);
    EXPECT_TRUE(bench.run_until([&] { return from.events == 1; }));
    EXPECT_EQ(to.blocks, 1);
}

TEST_F(LtpPortTest, AUserMayEndItsPortInABlock) {
    to.ends_in_block = true;
    from.send(octets);
    EXPECT_TRUE(bench.run_until([&] { return to.port == nullptr; }));
    bench.run_idle();
    EXPECT_EQ(to.blocks, 1);
}

TEST_F(LtpPortTest, AUserMayEndItsPortInAnEvent) {
    from.ends_in_event = true;
    from.send(octets);
    EXPECT_TRUE(bench.run_until([&] { return from.port == nullptr; }));
    bench.run_idle();
    EXPECT_EQ(from.events, 1);
}

TEST_F(LtpPortTest, AUserMayEndItsPortAfterATurn) {
    to.ends_after_turn = true;
    from.send(octets);
    EXPECT_TRUE(bench.run_until([&] { return to.port == nullptr; }));
    bench.run_idle();
    EXPECT_EQ(to.blocks, 1);
}

TEST_F(LtpPortTest, AClosedPortOpensAgain) {
    from.port->close();
    EXPECT_FALSE(from.port->open({boost::asio::ip::address_v4::loopback(), 0}));
    to.port->remove_peer(to.peer);
    to.connect_to(from, 10);
    from.send(octets);
    EXPECT_TRUE(bench.run_until([&] { return from.events == 1; }));
    EXPECT_EQ(to.blocks, 1);
}

}  // namespace
}  // namespace farlink::cla::ltp::ltp_port_test
