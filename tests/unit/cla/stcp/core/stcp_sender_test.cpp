// SPDX-License-Identifier: Apache-2.0
#include "cla/stcp/core/stcp_sender.hpp"

#include <gtest/gtest.h>

#include "tests/support/mtcp_stream.hpp"
#include "tests/support/octets.hpp"
#include "tests/support/stcp_stream.hpp"

namespace farlink::cla::stcp::stcp_sender_test {
namespace {

using test::joined;
using test::octets_of;

/// A bundle in pieces, as egress hands it over: the head does not outlive the call.
struct Outgoing {
    explicit Outgoing(std::size_t head_size, const std::vector<std::size_t> &body_sizes,
                      std::uint64_t seed = 1)
        : head(octets_of(head_size, seed)) {
        for (const std::size_t size : body_sizes) bodies.push_back(octets_of(size, ++seed));
        for (const Bytes &body : bodies) views.emplace_back(body);
    }
    Outgoing(const Outgoing &) = delete;
    Outgoing &operator=(const Outgoing &) = delete;

    [[nodiscard]] Bytes octets() const {
        Bytes whole = head;
        append(whole, joined(views));
        return whole;
    }
    [[nodiscard]] TxBundle tx(std::uint64_t token) const {
        TxBundle bundle;
        bundle.head = head;
        bundle.body = views.front();
        bundle.rest = std::span(views).subspan(1);
        bundle.size = octets().size();
        bundle.token = token;
        return bundle;
    }
    Bytes head;
    std::vector<Bytes> bodies;
    std::vector<ByteView> views;
};

void send(StcpSender &sender, const Outgoing &bundle, std::uint64_t token) {
    Bytes transient = bundle.head;
    TxBundle tx = bundle.tx(token);
    tx.head = transient;
    sender.handle_send({&tx, 1});
    std::ranges::fill(transient, std::uint8_t{0xee});
}

/// What the kernel would be offered, up to `size` octets, without taking it.
Bytes pending(StcpSender &sender) {
    std::array<iovec, 64> entries;
    Bytes octets;
    const std::size_t count = sender.queue().gather(entries, ~std::size_t{0});
    for (std::size_t i = 0; i < count; ++i)
        append(octets,
               {static_cast<const std::uint8_t *>(entries[i].iov_base), entries[i].iov_len});
    return octets;
}

std::size_t pieces(StcpSender &sender) {
    std::array<iovec, 64> entries;
    return sender.queue().gather(entries, ~std::size_t{0});
}

TEST(StcpSender, FramesSmallBundlesInOnePiece) {
    StcpSender sender;
    const Outgoing one(10, {20});
    const Outgoing two(0, {1});
    const Outgoing three(2048, {0});
    send(sender, one, 0);
    send(sender, two, 1);
    send(sender, three, 2);
    EXPECT_EQ(pieces(sender), 1U);
    Bytes stream = pending(sender);
    EXPECT_EQ(test::take_frames(stream),
              (std::vector<Bytes>{one.octets(), two.octets(), three.octets()}));
    EXPECT_TRUE(stream.empty());
}

TEST(StcpSender, FramesLargeBundlesWithoutCopyingTheirBodies) {
    StcpSender sender;
    const Outgoing large(50, {2000});
    const Outgoing sliced(50, {10, 3000, 70'000});
    const Outgoing headless(0, {70'000});
    const Outgoing long_head(100'000, {5000});
    std::uint64_t token = 0;
    for (const Outgoing *bundle : {&large, &sliced, &headless, &long_head})
        send(sender, *bundle, token++);
    std::array<iovec, 64> entries;
    const std::size_t count = sender.queue().gather(entries, ~std::size_t{0});
    ASSERT_GE(count, 2U);
    EXPECT_EQ(entries[1].iov_base, large.bodies[0].data());
    Bytes stream = pending(sender);
    EXPECT_EQ(test::take_frames(stream),
              (std::vector<Bytes>{large.octets(), sliced.octets(), headless.octets(),
                                  long_head.octets()}));
}

TEST(StcpSender, SendsAKeepAliveOnlyWhenNothingElseWaits) {
    StcpSender sender;
    sender.handle_keep_alive_due();
    EXPECT_EQ(pending(sender), Bytes(4, 0));
    sender.handle_written(4);
    send(sender, Outgoing(1, {1}), 0);
    const Bytes before = pending(sender);
    sender.handle_keep_alive_due();
    EXPECT_EQ(pending(sender), before);
}

TEST(StcpSender, TellsWhichBundlesThePeerHas) {
    StcpSender sender;
    EXPECT_TRUE(sender.all_acknowledged());
    const Outgoing bundle(10, {86});  // 100 octets with its length
    for (std::uint64_t token = 40; token < 43; ++token) send(sender, bundle, token);
    EXPECT_FALSE(sender.all_acknowledged());
    sender.handle_written(250);
    EXPECT_EQ(sender.handle_acknowledged(0), 0U);
    EXPECT_EQ(sender.handle_acknowledged(99), 0U);
    EXPECT_EQ(sender.handle_acknowledged(100), 41U);
    EXPECT_EQ(sender.handle_acknowledged(100), 41U);
    EXPECT_EQ(sender.handle_acknowledged(201), 42U);
    EXPECT_FALSE(sender.all_acknowledged());
    sender.handle_written(50);
    EXPECT_EQ(sender.handle_acknowledged(300), 43U);
    EXPECT_TRUE(sender.all_acknowledged());
}

TEST(StcpSender, SkipsTokensThatNoBundleHas) {
    StcpSender sender;
    send(sender, Outgoing(10, {86}), 5);
    send(sender, Outgoing(10, {86}), 9);
    sender.handle_written(200);
    EXPECT_EQ(sender.handle_acknowledged(100), 6U);
    EXPECT_EQ(sender.handle_acknowledged(200), 10U);
}

// At every octet that the kernel may have reached: the bundle begun is finished, no other is.
TEST(StcpSender, FinishesTheBundleBegunAndForgetsTheOthers) {
    const Outgoing bundles[] = {Outgoing(3, {5}), Outgoing(30, {2500}),
                                Outgoing(2, {10, 2000, 40})};
    std::vector<std::uint64_t> ends;
    Bytes stream;
    for (const Outgoing &bundle : bundles) {
        test::append_frame(stream, bundle.octets());
        ends.push_back(stream.size());
    }
    for (std::uint64_t written = 0; written <= stream.size(); ++written) {
        StcpSender sender;
        for (std::size_t i = 0; i < std::size(bundles); ++i) send(sender, bundles[i], i);
        sender.handle_written(written);
        sender.finish();
        std::uint64_t end = 0;
        std::uint64_t begun = 0;
        while (end < written) end = ends[begun++];
        ASSERT_EQ(pending(sender), Bytes(stream.begin() + static_cast<std::ptrdiff_t>(written),
                                         stream.begin() + static_cast<std::ptrdiff_t>(end)))
            << written;
        sender.handle_written(sender.pending());
        ASSERT_EQ(sender.handle_acknowledged(end), begun) << written;
        ASSERT_TRUE(sender.all_acknowledged());
    }
}

TEST(StcpSender, FinishesAKeepAliveThatIsBegun) {
    StcpSender sender;
    sender.handle_keep_alive_due();
    sender.handle_written(1);
    sender.finish();
    Bytes stream(1, 0);
    append(stream, pending(sender));
    EXPECT_EQ(stream, Bytes(4, 0)) << "a peer must not see a cut-off length";
}

TEST(StcpSender, BeginsANewConnectionWithNothing) {
    StcpSender sender;
    const Outgoing bundle(10, {86});
    for (std::uint64_t token = 0; token < 3; ++token) send(sender, bundle, token);
    sender.handle_written(150);
    EXPECT_EQ(sender.handle_acknowledged(100), 1U);
    sender.restart();
    EXPECT_EQ(sender.pending(), 0U);
    EXPECT_TRUE(sender.all_acknowledged());
    EXPECT_EQ(sender.safe_token(), 1U) << "what was lost with the connection is not safe";

    send(sender, bundle, 3);
    Bytes stream = pending(sender);
    EXPECT_EQ(test::take_frames(stream), std::vector<Bytes>{bundle.octets()});
    sender.handle_written(100);
    EXPECT_EQ(sender.handle_acknowledged(100), 4U);
}

TEST(MtcpSender, FramesBundlesAsByteStringsWithTheShortestHeads) {
    StcpSender sender(Framing::kMtcp);
    Bytes expected;
    std::uint64_t token = 0;
    for (const std::size_t size : {1U, 23U, 24U, 255U, 256U, 2048U, 2049U, 65'535U, 65'536U}) {
        const Bytes bundle = octets_of(size, size);
        const ByteView octets(bundle);
        sender.queue().written(sender.pending());
        const TxBundle tx{octets.first(size / 3), octets.subspan(size / 3), {}, size, token++};
        sender.handle_send({&tx, 1});
        expected.clear();
        test::append_mtcp_frame(expected, bundle);
        EXPECT_EQ(pending(sender), expected);
    }
    EXPECT_EQ(sender.handle_acknowledged(sender.queue().queued_offset()), token);
}

TxBundle piece_of(const Outgoing &piece, std::uint64_t token, bool further, std::uint64_t left) {
    TxBundle tx = piece.tx(token);
    tx.is_further_piece = further;
    tx.left = left;
    return tx;
}

TEST(StcpSender, ABundleInPiecesIsOneFrame) {
    for (const Framing framing : {Framing::kStcp, Framing::kMtcp}) {
        StcpSender sender(framing);
        const Outgoing one(10, {50}, 1), two(0, {40}, 2), three(5, {0}, 3);
        const std::array tx{piece_of(one, 0, false, 45), piece_of(two, 1, true, 5)};
        sender.handle_send(tx);
        EXPECT_TRUE(sender.inside_bundle());
        Bytes whole = one.octets();
        append(whole, two.octets());
        append(whole, three.octets());
        Bytes stream;
        if (framing == Framing::kStcp)
            test::append_frame(stream, whole);
        else
            test::append_mtcp_frame(stream, whole);
        Bytes octets = pending(sender);
        EXPECT_EQ(octets, Bytes(stream.begin(), stream.end() - 5));
        sender.handle_written(octets.size());
        EXPECT_EQ(sender.handle_acknowledged(stream.size() - 46), 0U);
        EXPECT_EQ(sender.handle_acknowledged(stream.size() - 45), 1U);
        EXPECT_EQ(sender.handle_acknowledged(stream.size() - 5), 2U);
        sender.handle_keep_alive_due();
        EXPECT_EQ(sender.pending(), 0U) << "a frame has begun";
        const TxBundle last = piece_of(three, 2, true, 0);
        sender.handle_send({&last, 1});
        EXPECT_FALSE(sender.inside_bundle());
        append(octets, pending(sender));
        EXPECT_EQ(octets, stream);
        EXPECT_EQ(sender.handle_acknowledged(stream.size()), 3U);
    }
}

TEST(StcpSender, TheEndKeepsAllPiecesOfABundleOrNone) {
    for (const bool begun : {false, true}) {
        StcpSender sender;
        const Outgoing one(10, {50}, 1), two(0, {40}, 2), three(0, {30}, 3);
        const std::array tx{one.tx(0), piece_of(two, 1, false, 30), piece_of(three, 2, true, 0)};
        sender.handle_send(tx);
        sender.handle_written(begun ? 65 : 64);
        sender.finish();
        EXPECT_EQ(sender.pending(), begun ? 73U : 0U);
    }
}

TEST(MtcpSender, AKeepAliveIsAnEmptyByteString) {
    StcpSender sender(Framing::kMtcp);
    sender.handle_keep_alive_due();
    EXPECT_EQ(pending(sender), Bytes{0x40});
    sender.restart();
    sender.handle_keep_alive_due();
    EXPECT_EQ(pending(sender), Bytes{0x40}) << "a new connection is framed as the one before";
}

}  // namespace
}  // namespace farlink::cla::stcp::stcp_sender_test
