// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/segment_writer.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/unit/cla/tcpcl/v4/core/fixture.hpp"

namespace farlink::cla::tcpclv4::segment_writer_test {
namespace {

using test::octets_of;

struct Fixture {
    explicit Fixture(std::uint64_t segment_bytes) { writer.start(segment_bytes); }
    void write(ByteView head, ByteView body, std::uint64_t id) {
        const Bytes transient(head.begin(), head.end());
        writer.write({transient, body, {}, head.size() + body.size(), id}, id);
        writer.end_run();
    }
    Bytes take(std::size_t most = ~std::size_t{0}) {
        Bytes octets;
        std::array<iovec, 8> pieces;
        while (out.queue().pending() > 0 && octets.size() < most) {
            (void)out.queue().gather(pieces, 1);
            const std::size_t size = std::min(pieces[0].iov_len, most - octets.size());
            append(octets, {static_cast<const std::uint8_t *>(pieces[0].iov_base), size});
            out.queue().written(size);
            (void)writer.handle_written();
        }
        return octets;
    }
    WireOut out;
    SegmentWriter writer{out};
};

/// What the segments of a transfer look like, written without the code under test.
Bytes expected_octets(std::uint64_t id, const Bytes &bundle, std::size_t part) {
    Bytes octets;
    for (std::size_t begin = 0; begin < bundle.size(); begin += part) {
        const std::size_t size = std::min(part, bundle.size() - begin);
        const bool first = begin == 0;
        const bool last = begin + size == bundle.size();
        const auto flags = static_cast<std::uint8_t>((first ? 2 : 0) | (last ? 1 : 0));
        append(octets, segment_octets(flags, id, ByteView(bundle).subspan(begin, size),
                                      first && !last ? length_item(bundle.size()) : Bytes{}));
    }
    return octets;
}

TEST(Tcpclv4SegmentWriter, CutsBundlesOfAllSizesWithHeadsOfAllSizes) {
    for (const std::size_t segment : {1U, 7U, 100U, 2048U, 2049U, 70'000U}) {
        for (const std::size_t size : {1U, 100U, 101U, 2048U, 2049U, 5000U}) {
            if (size / segment > 1000) continue;
            for (const std::size_t head : {std::size_t{0}, std::size_t{1}, size / 2, size}) {
                Fixture fixture(segment);
                const Bytes bundle = octets_of(size, 1);
                fixture.write(ByteView(bundle).first(head), ByteView(bundle).subspan(head), 5);
                ASSERT_EQ(fixture.take(), expected_octets(5, bundle, segment))
                    << segment << ' ' << size << ' ' << head;
                ASSERT_EQ(fixture.writer.unqueued(), 0U);
                ASSERT_FALSE(fixture.writer.refers_to(5));
            }
        }
    }
}

TEST(Tcpclv4SegmentWriter, QueuesTheLastLargeBundleBitByBit) {
    Fixture fixture(64 * 1024);
    const Bytes bundle = octets_of(3'000'000, 1);
    fixture.write({}, bundle, 0);
    EXPECT_LT(fixture.out.queue().pending(), 700'000U);
    EXPECT_EQ(fixture.writer.unqueued() + fixture.out.queue().pending() / (64 * 1024) * 64 * 1024,
              bundle.size());
    // An answer goes between its segments.
    fixture.out.send_keep_alive();
    const Bytes octets = fixture.take();
    EXPECT_EQ(octets.size(), expected_octets(0, bundle, 64 * 1024).size() + 1);
    // What comes behind it waits for its end.
    fixture.write({}, bundle, 1);
    fixture.write({}, ByteView(bundle).first(10), 2);
    EXPECT_EQ(fixture.writer.unqueued(), 0U);
    EXPECT_EQ(fixture.take(), expected_octets(1, bundle, 64 * 1024) +
                                  expected_octets(2, {bundle.begin(), bundle.begin() + 10}, 100));
}

TEST(Tcpclv4SegmentWriter, WithdrawsSegmentsThatAreNotBegun) {
    const Bytes bundle = octets_of(10'000, 1);
    const Bytes small = octets_of(50, 2);
    const Bytes whole = expected_octets(1, bundle, 3000);
    const std::size_t first_segment = kStartHeadBytes + kTransferLengthBytes + 3000;
    for (const std::size_t taken : {std::size_t{1}, first_segment, first_segment + 1}) {
        Fixture fixture(3000);
        fixture.write({}, bundle, 1);
        fixture.write({}, small, 2);
        fixture.write({}, bundle, 3);
        Bytes octets = fixture.take(taken);
        fixture.writer.withdraw(1);
        append(octets, fixture.take());
        const std::size_t begun =
            taken <= first_segment ? first_segment : first_segment + kSegmentHeadBytes + 3000;
        EXPECT_EQ(octets, Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(begun)) +
                              expected_octets(2, small, 3000) + expected_octets(3, bundle, 3000));
    }
}

TEST(Tcpclv4SegmentWriter, AbandonsWhatIsNotBegunAndKeepsTheAnswers) {
    const Bytes bundle = octets_of(10'000, 1);
    {
        Fixture fixture(3000);
        fixture.write({}, octets_of(50, 2), 0);
        fixture.write({}, bundle, 1);
        fixture.out.send(Ack{3, 9, 9});
        fixture.write({}, bundle, 2);
        EXPECT_TRUE(fixture.writer.abandon());
        EXPECT_EQ(fixture.take(), ack_octets(3, 9, 9));
    }
    {
        Fixture fixture(3000);
        fixture.write({}, bundle, 1);
        fixture.out.send(Ack{3, 9, 9});
        (void)fixture.take(1);
        EXPECT_FALSE(fixture.writer.abandon());
        EXPECT_EQ(fixture.out.queue().pending(), 0U);
    }
    {
        Fixture fixture(3000);
        fixture.write({}, octets_of(50, 2), 0);
        Bytes octets = fixture.take(1);
        EXPECT_TRUE(fixture.writer.abandon());  // a small one begun is finished
        EXPECT_EQ(octets + fixture.take(), expected_octets(0, octets_of(50, 2), 3000));
    }
}

TEST(Tcpclv4SegmentWriter, KnowsTheOldestTransferThatItRefersTo) {
    const Bytes bundle = octets_of(10'000, 1);
    Fixture fixture(3000);
    fixture.write({}, octets_of(50, 2), 0);
    fixture.write({}, bundle, 1);
    fixture.write({}, bundle, 2);
    EXPECT_FALSE(fixture.writer.refers_to(0));
    EXPECT_TRUE(fixture.writer.refers_to(1));
    (void)fixture.take(10'000);
    EXPECT_TRUE(fixture.writer.refers_to(1));
    (void)fixture.take(3000);
    EXPECT_TRUE(fixture.writer.refers_to(2));
    fixture.writer.withdraw(2);
    (void)fixture.take();
    EXPECT_FALSE(fixture.writer.refers_to(2));
}

}  // namespace
}  // namespace farlink::cla::tcpclv4::segment_writer_test
