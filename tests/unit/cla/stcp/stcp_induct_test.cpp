// SPDX-License-Identifier: Apache-2.0
#include "cla/stcp/stcp_induct.hpp"

#include <gtest/gtest.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "tests/support/link_bench.hpp"
#include "tests/support/stcp_stream.hpp"
#include "tests/support/tcp_peer.hpp"

namespace farlink::cla::stcp::stcp_induct_test {
namespace {

using test::append_frame;
using test::octets_of;
using test::TcpPeer;

constexpr UpstreamId kFirst{0};
constexpr UpstreamId kSecond{1};

config::InductConfig config_of(std::uint32_t max_sessions, std::uint16_t port) {
    config::InductConfig config;
    config.id = LinkId{3};
    config.url = {"stcp", "127.0.0.1", port, {}};
    config.max_bundle_size_bytes = 1'000'000;
    config.max_sessions = max_sessions;
    return config;
}

class StcpInductTest : public testing::Test {
protected:
    StcpInductTest() { bench.drive_clock(); }

    void open(std::uint32_t max_sessions = 16, std::uint32_t idle_timeout_s = 0,
              std::uint32_t stranger_idle_timeout_s = 60) {
        config::InductConfig config = config_of(max_sessions, 0);
        config.idle_timeout_s = idle_timeout_s;
        config.stranger_idle_timeout_s = stranger_idle_timeout_s;
        induct = make_owned<StcpInduct>(bench.resources(), config);
        ASSERT_TRUE(induct->open());
        ASSERT_NE(induct->port(), 0);
    }
    [[nodiscard]] TcpPeer connect() const { return TcpPeer::connect(induct->port()); }

    [[nodiscard]] bool arrived(UpstreamId from, std::size_t bundles) {
        return bench.run_until([&] { return host.bundles[from].size() >= bundles; });
    }
    [[nodiscard]] bool closed(UpstreamId from, LinkFault fault) {
        return bench.run_until([&] { return host.closed.contains(from); }) &&
               host.closed.at(from) == fault;
    }

    test::LinkBench bench;
    test::RecordingHost &host = bench.host;
    Owned<StcpInduct> induct;
};

Bytes frame_of(ByteView bundle) {
    Bytes stream;
    append_frame(stream, bundle);
    return stream;
}

TEST_F(StcpInductTest, ReceivesFromSeveralPeersAtOnce) {
    open();
    TcpPeer one = connect();
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 1; }));
    TcpPeer two = connect();
    Bytes streams[2];
    std::vector<Bytes> sent[2];
    for (std::size_t i = 0; i < 200; ++i) {
        const std::size_t from = i % 2;
        sent[from].push_back(octets_of(1 + 37 * i, i));
        append_frame(streams[from], sent[from].back());
        append_frame(streams[from], {});
    }
    std::size_t fed[2] = {0, 0};
    while (fed[0] < streams[0].size() || fed[1] < streams[1].size()) {
        fed[0] += one.send(ByteView(streams[0]).subspan(fed[0]));
        fed[1] += two.send(ByteView(streams[1]).subspan(fed[1]));
        bench.run_idle();
    }
    EXPECT_TRUE(arrived(kFirst, sent[0].size()));
    EXPECT_TRUE(arrived(kSecond, sent[1].size()));
    EXPECT_EQ(host.peers[kFirst], "127.0.0.1");
    EXPECT_EQ(host.bundles[kFirst], sent[0]);
    EXPECT_EQ(host.bundles[kSecond], sent[1]);
    EXPECT_EQ(bench.pool.pinned_bytes(), 0U) << "idle sessions hold no memory";
}

TEST_F(StcpInductTest, SaysHowASessionEnded) {
    open();
    TcpPeer clean = connect();
    clean.send(frame_of(octets_of(100, 1)));
    clean.close();
    EXPECT_TRUE(closed(UpstreamId{0}, LinkFault::kPeerClosed));
    EXPECT_EQ(host.bundles[UpstreamId{0}].size(), 1U);

    TcpPeer cut_off = connect();
    cut_off.send(ByteView(frame_of(octets_of(100, 1))).first(103));
    cut_off.close();
    EXPECT_TRUE(closed(UpstreamId{1}, LinkFault::kTruncatedBundle));

    TcpPeer greedy = connect();
    Bytes stream = frame_of(octets_of(5, 1));
    append(stream, ByteView(frame_of(Bytes(1'000'001))).first(10));
    greedy.send(stream);
    EXPECT_TRUE(closed(UpstreamId{2}, LinkFault::kFrameTooLarge));
    EXPECT_EQ(host.bundles[UpstreamId{2}].size(), 1U);

    TcpPeer broken = connect();
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 4; }));
    broken.reset();
    EXPECT_TRUE(closed(UpstreamId{3}, LinkFault::kIoError));
    EXPECT_EQ(bench.pool.pinned_bytes(), 0U);
}

