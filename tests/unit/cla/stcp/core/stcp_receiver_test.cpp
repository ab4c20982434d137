// SPDX-License-Identifier: Apache-2.0
// Length: all cases are fed by one Loop.
#include "cla/stcp/core/stcp_receiver.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "tests/support/mtcp_stream.hpp"
#include "tests/support/octets.hpp"
#include "tests/support/stcp_stream.hpp"

namespace farlink::cla::stcp::stcp_receiver_test {
namespace {

using test::append_frame;
using test::joined;
using test::octets_of;

constexpr std::uint32_t kSlab = 64 * 1024;
/// The least that a receiver reads into: of such slabs, each read takes a new one.
constexpr std::uint32_t kSmallSlab = 16 * 1024;
constexpr std::uint64_t kMaxBundle = 1024 * 1024;

/// What a receiver has given away, with the memory that it lies in.
struct Kept {
    std::vector<ByteView> slices;
    std::vector<SlabRef> slabs;
};

/// A loop with its memory, whose sessions read what they are fed.
struct Loop {
    explicit Loop(std::uint64_t limit = 64 * kSlab, std::uint32_t slab = kSlab)
        : pool(slab, limit), buffer(pool) {}

    /// Feeds `piece` in as few reads as the space allows; what is complete goes to `keep`. Returns
    /// how much was read before the pool had no more memory.
    template <class Keep>
    std::size_t feed(StcpReceiver &receiver, ByteView piece, Keep keep) {
        std::size_t fed = 0;
        while (fed < piece.size()) {
            const MutableBytes space = receiver.prepare(buffer);
            if (space.empty()) break;
            const std::size_t size = std::min(space.size(), piece.size() - fed);
            std::ranges::copy(piece.subspan(fed, size), space.begin());
            fed += size;
            fault = receiver.handle_bytes(size, buffer, received);
            for (const ReceivedBundle &bundle : received.bundles) {
                const auto slices = received.slices_of(bundle);
                const auto slabs = received.slabs_of(bundle);
                EXPECT_EQ(joined(slices).size(), bundle.size);
                keep(Kept{{slices.begin(), slices.end()}, {slabs.begin(), slabs.end()}});
            }
            received.clear();
            buffer.rest();
            if (fault != StcpFault::kNone) break;
        }
        return fed;
    }
    std::vector<Bytes> feed(StcpReceiver &receiver, ByteView piece) {
        std::vector<Bytes> bundles;
        feed(receiver, piece, [&](const Kept &kept) { bundles.push_back(joined(kept.slices)); });
        return bundles;
    }

