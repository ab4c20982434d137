// SPDX-License-Identifier: Apache-2.0
#include "common/runtime/log/counted_events.hpp"

#include <gtest/gtest.h>

namespace farlink::counted_events_test {
namespace {

TEST(CountedEvents, OneLineAnIntervalHasAllEventsSinceTheLastOne) {
    CountedEvents events(seconds(10));
    const TimePoint start{seconds(100)};
    EXPECT_EQ(events.poll(start), std::nullopt) << "there is none";
    events.add();
    EXPECT_EQ(events.poll(start), 1U) << "the first one at once";
    events.add(3);
    EXPECT_EQ(events.poll(start + seconds(1)), std::nullopt);
    events.add();
    EXPECT_EQ(events.poll(start + seconds(9)), std::nullopt);
    EXPECT_EQ(events.poll(start + seconds(10)), 4U) << "also without a further event";
    EXPECT_EQ(events.poll(start + seconds(30)), std::nullopt);
}

}  // namespace
}  // namespace farlink::counted_events_test
