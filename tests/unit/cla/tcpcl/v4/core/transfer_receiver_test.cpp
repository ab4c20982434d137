// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/transfer_receiver.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/cla/tcpcl/v4/core/fixture.hpp"

namespace farlink::cla::tcpclv4::transfer_receiver_test {
namespace {

using test::octets_of;
using test::to_hex;

constexpr std::uint8_t kWhole = kSegmentStart | kSegmentEnd;

SessionConfig small_limits() {
    SessionConfig config = config_of(SessionRole::kPassive);
    config.segment_mru = 1000;
    config.transfer_mru = 3000;
    config.max_unacknowledged = 2500;
    return config;
}

/// A transfer in segments of `part` octets, with its length.
Bytes transfer_octets(std::uint64_t id, const Bytes &bundle, std::size_t part) {
    Bytes octets;
    for (std::size_t begin = 0; begin < bundle.size(); begin += part) {
        const std::size_t size = std::min(part, bundle.size() - begin);
        const bool first = begin == 0;
        const bool last = begin + size == bundle.size();
        const auto flags =
            static_cast<std::uint8_t>((first ? kSegmentStart : 0) | (last ? kSegmentEnd : 0));
        append(octets, segment_octets(flags, id, ByteView(bundle).subspan(begin, size),
                                      first && !last ? length_item(bundle.size()) : Bytes{}));
    }
    return octets;
}

/// Acknowledgements, apart from their order: those of segments do not wait for those of bundles.
std::set<std::string> messages(const Bytes &octets) {
    std::set<std::string> each;
    for (std::size_t begin = 0; begin < octets.size(); begin += kAckBytes)
        each.insert(to_hex(ByteView(octets).subspan(begin, kAckBytes)));
    return each;
}

TEST(Tcpclv4TransferReceiver, FindsItsBundlesWhereverTheStreamIsCut) {
    std::vector<Bytes> bundles;
    Bytes stream;
    for (const std::size_t size : {1U, 40U, 2500U, 3U, 900U}) {
        bundles.push_back(octets_of(size, size));
        append(stream, transfer_octets(bundles.size() - 1, bundles.back(), 900));
        stream.push_back(static_cast<std::uint8_t>(MessageType::kKeepAlive));
    }
    std::set<std::string> ack_queue;
    for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
        Played played(small_limits());
        played.host.acknowledge_at_once = true;
        played.handle({stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(cut)});
        played.handle({stream.begin() + static_cast<std::ptrdiff_t>(cut), stream.end()});
        ASSERT_EQ(played.host.received, bundles) << cut;
        ASSERT_FALSE(played.host.core->inside_bundle());
        ASSERT_EQ(played.host.pool.pinned_bytes(), 0U);
        const std::set<std::string> said = messages(played.said());
        if (cut == 0) ack_queue = said;
        ASSERT_EQ(said, ack_queue) << cut;
    }
    EXPECT_EQ(ack_queue.size(), 7U);
}

TEST(Tcpclv4TransferReceiver, TruncatedAnywhereItHasDeliveredWhatWasWhole) {
    const Bytes bundle = octets_of(2500, 1);
    const Bytes first = transfer_octets(0, bundle, 900);
    const Bytes stream = first + transfer_octets(1, bundle, 1000);
    for (std::size_t size = 0; size < stream.size(); ++size) {
        Played played(small_limits());
        played.handle({stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(size)});
        ASSERT_EQ(played.host.received.size(), size < first.size() ? 0U : 1U);
        const bool inside = played.host.core->inside_bundle();
        ASSERT_EQ(inside, size != 0 && size != first.size());
        played.host.peer_closed(played.now);
        ASSERT_EQ(played.host.fault, inside ? LinkFault::kTruncatedBundle : LinkFault::kPeerClosed);
        played.host.buffer.rest();
        ASSERT_EQ(played.host.pool.pinned_bytes(), 0U);
    }
}

TEST(Tcpclv4TransferReceiver, AcknowledgesSegmentsAtOnceAndTheBundleWhenItIsSafe) {
    Played played(small_limits());
    played.handle(transfer_octets(0, octets_of(10, 1), 1000));
    EXPECT_EQ(played.said_hex(), "");
    played.handle(transfer_octets(1, octets_of(2000, 1), 800));
    EXPECT_EQ(played.said_hex(),
              to_hex(ack_octets(kSegmentStart, 1, 800) + ack_octets(0, 1, 1600)));
    played.host.acknowledge(1, 1, TransferDisposition::kSafe, played.now);
    EXPECT_EQ(played.said_hex(), "");
    played.host.acknowledge(0, 1, TransferDisposition::kSafe, played.now);
    EXPECT_EQ(played.said_hex(),
              to_hex(ack_octets(kWhole, 0, 10) + ack_octets(kSegmentEnd, 1, 2000)));
}

TEST(Tcpclv4TransferReceiver, CopiesFlagsThatItDoesNotKnow) {
    Played played(small_limits());
    played.host.acknowledge_at_once = true;
    played.handle(segment_octets(0x83, 0, octets_of(5, 1)));
    EXPECT_EQ(played.said_hex(), to_hex(ack_octets(0x83, 0, 5)));
    EXPECT_TRUE(played.host.departed(ProtocolDeviation::kReservedFlags));
}

struct Refused {
    const char *what;
    Bytes octets;
    Refusal reason;
};

TEST(Tcpclv4TransferReceiver, RefusesWhatItCannotTakeAndGoesOn) {
    const Bytes data = octets_of(500, 1);
    const Bytes two_lengths = length_item(500) + length_item(500);
    const Bytes unknown = octets_of_message(ExtensionItem{kCritical, 0x8123, as_bytes("x")});
    const Bytes short_length = octets_of_message(ExtensionItem{kCritical, 1, as_bytes("1234")});
    const std::vector<Refused> cases{
        {"an unknown critical item", segment_octets(kWhole, 0, data, unknown),
         Refusal::kExtensionFailure},
        {"two lengths", segment_octets(kWhole, 0, data, two_lengths), Refusal::kExtensionFailure},
        {"a length of four octets", segment_octets(kWhole, 0, data, short_length),
         Refusal::kExtensionFailure},
        {"broken items", segment_octets(kWhole, 0, data, as_bytes("123456")),
         Refusal::kExtensionFailure},
        {"an announcement above the MRU",
         segment_octets(kSegmentStart, 0, data, length_item(3001)) +
             segment_octets(kSegmentEnd, 0, data),
         Refusal::kNotAcceptable},
        {"less than announced", segment_octets(kWhole, 0, data, length_item(501)),
         Refusal::kNotAcceptable},
        {"more than announced",
         segment_octets(kSegmentStart, 0, Bytes(), length_item(499)) +
             segment_octets(kSegmentEnd, 0, data),
         Refusal::kNotAcceptable},
    };
    for (const Refused &example : cases) {
        SCOPED_TRACE(example.what);
        Played played(small_limits());
        played.host.acknowledge_at_once = true;
        played.handle(example.octets);
        const std::string said = played.said_hex();
        const std::string refusal = to_hex(refuse_octets(example.reason, 0));
        EXPECT_NE(said.find(refusal), std::string::npos) << said;
        EXPECT_TRUE(played.host.received.empty());
        played.handle(segment_octets(kWhole, 1, data));
        EXPECT_EQ(played.said_hex(), to_hex(ack_octets(kWhole, 1, 500)));
        EXPECT_EQ(played.host.received, std::vector<Bytes>{data});
    }
}

TEST(Tcpclv4TransferReceiver, RefusesTheSegmentsOfARefusedTransferToo) {
    Played played(small_limits());
    const Bytes data = octets_of(900, 1);
    played.handle(segment_octets(kSegmentStart, 0, data) + segment_octets(0, 0, data) +
                  segment_octets(0, 0, data));
    EXPECT_EQ(played.said().size(), 3 * kAckBytes);
    const std::string refusal = to_hex(refuse_octets(Refusal::kNotAcceptable, 0));
    played.handle(segment_octets(0, 0, data));
    EXPECT_EQ(played.said_hex(), refusal);
    played.handle(segment_octets(0, 0, data) + segment_octets(kSegmentEnd, 0, data));
    EXPECT_EQ(played.said_hex(), refusal + refusal);
    // It has ended: there is no such transfer any more.
    played.handle(segment_octets(kSegmentEnd, 0, data));
    EXPECT_EQ(played.said_hex(), "060301");
}

TEST(Tcpclv4TransferReceiver, SkipsLargeDataOfWhatItRefused) {
    SessionConfig config = config_of(SessionRole::kPassive);
    config.transfer_mru = 1000;
    Played played(config);
    played.handle(segment_octets(kWhole, 0, Bytes(300'000)) + Bytes{4} +
                  segment_octets(kWhole, 1, Bytes(10)));
    EXPECT_EQ(played.said_hex(), to_hex(refuse_octets(Refusal::kNotAcceptable, 0)));
    EXPECT_EQ(played.host.received.size(), 1U);
}

TEST(Tcpclv4TransferReceiver, EndsASessionThatInterleavesTransfers) {
    for (const Bytes &second :
         {segment_octets(kSegmentStart, 1, Bytes(5)), segment_octets(kSegmentEnd, 1, Bytes(5))}) {
        Played played(small_limits());
        played.handle(segment_octets(kSegmentStart, 0, Bytes(5)));
        (void)played.said();
        played.handle(second);
        EXPECT_EQ(played.said_hex(), "060301");
        EXPECT_EQ(played.host.fault, LinkFault::kProtocolError);
    }
}

TEST(Tcpclv4TransferReceiver, PutsUpWithHabitsUnlessItIsStrict) {
    const std::vector<std::pair<ProtocolDeviation, Bytes>> habits{
        {ProtocolDeviation::kSegmentAboveMru, segment_octets(kWhole, 0, octets_of(1001, 1))},
        {ProtocolDeviation::kEmptyTransfer, segment_octets(kWhole, 0, {})},
        {ProtocolDeviation::kUnwantedTransferLength,
         segment_octets(kWhole, 0, octets_of(5, 1), length_item(5))},
        {ProtocolDeviation::kMissingTransferLength,
         segment_octets(kSegmentStart, 0, octets_of(5, 1))},
        {ProtocolDeviation::kKeepAliveUnexpected, Bytes{4}},
    };
    for (const auto &[deviation, octets] : habits) {
        SCOPED_TRACE(to_string(deviation));
        Played played(small_limits());
        played.host.acknowledge_at_once = true;
        played.handle(octets);
        EXPECT_TRUE(played.host.departed(deviation));
        EXPECT_FALSE(played.host.ended);
        SessionConfig config = small_limits();
        config.strict = true;
        Played strict(config);
        strict.handle(octets);
        EXPECT_TRUE(strict.host.departed(deviation));
        const bool broken = deviation == ProtocolDeviation::kSegmentAboveMru ||
                            deviation == ProtocolDeviation::kEmptyTransfer;
        EXPECT_EQ(strict.host.ended, broken);
        EXPECT_EQ(strict.said_hex().ends_with("060201"), broken);
    }
}

TEST(Tcpclv4TransferReceiver, AnEmptyTransferIsAcknowledgedInItsTurn) {
    Played played(small_limits());
    played.handle(segment_octets(kWhole, 0, Bytes(5)) + segment_octets(kWhole, 1, {}) +
                  segment_octets(kWhole, 2, Bytes(6)));
    EXPECT_EQ(played.host.received.size(), 2U);
    EXPECT_EQ(played.said_hex(), "");
    played.host.acknowledge(0, 2, TransferDisposition::kSafe, played.now);
    EXPECT_EQ(played.said_hex(), to_hex(ack_octets(kWhole, 0, 5) + ack_octets(kWhole, 1, 0) +
                                        ack_octets(kWhole, 2, 6)));
}

TEST(Tcpclv4TransferReceiver, RefusesBeyondItsLimitWhilePaused) {
    Played played(small_limits());
    played.host.send(Bytes(5), played.now);
    (void)played.said();
    played.host.core->handle_pause(true);
    EXPECT_TRUE(played.host.core->wants_read());  // for the acknowledgement
    const Bytes bundle(900);
    for (std::uint64_t id = 0; id < 4; ++id) played.handle(segment_octets(kWhole, id, bundle));
    EXPECT_EQ(played.host.received.size(), 2U);
    played.host.acknowledge(0, 1, TransferDisposition::kSafe, played.now);
    played.handle(segment_octets(kWhole, 4, bundle));
    EXPECT_EQ(played.host.received.size(), 3U);
    played.host.acknowledge(1, 2, TransferDisposition::kSafe, played.now);
    EXPECT_EQ(played.said_hex(),
              to_hex(ack_octets(kWhole, 0, 900) + ack_octets(kWhole, 1, 900) +
                     refuse_octets(Refusal::kNoResources, 2) +
                     refuse_octets(Refusal::kNoResources, 3) + ack_octets(kWhole, 4, 900)));
    played.handle(ack_octets(kWhole, 0, 5));
    EXPECT_FALSE(played.host.core->wants_read());
    played.host.core->handle_pause(false);
    EXPECT_TRUE(played.host.core->wants_read());
}

std::uint64_t refused_arrivals(const test::CoreHost &host) {
    std::uint64_t bundles = 0;
    for (const SessionEvent &event : host.events)
        if (event.kind == SessionEvent::Kind::kBundlesRefused) bundles += event.token;
    return bundles;
}

// A host that keeps bundles without room is not paused all the time.
TEST(Tcpclv4TransferReceiver, RefusesBeyondItsLimitAlwaysIfTheHostKeepsBundles) {
    SessionConfig config = small_limits();
    config.always_limited = true;
    Played played(config);
    const Bytes bundle(900);
    Bytes wanted;
    for (std::uint64_t id = 0; id < 5; ++id) {
        played.handle(segment_octets(kWhole, id, bundle));
        append(wanted, refuse_octets(Refusal::kNoResources, id));
    }
    EXPECT_EQ(played.host.received.size(), 2U);
    EXPECT_EQ(refused_arrivals(played.host), 3U);
    EXPECT_EQ(played.said_hex(), "") << "the refusals keep their place";
    played.host.acknowledge(0, 2, TransferDisposition::kNoResources, played.now);
    EXPECT_EQ(played.said_hex(), to_hex(wanted));
    EXPECT_EQ(refused_arrivals(played.host), 3U) << "the host has refused the others";
}

TEST(Tcpclv4TransferReceiver, TakesOneBundleAboveThatLimit) {
    SessionConfig config = small_limits();
    config.always_limited = true;
    Played played(config);
    played.handle(transfer_octets(0, Bytes(2900), 900));
    played.handle(segment_octets(kWhole, 1, Bytes(10)));
    EXPECT_EQ(played.host.received.size(), 1U);
    EXPECT_EQ(refused_arrivals(played.host), 1U);
    played.host.acknowledge(0, 1, TransferDisposition::kSafe, played.now);
    played.handle(segment_octets(kWhole, 2, Bytes(10)));
    EXPECT_EQ(played.host.received.size(), 2U);
    played.host.acknowledge(1, 1, TransferDisposition::kSafe, played.now);
}

TEST(Tcpclv4TransferReceiver, ReadsOnWithoutMemoryAndRefusesMeanwhile) {
    Played played(config_of(SessionRole::kPassive));
    played.host.acknowledge_at_once = true;
    const Bytes bundle = octets_of(5000, 1);
    played.host.send(Bytes(5), played.now);
    (void)played.said();
    // A transfer that has begun, and then there is no memory left.
    played.handle(segment_octets(kSegmentStart, 0, bundle));
    EXPECT_TRUE(played.host.core->inside_bundle());
    std::vector<SlabRef> all;
    while (SlabRef slab = played.host.pool.acquire()) all.push_back(slab);
    // Another session goes beyond the limit, so this one may not.
    all.push_back(played.host.pool.acquire_beyond_limit());
    played.handle(ack_octets(kWhole, 0, 5));
    EXPECT_EQ(played.host.transmitted, 1U);
    EXPECT_TRUE(played.host.core->inside_bundle());
    played.handle(segment_octets(kSegmentEnd, 0, bundle) + segment_octets(kWhole, 1, bundle));
    (void)played.said();
    all.clear();
    played.handle(segment_octets(kWhole, 2, bundle));
    EXPECT_EQ(played.said_hex(), to_hex(ack_octets(kWhole, 2, 5000)));
    EXPECT_EQ(played.host.received, std::vector<Bytes>{bundle});
    played.host.buffer.rest();
    EXPECT_EQ(played.host.pool.pinned_bytes(), 0U);
}

// A session may go beyond the limit of the loop's memory for the bundle that it is in the middle
// of; not for the next one, which began in the same read.
TEST(Tcpclv4TransferReceiver, GoesBeyondTheLimitForOneBundleOnly) {
    Played played(config_of(SessionRole::kPassive));
    const Bytes bundle = octets_of(70'000, 1);
    played.handle(segment_octets(kSegmentStart, 0, bundle));
    std::vector<SlabRef> all;
    while (SlabRef slab = played.host.pool.acquire()) all.push_back(slab);
    played.handle(segment_octets(0, 0, bundle) + segment_octets(0, 0, bundle));
    EXPECT_TRUE(played.host.core->inside_bundle());
    EXPECT_GT(played.host.pool.pinned_bytes(), played.host.pool.limit_bytes());
    while (played.host.pool.pinned_bytes() < 2 * played.host.pool.limit_bytes())
        all.push_back(played.host.pool.acquire_beyond_limit());
    const Bytes next = segment_octets(kSegmentStart, 1, bundle, length_item(140'000));
    played.handle(segment_octets(kSegmentEnd, 0, bundle) + next);
    EXPECT_EQ(played.host.received.size(), 1U);
    EXPECT_FALSE(played.host.core->inside_bundle());
    played.host.acknowledge(0, 1, TransferDisposition::kSafe, played.now);
    EXPECT_TRUE(played.said_hex().ends_with(to_hex(refuse_octets(Refusal::kNoResources, 1))));
}

TEST(Tcpclv4TransferReceiver, GoesOnWithATransferThatNoDataCameForMeanwhile) {
    Played played(config_of(SessionRole::kPassive));
    const Bytes bundle = octets_of(5000, 1);
    played.handle(segment_octets(kSegmentStart, 0, bundle));
    std::vector<SlabRef> all;
    while (SlabRef slab = played.host.pool.acquire()) all.push_back(slab);
    all.push_back(played.host.pool.acquire_beyond_limit());
    played.handle(Bytes{4, 4});
    all.clear();
    played.handle(segment_octets(kSegmentEnd, 0, bundle));
    EXPECT_EQ(played.host.received, std::vector<Bytes>{bundle + bundle});
}

TEST(Tcpclv4TransferReceiver, TakesNoTransferAfterSessTerm) {
    Played played(small_limits());
    played.handle(segment_octets(kSegmentStart, 0, Bytes(5)));
    played.host.terminate(played.now);
    (void)played.said();
    played.handle(segment_octets(kSegmentEnd, 0, Bytes(5)) + segment_octets(kWhole, 1, Bytes(5)));
    EXPECT_EQ(played.host.received.size(), 1U);
    played.host.acknowledge(0, 1, TransferDisposition::kSafe, played.now);
    EXPECT_EQ(played.said_hex(), to_hex(ack_octets(kSegmentEnd, 0, 10) +
                                        refuse_octets(Refusal::kSessionTerminating, 1)));
    EXPECT_FALSE(played.host.ended);
    played.handle(octets_of_message(Term{kTermReply, 0}));
    EXPECT_TRUE(played.host.ended);
    EXPECT_EQ(played.host.fault, LinkFault::kNone);
}

TEST(Tcpclv4TransferReceiver, CompactsWhatWaits) {
    Played played(config_of(SessionRole::kPassive));
    const Bytes bundle = octets_of(5000, 1);
    played.handle(segment_octets(kSegmentStart, 0, bundle));
    EXPECT_TRUE(played.host.core->compact(played.host.pool));
    played.host.buffer.rest();
    EXPECT_EQ(played.host.pool.pinned_bytes(), 5000U);
    played.handle(segment_octets(kSegmentEnd, 0, bundle));
    EXPECT_EQ(played.host.received, std::vector<Bytes>{bundle + bundle});
}

TEST(Tcpclv4TransferReceiver, ALargeTransferCountsForWhatIsInMemoryOfIt) {
    SessionConfig config = small_limits();
    config.transfer_mru = 1'000'000;
    Played played(config);
    played.host.buffer.set_spool_above(2000);
    played.host.core->handle_pause(true);
    const Bytes bundle = octets_of(10'000, 1);
    const Bytes stream = transfer_octets(0, bundle, 900);
    played.handle({stream.begin(), stream.begin() + 1000});
    EXPECT_EQ(played.said(), ack_octets(kSegmentStart, 0, 900));
    EXPECT_TRUE(played.host.core->wants_read() || played.host.pieces == 0);
    played.handle({stream.begin() + 1000, stream.begin() + 3000});
    EXPECT_EQ(played.host.pieces, 1U);
    EXPECT_LE(played.host.core->unfinished_bytes(), 2000U);
    EXPECT_FALSE(played.host.core->wants_read());
    played.host.core->handle_pause(false);
    played.handle({stream.begin() + 3000, stream.end()});
    EXPECT_EQ(played.host.received, std::vector<Bytes>{bundle});
    // It is stored: it leaves room for others while it waits for its disposition.
    played.host.core->handle_pause(true);
    (void)played.said();
    played.handle(transfer_octets(1, octets_of(900, 2), 900));
    EXPECT_EQ(played.said_hex(), "");
    played.host.acknowledge(0, 2, TransferDisposition::kSafe, played.now);
    EXPECT_EQ(played.said(), ack_octets(kSegmentEnd, 0, 10'000) + ack_octets(kWhole, 1, 900));
}

TEST(Tcpclv4TransferReceiver, ABundleInPiecesThatIsRefusedHasNoLastOne) {
    SessionConfig config = small_limits();
    config.transfer_mru = 10'000;
    Played played(config);
    played.host.buffer.set_spool_above(1000);
    const Bytes part = octets_of(900, 1);
    played.handle(segment_octets(kSegmentStart, 0, part) + segment_octets(0, 0, part) +
                  segment_octets(0, 0, part));
    EXPECT_GT(played.host.pieces, 0U);
    (void)played.said();
    played.handle(segment_octets(kSegmentEnd, 0, Bytes(9000)));
    EXPECT_EQ(played.said(), refuse_octets(Refusal::kNotAcceptable, 0));
    EXPECT_EQ(played.host.given_up, 1U) << "at once, so that nothing is kept of it";
    played.handle(segment_octets(kWhole, 1, part));
    EXPECT_EQ(played.host.given_up, 1U);
    EXPECT_EQ(played.host.received, std::vector<Bytes>{part});
}

}  // namespace
}  // namespace farlink::cla::tcpclv4::transfer_receiver_test