    SlabPool pool;
    ReadBuffer buffer;
    ReceivedBundles received;
    StcpFault fault = StcpFault::kNone;
};

struct Stream {
    explicit Stream(const std::vector<std::size_t> &sizes) {
        for (const std::size_t size : sizes) {
            const Bytes bundle = octets_of(size, sent.size() + 1);
            append_frame(octets, bundle);
            if (size == 0)
                ++keep_alives;
            else
                sent.push_back(bundle);
        }
    }
    Bytes octets;
    std::vector<Bytes> sent;
    std::uint64_t keep_alives = 0;
};

TEST(StcpReceiver, FindsSmallBundlesCutInTwoPlacesAnywhere) {
    const Stream stream({0, 1, 40, 0, 0, 2, 7, 0});
    const ByteView octets(stream.octets);
    for (std::size_t first = 0; first <= octets.size(); ++first) {
        for (std::size_t second = first; second <= octets.size(); ++second) {
            Loop loop;
            StcpReceiver receiver(kMaxBundle);
            std::vector<Bytes> got = loop.feed(receiver, octets.first(first));
            for (const ByteView rest :
                 {octets.subspan(first, second - first), octets.subspan(second)})
                for (Bytes &bundle : loop.feed(receiver, rest)) got.push_back(std::move(bundle));
            ASSERT_EQ(got, stream.sent) << first << ' ' << second;
            ASSERT_EQ(receiver.keep_alives(), stream.keep_alives);
            ASSERT_FALSE(receiver.inside_bundle());
            ASSERT_EQ(loop.pool.pinned_bytes(), 0U);
        }
    }
}

TEST(StcpReceiver, FindsBundlesOfAllSizesCutAnywhere) {
    const Stream stream({1, 0, 2043, 2044, 2045, 0, 3 * kSmallSlab, 300, 1, 0});
    const ByteView octets(stream.octets);
    // Inside the largest bundle one place is like another.
    const auto dull = [&](std::size_t cut) { return cut > 9000 && cut + 3000 < octets.size(); };
    for (std::size_t cut = 0; cut <= octets.size(); cut += dull(cut) ? 61 : 1) {
        Loop loop(64 * kSmallSlab, kSmallSlab);
        StcpReceiver receiver(kMaxBundle);
        std::vector<Bytes> got = loop.feed(receiver, octets.first(cut));
        for (Bytes &bundle : loop.feed(receiver, octets.subspan(cut)))
            got.push_back(std::move(bundle));
        ASSERT_EQ(got, stream.sent) << cut;
        ASSERT_EQ(receiver.keep_alives(), stream.keep_alives);
        ASSERT_EQ(loop.pool.pinned_bytes(), 0U) << cut;
    }
}

TEST(StcpReceiver, FindsBundlesThatComeOctetByOctet) {
    const Stream stream({1, 0, 2047, 2049, 5000});
    Loop loop;
    StcpReceiver receiver(kMaxBundle);
    std::vector<Bytes> got;
    for (std::size_t at = 0; at < stream.octets.size(); ++at)
        for (Bytes &bundle : loop.feed(receiver, ByteView(stream.octets).subspan(at, 1)))
            got.push_back(std::move(bundle));
    EXPECT_EQ(got, stream.sent);
}

/// One of several sessions of a loop: its stream, and what it still has to send.
struct Session {
    Session(std::uint64_t seed, UpstreamId id) : receiver(kMaxBundle, id) {
        Random random(seed);
        for (int i = 0; i < 60; ++i) {
            static constexpr std::size_t kBounds[] = {2, 100, 3000, 3 * kSlab};
            const Bytes bundle = octets_of(random.below(kBounds[random.below(4)]), random.next());
            append_frame(stream, bundle);
            if (!bundle.empty()) sent.push_back(bundle);
        }
    }
    StcpReceiver receiver;
    Bytes stream;
    std::vector<Bytes> sent;
    std::size_t fed = 0;
    std::size_t received = 0;
};

// Bundles are kept for a while, as batches keep them: no later read of any session touches them.
TEST(StcpReceiver, SessionsShareABufferAndLeaveEachOthersBundlesAlone) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        Loop loop(1024 * kSlab);
        std::vector<Session> sessions;
        for (std::uint32_t i = 0; i < 5; ++i) sessions.emplace_back(seed * 10 + i, UpstreamId{i});
        std::deque<std::pair<Kept, const Bytes *>> kept;
        const auto give_back = [&kept] {
            ASSERT_EQ(joined(kept.front().first.slices), *kept.front().second);
            kept.pop_front();
        };
        for (std::size_t left = sessions.size(); left > 0;) {
            Session &session = sessions[random.below(sessions.size())];
            const std::size_t bound = random.chance(1, 10) ? 2 * kSlab : 2000;
            const std::size_t rest = session.stream.size() - session.fed;
            const std::size_t size = std::min<std::size_t>(random.below(bound), rest);
            if (rest == 0) continue;
            loop.feed(session.receiver, ByteView(session.stream).subspan(session.fed, size),
                      [&](Kept bundle) {
                          ASSERT_LT(session.received, session.sent.size());
                          kept.emplace_back(std::move(bundle), &session.sent[session.received++]);
                      });
            session.fed += size;
            if (session.fed == session.stream.size()) --left;
            if (random.chance(1, 20)) {
                EXPECT_TRUE(session.receiver.compact(loop.pool));
            }
            while (kept.size() > random.below(50)) give_back();
        }
        while (!kept.empty()) give_back();
        loop.buffer.rest();
        for (const Session &session : sessions) EXPECT_EQ(session.received, session.sent.size());
        EXPECT_EQ(loop.pool.pinned_bytes(), 0U);
    }
}