TEST_F(StcpInductTest, SaysThatAPeerSpeaksTcpcl) {
    open();
    TcpPeer peer = connect();
    peer.send(Bytes{'d', 't', 'n', '!', 3, 0, 0, 0});
    EXPECT_TRUE(closed(kFirst, LinkFault::kTcpclNotStcp));
    EXPECT_EQ(host.ending, "127.0.0.1");
}

TEST_F(StcpInductTest, RefusesMoreSessionsThanItMayHave) {
    open(1);
    TcpPeer first = connect();
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 1; }));
    TcpPeer second = connect();
    EXPECT_TRUE(closed(kSecond, LinkFault::kTooManySessions));
    EXPECT_EQ(host.ending, "127.0.0.1");
    EXPECT_TRUE(bench.run_until([&] { return second.receive().empty() && second.ended(); }));

    first.close();
    EXPECT_TRUE(closed(kFirst, LinkFault::kPeerClosed));
    TcpPeer third = connect();
    third.send(frame_of(octets_of(10, 1)));
    EXPECT_TRUE(arrived(UpstreamId{2}, 1));
}

TEST_F(StcpInductTest, DoesNotReadWhileItIsPaused) {
    open();
    TcpPeer peer = connect();
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 1; }));
    induct->pause(kFirst, true);
    bench.run_idle();

    Bytes stream;
    std::vector<Bytes> sent;
    for (std::size_t i = 0; i < 100; ++i) {
        sent.push_back(octets_of(200'000, i));
        append_frame(stream, sent.back());
    }
    std::size_t fed = 0;
    for (int idle = 0; idle < 3;) {
        const std::size_t taken = peer.send(ByteView(stream).subspan(fed));
        idle = taken == 0 ? idle + 1 : 0;
        fed += taken;
        bench.run_idle();
    }
    EXPECT_LT(fed, stream.size()) << "TCP holds the peer back";
    EXPECT_TRUE(host.bundles.empty());

    induct->pause(kFirst, false);
    ASSERT_TRUE(bench.run_until([&] {
        fed += peer.send(ByteView(stream).subspan(fed));
        return host.bundles[kFirst].size() == sent.size();
    }));
    EXPECT_EQ(host.bundles[kFirst], sent);
}

TEST_F(StcpInductTest, MayBePausedAndResumedWhileItReports) {
    open();
    host.when_bundles = [&](UpstreamId from) { induct->pause(from, true); };
    TcpPeer peer = connect();
    for (std::size_t i = 1; i <= 20; ++i) {
        peer.send(frame_of(octets_of(1000, i)));
        ASSERT_TRUE(arrived(kFirst, i));
        peer.send(frame_of({}));
        bench.run_idle();
        ASSERT_EQ(host.bundles[kFirst].size(), i);
        if (i % 2 == 0) induct->pause(kFirst, true);
        induct->pause(kFirst, false);
        induct->pause(kFirst, false);
    }
}

TEST_F(StcpInductTest, APausedPeerThatEndsIsHeardToTheEnd) {
    open();
    TcpPeer peer = connect();
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 1; }));
    induct->pause(kFirst, true);
    peer.send(frame_of(octets_of(1000, 1)));
    peer.close();
    bench.run_idle();
    EXPECT_TRUE(host.closed.empty());
    induct->pause(kFirst, false);
    EXPECT_TRUE(closed(kFirst, LinkFault::kPeerClosed));
    EXPECT_EQ(host.bundles[kFirst].size(), 1U);
}

TEST_F(StcpInductTest, MayBeClosedWhileItReports) {
    open();
    host.when_bundles = [&](UpstreamId) { induct->close(); };
    TcpPeer peer = connect();
    peer.send(frame_of(octets_of(1000, 1)));
    EXPECT_TRUE(arrived(kFirst, 1));
    EXPECT_TRUE(bench.run_until([&] { return peer.receive().empty() && peer.ended(); }));
    EXPECT_TRUE(closed(kFirst, LinkFault::kNone));
    EXPECT_EQ(bench.pool.pinned_bytes(), 0U);
}

