// SPDX-License-Identifier: Apache-2.0
// Who completes its bundle beyond a share that is full.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/buffer/reception_shares.hpp"

namespace farlink::reception_turns_test {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;
constexpr std::uint64_t kLimit = 16 * kMiB;
constexpr LinkId kLink{1};

/// Its kernel has `sent` octets of a bundle of `whole`.
struct Sender {
    std::string address;
    std::uint64_t sent = 0;
    std::uint64_t whole = 0;
    bool returns = false;
    bool shared = false;
    std::uint64_t read = 0;
    bool asked = false;  ///< to give up
    int ended = 0;
    std::unique_ptr<ReceptionShares::Hold> hold;
    [[nodiscard]] bool complete() const { return read == whole; }
};

/// Each one is read every 50 ms, in order, as far as the shares permit.
class ReceptionTurnsTest : public testing::Test {
protected:
    Sender &add(std::string address, std::uint64_t sent, std::uint64_t whole, bool shared = false) {
        senders.push_back(std::make_unique<Sender>());
        Sender &made = *senders.back();
        made.address = std::move(address);
        made.sent = sent;
        made.whole = whole;
        made.shared = shared;
        connect(made);
        return made;
    }
    void add_stopped(int many, std::uint64_t sent, std::uint64_t whole) {
        for (int number = 0; number < many; ++number)
            add("10.0.0." + std::to_string(number), sent, whole);
    }
    void connect(Sender &one) {
        one.read = 0;
        one.asked = false;
        one.hold = std::make_unique<ReceptionShares::Hold>(shares, kLink, one.address, false,
                                                           [&one] { one.asked = true; });
        if (one.shared) one.hold->share_name();
    }
    void pass(Duration time) {
        for (const TimePoint end = now + time; now < end; now += milliseconds(50)) turn();
    }
    void turn() {
        for (const auto &one : senders) read(*one);
        for (const auto &one : senders) {
            if (!one->asked) continue;
            one->hold.reset();
            one->asked = false;
            ++one->ended;
            if (one->returns) connect(*one);
        }
    }
    void read(Sender &one) {
        for (int reads = 0; reads < 8 && one.hold && one.read < one.sent; ++reads) {
            if (!one.hold->admitted(now)) {
                one.hold->excuse(now);
                shares.handle_shortage(*one.hold, now);
                return;
            }
            one.read = std::min(one.read + 64 * kKiB, one.sent);
            one.hold->update(one.complete() ? 0 : one.read, now);
        }
    }
    /// Seconds until it is complete; 60: it is not.
    double seconds_until_complete(const Sender &one) {
        const TimePoint begin = now;
        while (!one.complete() && now - begin < seconds(60)) pass(milliseconds(50));
        return std::chrono::duration<double>(now - begin).count();
    }

    ReceptionShares shares{kLimit};
    TimePoint now{seconds(100)};
    std::vector<std::unique_ptr<Sender>> senders;
};

TEST_F(ReceptionTurnsTest, ANewcomerHasTheNextTurn) {
    add_stopped(10, 3900 * kKiB, 4100 * kKiB);
    pass(seconds(1));
    for (int number = 0; number < 3; ++number) {
        const Sender &newcomer = add("10.1.0." + std::to_string(number), kMiB, kMiB);
        EXPECT_LT(seconds_until_complete(newcomer), 3.0) << number;
        EXPECT_EQ(newcomer.ended, 0);
    }
}

TEST_F(ReceptionTurnsTest, ANewcomerDoesNotWaitForACrowdOfSmallBeginnings) {
    add_stopped(60, 400 * kKiB, 500 * kKiB);
    pass(seconds(1));
    EXPECT_LT(seconds_until_complete(add("10.1.1.1", kMiB, kMiB)), 5.0);
}

TEST_F(ReceptionTurnsTest, ASessionThatWaitsHasItsTurnBesideOneThatGoesOn) {
    add("10.0.0.1", 1, 1).hold->update(6 * kMiB, now);
    ReceptionShares::Hold &waits = *add("10.0.0.2", 1, 1).hold;
    ReceptionShares::Hold &goes_on = *add("10.0.0.3", 1, 1).hold;
    waits.update(kMiB / 2, now);
    goes_on.update(kMiB / 2, now);
    EXPECT_TRUE(goes_on.admitted(now));
    EXPECT_FALSE(waits.admitted(now));
    now += milliseconds(50);
    goes_on.update(0, now);
    goes_on.update(kMiB / 2, now);
    EXPECT_FALSE(goes_on.admitted(now)) << "although its bundle is the newest";
    EXPECT_TRUE(waits.admitted(now));
}

// Such as one whose node does not read it, or that was closed.
TEST_F(ReceptionTurnsTest, ATurnIsNotKeptForOneThatDoesNotAskForIt) {
    ReceptionShares::Hold &blocks = *add("10.0.0.1", 1, 1).hold;
    ReceptionShares::Hold &older = *add("10.0.0.2", 1, 1).hold;
    ReceptionShares::Hold &newer = *add("10.0.0.3", 1, 1).hold;
    blocks.update(6 * kMiB, now);
    older.update(kMiB / 2, now);
    now += milliseconds(50);
    newer.update(kMiB / 2, now);
    EXPECT_TRUE(blocks.admitted(now));
    EXPECT_FALSE(newer.admitted(now));
    blocks.update(6 * kMiB - 1, now);
    EXPECT_FALSE(older.admitted(now));
    now += milliseconds(250);
    EXPECT_TRUE(older.admitted(now));
}

TEST_F(ReceptionTurnsTest, AllThatHaveStoppedGoAtOnceIfTheNewcomerNeedsTheirShares) {
    for (int number = 0; number < 4; ++number) {
        Sender &one = add("10.0.0." + std::to_string(number), 2 * kMiB, 4 * kMiB);
        one.hold->update(2 * kMiB, now);
        one.read = one.sent;
    }
    now += seconds(2);
    Sender &newcomer = add("10.1.1.1", kMiB, kMiB);
    newcomer.hold->update(kMiB / 2, now);
    shares.handle_shortage(*newcomer.hold, now);
    const auto asked = std::ranges::count_if(senders, [](const auto &one) { return one->asked; });
    EXPECT_EQ(asked, 2) << "of 8.5 MiB less than 6 may stay";
}

TEST_F(ReceptionTurnsTest, WhoSharesItsNameWithOneThatStoppedWaitsAndStays) {
    for (int number = 0; number < 12; ++number) add("loopback", 6 * kMiB, 7 * kMiB, true);
    pass(seconds(3));
    Sender &same_name = add("loopback", kMiB, kMiB, true);
    Sender &other_name = add("user 1", kMiB, kMiB, true);
    EXPECT_LT(seconds_until_complete(other_name), 3.0);
    EXPECT_LT(seconds_until_complete(same_name), 10.0);
    EXPECT_EQ(same_name.ended + other_name.ended, 0);
}

TEST_F(ReceptionTurnsTest, ThoseThatComeBackDoNotTakeEachTurn) {
    for (int number = 0; number < 4; ++number)
        add("loopback", 6 * kMiB, 7 * kMiB, true).returns = true;
    pass(seconds(3));
    const Sender &same_name = add("loopback", kMiB, kMiB, true);
    EXPECT_LT(seconds_until_complete(same_name), 30.0);
    EXPECT_EQ(same_name.ended, 0);
}

}  // namespace
}  // namespace farlink::reception_turns_test