TEST(StcpReceiver, RefusesAFrameAboveItsLimit) {
    Loop loop;
    StcpReceiver receiver(1000);
    Bytes stream;
    append_frame(stream, octets_of(1000, 1));
    append_frame(stream, octets_of(1001, 2));
    const std::vector<Bytes> got = loop.feed(receiver, stream);
    EXPECT_EQ(got, std::vector<Bytes>{octets_of(1000, 1)}) << "what came before counts";
    EXPECT_EQ(loop.fault, StcpFault::kFrameTooLarge);
}

TEST(StcpReceiver, RefusesALargeFrameAtItsLengthAlready) {
    Loop loop;
    StcpReceiver receiver(1000);
    const Bytes length{0xff, 0xff, 0xff, 0xff};
    EXPECT_EQ(loop.feed(receiver, ByteView(length).first(3)), std::vector<Bytes>{});
    EXPECT_EQ(loop.fault, StcpFault::kNone);
    EXPECT_EQ(loop.feed(receiver, ByteView(length).subspan(3)), std::vector<Bytes>{});
    EXPECT_EQ(loop.fault, StcpFault::kFrameTooLarge);
}

TEST(StcpReceiver, KnowsAContactHeaderFromAFrame) {
    const Bytes contact{'d', 't', 'n', '!', 4, 0};
    for (const std::uint64_t limit : {std::uint64_t{1000}, ~std::uint64_t{0}}) {
        Loop loop;
        StcpReceiver receiver(limit);
        EXPECT_EQ(loop.feed(receiver, contact), std::vector<Bytes>{});
        EXPECT_EQ(loop.fault, StcpFault::kLooksLikeTcpcl) << limit;
    }
    // A bundle may be that long, and begins otherwise; behind the first frame it is one anyway.
    Loop loop;
    StcpReceiver receiver(~std::uint64_t{0});
    EXPECT_EQ(loop.feed(receiver, Bytes{'d', 't', 'n', '!', 0x9f, 4}), std::vector<Bytes>{});
    EXPECT_EQ(loop.fault, StcpFault::kNone);
    Loop later;
    StcpReceiver second(1000);
    Bytes stream;
    append_frame(stream, octets_of(10, 1));
    append(stream, contact);
    EXPECT_EQ(later.feed(second, stream), std::vector<Bytes>{octets_of(10, 1)});
    EXPECT_EQ(later.fault, StcpFault::kFrameTooLarge);
}

TEST(StcpReceiver, WaitsForTheRestOfTheLargestBundleThereIs) {
    Loop loop;
    StcpReceiver receiver(0xffffffff);
    Bytes stream{0xff, 0xff, 0xff, 0xff};
    stream.resize(3000);
    EXPECT_EQ(loop.feed(receiver, stream), std::vector<Bytes>{});
    EXPECT_EQ(loop.fault, StcpFault::kNone);
    EXPECT_TRUE(receiver.inside_bundle());
    stream.assign(kSlab, 0);
    EXPECT_EQ(loop.feed(receiver, stream), std::vector<Bytes>{});
    EXPECT_EQ(loop.fault, StcpFault::kNone);
}

class StcpReceiverCarry : public testing::TestWithParam<std::size_t> {};

