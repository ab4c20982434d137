// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/residual_contact_volume.hpp"

#include <gtest/gtest.h>

namespace farlink::egress::residual_contact_volume_test {
namespace {

constexpr std::uint64_t kFlow = 7;

TimePoint at(std::int64_t ms) {
    return TimePoint{} + milliseconds(ms);
}

/// 1,000 octets a second, for ten seconds.
struct Room : ResidualContactVolume {
    Room() {
        set_rate(BitRate{8000}, at(0));
        set_end(at(10'000));
    }
    /// Each bundle has arrived after those before it.
    [[nodiscard]] bool admit(std::uint64_t flow, std::uint64_t bytes, TimePoint now) {
        return ResidualContactVolume::admit(flow, ++arrivals, bytes, now);
    }
    [[nodiscard]] bool admit_arrived(std::uint64_t arrival, std::uint64_t bytes) {
        return ResidualContactVolume::admit(kFlow, arrival, bytes, at(0));
    }
    std::uint64_t arrivals = 0;
};

TEST(ResidualContactVolume, AContactWithoutEndHasRoomForEverything) {
    ResidualContactVolume room;
    EXPECT_TRUE(room.admit(kFlow, 1, ~std::uint64_t{0}, at(0)));
}

TEST(ResidualContactVolume, WhatFitsToTheLastOctetFits) {
    Room room;
    EXPECT_FALSE(room.admit(1, 10'001, at(0)));
    EXPECT_TRUE(room.admit(2, 10'000, at(0)));
    EXPECT_FALSE(room.admit(3, 1, at(0)));
}

TEST(ResidualContactVolume, BundlesFollowEachOtherOnTheLink) {
    Room room;
    EXPECT_TRUE(room.admit(kFlow, 4000, at(0)));
    EXPECT_TRUE(room.admit(kFlow, 4000, at(0)));
    EXPECT_FALSE(room.admit(kFlow, 4000, at(0)));
    EXPECT_TRUE(room.admit(8, 2000, at(500))) << "another flow, and smaller";
    EXPECT_FALSE(room.admit(9, 1, at(500)));
}

TEST(ResidualContactVolume, AnIdleLinkLosesItsTime) {
    Room room;
    EXPECT_TRUE(room.admit(kFlow, 1000, at(8000)));
    EXPECT_FALSE(room.admit(kFlow, 1001, at(9000)));
}

TEST(ResidualContactVolume, NothingOvertakesABundleOfItsFlowThatIsTooLate) {
    Room room;
    EXPECT_FALSE(room.admit(kFlow, 20'000, at(0)));
    EXPECT_FALSE(room.admit(kFlow, 10, at(0)));
    room.set_end(at(30'000));
    EXPECT_TRUE(room.admit(kFlow, 20'000, at(0)));
}

TEST(ResidualContactVolume, AnOlderBundleDoesNotOvertake) {
    Room room;
    EXPECT_FALSE(room.admit_arrived(5, 20'000));
    EXPECT_FALSE(room.admit_arrived(6, 10));
    EXPECT_TRUE(room.admit_arrived(4, 10));
    EXPECT_TRUE(room.admit_arrived(5, 10)) << "so much of it is left";
    EXPECT_FALSE(room.admit_arrived(3, 20'000));
    EXPECT_FALSE(room.admit_arrived(4, 10));
}

TEST(ResidualContactVolume, APartFillsWhatIsLeft) {
    Room room;
    EXPECT_FALSE(room.admit_arrived(5, 20'000));
    EXPECT_EQ(room.room_for_part(kFlow, 5, at(0)), 9687U) << "less a 32nd for headers";
    EXPECT_EQ(room.room_for_part(kFlow, 6, at(0)), 0U) << "it is behind the one before";
    EXPECT_EQ(room.room_for_part(kFlow, 5, at(5000)), 4843U);
    room.take(9687, at(0));
    EXPECT_FALSE(room.admit(8, 314, at(0)));
    EXPECT_TRUE(room.admit(9, 312, at(0)));
    EXPECT_EQ(room.room_for_part(kFlow, 5, at(10'000)), 0U);
}

TEST(ResidualContactVolume, APartHasTimeForItsAnswer) {
    Room room;
    room.set_answer_time(seconds(4));
    EXPECT_EQ(room.room_for_part(kFlow, 1, at(0)), 5812U);
    EXPECT_EQ(room.room_for_part(kFlow, 1, at(7000)), 0U);
}

TEST(ResidualContactVolume, WithoutARateNothingIsCut) {
    Room room;
    room.set_rate(BitRate{0}, at(0));
    EXPECT_EQ(room.room_for_part(kFlow, 1, at(0)), 0U);
    room.set_end(kNever);
    room.set_rate(BitRate{8000}, at(0));
    EXPECT_EQ(room.room_for_part(kFlow, 1, at(0)), 0U);
}

TEST(ResidualContactVolume, AnotherRateMayHaveRoom) {
    Room room;
    EXPECT_FALSE(room.admit(kFlow, 20'000, at(0)));
    room.set_rate(BitRate{16'000}, at(0));
    EXPECT_TRUE(room.admit(kFlow, 20'000, at(0)));
}

TEST(ResidualContactVolume, WhatIsOnTheLinkLeavesAtAnotherRateToo) {
    Room room;
    EXPECT_TRUE(room.admit(kFlow, 9000, at(0)));
    room.set_rate(BitRate{80'000}, at(1000));  // the 8,000 that are left take 0.8 s
    EXPECT_FALSE(room.admit(8, 82'001, at(1000)));
    EXPECT_TRUE(room.admit(9, 82'000, at(1000)));
    Room slower;
    EXPECT_TRUE(slower.admit(kFlow, 5000, at(0)));
    slower.set_rate(BitRate{4000}, at(1000));  // the 4,000 that are left take 8 s
    EXPECT_FALSE(slower.admit(8, 501, at(1000)));
    EXPECT_TRUE(slower.admit(9, 500, at(1000)));
    Room unlimited;
    EXPECT_TRUE(unlimited.admit(kFlow, 9000, at(0)));
    unlimited.set_rate(BitRate{0}, at(1000));
    EXPECT_TRUE(unlimited.admit(kFlow, 1'000'000, at(1000)));
    unlimited.set_rate(BitRate{8000}, at(2000));
    EXPECT_TRUE(unlimited.admit(kFlow, 8000, at(2000))) << "nothing was on it";
}

TEST(ResidualContactVolume, ANewConnectionBeginsIdle) {
    Room room;
    EXPECT_TRUE(room.admit(kFlow, 9000, at(0)));
    room.handle_connected();
    EXPECT_TRUE(room.admit(kFlow, 9000, at(0)));
}

TEST(ResidualContactVolume, WithoutARateOnlyTheEndCounts) {
    Room room;
    room.set_rate(BitRate{0}, at(0));
    EXPECT_TRUE(room.admit(kFlow, ~std::uint64_t{0}, at(9999)));
    EXPECT_FALSE(room.admit(kFlow, 1, at(10'000)));
}

TEST(ResidualContactVolume, AbsurdSizesAreTooLate) {
    Room room;
    EXPECT_FALSE(room.admit(kFlow, ~std::uint64_t{0}, at(0)));
}

}  // namespace
}  // namespace farlink::egress::residual_contact_volume_test
