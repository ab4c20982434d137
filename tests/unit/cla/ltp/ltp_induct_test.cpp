// SPDX-License-Identifier: Apache-2.0
// The remote engines of an LTP induct: which are accepted, and which are replaced.
#include "tests/support/temp_folder.hpp"
#include "tests/unit/cla/ltp/ltp_link_fixture.hpp"

namespace farlink::cla::ltp::ltp_induct_test {
namespace {

using boost::asio::ip::udp;

/// A sender that acknowledges reports only when it is told to.
class QuietSender {
public:
    QuietSender(test::LinkBench &bench, std::uint16_t port)
        : bench_(bench),
          socket_(bench.io, udp::v4()),
          to_(boost::asio::ip::address_v4::loopback(), port) {}

    /// A block of one segment, with three octets that are no bundle.
    void send_block() { send({0x03, kEngine, kNumber, 0, 1, 0, 3, 9, 0, 0, 0, 0}); }
    /// The serial number of the next report; 0: another segment, or none.
    [[nodiscard]] std::uint64_t report() {
        if (!bench_.run_until([&] { return socket_.available() > 0; })) return 0;
        Bytes room(2000);
        room.resize(socket_.receive(boost::asio::buffer(room)));
        const auto segment = decode_segment(room);
        return segment && segment->type == SegmentType::kReport ? segment->report.report_serial : 0;
    }
    void acknowledge(std::uint64_t report) {
        Bytes segment{0x09, kEngine, kNumber, 0};
        codec::append_sdnv(segment, report);
        send(segment);
    }

private:
    static constexpr std::uint8_t kEngine = 77;
    static constexpr std::uint8_t kNumber = 5;

    void send(const Bytes &segment) { socket_.send_to(boost::asio::buffer(segment), to_); }

    test::LinkBench &bench_;
    udp::socket socket_;
    udp::endpoint to_;
};

TEST_F(LtpLinkTest, AnInductThatFinishesAnswersForWhatItHasTaken) {
    acknowledge.reset();
    listen();
    connect(towards(induct->port()));
    send(100);
    ASSERT_TRUE(bench.run_until([&] { return arrived() == 1; }));
    induct->finish();
    EXPECT_EQ(receiving.state(), LinkState::kClosing);
    send(100);
    bench.run_idle();
    EXPECT_EQ(arrived(), 1U) << "a block that had not begun";
    EXPECT_TRUE(receiving.closed.empty());
    induct->acknowledge(receiving.bundles.begin()->first, 0, 1, TransferDisposition::kSafe);
    induct->flush_acknowledgements();
    ASSERT_TRUE(bench.run_until([&] { return receiving.state() == LinkState::kClosed; }));
    EXPECT_EQ(host.transmitted, next_token - 1) << "all but the second bundle";
    EXPECT_EQ(receiving.closed.size(), 1U);
}

TEST_F(LtpLinkTest, AnInductThatFinishesRepeatsAReportThatWasLost) {
    listen();
    QuietSender sender(bench, induct->port());
    sender.send_block();
    const std::uint64_t lost = sender.report();
    ASSERT_NE(lost, 0U);
    induct->finish();
    EXPECT_EQ(receiving.state(), LinkState::kClosing);
    ASSERT_EQ(sender.report(), lost) << "the same, once more";
    EXPECT_EQ(receiving.state(), LinkState::kClosing);
    sender.acknowledge(lost);
    const TimePoint acknowledged_at = monotonic_now();
    ASSERT_TRUE(bench.run_until([&] { return receiving.state() == LinkState::kClosed; }));
    EXPECT_LT(monotonic_now() - acknowledged_at, milliseconds(50));
    EXPECT_EQ(receiving.closed.size(), 1U);
}

TEST_F(LtpLinkTest, AnInductThatFinishesWaitsForASilentSenderUpToALimit) {
    listen();
    QuietSender sender(bench, induct->port());
    sender.send_block();
    ASSERT_NE(sender.report(), 0U);
    const TimePoint begun = monotonic_now();
    induct->finish();
    ASSERT_TRUE(bench.run_until([&] { return receiving.state() == LinkState::kClosed; }));
    const Duration taken = monotonic_now() - begun;
    EXPECT_GE(taken, milliseconds(400)) << "four times the time for an answer";
    EXPECT_LT(taken, milliseconds(500));
}

TEST_F(LtpLinkTest, AnInductThatFinishesDoesNotWaitForAHostThatCanKeepNothing) {
    acknowledge.reset();
    listen();
    connect(towards(induct->port()));
    send(100);
    ASSERT_TRUE(bench.run_until([&] { return arrived() == 1; }));
    induct->give_up();
    const TimePoint begun = monotonic_now();
    induct->finish();
    ASSERT_TRUE(bench.run_until([&] { return monotonic_now() - begun >= milliseconds(500); }));
    EXPECT_EQ(receiving.state(), LinkState::kClosing) << "what was said before does not count";
    induct->give_up();
    ASSERT_TRUE(bench.run_until([&] { return receiving.state() == LinkState::kClosed; }));
    EXPECT_LT(monotonic_now() - begun, milliseconds(600));
    EXPECT_EQ(receiving.closed.size(), 1U);
}

TEST_F(LtpLinkTest, AnInductWithoutOpenAnswersFinishesAtOnce) {
    listen();
    connect(towards(induct->port()));
    send(100);
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == next_token; }));
    bench.run_idle();
    induct->finish();
    EXPECT_EQ(receiving.state(), LinkState::kClosed);
    EXPECT_EQ(induct->engines(), 0U);
    induct->finish();
    EXPECT_EQ(receiving.times(LinkState::kClosed), 1U);
}

