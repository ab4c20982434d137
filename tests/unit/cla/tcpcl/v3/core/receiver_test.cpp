// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/receiver.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/support/hex.hpp"
#include "tests/support/octets.hpp"

namespace farlink::cla::tcpclv3::receiver_test {
namespace {

using test::octets_of;

constexpr SessionTerms kAll{.acknowledgements = true, .refusal = true, .length = true};
constexpr SessionTerms kAcksOnly{.acknowledgements = true};
constexpr UpstreamId kId{7};
constexpr std::uint8_t kWhole = kSegmentFlags;

/// A receiver that is given one message after the other, each in a slab of its own.
struct Desk {
    explicit Desk(const SessionTerms &terms = kAll, bool strict = false,
                  bool always_limited = false)
        : pool(64 * 1024, 16 * 1024 * 1024),
          buffer(pool),
          events(strict),
          ack_queue(queue),
          receiver(config(always_limited), kId, ack_queue, events) {
        ack_queue.agree(terms);
    }
    static SessionConfig config(bool always_limited) {
        SessionConfig config;
        config.always_limited = always_limited;
        config.transfer_mru = 10'000;
        config.max_unacknowledged = 1000;
        return config;
    }

    /// The head, and as much of `data` as there is; the rest is said to come later.
    LinkFault segment(std::uint8_t flags, std::uint64_t length, ByteView data, bool memory = true) {
        Bytes octets(kMaxHeadBytes);
        octets.resize(encode_head(MessageType::kDataSegment, flags, length, octets.data()));
        const auto head = decode_head(octets);
        append(octets, data);
        slab = pool.acquire();
        std::ranges::copy(octets, slab->data);
        std::size_t used = 0;
        const LinkFault fault =
            receiver.handle_segment(*head, ByteView(slab->data, octets.size()),
                                    {memory ? &slab : nullptr, buffer, out}, used);
        waits = used == 0;
        return fault;
    }
    LinkFault segment(std::uint8_t flags, const Bytes &data, bool memory = true) {
        return segment(flags, data.size(), data, memory);
    }
    LinkFault more(const Bytes &data, bool memory = true) {
        slab = pool.acquire();
        std::ranges::copy(data, slab->data);
        std::size_t used = 0;
        const LinkFault fault = receiver.handle_more(ByteView(slab->data, data.size()),
                                                     {memory ? &slab : nullptr, buffer, out}, used);
        EXPECT_LE(used, data.size());
        return fault;
    }
    [[nodiscard]] std::vector<Bytes> bundles() const {
        std::vector<Bytes> all;
        for (const ReceivedBundle &bundle : out.bundles)
            all.push_back(test::joined(out.slices_of(bundle)));
        return all;
    }
    std::string written() {
        std::array<iovec, 8> pieces;
        std::string text;
        while (queue.pending() > 0) {
            (void)queue.gather(pieces, 1);
            text += test::to_hex(
                {static_cast<const std::uint8_t *>(pieces[0].iov_base), pieces[0].iov_len});
            queue.written(pieces[0].iov_len);
        }
        return text;
    }

