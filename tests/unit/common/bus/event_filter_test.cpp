// SPDX-License-Identifier: Apache-2.0
#include "common/bus/event_filter.hpp"

#include <gtest/gtest.h>

namespace farlink::bus::event_filter_test {
namespace {

template <class Event>
Message event(std::uint64_t epoch, std::uint64_t sequence) {
    Event made;
    made.header = {epoch, sequence};
    return made;
}

TEST(EventFilter, AsksEachPublisherOnceAtTheStart) {
    EventFilter filter({AgentId::kScheduler, AgentId::kRouter});
    EXPECT_EQ(filter.take_request(), AgentId::kScheduler);
    EXPECT_EQ(filter.take_request(), AgentId::kRouter);
    EXPECT_EQ(filter.take_request(), std::nullopt);
}

TEST(EventFilter, KeepsRepetitionsAndOldSnapshotsBack) {
    EventFilter filter({AgentId::kScheduler});
    EXPECT_TRUE(filter.admit(event<LinkSnapshot>(1, 5)));
    EXPECT_FALSE(filter.admit(event<LinkUp>(1, 5)));
    EXPECT_TRUE(filter.admit(event<LinkUp>(1, 6)));
    EXPECT_FALSE(filter.admit(event<LinkUp>(1, 6)));
    EXPECT_TRUE(filter.admit(event<LinkDown>(1, 7)));
    EXPECT_TRUE(filter.admit(event<ContactStart>(1, 8)));
    EXPECT_TRUE(filter.admit(event<ContactEnd>(1, 9)));
    EXPECT_FALSE(filter.admit(event<LinkSnapshot>(1, 8)));
    EXPECT_EQ(filter.take_request(), std::nullopt);
}

TEST(EventFilter, AsksAfterAGapAndAfterARestart) {
    EventFilter filter({AgentId::kScheduler});
    EXPECT_TRUE(filter.admit(event<LinkSnapshot>(1, 5)));
    EXPECT_TRUE(filter.admit(event<LinkUp>(1, 8)));
    EXPECT_EQ(filter.take_request(), AgentId::kScheduler);
    EXPECT_TRUE(filter.admit(event<LinkSnapshot>(1, 8)));
    EXPECT_EQ(filter.take_request(), std::nullopt);
    EXPECT_TRUE(filter.admit(event<LinkUp>(2, 1)));
    EXPECT_EQ(filter.take_request(), AgentId::kScheduler);
}

TEST(EventFilter, EveryTableOfRoutesIsComplete) {
    EventFilter filter({AgentId::kRouter});
    EXPECT_EQ(filter.take_request(), AgentId::kRouter);
    EXPECT_TRUE(filter.admit(event<RouteUpdate>(1, 1)));
    EXPECT_TRUE(filter.admit(event<RouteUpdate>(1, 9)));
    EXPECT_EQ(filter.take_request(), std::nullopt);
    EXPECT_FALSE(filter.admit(event<RouteUpdate>(1, 8)));
}

TEST(EventFilter, LetsEverythingElseThrough) {
    EventFilter filter({});
    EXPECT_TRUE(filter.admit(Backlog{}));
    EXPECT_TRUE(filter.admit(Stop{}));
    EXPECT_TRUE(filter.admit(event<LinkUp>(1, 1))) << "nobody keeps count of it here";
}

}  // namespace
}  // namespace farlink::bus::event_filter_test