TEST_F(LtpLinkTest, AnInductThatFinishesCanBeClosed) {
    listen();
    QuietSender sender(bench, induct->port());
    sender.send_block();
    ASSERT_NE(sender.report(), 0U);
    induct->finish();
    induct->close();
    EXPECT_EQ(receiving.state(), LinkState::kClosed);
    EXPECT_EQ(receiving.closed.size(), 1U);
    ASSERT_TRUE(induct->open());
    QuietSender next(bench, induct->port());
    next.send_block();
    EXPECT_NE(next.report(), 0U) << "it takes blocks again";
}

TEST_F(LtpLinkTest, AnEngineWithAnOverdueAnswerIsReplacedFromAnotherPort) {
    listen();
    connect(towards(induct->port()));
    Outduct *const back = way_back();
    ASSERT_NE(back, nullptr);
    const UpstreamId former = receiving.bundles.begin()->first;
    outduct.reset();
    send_back(*back, 0);
    const TimePoint overdue = monotonic_now() + milliseconds(110);
    ASSERT_TRUE(bench.run_until([&] { return monotonic_now() > overdue; }));
    connect(towards(induct->port()));
    acknowledged = 0;
    send(100);
    ASSERT_TRUE(bench.run_until([&] { return receiving.closed.contains(former); }));
    EXPECT_EQ(receiving.closed.at(former), LinkFault::kPeerClosed);
}

TEST_F(LtpLinkTest, AnEngineThatRestartsIsReplaced) {
    listen();
    for (std::uint32_t run = 1; run <= 3; ++run) {
        acknowledged = 0;
        host.changes.clear();
        connect(towards(induct->port()));
        send(100);
        ASSERT_TRUE(bench.run_until([&] { return arrived() == run; }));
        ASSERT_TRUE(bench.run_until([&] { return host.transmitted == next_token; }));
        bench.run_idle();
    }
    EXPECT_EQ(receiving.closed.size(), 2U);
    EXPECT_EQ(receiving.ending, "127.0.0.1");
}

TEST_F(LtpLinkTest, ReplacementsOfAnEngineAreLimited) {
    neighbours = {{NodeNumber{77}, "127.0.0.1", {}, {}}};
    listen();
    const boost::asio::ip::udp::endpoint to(boost::asio::ip::address_v4::loopback(),
                                            induct->port());
    std::array<udp::socket, 2> sockets{udp::socket(bench.io, udp::v4()),
                                       udp::socket(bench.io, udp::v4())};
    const Bytes cancel{0x0c, 77, 5, 0, 0};
    Bytes answer(16);
    for (int turn = 0; turn < 400; ++turn) {
        udp::socket &socket = sockets[turn % 2];
        socket.send_to(boost::asio::buffer(cancel), to);
        ASSERT_TRUE(bench.run_until([&] { return socket.available() > 0; })) << turn;
        socket.receive(boost::asio::buffer(answer));
    }
    EXPECT_FALSE(receiving.closed.empty());
    EXPECT_LE(receiving.closed.size(), 200U) << "64 a second";
    EXPECT_LE(induct->engines(), 2U);
}

#if FARLINK_TLS

TEST_F(LtpLinkTest, AnEngineMustProveThatItHasTheKey) {
    test::TempFolder folder;
    folder.write("key", std::string(64, '1'));
    folder.write("other", std::string(64, '2'));
    const auto by = [&](const char *file) {
        return config::LtpAuthenticationConfig{true, config::LtpCiphersuite::kHmacSha256,
                                               folder / file, "24"};
    };
    listen(by("key"));
    config::OutductConfig config = towards(induct->port());
    for (const auto &wrong : {config::LtpAuthenticationConfig{}, by("other")}) {
        config.ltp.authentication = wrong;
        const std::uint64_t refused = induct->strangers_refused();
        connect(config);
        send(100);
        ASSERT_TRUE(bench.run_until([&] { return induct->strangers_refused() > refused; }));
        outduct.reset();
    }
    bench.run_idle();
    EXPECT_TRUE(receiving.bundles.empty());
    EXPECT_TRUE(receiving.counted.empty()) << "no engine was accepted";
    induct->report_counts();
    EXPECT_EQ(count(receiving, "", "strangers_refused"), induct->strangers_refused());
    config.ltp.authentication = by("key");
    connect(config);
    host.transmitted = 0;
    for (const std::size_t size : {1, 5'000, 400'000}) send(size);
    ASSERT_TRUE(bench.run_until([&] { return host.transmitted == next_token; }));
    EXPECT_EQ(arrived(), 3U);
    EXPECT_EQ(receiving.bundles.begin()->second.back(), *sent.back());
}

#endif  // FARLINK_TLS

TEST_F(LtpLinkTest, OnlyDataIntroduceAnEngine) {
    listen();
    boost::asio::ip::udp::socket socket(bench.io, boost::asio::ip::udp::v4());
    const boost::asio::ip::udp::endpoint to(boost::asio::ip::address_v4::loopback(),
                                            induct->port());
    for (const Bytes &octets : {Bytes{0x08, 0x0a, 0x01, 0x00}, Bytes{0xff, 0xff}, Bytes{0x09}})
        socket.send_to(boost::asio::buffer(octets), to);
    EXPECT_TRUE(bench.run_until([&] { return induct->strangers_refused() == 3; }));
    EXPECT_TRUE(receiving.bundles.empty());
}

}  // namespace
}  // namespace farlink::cla::ltp::ltp_induct_test
