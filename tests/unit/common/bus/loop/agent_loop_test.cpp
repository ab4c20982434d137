// SPDX-License-Identifier: Apache-2.0
#include "common/bus/loop/agent_loop.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "common/runtime/clock.hpp"

namespace farlink::bus::agent_loop_test {
namespace {

/// An agent that counts what happens to it and ends with a Stop message.
struct CountingAgent {
    CountingAgent(BusContext &context, AgentId self, const std::vector<AgentId> &subscriptions)
        : loop(context, self, subscriptions,
               {[this](Message message) {
                    if (std::holds_alternative<Stop>(message))
                        loop.stop();
                    else
                        messages.push_back(message.index());
                },
                [this] { ++acknowledged; }, [this] { on_timeout(); }, [this] { ++seconds; }}) {}

    void on_timeout() {
        ++timeouts;
        if (again_at != kNever) loop.arm(std::exchange(again_at, kNever));
        if (timeouts == stop_after_timeouts) loop.stop();
    }

    std::vector<std::size_t> messages;
    int acknowledged = 0;
    int timeouts = 0;
    int seconds = 0;
    int stop_after_timeouts = 0;
    TimePoint again_at = kNever;
    AgentLoop loop;
};

TEST(AgentLoop, ServesMessagesUntilItIsStopped) {
    BusContext context;
    CountingAgent agent(context, AgentId::kEgress, {});
    BusPort port(context, AgentId::kIngress, {});
    std::thread thread([&] { agent.loop.run(); });
    for (int i = 0; i < 10; ++i) port.send(AgentId::kEgress, Backlog{});
    port.send(AgentId::kEgress, Stop{});
    thread.join();
    EXPECT_EQ(agent.messages.size(), 10U);
    EXPECT_GE(agent.acknowledged, 1);
}

TEST(AgentLoop, AsksItsPublishersForASnapshot) {
    BusContext context;
    BusPort scheduler(context, AgentId::kScheduler, {});
    CountingAgent agent(context, AgentId::kEgress, {AgentId::kScheduler});
    scheduler.send(AgentId::kEgress, LinkSnapshot{{5, 3}, {}});
    scheduler.send(AgentId::kEgress, LinkSnapshot{{5, 2}, {}});  // older: asked for again
    scheduler.send(AgentId::kEgress, Stop{});
    std::thread thread([&] { agent.loop.run(); });
    thread.join();
    EXPECT_EQ(agent.messages.size(), 1U) << "the older one undoes nothing";
    const auto request = scheduler.receive();
    ASSERT_TRUE(request.has_value());
    EXPECT_EQ(std::get<SnapshotRequest>(*request).from, AgentId::kEgress);
    EXPECT_FALSE(scheduler.receive().has_value()) << "it was complete already";
}

TEST(AgentLoop, FiresItsTimerOnceAndAgain) {
    BusContext context;
    CountingAgent agent(context, AgentId::kEgress, {});
    agent.stop_after_timeouts = 2;
    const TimePoint start = monotonic_now();
    agent.again_at = start + milliseconds(10);
    agent.loop.arm(start + seconds(100));
    agent.loop.arm(start + milliseconds(5));
    std::thread thread([&] { agent.loop.run(); });
    thread.join();
    EXPECT_EQ(agent.timeouts, 2);
    EXPECT_GE(monotonic_now() - start, milliseconds(10));
    EXPECT_GE(agent.acknowledged, 1) << "what the timer led to is sent";
}

TEST(AgentLoop, ReportsTenTimesASecond) {
    BusContext context;
    int reports = 0;
    int seconds = 0;
    TimePoint first{};
    TimePoint last{};
    std::optional<AgentLoop> loop;
    loop.emplace(context, AgentId::kEgress, std::vector<AgentId>{},
                 AgentHandlers{.on_message = [](Message) {},
                               .drain_outputs = [] {},
                               .on_timeout = [] {},
                               .on_second = [&] { ++seconds; },
                               .on_report =
                                   [&] {
                                       last = monotonic_now();
                                       if (++reports == 1) first = last;
                                       if (reports == 12) loop->stop();
                                   }});
    loop->run();
    EXPECT_GE(seconds, 1);
    EXPECT_GE(last - first, milliseconds(1000)) << "twelve in more than a second";
}

TEST(AgentLoop, StoppedBeforeItRunsItReturnsAtOnce) {
    BusContext context;
    CountingAgent agent(context, AgentId::kEgress, {});
    agent.loop.stop();
    agent.loop.run();
    EXPECT_EQ(agent.seconds, 0);
}

}  // namespace
}  // namespace farlink::bus::agent_loop_test
