// SPDX-License-Identifier: Apache-2.0
#include "cla/udp/core/udp_receiver.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "tests/support/octets.hpp"

namespace farlink::cla::udp::udp_receiver_test {
namespace {

using test::joined;
using test::octets_of;

constexpr std::uint32_t kSlab = 256 * 1024;

/// A message as the kernel makes it: datagrams of one flow, equal in size except the last.
struct Message {
    std::vector<Bytes> datagrams;
    [[nodiscard]] Bytes octets() const {
        Bytes whole;
        for (const Bytes &datagram : datagrams) append(whole, datagram);
        return whole;
    }
};

class UdpReceiverTest : public testing::Test {
protected:
    /// Plays the kernel: fills the spaces, cutting nothing off, and takes the bundles.
    void receive(const std::vector<Message> &messages) {
        for (std::size_t next = 0; next < messages.size();) {
            const auto spaces = receiver.prepare(buffer);
            ASSERT_FALSE(spaces.empty());
            std::vector<InMessage> arrived;
            for (; next < messages.size() && arrived.size() < spaces.size(); ++next)
                arrived.push_back(fill(spaces[arrived.size()], messages[next]));
            receiver.handle_messages(arrived, buffer, received);
        }
    }
    static InMessage fill(const UdpReceiver::Space &space, const Message &message) {
        const Bytes octets = message.octets();
        EXPECT_LE(octets.size(), space.slot.size() + space.spill.size());
        const std::size_t first = std::min(octets.size(), space.slot.size());
        std::copy_n(octets.begin(), first, space.slot.begin());
        std::copy(octets.begin() + static_cast<std::ptrdiff_t>(first), octets.end(),
                  space.spill.begin());
        const std::size_t segment = message.datagrams.size() > 1 ? message.datagrams[0].size() : 0;
        return {static_cast<std::uint32_t>(octets.size()), static_cast<std::uint32_t>(segment)};
    }
    void expect_bundles(const std::vector<Bytes> &expected) const {
        ASSERT_EQ(received.bundles.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
            EXPECT_EQ(joined(received.slices_of(received.bundles[i])), expected[i]) << i;
    }
    /// Lets the slots shrink to messages of `size` octets.
    void acknowledge(std::size_t size) {
        for (int i = 0; i < 64; ++i) {
            receive({{{octets_of(size, 1)}}});
            received.clear();
        }
    }

    SlabPool pool{kSlab, 16 * kSlab};
    ReadBuffer buffer{pool};
    UdpReceiver receiver{1'000'000};
    ReceivedBundles received;
};

TEST_F(UdpReceiverTest, EveryDatagramIsABundle) {
    const Bytes one = octets_of(1, 1);
    const Bytes large = octets_of(65'507, 2);
    const Bytes usual = octets_of(1'000, 3);
    receive({{{one}}, {{large}}, {{usual}}});
    expect_bundles({one, large, usual});
    EXPECT_EQ(receiver.counters().bundles, 3U);
    EXPECT_EQ(receiver.counters().bytes, 66'508U);
    EXPECT_EQ(receiver.counters().coalesced, 0U);
}

TEST_F(UdpReceiverTest, ACoalescedMessageIsSplitWhereItLies) {
    std::vector<Bytes> datagrams;
    for (std::uint64_t i = 0; i < 60; ++i) datagrams.push_back(octets_of(1'061, i));
    datagrams.push_back(octets_of(17, 99));
    receive({{datagrams}});
    expect_bundles(datagrams);
    EXPECT_EQ(receiver.counters().coalesced, 1U);
    for (std::size_t i = 1; i < received.slices.size(); ++i)
        EXPECT_EQ(received.slices[i].data(), received.slices[i - 1].data() + 1'061);
}

TEST_F(UdpReceiverTest, DatagramsOfOneSizeLieWithoutGapsAndAreNotMoved) {
    acknowledge(1'061);
    const auto spaces = receiver.prepare(buffer);
    ASSERT_GE(spaces.size(), 15U);
    EXPECT_EQ(spaces[0].slot.size(), 1'061U);
    const std::uint8_t *const first = spaces[0].slot.data();
    const std::vector<Bytes> datagrams{octets_of(1'061, 1), octets_of(1'061, 2)};
    receive({{{datagrams[0]}}, {{datagrams[1]}}});
    expect_bundles(datagrams);
    EXPECT_EQ(received.slices[0].data(), first);
    EXPECT_EQ(received.slices[1].data(), first + 1'061);
}

TEST_F(UdpReceiverTest, AMessageBeyondItsSlotIsPutTogether) {
    acknowledge(300);
    const std::vector<Bytes> datagrams{octets_of(300, 1), octets_of(40'000, 2), octets_of(200, 3),
                                       octets_of(65'507, 4), octets_of(301, 5)};
    std::vector<Message> messages;
    for (const Bytes &datagram : datagrams) messages.push_back({{datagram}});
    receive(messages);
    expect_bundles(datagrams);
    receive({{{datagrams[3]}}});
    EXPECT_EQ(joined(received.slices_of(received.bundles.back())), datagrams[3]);
}

TEST_F(UdpReceiverTest, ASpilledCoalescedMessageIsPutTogetherToo) {
    acknowledge(300);
    std::vector<Bytes> datagrams;
    for (std::uint64_t i = 0; i < 40; ++i) datagrams.push_back(octets_of(1'500, i));
    receive({{datagrams}});
    expect_bundles(datagrams);
}

// Without room in the slab a spilled message gets memory of its own size.
TEST_F(UdpReceiverTest, ASpilledMessageAtTheEndOfASlabHasItsOwnMemory) {
    acknowledge(300);
    std::vector<Bytes> datagrams;
    std::vector<Message> messages;
    for (std::uint64_t i = 0; i < 16; ++i) datagrams.push_back(octets_of(60'000, i));
    for (const Bytes &datagram : datagrams) messages.push_back({{datagram}});
    receive(messages);
    expect_bundles(datagrams);
}

TEST_F(UdpReceiverTest, WithoutMemoryASpilledMessageIsCounted) {
    SlabPool small(kSlab, kSlab);
    ReadBuffer only(small);
    for (int i = 0; i < 64; ++i) {
        const auto spaces = receiver.prepare(only);
        ASSERT_FALSE(spaces.empty());
        const InMessage arrived[] = {fill(spaces[0], {{octets_of(300, 1)}})};
        receiver.handle_messages(arrived, only, received);
        received.clear();
        only.rest();
    }
    const auto spaces = receiver.prepare(only);
    std::vector<InMessage> arrived;
    std::vector<Bytes> datagrams;
    for (std::size_t i = 0; i < spaces.size(); ++i) {
        datagrams.push_back(octets_of(i == 0 ? 300 : 65'000, i));
        arrived.push_back(fill(spaces[i], {{datagrams.back()}}));
    }
    receiver.handle_messages(arrived, only, received);
    EXPECT_GT(receiver.counters().no_memory, 0U);
    EXPECT_EQ(received.bundles.size() + receiver.counters().no_memory, spaces.size());
    for (std::size_t i = 0; i < received.bundles.size(); ++i)
        EXPECT_EQ(joined(received.slices_of(received.bundles[i])), datagrams[i]);
    received.clear();
    only.rest();
}

// Mostly empty slots are closed up: a slab takes many small datagrams, not four.
TEST_F(UdpReceiverTest, SmallDatagramsShareASlab) {
    std::vector<Bytes> expected;
    for (std::uint64_t i = 0; i < 200; ++i) {
        expected.push_back(octets_of(1'000, i));
        receive({{{expected.back()}}});
    }
    expect_bundles(expected);
    EXPECT_LE(pool.pinned_bytes(), 2 * kSlab);
}

TEST_F(UdpReceiverTest, KeepAlivesAndEmptyDatagramsAreNotPassedOn) {
    const Bytes bundle = octets_of(100, 1);
    receive({{{Bytes(4, 0)}}, {{Bytes{}}}, {{bundle}}, {{Bytes(5, 0)}}, {{Bytes(3, 0)}}});
    expect_bundles({bundle, Bytes(5, 0), Bytes(3, 0)});
    EXPECT_EQ(receiver.counters().keep_alives, 1U);
    EXPECT_EQ(receiver.counters().empty, 1U);
    receive({{{Bytes(4, 0), Bytes(4, 0), Bytes(4, 0)}}});
    EXPECT_EQ(receiver.counters().keep_alives, 4U);
}

TEST_F(UdpReceiverTest, ABundleAboveTheLimitIsCounted) {
    UdpReceiver limited(1'000);
    const auto spaces = limited.prepare(buffer);
    const InMessage arrived[] = {fill(spaces[0], {{octets_of(1'001, 1)}}),
                                 fill(spaces[1], {{octets_of(1'000, 2)}})};
    limited.handle_messages(arrived, buffer, received);
    expect_bundles({octets_of(1'000, 2)});
    EXPECT_EQ(limited.counters().too_large, 1U);
}

TEST_F(UdpReceiverTest, WithoutMemoryThereIsNowhereToRead) {
    std::vector<SlabRef> all;
    while (SlabRef slab = pool.acquire()) all.push_back(std::move(slab));
    EXPECT_TRUE(receiver.prepare(buffer).empty());
    all.clear();
    EXPECT_FALSE(receiver.prepare(buffer).empty());
}

TEST_F(UdpReceiverTest, SlabsSmallerThanAMessageDo) {
    SlabPool small(4'096, 1024 * 1024);
    ReadBuffer narrow(small);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const auto spaces = receiver.prepare(narrow);
        ASSERT_EQ(spaces.size(), 1U);
        const Bytes datagram = octets_of(3'000 * (seed + 1), seed);
        const InMessage arrived[] = {fill(spaces[0], {{datagram}})};
        receiver.handle_messages(arrived, narrow, received);
        expect_bundles({datagram});
        received.clear();
        narrow.rest();
    }
}

// Whatever the sizes and however they are coalesced, every octet arrives where it belongs.
TEST_F(UdpReceiverTest, AnyMixtureOfSizes) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        std::vector<Message> messages;
        std::vector<Bytes> expected;
        const std::uint64_t most = std::uint64_t{1} << (3 + random.below(14));
        for (std::uint64_t i = 0; i < 40; ++i) {
            const std::size_t size = 5 + random.below(std::min<std::uint64_t>(most, 65'000));
            const std::size_t fits = std::min<std::size_t>(64, 65'507 / size);
            const std::size_t count = random.chance(1, 3) ? 1 + random.below(fits) : 1;
            Message message;
            for (std::size_t n = 0; n < count; ++n)
                message.datagrams.push_back(octets_of(
                    n > 0 && n + 1 == count ? 5 + random.below(size - 4) : size, random.next()));
            expected.insert(expected.end(), message.datagrams.begin(), message.datagrams.end());
            messages.push_back(std::move(message));
        }
        receive(messages);
        expect_bundles(expected);
        received.clear();
        buffer.rest();
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
}

}  // namespace
}  // namespace farlink::cla::udp::udp_receiver_test