// Octets of a bundle at the end of a read: little is carried over to the next one, so that it pins
// nothing and the bundle stays one slice; more waits where it lies.
TEST_P(StcpReceiverCarry, CopiesWhatIsLittle) {
    const std::size_t left_over = GetParam();
    Loop loop;
    StcpReceiver receiver(kMaxBundle);
    Bytes stream;
    const Bytes bundle = octets_of(10'000, 1);
    append_frame(stream, bundle);
    EXPECT_EQ(loop.feed(receiver, ByteView(stream).first(left_over)), std::vector<Bytes>{});
    EXPECT_TRUE(receiver.inside_bundle());
    const bool carried = left_over <= 2048;
    EXPECT_EQ(loop.pool.pinned_bytes(), carried ? 0U : kSlab);

    // Another session reads meanwhile, so that the rest does not lie behind the beginning.
    StcpReceiver other(kMaxBundle);
    Bytes between;
    append_frame(between, octets_of(20, 2));
    loop.feed(other, between);

    std::size_t slices = 0;
    loop.feed(receiver, ByteView(stream).subspan(left_over), [&](const Kept &kept) {
        EXPECT_EQ(joined(kept.slices), bundle);
        slices = kept.slices.size();
    });
    EXPECT_EQ(slices, carried ? 1U : 2U);
    EXPECT_EQ(loop.pool.pinned_bytes(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Octets, StcpReceiverCarry, testing::Values(1, 4, 2047, 2048, 2049));

TEST(StcpReceiver, TwoReadsInARowAreOneSlice) {
    Loop loop;
    StcpReceiver receiver(kMaxBundle);
    Bytes stream;
    append_frame(stream, octets_of(9000, 1));
    loop.feed(receiver, ByteView(stream).first(5000));
    loop.feed(receiver, ByteView(stream).subspan(5000), [](const Kept &kept) {
        EXPECT_EQ(kept.slices.size(), 1U);
        EXPECT_EQ(kept.slabs.size(), 1U);
    });
}

TEST(StcpReceiver, MovesAPartialBundleIntoMemoryOfItsOwnSize) {
    Loop loop;
    StcpReceiver receiver(kMaxBundle);
    Bytes stream;
    append_frame(stream, octets_of(9000, 1));
    loop.feed(receiver, ByteView(stream).first(5004));
    EXPECT_EQ(loop.pool.pinned_bytes(), kSlab);
    EXPECT_TRUE(receiver.compact(loop.pool));
    loop.buffer.rest();
    EXPECT_EQ(loop.pool.pinned_bytes(), 5000U);
    EXPECT_TRUE(receiver.compact(loop.pool));
    EXPECT_EQ(loop.feed(receiver, ByteView(stream).subspan(5004)),
              std::vector<Bytes>{octets_of(9000, 1)});
    EXPECT_EQ(loop.pool.pinned_bytes(), 0U);
}

TEST(StcpReceiver, KeepsAPartialBundleInASlabThatItNearlyFills) {
    Loop loop;
    StcpReceiver receiver(kMaxBundle);
    Bytes stream;
    append_frame(stream, octets_of(kSlab, 1));
    loop.feed(receiver, ByteView(stream).first(kSlab / 2 + 5));
    EXPECT_TRUE(receiver.compact(loop.pool));
    loop.buffer.rest();
    EXPECT_EQ(loop.pool.pinned_bytes(), kSlab);
}

TEST(StcpReceiver, MovesAPartialBundleLaterWhenThereIsNoMemory) {
    Loop loop(2 * kSlab);
    StcpReceiver receiver(kMaxBundle);
    Bytes stream;
    append_frame(stream, octets_of(9000, 1));
    loop.feed(receiver, ByteView(stream).first(5000));
    SlabRef other = loop.pool.acquire();
    EXPECT_FALSE(receiver.compact(loop.pool));
    other.reset();
    EXPECT_TRUE(receiver.compact(loop.pool));
    EXPECT_EQ(loop.feed(receiver, ByteView(stream).subspan(5000)),
              std::vector<Bytes>{octets_of(9000, 1)});
}

// A peer that sends a bundle octet by octet, each of them in another place, makes few pieces.
TEST(StcpReceiver, MakesFewPiecesWhenAPeerSendsOctetByOctet) {
    Loop loop;
    StcpReceiver receiver(kMaxBundle);
    StcpReceiver other(kMaxBundle);
    Bytes stream;
    const Bytes bundle = octets_of(40'000, 1);
    append_frame(stream, bundle);
    Bytes between;
    append_frame(between, octets_of(1, 2));
    std::size_t slices = 0;
    for (std::size_t at = 0; at < stream.size(); ++at) {
        loop.feed(receiver, ByteView(stream).subspan(at, 1), [&](const Kept &kept) {
            EXPECT_EQ(joined(kept.slices), bundle);
            slices = kept.slices.size();
        });
        loop.feed(other, between);
        if (at % 3 == 0) {
            ASSERT_TRUE(receiver.compact(loop.pool));
        }
        loop.buffer.rest();
        ASSERT_LE(loop.pool.pinned_bytes(), at + 2 * kSlab);
    }
    EXPECT_GT(slices, 0U);
    EXPECT_LE(slices, 24U);
}

/// A receiver of MTCP; heads of all widths, and keepalives of all widths too.
StcpReceiver mtcp_receiver(std::uint64_t max_bundle = kMaxBundle) {
    return StcpReceiver(max_bundle, kNoUpstream, Framing::kMtcp);
}
struct MtcpStream {
    explicit MtcpStream(const std::vector<std::size_t> &sizes) {
        for (const std::size_t size : sizes) {
            for (const std::size_t width : {0U, 1U, 2U, 4U, 8U}) {
                if (width < test::mtcp_width(size)) continue;
                const Bytes bundle = octets_of(size, octets.size());
                test::append_mtcp_frame(octets, bundle, width);
                if (size == 0)
                    ++keep_alives;
                else
                    sent.push_back(bundle);
            }
        }
    }
    Bytes octets;
    std::vector<Bytes> sent;
    std::uint64_t keep_alives = 0;
};

TEST(MtcpReceiver, FindsBundlesOfAllSizesCutAnywhere) {
    const MtcpStream stream({0, 1, 23, 24, 0, 255, 256, 2039, 2047, 3 * kSmallSlab, 1});
    const ByteView octets(stream.octets);
    for (std::size_t cut = 0; cut <= octets.size(); cut += cut < 3000 ? 1 : 37) {
        Loop loop(64 * kSmallSlab, kSmallSlab);
        StcpReceiver receiver = mtcp_receiver();
        std::vector<Bytes> got = loop.feed(receiver, octets.first(cut));
        for (Bytes &bundle : loop.feed(receiver, octets.subspan(cut)))
            got.push_back(std::move(bundle));
        ASSERT_EQ(got, stream.sent) << cut;
        ASSERT_EQ(receiver.keep_alives(), stream.keep_alives);
        ASSERT_FALSE(receiver.inside_bundle());
        ASSERT_EQ(loop.pool.pinned_bytes(), 0U) << cut;
    }
}

TEST(MtcpReceiver, FindsBundlesThatComeOctetByOctet) {
    const MtcpStream stream({1, 0, 300, 5000, 70'000});
    Loop loop;
    StcpReceiver receiver = mtcp_receiver();
    std::vector<Bytes> got;
    for (std::size_t at = 0; at < stream.octets.size(); ++at)
        for (Bytes &bundle : loop.feed(receiver, ByteView(stream.octets).subspan(at, 1)))
            got.push_back(std::move(bundle));
    EXPECT_EQ(got, stream.sent);
}

TEST(MtcpReceiver, RefusesAFrameAboveItsLimitAtItsHead) {
    for (const Bytes &head :
         {Bytes{0x59, 0x03, 0xe9}, Bytes{0x5b, 255, 255, 255, 255, 255, 255, 255, 255}}) {
        Loop loop;
        StcpReceiver receiver = mtcp_receiver(1000);
        Bytes stream;
        test::append_mtcp_frame(stream, octets_of(1000, 1));
        append(stream, head);
        EXPECT_EQ(loop.feed(receiver, stream), std::vector<Bytes>{octets_of(1000, 1)});
        EXPECT_EQ(loop.fault, StcpFault::kFrameTooLarge);
    }
}

Bytes bundle_of(std::size_t size, std::uint8_t first) {
    Bytes bundle = octets_of(size, 1);
    bundle[0] = first;
    bundle[1] = bundle[2] = bundle[3] = 0x88;
    return bundle;
}

TEST(StcpReceiver, TellsAFrameOfMtcp) {
    for (const std::uint64_t limit : {std::uint64_t{1000}, std::uint64_t{0xffffffff}})
        for (const std::uint8_t first : {0x9f, 6})
            for (const std::size_t size : {10, 100, 1000, 100'000}) {
                Bytes stream;
                test::append_mtcp_frame(stream, bundle_of(size, first));
                stream.resize(11);
                Loop whole;
                StcpReceiver receiver(limit);
                EXPECT_EQ(whole.feed(receiver, stream), std::vector<Bytes>{});
                EXPECT_EQ(whole.fault, StcpFault::kOtherFraming) << size;
                Loop pieces;
                StcpReceiver slow(limit);
                for (std::size_t at = 0; at < 6 && pieces.fault == StcpFault::kNone; ++at)
                    EXPECT_EQ(pieces.feed(slow, Bytes{stream[at]}), std::vector<Bytes>{});
                EXPECT_EQ(pieces.fault, StcpFault::kOtherFraming) << size;
            }
    // The length of a bundle of more than a gigabyte, which begins behind it.
    Loop loop;
    StcpReceiver receiver(0xffffffff);
    EXPECT_EQ(loop.feed(receiver, Bytes{0x58, 0x9f, 0x9f, 0x9f, 0x9f, 0x88}), std::vector<Bytes>{});
    EXPECT_EQ(loop.fault, StcpFault::kNone);
    EXPECT_TRUE(receiver.inside_bundle());
}

TEST(MtcpReceiver, TellsAFrameOfStcp) {
    for (const Bytes &bundle : {bundle_of(1000, 0x9f), bundle_of(1000, 6), Bytes{}}) {
        Loop loop;
        StcpReceiver receiver = mtcp_receiver();
        Bytes stream;
        append_frame(stream, bundle);
        EXPECT_EQ(loop.feed(receiver, stream), std::vector<Bytes>{});
        EXPECT_EQ(loop.fault, StcpFault::kOtherFraming);
    }
}

TEST(MtcpReceiver, RefusesWhatIsNoByteStringOfKnownLength) {
    for (const std::uint8_t initial : {0x00, 0x3f, 0x5c, 0x5f, 0x60, 0x9f, 0xff}) {
        Loop loop;
        StcpReceiver receiver = mtcp_receiver();
        EXPECT_EQ(loop.feed(receiver, Bytes{0x41, 7, initial}), std::vector<Bytes>{Bytes{7}});
        EXPECT_EQ(loop.fault, StcpFault::kNotAFrame);
    }
}

// That a read ends inside a small bundle, as nearly every read does, is no reason for more memory.
TEST(StcpReceiver, SmallBundlesStayWithinTheLimit) {
    constexpr std::uint64_t kLimit = 4 * kSlab;
    Loop loop(kLimit);
    StcpReceiver receiver(kMaxBundle, UpstreamId{1});
    Bytes stream;
    for (int i = 0; i < 10'000; ++i) append_frame(stream, octets_of(100, 1));
    std::vector<Kept> kept;
    const std::size_t fed =
        loop.feed(receiver, stream, [&](Kept bundle) { kept.push_back(std::move(bundle)); });
    EXPECT_LT(fed, stream.size());
    EXPECT_LE(loop.pool.pinned_bytes(), kLimit);
    kept.clear();
    loop.feed(receiver, ByteView(stream).subspan(fed), [](const Kept &) {});
    EXPECT_FALSE(receiver.inside_bundle());
}

// Sessions that are all in the middle of a large bundle have all memory; each gets its turn.
TEST(StcpReceiver, ManyLargeBundlesAtOnceAllComeThrough) {
    constexpr std::uint64_t kLimit = 8 * kSlab;
    constexpr std::size_t kSessions = 6;
    Loop loop(kLimit);
    std::vector<StcpReceiver> receivers;
    std::vector<Bytes> streams(kSessions);
    std::vector<std::size_t> fed(kSessions);
    for (std::uint32_t i = 0; i < kSessions; ++i) {
        receivers.emplace_back(kMaxBundle, UpstreamId{i});
        append_frame(streams[i], octets_of(5 * kSlab, i));
    }
    std::vector<Bytes> got;
    for (int round = 0; round < 1000 && got.size() < kSessions; ++round) {
        for (std::size_t i = 0; i < kSessions; ++i) {
            const ByteView rest = ByteView(streams[i]).subspan(fed[i]);
            fed[i] += loop.feed(receivers[i], rest.first(std::min<std::size_t>(rest.size(), 9000)),
                                [&](const Kept &kept) { got.push_back(joined(kept.slices)); });
            ASSERT_LE(loop.pool.pinned_bytes(), kLimit + 7 * kSlab) << "the limit and one bundle";
        }
    }
    EXPECT_EQ(got.size(), kSessions);
    EXPECT_EQ(loop.pool.pinned_bytes(), 0U);
}

}  // namespace
}  // namespace farlink::cla::stcp::stcp_receiver_test
