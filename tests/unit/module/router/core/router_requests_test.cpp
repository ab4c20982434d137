// SPDX-License-Identifier: Apache-2.0
// Requests for the table, and plans that are proposed or changed: who gets which reply.
#include "tests/unit/module/router/core/router_fixture.hpp"

namespace farlink::router::router_requests_test {
namespace {

TEST_F(RouterCoreTest, ASnapshotRequestIsAnsweredDirectly) {
    plan_both_ways();
    published();
    core.handle(bus::SnapshotRequest{bus::AgentId::kRouter, bus::AgentId::kStorage}, at(1));
    const auto answer = core.poll_message();
    ASSERT_TRUE(answer.has_value());
    EXPECT_FALSE(answer->publish);
    EXPECT_EQ(answer->to, bus::AgentId::kStorage);
    const auto &update = std::get<bus::RouteUpdate>(answer->message);
    EXPECT_EQ(update.header.sequence, 1U);
    EXPECT_EQ(links(update, 4), "12 13");
}

TEST_F(RouterCoreTest, TheSupervisorIsToldWhatWaits) {
    plan_both_ways();
    core.handle(
        bus::BacklogReport{bus::AgentId::kStorage, {{NodeNumber{4}, Priority::kNormal, 1000}}},
        at(0));
    while (core.poll_message()) {
    }
    const bus::RequestId id{7};
    core.handle(bus::SnapshotRequest{bus::AgentId::kRouter, bus::AgentId::kSupervisor, id}, at(1));
    const auto waiting = core.poll_message();
    ASSERT_TRUE(waiting);
    EXPECT_EQ(waiting->to, bus::AgentId::kSupervisor);
    const auto &report = std::get<bus::BacklogReport>(waiting->message);
    EXPECT_EQ(report.waiting[0].bytes, 1000U);
    EXPECT_EQ(report.id, id);
    EXPECT_EQ(std::get<bus::RouteUpdate>(core.poll_message()->message).id, id);
}

TEST_F(RouterCoreTest, RepliesRepeatTheRequestId) {
    constexpr auto kSupervisor = bus::AgentId::kSupervisor;
    const auto route_ids = [this] {
        std::vector<std::uint64_t> ids;
        while (const auto message = core.poll_message())
            if (const auto *update = std::get_if<bus::RouteUpdate>(&message->message))
                ids.push_back(update->id.value());
        return ids;
    };
    for (const std::uint64_t id : {7, 8, 7})
        core.handle(bus::SnapshotRequest{bus::AgentId::kRouter, kSupervisor, bus::RequestId{id}},
                    at(1));
    EXPECT_TRUE(route_ids().empty()) << "there is no plan yet";
    plan_both_ways();
    EXPECT_EQ(route_ids(), (std::vector<std::uint64_t>{0, 7, 8})) << "the event has none";
    core.handle(bus::SnapshotRequest{bus::AgentId::kRouter, kSupervisor, bus::RequestId{9}}, at(2));
    EXPECT_EQ(route_ids(), std::vector<std::uint64_t>{9});
    core.handle(bus::ContactsChange{{}, {}, bus::RequestId{10}}, at(3));
    EXPECT_EQ(std::get<bus::RoutesPreview>(core.poll_message()->message).id, bus::RequestId{10});
    core.handle(bus::ContactsProposal{{}, bus::RequestId{11}}, at(3));
    EXPECT_EQ(std::get<bus::RoutesPreview>(core.poll_message()->message).id, bus::RequestId{11});
}

TEST_F(RouterCoreTest, RequestsBeforeThePlanAreBounded) {
    for (std::uint64_t id = 1; id <= 1000; ++id)
        core.handle(bus::SnapshotRequest{bus::AgentId::kRouter, bus::AgentId::kSupervisor,
                                         bus::RequestId{id}},
                    at(1));
    plan_both_ways();
    std::size_t replies = 0;
    while (const auto message = core.poll_message())
        if (const auto *update = std::get_if<bus::RouteUpdate>(&message->message))
            replies += update->id != bus::kNoRequest;
    EXPECT_EQ(replies, 256U);
}

TEST_F(RouterCoreTest, ARequestBeforeThePlanIsAnsweredWithIt) {
    core.handle(bus::SnapshotRequest{bus::AgentId::kRouter, bus::AgentId::kIngress}, at(1));
    core.handle(bus::SnapshotRequest{bus::AgentId::kScheduler, bus::AgentId::kIngress}, at(1));
    EXPECT_FALSE(core.poll_message().has_value());
    plan_both_ways();
    EXPECT_TRUE(core.poll_message()->publish);
    const auto answer = core.poll_message();
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->to, bus::AgentId::kIngress);
    EXPECT_FALSE(core.poll_message().has_value());
}

TEST_F(RouterCoreTest, AProposedPlanIsAnsweredAndChangesNothing) {
    plan_both_ways();
    EXPECT_EQ(published(), "12 13");
    core.handle(bus::ContactsProposal{{contact(0, 1, 3, 0, 2000), contact(1, 3, 4, 0, 2000)}},
                at(5));
    const auto answer = core.poll_message();
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->to, bus::AgentId::kSupervisor);
    const auto &rows = std::get<bus::RoutesPreview>(answer->message).differences;
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].destination, NodeNumber{2});
    EXPECT_TRUE(rows[0].after.empty());
    EXPECT_EQ(rows[1].destination, NodeNumber{4});
    EXPECT_EQ(rows[1].before.size(), 2U);
    EXPECT_EQ(rows[1].after.size(), 1U);
    EXPECT_EQ(published(), "-");
}

TEST_F(RouterCoreTest, AChangeOfThePlanIsPublishedAndAnswered) {
    plan_both_ways();
    EXPECT_EQ(published(), "12 13");
    core.handle(bus::ContactsChange{{contact(1, 2, 4, 0, 1000)}, {contact(7, 2, 4, 500, 1000)}},
                at(5));
    const auto published = core.poll_message();
    ASSERT_TRUE(published && published->publish);
    EXPECT_EQ(links(std::get<bus::RouteUpdate>(published->message), 4), "13 12");
    const auto answer = core.poll_message();
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(answer->to, bus::AgentId::kSupervisor);
    const auto &rows = std::get<bus::RoutesPreview>(answer->message).differences;
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].destination, NodeNumber{4});
    EXPECT_EQ(rows[0].before[0].link, LinkId{12});
    EXPECT_EQ(rows[0].after[0].link, LinkId{13});
}

TEST_F(RouterCoreTest, AChangeBeforeTheFirstPlanIsAnsweredAndWaitsForTheWholePlan) {
    core.handle(bus::ContactsChange{{}, {contact(0, 1, 2, 0, 1000)}}, at(5));
    const auto answer = core.poll_message();
    ASSERT_TRUE(answer.has_value());
    EXPECT_TRUE(std::get<bus::RoutesPreview>(answer->message).differences.empty());
    EXPECT_TRUE(core.table().rows.empty());
}

TEST_F(RouterCoreTest, AProposalBeforeTheFirstPlanIsAnswered) {
    core.handle(bus::ContactsProposal{{contact(0, 1, 3, 0, 2000)}}, at(5));
    const auto answer = core.poll_message();
    ASSERT_TRUE(answer.has_value());
    EXPECT_EQ(std::get<bus::RoutesPreview>(answer->message).differences.size(), 1U);
}

}  // namespace
}  // namespace farlink::router::router_requests_test