// To the peer it is safe: its kernel has the acknowledgement.
TEST_F(StcpInductTest, TakesWhatTheKernelHasAcknowledgedBeforeItCloses) {
    open();
    TcpPeer peer = connect();
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 1; }));
    induct->pause(kFirst, true);
    std::size_t total = 0;
    for (std::size_t frames = 0;; ++frames) {
        const Bytes frame = frame_of(octets_of(10'000, frames));
        const std::size_t sent = peer.send(frame);
        total += sent;
        if (sent < frame.size()) break;
    }
    int unacknowledged = 0;
    ASSERT_EQ(::ioctl(peer.fd(), SIOCOUTQ, &unacknowledged), 0);
    const std::size_t frames =
        (total - static_cast<std::size_t>(unacknowledged)) / frame_of(octets_of(10'000, 0)).size();
    ASSERT_GT(frames, 2U);
    induct->close();
    EXPECT_EQ(host.state(), LinkState::kClosing);
    bench.run_idle();
    EXPECT_EQ(host.state(), LinkState::kClosing) << "its bundles have no room yet";
    induct->pause(kFirst, false);
    EXPECT_TRUE(bench.run_until([&] { return host.state() == LinkState::kClosed; }));
    EXPECT_GE(host.bundles[kFirst].size(), frames);
    EXPECT_EQ(host.closed.at(kFirst), LinkFault::kNone);
}

// The disk of a stopping node may need a while for what is in memory.
TEST_F(StcpInductTest, WaitsLongerToCloseWhileThereIsNoRoom) {
    open();
    TcpPeer peer = connect();
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 1; }));
    induct->pause(kFirst, true);
    peer.send(frame_of(octets_of(1000, 1)));
    const TimePoint start = monotonic_now();
    induct->close();
    ASSERT_TRUE(bench.run_until([&] { return monotonic_now() - start >= seconds(7); }));
    EXPECT_EQ(host.state(), LinkState::kClosing);
    induct->pause(kFirst, false);
    EXPECT_TRUE(bench.run_until([&] { return host.state() == LinkState::kClosed; }));
    EXPECT_EQ(host.bundles[kFirst].size(), 1U);
}

TEST_F(StcpInductTest, LogsWhatItCouldNotTakeBeforeItCloses) {
    open();
    TcpPeer peer = connect();
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 1; }));
    induct->pause(kFirst, true);
    peer.send(frame_of(octets_of(1000, 1)));
    bench.run_idle();
    testing::internal::CaptureStderr();
    const TimePoint start = monotonic_now();
    induct->close();
    EXPECT_TRUE(bench.run_until([&] { return host.state() == LinkState::kClosed; }));
    const std::string log = testing::internal::GetCapturedStderr();
    EXPECT_LE(monotonic_now() - start, seconds(10)) << "within the limit of a stopping node";
    EXPECT_NE(log.find("link 3: closed with 1004 bytes unread from 1 peer"), std::string::npos)
        << log;
}

