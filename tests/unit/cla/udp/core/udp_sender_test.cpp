// SPDX-License-Identifier: Apache-2.0
#include "cla/udp/core/udp_sender.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <vector>

#include "tests/support/octets.hpp"

namespace farlink::cla::udp::udp_sender_test {
namespace {

using test::octets_of;

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

class UdpSenderTest : public testing::Test {
protected:
    UdpSenderTest() {
        sender->restart(65'507);
        sender->set_offload(65'507);
    }
    /// Queues a bundle whose body is in `pieces` pieces; its head does not outlive the call.
    void send(std::size_t size, std::size_t pieces = 1) {
        bundles.push_back(std::make_unique<Bytes>(octets_of(size, next_token)));
        const ByteView octets(*bundles.back());
        Bytes head(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size / 3));
        ByteView rest = octets.subspan(size / 3);
        std::vector<ByteView> views;
        for (std::size_t i = 0; i + 1 < pieces; ++i) {
            views.push_back(rest.first(rest.size() / 2));
            rest = rest.subspan(rest.size() / 2);
        }
        views.push_back(rest);
        TxBundle tx;
        tx.head = head;
        tx.body = views.front();
        tx.rest = std::span(views).subspan(1);
        tx.size = size;
        tx.token = next_token++;
        sender->handle_send({&tx, 1});
        std::ranges::fill(head, std::uint8_t{0xee});
    }
    static Bytes octets_of_message(const OutMessage &message) {
        Bytes octets;
        for (const iovec &piece : message.pieces)
            append(octets, {static_cast<const std::uint8_t *>(piece.iov_base), piece.iov_len});
        return octets;
    }
    /// Sends everything, as a kernel that takes all; the datagrams, cut as the kernel cuts them.
    std::vector<Bytes> drain() {
        std::vector<Bytes> datagrams;
        while (sender->pending() > 0) {
            const auto messages = sender->poll_messages(kAll);
            if (messages.empty()) break;
            for (const OutMessage &message : messages) {
                const Bytes octets = octets_of_message(message);
                EXPECT_EQ(octets.size(), message.bytes);
                for (std::size_t at = 0; at < octets.size(); at += message.segment_size)
                    datagrams.emplace_back(
                        octets.begin() + static_cast<std::ptrdiff_t>(at),
                        octets.begin() + static_cast<std::ptrdiff_t>(
                                             std::min(at + message.segment_size, octets.size())));
            }
            sender->handle_sent(messages.size());
        }
        return datagrams;
    }
    void expect_all(const std::vector<Bytes> &datagrams) const {
        ASSERT_EQ(datagrams.size(), bundles.size());
        for (std::size_t i = 0; i < datagrams.size(); ++i) EXPECT_EQ(datagrams[i], *bundles[i]);
    }

    std::unique_ptr<UdpSender> sender = std::make_unique<UdpSender>();
    std::vector<std::unique_ptr<Bytes>> bundles;
    std::uint64_t next_token = 0;
};

TEST_F(UdpSenderTest, OneBundleIsOneDatagram) {
    send(100);
    const auto messages = sender->poll_messages(kAll);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].datagrams, 1U);
    EXPECT_EQ(octets_of_message(messages[0]), *bundles[0]);
    EXPECT_EQ(sender->done_below(), 0U);
    sender->handle_sent(1);
    EXPECT_EQ(sender->done_below(), 1U);
    EXPECT_EQ(sender->pending(), 0U);
    EXPECT_EQ(sender->datagrams_sent(), 1U);
}

TEST_F(UdpSenderTest, EqualSizesLeaveTogetherAndASmallerOneEndsTheGroup) {
    for (const std::size_t size : {500, 500, 500, 400, 500, 600, 600}) send(size);
    const auto messages = sender->poll_messages(kAll);
    ASSERT_EQ(messages.size(), 3U);
    EXPECT_EQ(messages[0].datagrams, 4U);
    EXPECT_EQ(messages[0].segment_size, 500U);
    EXPECT_EQ(messages[0].bytes, 1'900U);
    EXPECT_EQ(messages[1].datagrams, 1U);
    EXPECT_EQ(messages[2].datagrams, 2U);
    expect_all(drain());
}

TEST_F(UdpSenderTest, AGroupEndsAtTheKernelsLimits) {
    for (int i = 0; i < 130; ++i) send(10);
    for (int i = 0; i < 3; ++i) send(30'000);
    const auto messages = sender->poll_messages(kAll);
    ASSERT_EQ(messages.size(), 5U);
    EXPECT_EQ(messages[0].datagrams, 64U);
    EXPECT_EQ(messages[1].datagrams, 64U);
    EXPECT_EQ(messages[2].datagrams, 2U);
    EXPECT_EQ(messages[3].bytes, 60'000U);
    EXPECT_EQ(messages[4].bytes, 30'000U);
    expect_all(drain());
}

TEST_F(UdpSenderTest, WithoutOffloadEveryDatagramIsAMessage) {
    sender->set_offload(0);
    for (int i = 0; i < 100; ++i) send(10);
    const auto messages = sender->poll_messages(kAll);
    ASSERT_EQ(messages.size(), UdpSender::kMaxMessages);
    for (const OutMessage &message : messages) EXPECT_EQ(message.datagrams, 1U);
    expect_all(drain());
    EXPECT_EQ(sender->messages_sent(), 100U);
}

TEST_F(UdpSenderTest, WhatIpWouldFragmentIsNotGrouped) {
    sender->set_offload(1'472);
    for (const std::size_t size : {1'472, 1'472, 1'473, 1'473}) send(size);
    const auto messages = sender->poll_messages(kAll);
    ASSERT_EQ(messages.size(), 3U);
    EXPECT_EQ(messages[0].datagrams, 2U);
    expect_all(drain());
}

TEST_F(UdpSenderTest, LargeBodiesAreReferredTo) {
    send(10'000, 3);
    const auto messages = sender->poll_messages(kAll);
    ASSERT_EQ(messages.size(), 1U);
    ASSERT_EQ(messages[0].pieces.size(), 2U);  // the pieces of the body are neighbours
    EXPECT_EQ(messages[0].pieces[1].iov_base, bundles[0]->data() + 10'000 / 3);
}

TEST_F(UdpSenderTest, ABundleOfManyPiecesIsCopied) {
    for (int i = 0; i < 200; ++i) send(9'000, 12);
    for (int i = 0; i < 200; ++i) send(9'000, 4);
    expect_all(drain());
}

TEST_F(UdpSenderTest, ABundleAboveTheLimitIsRefused) {
    sender->restart(1'000);
    send(1'001);
    EXPECT_EQ(sender->poll_refusal(), 0U);
    EXPECT_EQ(sender->poll_refusal(), std::nullopt);
    EXPECT_EQ(sender->done_below(), 1U);
    send(1'000);
    send(2'000);
    EXPECT_EQ(sender->poll_refusal(), 2U);
    EXPECT_EQ(sender->done_below(), 1U);
    sender->handle_sent(sender->poll_messages(kAll).size());
    EXPECT_EQ(sender->done_below(), 3U);
    EXPECT_EQ(sender->refused(), 2U);
}

TEST_F(UdpSenderTest, TheKernelMayRefuseTheFirst) {
    send(3'000);
    sender->restart(1'000);  // forgotten: the host holds it
    EXPECT_EQ(sender->pending(), 0U);
    send(700);
    send(2'000);
    send(800);
    EXPECT_EQ(sender->poll_refusal(), 2U);
    sender->handle_too_large();
    EXPECT_EQ(sender->poll_refusal(), 1U);
    EXPECT_EQ(sender->done_below(), 3U);
    const auto messages = sender->poll_messages(kAll);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(octets_of_message(messages[0]), *bundles[3]);
}

TEST_F(UdpSenderTest, OneAtATimeWhenAsked) {
    for (int i = 0; i < 5; ++i) send(100);
    const auto messages = sender->poll_messages(1);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].datagrams, 1U);
    sender->handle_sent(1);
    EXPECT_EQ(sender->done_below(), 1U);
    EXPECT_EQ(drain().size(), 4U);
}

TEST_F(UdpSenderTest, TheKernelMayTakeAPart) {
    for (int i = 0; i < 200; ++i) send(1'000);
    ASSERT_GT(sender->poll_messages(kAll).size(), 2U);
    sender->handle_sent(2);
    EXPECT_EQ(sender->done_below(), 128U);
    const auto rest = drain();
    ASSERT_EQ(rest.size(), 72U);
    EXPECT_EQ(rest.front(), *bundles[128]);
    EXPECT_EQ(rest.back(), *bundles[199]);
}

TEST_F(UdpSenderTest, AnyMixtureOfSizes) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        bundles.clear();
        Random random(seed);
        sender->set_offload(random.chance(1, 4) ? 0 : random.below(65'508));
        const std::uint64_t most = std::uint64_t{1} << (1 + random.below(16));
        std::size_t size = 1;
        for (int i = 0; i < 150; ++i) {
            if (random.chance(1, 3)) size = 1 + random.below(std::min<std::uint64_t>(most, 65'507));
            send(size, 1 + random.below(10));
        }
        expect_all(drain());
        EXPECT_EQ(sender->done_below(), next_token);
        ASSERT_FALSE(HasFailure()) << "seed " << seed;
    }
}

}  // namespace
}  // namespace farlink::cla::udp::udp_sender_test
