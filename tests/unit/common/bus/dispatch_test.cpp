// SPDX-License-Identifier: Apache-2.0
#include "common/bus/dispatch.hpp"

#include <gtest/gtest.h>

#include <type_traits>
#include <vector>

namespace farlink::bus::dispatch_test {
namespace {

struct Counting {
    void handle(const LinkUp &, TimePoint) { ++links_up; }
    void handle(Stop) { ++stops; }
    int links_up = 0;
    int stops = 0;
};

static_assert(kListsHandlersOf<MessageList<LinkUp, Stop, LinkDown>, Counting>);
static_assert(!kListsHandlersOf<MessageList<LinkUp>, Counting>, "handle(Stop) is not listed");
static_assert(!kListsHandlersOf<MessageList<Stop>, Counting>, "handle(LinkUp) is not listed");
static_assert(kIsHandled<LogChange>);
static_assert(!kIsHandled<int>);

TEST(Dispatch, AListedMessageReachesItsHandler) {
    Counting counting;
    const auto handle = [&](auto &data) {
        if constexpr (kIsOneOf<std::decay_t<decltype(data)>, Stop>)
            counting.handle(data);
        else
            counting.handle(data, TimePoint{});
    };
    Message message = LinkUp{};
    dispatch<MessageList<LinkUp, Stop>>(message, handle);
    EXPECT_EQ(counting.links_up, 1);
    message = Stop{};
    dispatch<MessageList<LinkUp, Stop>>(message, handle);
    EXPECT_EQ(counting.stops, 1);
}

TEST(Dispatch, AMessageOutsideTheListIsDropped) {
    Message message = LinkDown{};
    dispatch<MessageList<LinkUp>>(message, [](const LinkUp &) { FAIL(); });
}

TEST(Dispatch, TheHandlerMayMoveFromTheMessage) {
    Message message = PlanReplace{.dry_run = true, .contacts = {Contact{}}};
    std::vector<Contact> taken;
    dispatch<SchedulerMessages>(message, [&](auto &data) {
        if constexpr (kIsOneOf<std::decay_t<decltype(data)>, PlanReplace>)
            taken = std::move(data.contacts);
    });
    EXPECT_EQ(taken.size(), 1U);
    EXPECT_TRUE(std::get<PlanReplace>(message).contacts.empty());
}

TEST(Dispatch, TheListsSayWhichModulesHandleAMessage) {
    const auto receivers = []<class Data>(std::type_identity<Data>) {
        std::vector<AgentId> found;
        for (const AgentId module : modules_with(2, true))
            if (handles<Data>(module)) found.push_back(module);
        return found;
    };
    EXPECT_EQ(receivers(std::type_identity<ClockConfirm>{}),
              (std::vector{AgentId::kIngress, AgentId::kEgress, AgentId::kStorage,
                           AgentId::kIngress2, AgentId::kEgress2, AgentId::kApplications}));
    EXPECT_EQ(receivers(std::type_identity<SettingsChange>{}),
              (std::vector{AgentId::kIngress, AgentId::kEgress, AgentId::kStorage,
                           AgentId::kTelemetry, AgentId::kIngress2, AgentId::kEgress2}));
    EXPECT_EQ(receivers(std::type_identity<PlanReplace>{}), std::vector{AgentId::kScheduler});
    EXPECT_TRUE(handles<PingReply>(AgentId::kSupervisor));
    for (const AgentId module : modules_with(4, true)) EXPECT_TRUE(handles<Stop>(module));
}

}  // namespace
}  // namespace farlink::bus::dispatch_test
