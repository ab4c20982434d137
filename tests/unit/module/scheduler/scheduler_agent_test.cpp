// SPDX-License-Identifier: Apache-2.0
// How late contacts begin and end in real time, and what the agent logs of links.
#include "module/scheduler/scheduler_agent.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <thread>

#include "common/bus/zmq/zmq_bus.hpp"
#include "common/runtime/clock.hpp"
#include "tests/support/bus_wait.hpp"

namespace farlink::scheduler::scheduler_agent_test {
namespace {

constexpr std::size_t kContacts = 25;
constexpr DtnTime kHalfPeriodMs = 20;

/// Node 1 with so many links, all to node 2.
config::NodeConfig node_with_links(std::uint32_t count) {
    config::NodeConfig config;
    config.node = NodeNumber{1};
    for (std::uint32_t link = 0; link < count; ++link) {
        config::OutductConfig outduct;
        outduct.id = LinkId{link};
        outduct.next_hop = NodeNumber{2};
        config.outducts.push_back(outduct);
    }
    return config;
}

/// Those to which the agent sends: egress, and what gets the plan, and that the agent is ready.
struct OtherModules {
    bus::BusContext context;
    bus::BusPort egress{context, bus::AgentId::kEgress, {bus::AgentId::kScheduler}};
    bus::BusPort router{context, bus::AgentId::kRouter, {}};
    bus::BusPort supervisor{context, bus::AgentId::kSupervisor, {}};

    void end(std::thread &agent) {
        egress.send(bus::AgentId::kScheduler, bus::Stop{});
        agent.join();
    }
};

/// What is due when: the start and the end of each contact, in order.
std::vector<bus::Contact> short_contacts(DtnTime first) {
    std::vector<bus::Contact> contacts;
    for (std::size_t i = 0; i < kContacts; ++i) {
        const DtnTime start = first + 2 * i * kHalfPeriodMs;
        contacts.push_back(
            {i, NodeNumber{1}, NodeNumber{2}, start, start + kHalfPeriodMs, BitRate{1000}, {}});
    }
    return contacts;
}

/// How late each start and end came. A contact that begins and ends while the whole machine stands
/// still is never open.
std::vector<Duration> measure_lateness() {
    const config::NodeConfig config = node_with_links(1);
    OtherModules others;
    const WallClock clock = read_wall_clock();
    constexpr DtnTime kHeadStartMs = 200;
    SchedulerAgent agent(config, short_contacts(clock.dtn_ms + kHeadStartMs), others.context);
    std::thread thread([&] { agent.run(); });

    std::vector<Duration> late;
    const DtnTime last = clock.dtn_ms + kHeadStartMs + (2 * kContacts - 1) * kHalfPeriodMs;
    DtnTime ends = 0;
    bool open = false;
    while (open || ends < last) {
        const auto message = test::wait_for_message(others.egress);
        if (!message) break;
        if (const auto *start = std::get_if<bus::ContactStart>(&*message)) {
            open = true;
            ends = start->ends;
            late.push_back(monotonic_now() - clock.point_of(ends - kHalfPeriodMs));
        } else if (std::holds_alternative<bus::ContactEnd>(*message)) {
            open = false;
            late.push_back(monotonic_now() - clock.point_of(ends));
        }
    }
    others.end(thread);
    std::ranges::sort(late);
    return late;
}

TEST(SchedulerAgent, ContactsBeginAndEndInTime) {
    // What else runs on the machine meanwhile may spoil a measurement.
    constexpr int kAttempts = 5;
    Duration median = seconds(1);
    for (int i = 0; i < kAttempts && median >= milliseconds(5); ++i) {
        const std::vector<Duration> late = measure_lateness();
        if (late.size() < kContacts) continue;
        // The clocks are read to the millisecond.
        EXPECT_GT(late.front(), -milliseconds(2)) << "none begins or ends early";
        median = late[late.size() / 2];
        std::printf("late: median %.3f ms, longest %.3f ms\n",
                    static_cast<double>(median.count()) / 1e6,
                    static_cast<double>(late.back().count()) / 1e6);
    }
    EXPECT_LT(median, milliseconds(5)) << median.count() << " ns, each time";
    RecordProperty("median_ns", std::to_string(median.count()));
}

TEST(SchedulerAgent, OnlyALinkThatWasLostIsUpAgain) {
    const config::NodeConfig config = node_with_links(2);
    OtherModules others;
    testing::internal::CaptureStderr();
    SchedulerAgent agent(config, std::nullopt, others.context);
    std::thread thread([&] { agent.run(); });
    const auto publish = [&](std::uint32_t link, bool connected) {
        others.egress.send(bus::AgentId::kScheduler, bus::LinkStatus{.link = LinkId{link},
                                                                     .neighbour = NodeNumber{2},
                                                                     .connected = connected});
    };
    publish(0, true);
    publish(0, false);
    publish(1, true);
    publish(0, true);
    others.end(thread);
    const std::string lines = testing::internal::GetCapturedStderr();
    EXPECT_NE(lines.find("link 0 to node 2: down (connection lost)\n"), std::string::npos) << lines;
    EXPECT_NE(lines.find("link 1 to node 2: up\n"), std::string::npos) << lines;
    EXPECT_NE(lines.find("link 0 to node 2: up again\n"), std::string::npos) << lines;
}

TEST(SchedulerAgent, EachOfManyLinksThatAreLostHasItsLine) {
    constexpr std::uint32_t kLinks = 30;
    config::NodeConfig config;
    config.node = NodeNumber{1};
    for (std::uint32_t link = 0; link < kLinks; ++link) {
        config::OutductConfig outduct;
        outduct.id = LinkId{link};
        outduct.next_hop = NodeNumber{2 + link};
        config.outducts.push_back(outduct);
    }
    bus::BusContext context;
    bus::BusPort egress(context, bus::AgentId::kEgress, {bus::AgentId::kScheduler});
    const bus::BusPort router(context, bus::AgentId::kRouter, {});
    const bus::BusPort supervisor(context, bus::AgentId::kSupervisor, {});
    testing::internal::CaptureStderr();
    SchedulerAgent agent(config, std::nullopt, context);
    std::thread thread([&] { agent.run(); });
    for (const bool connected : {true, false})
        for (std::uint32_t link = 0; link < kLinks; ++link)
            egress.send(bus::AgentId::kScheduler, bus::LinkStatus{.link = LinkId{link},
                                                                  .neighbour = NodeNumber{2 + link},
                                                                  .connected = connected});
    egress.send(bus::AgentId::kScheduler, bus::Stop{});
    thread.join();
    const std::string lines = testing::internal::GetCapturedStderr();
    for (std::uint32_t link = 0; link < kLinks; ++link)
        EXPECT_NE(lines.find("link " + std::to_string(link) + " to node " +
                             std::to_string(2 + link) + ": down (connection lost)\n"),
                  std::string::npos)
            << link << '\n'
            << lines;
}

}  // namespace
}  // namespace farlink::scheduler::scheduler_agent_test
