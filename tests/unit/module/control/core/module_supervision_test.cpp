// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/module_supervision.hpp"

#include <gtest/gtest.h>

namespace farlink::control::module_supervision_test {
namespace {

using bus::AgentId;
using Modules = std::vector<AgentId>;

void make_all_ready(ModuleSupervision &modules) {
    for (const AgentId module : modules.modules()) modules.handle_ready(module);
}

TEST(ModuleSupervision, TheFirstIngressEndsBehindTheOthers) {
    EXPECT_EQ(
        ModuleSupervision(2).modules(),
        (Modules{AgentId::kIngress2, AgentId::kIngress, AgentId::kStorage, AgentId::kEgress2,
                 AgentId::kEgress, AgentId::kRouter, AgentId::kScheduler, AgentId::kTelemetry}));
    EXPECT_EQ(
        ModuleSupervision(1).modules_without({AgentId::kIngress, AgentId::kRouter}),
        (Modules{AgentId::kStorage, AgentId::kEgress, AgentId::kScheduler, AgentId::kTelemetry}));
}

TEST(ModuleSupervision, AllModulesMustBeReadyButALostTelemetry) {
    ModuleSupervision modules(1);
    modules.handle_missing(AgentId::kTelemetry);
    EXPECT_EQ(modules.state_of(AgentId::kTelemetry), "lost");
    for (const AgentId module : {AgentId::kIngress, AgentId::kStorage, AgentId::kEgress,
                                 AgentId::kRouter, AgentId::kScheduler}) {
        EXPECT_EQ(modules.state_of(module), "starting");
        EXPECT_FALSE(modules.complete());
        modules.handle_ready(module);
        EXPECT_EQ(modules.state_of(module), "ready");
    }
    EXPECT_TRUE(modules.complete());
    modules.handle_lost(AgentId::kRouter);
    EXPECT_FALSE(modules.complete());
    EXPECT_TRUE(modules.is_lost(AgentId::kRouter));
    modules.handle_back(AgentId::kRouter);
    EXPECT_EQ(modules.state_of(AgentId::kRouter), "starting");
    modules.handle_ready(AgentId::kRouter);
    modules.handle_ready(AgentId::kTelemetry);
    EXPECT_EQ(modules.state_of(AgentId::kTelemetry), "ready") << "without ModuleBack";
    EXPECT_TRUE(modules.complete());
}

TEST(ModuleSupervision, AModuleWithoutHeartbeatsIsSilent) {
    ModuleSupervision modules(1);
    make_all_ready(modules);
    TimePoint storage{};
    int second = 0;
    const auto next = [&] {
        ++second;
        return modules.handle_second([&](AgentId module) {
            return module == AgentId::kStorage ? storage : TimePoint{} + seconds(second);
        });
    };
    int changes = 0;
    for (int i = 0; i < 3 * HeartbeatMonitor::kMostMissed; ++i)
        for (const auto &[module, silent] : next()) {
            EXPECT_EQ(module, AgentId::kStorage);
            EXPECT_TRUE(silent);
            ++changes;
        }
    EXPECT_EQ(changes, 1);
    EXPECT_EQ(modules.state_of(AgentId::kStorage), "silent");
    EXPECT_EQ(modules.state_of(AgentId::kIngress), "ready");
    storage += seconds(1);
    const auto recovered = next();
    ASSERT_EQ(recovered.size(), 1U);
    EXPECT_EQ(recovered[0].module, AgentId::kStorage);
    EXPECT_FALSE(recovered[0].silent);
    EXPECT_EQ(modules.state_of(AgentId::kStorage), "ready");
}

TEST(ModuleSupervision, ModulesThatAStopEndsAreNotMissed) {
    ModuleSupervision modules(1);
    make_all_ready(modules);
    modules.handle_lost(AgentId::kTelemetry);
    for (int second = 0; second <= HeartbeatMonitor::kMostMissed; ++second)
        (void)modules.handle_second([&](AgentId module) {
            return TimePoint{} + seconds(module == AgentId::kRouter ? 0 : second);
        });
    modules.begin_stop();
    modules.handle_lost(AgentId::kIngress);
    for (int second = 0; second < 3 * HeartbeatMonitor::kMostMissed; ++second)
        EXPECT_TRUE(modules.handle_second([](AgentId) { return TimePoint{}; }).empty());
    EXPECT_TRUE(modules.is_lost(AgentId::kIngress));
    EXPECT_EQ(modules.state_of(AgentId::kIngress), "stopping");
    EXPECT_EQ(modules.state_of(AgentId::kStorage), "stopping");
    EXPECT_EQ(modules.state_of(AgentId::kTelemetry), "lost") << "it was lost before";
    EXPECT_EQ(modules.state_of(AgentId::kRouter), "silent") << "it was silent before";
}

TEST(ModuleSupervision, ALinkOfASilentModuleIsNamed) {
    ModuleSupervision modules(1);
    make_all_ready(modules);
    const config::LinkPlacement placement;
    const LinkId session{config::kFirstOpenedLink};
    EXPECT_EQ(modules.silence_on(LinkId{1}, placement), "");
    const auto pass = [&modules](AgentId silent, int seconds_long) {
        static int second = 0;
        for (const int end = second + seconds_long; second < end; ++second)
            (void)modules.handle_second([&](AgentId module) {
                return TimePoint{} + (module == silent ? milliseconds(1) : seconds(second + 1));
            });
    };
    pass(AgentId::kEgress, 13);
    const std::string egress = "module egress has been silent for 12 s";
    EXPECT_EQ(modules.silence_on(LinkId{1}, placement), egress);
    EXPECT_EQ(modules.silence_on(session, placement), egress);
    EXPECT_EQ(modules.silence(), egress);
    pass(AgentId::kIngress, 13);
    EXPECT_EQ(modules.silence_on(LinkId{1}, placement), "");
    EXPECT_NE(modules.silence_on(session, placement), "");
}

TEST(ModuleSupervision, EachIngressReportsThePortsOfItsOwnInducts) {
    ModuleSupervision modules(2);
    modules.note_ports({4556, 0});
    modules.note_ports({0, 4557, 0});
    modules.note_waiting({1});
    modules.note_waiting({});
    EXPECT_EQ(modules.waiting(), std::set<std::uint16_t>{1});
    EXPECT_EQ(modules.ports(), (std::vector<std::uint16_t>{4556, 4557, 0}));
    modules.handle(bus::LinkChangeResult{.link = LinkId{1}, .error = {}, .port = 4600});
    modules.handle(bus::LinkChangeResult{.link = LinkId{0}, .error = {'n'}, .port = 1});
    modules.handle(bus::LinkChangeResult{.link = LinkId{9}, .error = {}, .port = 1});
    EXPECT_EQ(modules.ports(), (std::vector<std::uint16_t>{4556, 4600, 0}));
}

}  // namespace
}  // namespace farlink::control::module_supervision_test
