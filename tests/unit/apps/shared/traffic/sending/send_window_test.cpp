// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/sending/send_window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "common/base/random.hpp"

namespace farlink::traffic::send_window_test {
namespace {

using cla::Refusal;

constexpr TimePoint kNow{seconds(5)};
constexpr std::uint64_t kBundleBytes = 100;

Stretch stretch(std::uint64_t first, std::uint64_t count) {
    return {first, count, 1000 + first, 0};
}

void send(SendWindow &window, const Stretch &bundles) {
    window.handle_sent(bundles, bundles.count * kBundleBytes, nullptr);
}

/// The numbers of all bundles that are to be sent again now.
std::vector<std::uint64_t> again(SendWindow &window, TimePoint now) {
    std::vector<std::uint64_t> numbers;
    while (const auto part = window.poll_resend(3, now))
        for (std::uint64_t i = 0; i < part->count; ++i) numbers.push_back(part->first + i);
    return numbers;
}

TEST(SendWindow, IsEmptyWhenEverythingIsAcknowledged) {
    SendWindow window(1000, 100);
    EXPECT_TRUE(window.empty());
    send(window, stretch(0, 5));
    send(window, stretch(5, 2));
    EXPECT_EQ(window.next_token(), 7U);
    EXPECT_EQ(window.in_flight_bundles(), 7U);
    window.handle_transmitted(3);
    EXPECT_EQ(window.acknowledged(), 3U);
    window.handle_transmitted(3);
    window.handle_transmitted(6);
    EXPECT_FALSE(window.empty());
    window.handle_transmitted(7);
    EXPECT_TRUE(window.empty());
    EXPECT_EQ(window.acknowledged(), 7U);
    EXPECT_EQ(window.in_flight_bundles(), 0U);
}

TEST(SendWindow, HasRoomUpToItsLimits) {
    SendWindow bytes(1000, 1'000'000);
    EXPECT_EQ(bytes.room(100), 10U);
    send(bytes, stretch(0, 9));
    EXPECT_EQ(bytes.room(100), 1U);
    EXPECT_EQ(bytes.room(1000), 1U) << "the last one may be larger than what is left";
    send(bytes, stretch(9, 1));
    EXPECT_EQ(bytes.room(100), 0U);
    bytes.handle_transmitted(1);
    EXPECT_EQ(bytes.room(100), 1U);

    SendWindow bundles(1'000'000, 2);
    send(bundles, stretch(0, 2));
    EXPECT_EQ(bundles.room(100), 0U);
    bundles.handle_transmitted(2);
    EXPECT_EQ(bundles.room(100), 2U);
}

TEST(SendWindow, LetsASingleBundleOfAnySizeThrough) {
    SendWindow window(1, 1);
    EXPECT_EQ(window.room(1'000'000), 1U);
}

TEST(SendWindow, SendsAgainWhatALostSessionLeftOpen) {
    SendWindow window(10'000, 100);
    send(window, stretch(0, 5));
    send(window, stretch(5, 3));
    window.handle_transmitted(2);
    window.handle_lost(kNow);
    EXPECT_EQ(window.in_flight_bundles(), 0U);
    EXPECT_FALSE(window.empty());
    EXPECT_EQ(window.next_resend(), kNow);
    EXPECT_EQ(again(window, kNow), (std::vector<std::uint64_t>{2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(window.resent(), 6U);
    EXPECT_TRUE(window.empty());
}

TEST(SendWindow, SendsTheSameBundleAgain) {
    SendWindow window(10'000, 100);
    window.handle_sent({7, 4, 123, 11}, 400, nullptr);
    window.handle_transmitted(1);
    window.handle_lost(kNow);
    const auto part = window.poll_resend(100, kNow);
    ASSERT_TRUE(part);
    EXPECT_EQ(part->first, 8U);
    EXPECT_EQ(part->count, 3U);
    EXPECT_EQ(part->sent_unix_ns, 123U);
    EXPECT_EQ(part->total, 11U);
}

TEST(SendWindow, OffersARefusedBundleAgainAfterAPause) {
    SendWindow window(10'000, 100);
    send(window, stretch(0, 5));
    window.handle_refused(3, Refusal::kNoResources, kNow);
    EXPECT_TRUE(again(window, kNow).empty());
    EXPECT_EQ(window.next_resend(), kNow + SendWindow::kRetryPause);
    window.handle_transmitted(5);
    EXPECT_EQ(window.acknowledged(), 4U);
    EXPECT_FALSE(window.empty());
    EXPECT_EQ(again(window, kNow + SendWindow::kRetryPause), (std::vector<std::uint64_t>{3}));
    EXPECT_EQ(window.refused(), 1U);
    EXPECT_EQ(window.failed(), 0U);
}

TEST(SendWindow, GivesUpWhatIsNotAcceptable) {
    SendWindow window(10'000, 100);
    send(window, stretch(0, 3));
    window.handle_refused(1, Refusal::kNotAcceptable, kNow);
    window.handle_transmitted(3);
    EXPECT_TRUE(window.empty());
    EXPECT_EQ(window.acknowledged(), 2U);
    EXPECT_EQ(window.failed(), 1U);
}

TEST(SendWindow, TakesACompletedBundleForAcknowledged) {
    SendWindow window(10'000, 100);
    send(window, stretch(0, 2));
    window.handle_refused(1, Refusal::kCompleted, kNow);
    window.handle_transmitted(2);
    EXPECT_TRUE(window.empty());
    EXPECT_EQ(window.acknowledged(), 2U);
    EXPECT_EQ(window.refused(), 0U);
}

TEST(SendWindow, SendsARefusedBundleAgainOnlyOnceWhenTheSessionIsLost) {
    SendWindow window(10'000, 100);
    send(window, stretch(0, 4));
    window.handle_refused(2, Refusal::kRetransmit, kNow);
    window.handle_refused(0, Refusal::kNotAcceptable, kNow);
    window.handle_lost(kNow);
    auto numbers = again(window, kNow + SendWindow::kRetryPause);
    std::ranges::sort(numbers);
    EXPECT_EQ(numbers, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(SendWindow, KeepsMemoryUntilNothingRefersToIt) {
    SendWindow window(10'000, 100);
    window.handle_sent(stretch(0, 2), 200, std::make_unique<GroupMemory>());
    EXPECT_EQ(window.poll_memory(), nullptr);
    window.handle_transmitted(1);
    EXPECT_EQ(window.poll_memory(), nullptr);
    window.handle_transmitted(2);
    EXPECT_NE(window.poll_memory(), nullptr);
    EXPECT_EQ(window.poll_memory(), nullptr);
}

/// A link that acknowledges, refuses and breaks at random; every bundle ends in exactly one way.
TEST(SendWindow, LosesNoBundleWhateverTheLinkDoes) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Random random(seed);
        SendWindow window(5'000, 40);
        std::uint64_t next = 0;
        std::uint64_t first_open = 0;  // token
        TimePoint now = kNow;
        std::vector<int> arrived(300, 0);
        std::vector<std::uint64_t> number_of;  // by token
        std::vector<bool> refused;
        const auto transmit = [&](const Stretch &part) {
            for (std::uint64_t i = 0; i < part.count; ++i) number_of.push_back(part.first + i);
            refused.resize(number_of.size());
            send(window, part);
        };
        while (next < arrived.size() || !window.empty()) {
            now += milliseconds(10);
            if (const auto part = window.poll_resend(1 + random.below(4), now)) {
                transmit(*part);
            } else if (next < arrived.size() && window.room(100) > 0) {
                const auto count = std::min(1 + random.below(9), arrived.size() - next);
                transmit(stretch(next, count));
                next += count;
            }
            if (first_open < number_of.size() && random.chance(1, 3)) {
                const auto token = first_open + random.below(number_of.size() - first_open);
                if (!refused[token]) window.handle_refused(token, Refusal::kNoResources, now);
                refused[token] = true;
            }
            if (random.chance(1, 2)) {
                const auto end = first_open + random.below(number_of.size() - first_open + 1);
                for (; first_open < end; ++first_open)
                    arrived[number_of[first_open]] += refused[first_open] ? 0 : 1;
                window.handle_transmitted(end);
            }
            if (random.chance(1, 20)) {
                window.handle_lost(now);
                first_open = number_of.size();
            }
        }
        EXPECT_EQ(window.acknowledged(), arrived.size()) << "seed " << seed;
        for (std::size_t i = 0; i < arrived.size(); ++i)
            ASSERT_EQ(arrived[i], 1) << "seed " << seed << ", bundle " << i;
    }
}

}  // namespace
}  // namespace farlink::traffic::send_window_test