    SlabPool pool;
    ReadBuffer buffer;
    TxQueue queue;
    Events events;
    AckQueue ack_queue;
    Receiver receiver;
    ReceivedBundles out;
    SlabRef slab;
    bool waits = false;
};

TEST(Receiver, DeliversABundleOfOneSegment) {
    Desk desk;
    const Bytes bundle = octets_of(100, 1);
    EXPECT_EQ(desk.segment(kWhole, bundle), LinkFault::kNone);
    EXPECT_EQ(desk.bundles(), std::vector<Bytes>{bundle});
    EXPECT_EQ(desk.out.slices[0].data(), desk.slab->data + 2) << "as it lies";
    EXPECT_EQ(desk.receiver.delivered(), 1U);
    EXPECT_EQ(desk.written(), "") << "not before its disposition";
    EXPECT_TRUE(desk.ack_queue.handle_disposition(0, 1, TransferDisposition::kSafe));
    EXPECT_EQ(desk.written(), "2064");
}

TEST(Receiver, JoinsSegments) {
    Desk desk;
    const Bytes bundle = octets_of(300, 1);
    EXPECT_EQ(desk.segment(kStartFlag, Bytes(bundle.begin(), bundle.begin() + 100)),
              LinkFault::kNone);
    EXPECT_TRUE(desk.receiver.inside_bundle());
    EXPECT_FALSE(desk.receiver.inside_segment());
    EXPECT_EQ(desk.receiver.finishing(), kId);
    EXPECT_EQ(desk.segment(0, Bytes{}), LinkFault::kNone);
    EXPECT_EQ(desk.segment(kEndFlag, Bytes(bundle.begin() + 100, bundle.end())), LinkFault::kNone);
    EXPECT_EQ(desk.bundles(), std::vector<Bytes>{bundle});
    EXPECT_EQ(desk.written(),
              "2064"
              "2064")
        << "intermediate ones at once";
    EXPECT_TRUE(desk.ack_queue.handle_disposition(0, 1, TransferDisposition::kSafe));
    EXPECT_EQ(desk.written(), "20822c");
    EXPECT_EQ(desk.receiver.finishing(), kNoUpstream);
}

TEST(Receiver, WaitsForALittleAndBeginsWithMore) {
    Desk desk;
    const Bytes bundle = octets_of(5000, 1);
    const ByteView octets(bundle);
    EXPECT_EQ(desk.segment(kWhole, 5000, octets.first(1000)), LinkFault::kNone);
    EXPECT_TRUE(desk.waits);
    EXPECT_FALSE(desk.receiver.inside_bundle());
    EXPECT_EQ(desk.segment(kWhole, 5000, octets.first(3000)), LinkFault::kNone);
    EXPECT_FALSE(desk.waits);
    EXPECT_TRUE(desk.receiver.inside_segment());
    EXPECT_EQ(desk.more(Bytes(bundle.begin() + 3000, bundle.begin() + 4000)), LinkFault::kNone);
    Bytes rest(bundle.begin() + 4000, bundle.end());
    append(rest, Bytes(10, 0x40));
    EXPECT_EQ(desk.more(rest), LinkFault::kNone);
    EXPECT_FALSE(desk.receiver.inside_segment());
    EXPECT_EQ(desk.bundles(), std::vector<Bytes>{bundle});
}

TEST(Receiver, SegmentsComeInOrder) {
    EXPECT_EQ(Desk().segment(0, octets_of(10, 1)), LinkFault::kProtocolError);
    EXPECT_EQ(Desk().segment(kEndFlag, octets_of(10, 1)), LinkFault::kProtocolError);
    Desk desk;
    EXPECT_EQ(desk.segment(kStartFlag, octets_of(10, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.segment(kStartFlag, octets_of(10, 1)), LinkFault::kProtocolError);
    EXPECT_EQ(desk.segment(0, ~std::uint64_t{0}, {}), LinkFault::kProtocolError) << "wraps";
}

TEST(Receiver, RefusesWhatIsTooLarge) {
    Desk desk;
    EXPECT_EQ(desk.segment(kWhole, ~std::uint64_t{0}, octets_of(10, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.written(), "32") << "before its data are here";
    EXPECT_TRUE(desk.receiver.inside_segment());
    EXPECT_FALSE(desk.receiver.inside_bundle());
    EXPECT_EQ(desk.pool.pinned_bytes(), 64U * 1024) << "the slab in hand";

    Desk segments;
    EXPECT_EQ(segments.segment(kStartFlag, octets_of(9000, 1)), LinkFault::kNone);
    EXPECT_EQ(segments.written(), "20c628");
    EXPECT_EQ(segments.segment(0, octets_of(1001, 1)), LinkFault::kNone);
    EXPECT_EQ(segments.segment(kEndFlag, octets_of(1, 1)), LinkFault::kNone);
    EXPECT_EQ(segments.written(), "3232") << "one answer for each segment";
    EXPECT_TRUE(segments.bundles().empty());
    EXPECT_EQ(segments.segment(kWhole, octets_of(50, 1)), LinkFault::kNone);
    EXPECT_EQ(segments.bundles().size(), 1U);

    Desk unable(kAcksOnly);
    EXPECT_EQ(unable.segment(kWhole, 10'001, octets_of(10, 1)), LinkFault::kFrameTooLarge);
}

TEST(Receiver, TheNextBundleMayBeginInsideARefusedOne) {
    Desk desk;
    EXPECT_EQ(desk.receiver.handle_length(20'000), LinkFault::kNone);
    EXPECT_EQ(desk.written(), "") << "a LENGTH message has no answer of its own";
    EXPECT_EQ(desk.segment(kStartFlag, 10, {}), LinkFault::kNone);
    EXPECT_EQ(desk.written(), "32");
    EXPECT_EQ(desk.more(octets_of(10, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.segment(kWhole, octets_of(50, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.bundles().size(), 1U);
}

TEST(Receiver, ABundleHasTheLengthThatWasAnnounced) {
    Desk desk;
    EXPECT_EQ(desk.receiver.handle_length(30), LinkFault::kNone);
    EXPECT_EQ(desk.segment(kStartFlag, octets_of(20, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.segment(kEndFlag, octets_of(10, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.segment(kWhole, octets_of(12, 1)), LinkFault::kNone) << "for one bundle only";
    EXPECT_EQ(desk.receiver.handle_length(30), LinkFault::kNone);
    EXPECT_EQ(desk.segment(kWhole, octets_of(30, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.segment(kWhole, octets_of(12, 1)), LinkFault::kNone) << "for one bundle only";

    Desk more;
    EXPECT_EQ(more.receiver.handle_length(30), LinkFault::kNone);
    EXPECT_EQ(more.segment(kStartFlag, octets_of(20, 1)), LinkFault::kNone);
    EXPECT_EQ(more.segment(0, octets_of(11, 1)), LinkFault::kProtocolError);
    Desk less;
    EXPECT_EQ(less.receiver.handle_length(30), LinkFault::kNone);
    EXPECT_EQ(less.segment(kWhole, octets_of(29, 1)), LinkFault::kProtocolError);
}

TEST(Receiver, ALengthBehindTheStartIsPutUpWith) {
    Desk desk;
    EXPECT_EQ(desk.segment(kStartFlag, octets_of(20, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.receiver.handle_length(25), LinkFault::kNone);
    EXPECT_EQ(desk.events.poll()->deviation, ProtocolDeviation::kLengthAfterStart);
    EXPECT_EQ(desk.segment(kEndFlag, octets_of(6, 1)), LinkFault::kProtocolError);
    EXPECT_EQ(desk.receiver.handle_length(19), LinkFault::kProtocolError);
    Desk strict(kAll, true);
    EXPECT_EQ(strict.segment(kStartFlag, octets_of(20, 1)), LinkFault::kNone);
    EXPECT_EQ(strict.receiver.handle_length(25), LinkFault::kProtocolError);
}

TEST(Receiver, NothingIsAcknowledgedAndNotDelivered) {
    Desk desk;
    EXPECT_EQ(desk.segment(kWhole, Bytes{}), LinkFault::kNone);
    EXPECT_EQ(desk.segment(kStartFlag, Bytes{}), LinkFault::kNone);
    EXPECT_EQ(desk.segment(kEndFlag, Bytes{}), LinkFault::kNone);
    EXPECT_EQ(desk.written(), "200020002000");
    EXPECT_TRUE(desk.bundles().empty());
    EXPECT_EQ(desk.receiver.delivered(), 0U);
    EXPECT_EQ(desk.events.poll()->deviation, ProtocolDeviation::kEmptyTransfer);
    Desk strict(kAll, true);
    EXPECT_EQ(strict.segment(kWhole, Bytes{}), LinkFault::kProtocolError);
}

TEST(Receiver, ReservedFlagsArePutUpWith) {
    Desk desk;
    EXPECT_EQ(desk.segment(kWhole | 0xc, octets_of(5, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.events.poll()->deviation, ProtocolDeviation::kReservedFlags);
    EXPECT_EQ(desk.bundles().size(), 1U);
    Desk strict(kAll, true);
    EXPECT_EQ(strict.segment(kWhole | 0x4, octets_of(5, 1)), LinkFault::kProtocolError);
}

TEST(Receiver, WithoutMemoryBundlesAreRefused) {
    Desk desk;
    EXPECT_EQ(desk.segment(kWhole, octets_of(10, 1), false), LinkFault::kNone);
    EXPECT_EQ(desk.written(), "32");
    // In the middle of a segment.
    EXPECT_EQ(desk.segment(kStartFlag, 6000, octets_of(3000, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.written(), "");
    EXPECT_EQ(desk.more(octets_of(1000, 1), false), LinkFault::kNone);
    EXPECT_EQ(desk.written(), "32");
    EXPECT_EQ(desk.more(octets_of(2000, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.segment(kEndFlag, octets_of(5, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.written(), "32");
    EXPECT_TRUE(desk.bundles().empty());

    Desk unable(kAcksOnly);
    EXPECT_EQ(unable.segment(kWhole, octets_of(10, 1), false), LinkFault::kNoRoom);
    Desk inside(kAcksOnly);
    EXPECT_EQ(inside.segment(kStartFlag, 6000, octets_of(3000, 1)), LinkFault::kNone);
    EXPECT_EQ(inside.more(octets_of(1000, 1), false), LinkFault::kNoRoom);
}

TEST(Receiver, APausedHostHasOnlySoMuchThatIsNotSettled) {
    Desk desk;
    desk.receiver.handle_pause(true);
    EXPECT_EQ(desk.segment(kWhole, octets_of(800, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.segment(kWhole, octets_of(200, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.bundles().size(), 1U);
    EXPECT_EQ(desk.written(), "") << "the refusal keeps its place";
    EXPECT_TRUE(desk.ack_queue.handle_disposition(0, 1, TransferDisposition::kSafe));
    EXPECT_EQ(desk.written(),
              "208620"
              "32");
    desk.receiver.handle_pause(false);
    EXPECT_EQ(desk.segment(kWhole, octets_of(5000, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.bundles().size(), 2U);
}

// A host that keeps bundles without room is not paused all the time.
TEST(Receiver, OneThatKeepsBundlesHasOnlySoMuchAtAnyTime) {
    Desk desk(kAll, false, true);
    EXPECT_EQ(desk.segment(kWhole, octets_of(5000, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.bundles().size(), 1U) << "one may always come";
    EXPECT_EQ(desk.segment(kStartFlag, octets_of(200, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.segment(kEndFlag, octets_of(200, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.bundles().size(), 1U);
    EXPECT_EQ(desk.receiver.take_refused(), 1U) << "a bundle, although two segments";
    EXPECT_EQ(desk.written(), "") << "the refusals keep their place";
    EXPECT_TRUE(desk.ack_queue.handle_disposition(0, 1, TransferDisposition::kNoResources));
    EXPECT_EQ(desk.written(), "323232");
    EXPECT_EQ(desk.segment(kWhole, octets_of(800, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.bundles().size(), 2U);
    EXPECT_EQ(desk.receiver.take_refused(), 0U);
    Desk unable(kAcksOnly, false, true);
    EXPECT_EQ(unable.segment(kWhole, octets_of(800, 1)), LinkFault::kNone);
    EXPECT_EQ(unable.segment(kWhole, octets_of(200, 1)), LinkFault::kNoRoom);
}

TEST(Receiver, AClosingSessionTakesWhatHasBegun) {
    Desk desk;
    EXPECT_EQ(desk.segment(kStartFlag, octets_of(20, 1)), LinkFault::kNone);
    desk.receiver.close();
    EXPECT_EQ(desk.segment(kEndFlag, octets_of(20, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.bundles().size(), 1U);
    EXPECT_EQ(desk.segment(kWhole, octets_of(20, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.bundles().size(), 1U);
    Desk unable(kAcksOnly);
    unable.receiver.close();
    EXPECT_EQ(unable.segment(kWhole, octets_of(20, 1)), LinkFault::kNone);
    EXPECT_EQ(unable.bundles().size(), 1U) << "there is no way to say no";
}

// One answer for each segment, and a bundle before them without a disposition.
TEST(Receiver, OwesOnlySoManyAnswers) {
    Desk desk;
    EXPECT_EQ(desk.segment(kWhole, octets_of(20, 1)), LinkFault::kNone);
    EXPECT_EQ(desk.segment(kStartFlag, octets_of(1, 1)), LinkFault::kNone);
    int taken = 0;
    for (; desk.receiver.inside_bundle() && taken < 100'000; ++taken)
        ASSERT_EQ(desk.segment(0, Bytes{}), LinkFault::kNone);
    EXPECT_LT(taken, 100'000);
}

}  // namespace
}  // namespace farlink::cla::tcpclv3::receiver_test
