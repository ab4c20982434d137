// SPDX-License-Identifier: Apache-2.0
// Requests for the state of links, and plans that are proposed or changed: who gets which reply.
#include "tests/unit/module/scheduler/core/scheduler_fixture.hpp"

namespace farlink::scheduler::scheduler_requests_test {
namespace {

TEST(SchedulerCore, ASnapshotCarriesTheLastSequenceAndGoesToTheRequesterOnly) {
    Fixture f({{contact(0, 2, kZero, kZero + 100)}});
    f.drain();
    f.status(kLinkA, true, 1);
    f.core.handle(bus::SnapshotRequest{bus::AgentId::kScheduler, bus::AgentId::kStorage}, at(2));
    const auto answer = f.core.poll_message();
    ASSERT_TRUE(answer.has_value());
    EXPECT_FALSE(answer->publish);
    EXPECT_EQ(answer->to, bus::AgentId::kStorage);
    EXPECT_EQ(describe(answer->message), "snapshot 4pc");
    EXPECT_EQ(f.sequence_of(answer->message), 2U);
    EXPECT_FALSE(f.core.poll_message().has_value());
}

TEST(SchedulerCore, TheRouterGetsThePlanWithItsSnapshot) {
    Fixture f({{contact(0, 2, kZero + 50, kZero + 100)}});
    f.drain();
    f.core.handle(bus::SnapshotRequest{bus::AgentId::kScheduler, bus::AgentId::kRouter}, at(2));
    EXPECT_EQ(f.drain(), (Lines{"plan of 1", "snapshot 4--"}));
    f.core.handle(bus::SnapshotRequest{bus::AgentId::kRouter, bus::AgentId::kRouter}, at(2));
    EXPECT_EQ(f.drain(), Lines{});
}

TEST(SchedulerCore, ASnapshotTellsTheNextContact) {
    Fixture f({{contact(0, 2, kZero + 100, kZero + 200), contact(1, 2, kZero + 300, kZero + 400)}});
    EXPECT_EQ(only_entry(f, 0).next_contact, kZero + 100);
    EXPECT_EQ(only_entry(f, 150).next_contact, kZero + 300);
    EXPECT_EQ(only_entry(f, 150).ends, kZero + 200);
    EXPECT_EQ(only_entry(f, 250).next_contact, kZero + 300);
    EXPECT_EQ(only_entry(f, 350).next_contact, kDtnNever);
}

TEST(SchedulerCore, ADryRunTellsTheRouterAndTheAskerAndChangesNothing) {
    Fixture f({{contact(0, 2, kZero, kZero + 1000)}});
    f.drain();
    f.status(kLinkA, true, 1);
    f.core.handle(bus::PlanReplace{true, {}}, at(10));
    const auto proposal = f.core.poll_message();
    ASSERT_TRUE(proposal && std::holds_alternative<bus::ContactsProposal>(proposal->message));
    EXPECT_EQ(proposal->to, bus::AgentId::kRouter);
    const auto answer = f.core.poll_message();
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->to, bus::AgentId::kSupervisor);
    EXPECT_EQ(describe(answer->message), "snapshot 4-c");
    EXPECT_EQ(f.drain(), Lines{});
    EXPECT_TRUE(only_entry(f, 11).planned);
    f.core.handle(bus::PlanReplace{false, {}}, at(12));
    EXPECT_EQ(f.drain(), (Lines{"down 4 ended", "end 4", "plan -1 +0", "snapshot 4-c"}));
}

TEST(SchedulerCore, RepliesRepeatTheRequestId) {
    Fixture f({{contact(0, 2, kZero, kZero + 1000)}});
    f.drain();
    const auto ids = [&f] {
        std::vector<std::uint64_t> found;
        while (const auto message = f.core.poll_message())
            std::visit(
                [&found](const auto &data) {
                    if constexpr (requires { data.id.value(); }) found.push_back(data.id.value());
                },
                message->message);
        return found;
    };
    f.core.handle(bus::SnapshotRequest{bus::AgentId::kScheduler, bus::AgentId::kSupervisor,
                                       bus::RequestId{7}},
                  at(1));
    EXPECT_EQ(ids(), std::vector<std::uint64_t>{7});
    f.core.handle(bus::PlanReplace{true, {}, bus::RequestId{8}}, at(2));
    EXPECT_EQ(ids(), (std::vector<std::uint64_t>{8, 8})) << "the router gets it, too";
    f.core.handle(bus::PlanReplace{false, {}, bus::RequestId{9}}, at(3));
    EXPECT_EQ(ids(), (std::vector<std::uint64_t>{9, 9}));
    f.core.handle(bus::PlanChange{{}, {}, bus::RequestId{10}}, at(4));
    EXPECT_EQ(ids(), (std::vector<std::uint64_t>{10, 10}));
    f.core.handle(bus::LinkAdmin{kLinkA, false}, at(5));
    EXPECT_EQ(ids(), std::vector<std::uint64_t>{0}) << "an event answers nothing";
}

TEST(SchedulerCore, AChangeOfTheRunningPlanIsToldAsOne) {
    const bus::Contact first = contact(0, 2, kZero, kZero + 1000);
    Fixture f({{first, contact(1, 2, kZero + 5000, kZero + 6000)}});
    f.drain();
    f.status(kLinkA, true, 1);
    const bus::Contact longer = contact(0, 2, kZero, kZero + 2000);
    f.core.handle(bus::PlanChange{{first}, {longer}}, at(10));
    EXPECT_EQ(f.drain(),
              (Lines{"start 4 until 1002000", "up 4 at 8000", "plan -1 +1", "snapshot 4pc"}));
    EXPECT_EQ(f.core.plan().size(), 2U);
    f.core.handle(bus::PlanChange{{longer}, {}}, at(20));
    EXPECT_EQ(f.drain(), (Lines{"down 4 ended", "end 4", "plan -1 +0", "snapshot 4-c"}));
    EXPECT_EQ(f.core.next_contact(), at(5000));
}

}  // namespace
}  // namespace farlink::scheduler::scheduler_requests_test