TEST_F(StcpInductTest, GivesItsMemoryBackWhenItIsClosedInsideABundle) {
    open();
    TcpPeer peer = connect();
    peer.send(ByteView(frame_of(octets_of(10'000, 1))).first(5000));
    ASSERT_TRUE(bench.run_until([&] { return bench.pool.pinned_bytes() > 0; }));
    induct->close();
    bench.run_idle();
    EXPECT_EQ(bench.pool.pinned_bytes(), 0U);
    EXPECT_THROW((void)connect(), std::runtime_error);
}

TEST_F(StcpInductTest, CopiesWhatWaitsOutOfTheSharedSlab) {
    open();
    TcpPeer peer = connect();
    const Bytes stream = frame_of(octets_of(10'000, 1));
    peer.send(ByteView(stream).first(5004));
    EXPECT_TRUE(bench.run_until([&] { return bench.pool.pinned_bytes() == 5000; }));
    peer.send(ByteView(stream).subspan(5004));
    EXPECT_TRUE(arrived(kFirst, 1));
    EXPECT_EQ(host.bundles[kFirst].front(), octets_of(10'000, 1));
}

// A peer that goes on sending a little does not put that off.
TEST_F(StcpInductTest, CopiesWhatWaitsAlsoWhenThePeerTrickles) {
    open();
    TcpPeer peer = connect();
    const Bytes stream = frame_of(octets_of(100'000, 1));
    peer.send(ByteView(stream).first(5000));
    std::size_t fed = 5000;
    EXPECT_TRUE(bench.run_until([&] {
        if (fed < stream.size()) fed += peer.send(ByteView(stream).subspan(fed, 1));
        bench.clock->advance(milliseconds(1));  // the loop is never idle
        return bench.pool.pinned_bytes() > 0 && bench.pool.pinned_bytes() < test::LinkBench::kSlab;
    }));
    EXPECT_LT(fed, stream.size());
}

TEST_F(StcpInductTest, StopsReadingWithoutMemoryAndGoesOn) {
    open();
    host.keep_memory = true;
    TcpPeer peer = connect();
    const Bytes bundle = octets_of(200'000, 1);
    const Bytes stream = frame_of(bundle);
    constexpr std::size_t kBundles = 200;  // 40 MB through 16 MiB of slabs that are all kept
    std::size_t sent = 0;
    std::size_t fed = 0;
    const auto send = [&] {
        if (sent == kBundles) return;
        fed += peer.send(ByteView(stream).subspan(fed));
        if (fed < stream.size()) return;
        fed = 0;
        ++sent;
    };
    ASSERT_TRUE(bench.run_until([&] {
        send();
        return bench.pool.refusals() > 0;
    }));
    const std::size_t before = host.bundles[kFirst].size();
    EXPECT_LT(before, kBundles);
    EXPECT_LE(bench.pool.pinned_bytes(), bench.pool.limit_bytes() + 2 * test::LinkBench::kSlab);

    ASSERT_TRUE(bench.run_until([&] {
        send();
        if (bench.pool.pinned_bytes() >= bench.pool.limit_bytes()) host.memory.clear();
        return host.bundles[kFirst].size() == kBundles;
    }));
    for (const Bytes &received : host.bundles[kFirst]) ASSERT_EQ(received, bundle);
    host.memory.clear();
}

TEST_F(StcpInductTest, ASilentSessionEnds) {
    open(16, 1);
    const TimePoint start = monotonic_now();
    TcpPeer silent = connect();
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 1; }));
    TcpPeer slow = connect();
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 2; }));
    const Bytes frame = frame_of(octets_of(1'000, 1));
    std::size_t sent = 0;
    TimePoint next = start;
    // An octet now and then is not silence, even inside a bundle.
    ASSERT_TRUE(bench.run_until([&] {
        if (monotonic_now() >= next && sent < frame.size()) {
            sent += slow.send(ByteView(frame).subspan(sent, 1));
            next = monotonic_now() + milliseconds(50);
        }
        return monotonic_now() > start + milliseconds(1'500);
    }));
    EXPECT_GT(sent, 1U);
    ASSERT_TRUE(host.closed.contains(kFirst));
    EXPECT_EQ(host.closed.at(kFirst), LinkFault::kIdleTimeout);
    EXPECT_FALSE(host.closed.contains(kSecond));
    EXPECT_LT(bench.pool.pinned_bytes(), 4'096U);
    ASSERT_TRUE(closed(kSecond, LinkFault::kIdleTimeout)) << "the rest does not come";
}

TEST_F(StcpInductTest, AStrangerThatBringsNothingGivesUpItsPlace) {
    constexpr UpstreamId kThird{2};
    constexpr UpstreamId kFourth{3};
    host.knows_only = "127.0.0.9";
    open(16, 0, 1);
    const TcpPeer silent = connect();
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 1; }));
    const TcpPeer only_there = connect();
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 2; }));
    only_there.send(Bytes(4, 0));  // a keepalive, and no other
    const TcpPeer of_use = connect();
    of_use.send(frame_of(octets_of(100, 1)));
    ASSERT_TRUE(arrived(kThird, 1));
    const TcpPeer neighbour = TcpPeer::connect(induct->port(), 9);
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 4; }));

    const TimePoint start = monotonic_now();
    ASSERT_TRUE(closed(kFirst, LinkFault::kIdleTimeout));
    ASSERT_TRUE(closed(kSecond, LinkFault::kIdleTimeout));
    ASSERT_TRUE(bench.run_until([&] { return monotonic_now() > start + milliseconds(2'500); }));
    EXPECT_FALSE(host.closed.contains(kThird));
    EXPECT_FALSE(host.closed.contains(kFourth));
}

TEST_F(StcpInductTest, APausedSessionIsNotSilent) {
    open(16, 1);
    const TcpPeer peer = connect();
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 1; }));
    induct->pause(kFirst, true);
    const TimePoint start = monotonic_now();
    ASSERT_TRUE(bench.run_until([&] { return monotonic_now() > start + milliseconds(1'200); }));
    EXPECT_FALSE(host.closed.contains(kFirst));
    induct->pause(kFirst, false);
    bench.run_idle();
    EXPECT_FALSE(host.closed.contains(kFirst));
}

TEST_F(StcpInductTest, DoesNotOpenWhereAnotherListens) {
    open();
    const auto second = make_owned<StcpInduct>(bench.resources(), config_of(1, induct->port()));
    EXPECT_FALSE(second->open());
}

TEST_F(StcpInductTest, OneStrangerWhoStopsInTheMiddleStopsNobodyElse) {
    host.knows_only = "127.0.0.9";
    open();
    // Each sends most of the largest bundle; together they would fill the pool of 16 MiB.
    Bytes part = frame_of(Bytes(1'000'000, 7));
    part.resize(900'000);
    std::vector<TcpPeer> stalled;
    for (std::size_t i = 0; i < 14; ++i) {
        stalled.push_back(connect());
        std::size_t sent = 0;
        ASSERT_TRUE(bench.run_until([&] {
            sent += stalled.back().send(ByteView(part).subspan(sent));
            return sent > part.size() / 2;
        }));
    }
    bench.run_idle();
    EXPECT_LE(bench.pool.pinned_bytes(), bench.pool.limit_bytes() / 2);

    const TcpPeer neighbour = TcpPeer::connect(induct->port(), 9);
    neighbour.send(frame_of(octets_of(50'000, 1)));
    EXPECT_TRUE(arrived(UpstreamId{14}, 1));
    const TcpPeer stranger = TcpPeer::connect(induct->port(), 2);
    stranger.send(frame_of(octets_of(50'000, 2)));
    EXPECT_TRUE(arrived(UpstreamId{15}, 1));
    EXPECT_FALSE(host.closed.contains(UpstreamId{14}));
    EXPECT_FALSE(host.closed.contains(UpstreamId{15}));
}

TEST_F(StcpInductTest, APeerThatStopsInTheMiddleOfABundleIsDisconnected) {
    open();
    induct->set_transfer_limit(milliseconds(20));
    const TcpPeer stalled = connect();
    ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == 1; }));
    const TcpPeer idle = connect();
    stalled.send(ByteView(frame_of(octets_of(50'000, 1))).first(20'000));
    idle.send(frame_of(octets_of(100, 1)));
    EXPECT_TRUE(closed(kFirst, LinkFault::kTransferStalled));
    EXPECT_TRUE(arrived(kSecond, 1));
    EXPECT_FALSE(host.closed.contains(kSecond));
    EXPECT_EQ(bench.pool.pinned_bytes(), 0U);
}

TEST_F(StcpInductTest, IdleStrangersOfOneAddressShutOutNobody) {
    host.knows_only = "127.0.0.9";
    open(32);
    std::vector<TcpPeer> idle;
    for (std::size_t i = 0; i < 40; ++i) {
        idle.push_back(connect());
        ASSERT_TRUE(bench.run_until([&] { return bench.next_upstream == i + 1; }));
        // The first one is of use.
        if (i == 0) {
            idle[0].send(frame_of(octets_of(100, 1)));
            ASSERT_TRUE(arrived(kFirst, 1));
        }
    }
    EXPECT_EQ(host.closed.size(), 32U) << "a quarter of all";
    EXPECT_FALSE(host.closed.contains(kFirst));
    EXPECT_TRUE(closed(kSecond, LinkFault::kTooManySessions));
    const TcpPeer stranger = TcpPeer::connect(induct->port(), 2);
    stranger.send(frame_of(octets_of(100, 1)));
    EXPECT_TRUE(arrived(UpstreamId{40}, 1));
    const TcpPeer neighbour = TcpPeer::connect(induct->port(), 9);
    neighbour.send(frame_of(octets_of(100, 1)));
    EXPECT_TRUE(arrived(UpstreamId{41}, 1));
    EXPECT_EQ(host.closed.size(), 32U);
}

}  // namespace
}  // namespace farlink::cla::stcp::stcp_induct_test
