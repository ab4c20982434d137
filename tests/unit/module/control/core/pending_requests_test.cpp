// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/pending_requests.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace farlink::control::pending_requests_test {
namespace {

using bus::AgentId;
using bus::RequestId;

WallClock at(int seconds_later) {
    return {TimePoint{} + seconds(seconds_later), 1000};
}

class PendingRequestsTest : public testing::Test {
protected:
    void request_routes(char name, int when = 0) {
        requests_.request_routes(
            [this, name](const auto &reply, const WallClock &) { note(name, bool(reply)); },
            at(when));
    }
    void change_plan(char name) {
        requests_.change_plan(
            bus::PlanChange{}, [](const auto &, const WallClock &) {},
            [this, name](const auto &reply, const WallClock &) { note(name, bool(reply)); }, at(0));
    }
    void note(char name, bool replied) { handled_ += {name, replied ? '+' : '-'}; }
    /// The id of a request, by its place among all that were sent.
    [[nodiscard]] RequestId id_of(std::size_t place) const {
        return std::visit(
            [](const auto &message) {
                if constexpr (requires { message.id.value(); })
                    return message.id;
                else
                    return bus::kNoRequest;
            },
            sent_.at(place).second);
    }
    void reply_routes(RequestId id) {
        bus::RouteUpdate update;
        update.id = id;
        requests_.handle(std::move(update), at(1));
    }

    std::vector<std::pair<AgentId, bus::Message>> sent_;
    std::string handled_;  ///< the handlers that were called, + with a reply, - without
    PendingRequests requests_{RequestId{100}, [this](AgentId to, bus::Message message) {
                                  sent_.emplace_back(to, std::move(message));
                              }};
};

TEST_F(PendingRequestsTest, IdsRiseAboveTheLastOneOfAnEarlierProcess) {
    request_routes('a');
    change_plan('b');
    requests_.request_links([](const auto &, const WallClock &) {}, at(0));
    requests_.request_state("/", [](const auto &, const WallClock &) {}, at(0));
    requests_.request_store({}, [](const auto &, const WallClock &) {}, at(0));
    ASSERT_EQ(sent_.size(), 5U);
    for (std::size_t i = 0; i < sent_.size(); ++i) EXPECT_EQ(id_of(i), RequestId{101 + i});
    EXPECT_EQ(requests_.next_id(), RequestId{106});
}

TEST_F(PendingRequestsTest, RepliesAreMatchedByIdInAnyOrder) {
    request_routes('a');
    request_routes('b');
    reply_routes(id_of(1));
    EXPECT_EQ(handled_, "b+");
    reply_routes(id_of(1));
    reply_routes(RequestId{7});
    reply_routes(bus::kNoRequest);
    EXPECT_EQ(handled_, "b+") << "a reply matches once, and only its own request";
    reply_routes(id_of(0));
    EXPECT_EQ(handled_, "b+a+");
}

TEST_F(PendingRequestsTest, BothRepliesToAPlanChangeHaveItsId) {
    std::string replies;
    requests_.change_plan(
        bus::PlanReplace{true, {}},
        [&](const auto &reply, const WallClock &) { replies += reply ? "links " : "-"; },
        [&](const auto &reply, const WallClock &) { replies += reply ? "routes " : "-"; }, at(0));
    EXPECT_EQ(sent_[0].first, AgentId::kScheduler);
    requests_.handle(bus::RoutesPreview{{}, id_of(0)}, at(1));
    requests_.handle(bus::LinkSnapshot{{}, {}, id_of(0)}, at(1));
    EXPECT_EQ(replies, "routes links ");
}

TEST_F(PendingRequestsTest, ARouterThatIsBackGetsTheRequestsAgain) {
    request_routes('a');
    requests_.handle_lost(AgentId::kRouter, at(1));
    request_routes('b', 1);
    requests_.handle_back(AgentId::kStorage, at(2));
    EXPECT_EQ(sent_.size(), 2U);
    requests_.handle_back(AgentId::kRouter, at(2));
    ASSERT_EQ(sent_.size(), 4U);
    EXPECT_EQ(id_of(2), id_of(0));
    EXPECT_EQ(id_of(3), id_of(1));
    reply_routes(id_of(2));
    reply_routes(id_of(3));
    EXPECT_EQ(handled_, "a+b+");
    requests_.handle_back(AgentId::kRouter, at(3));
    EXPECT_EQ(sent_.size(), 4U) << "no request is pending";
}

TEST_F(PendingRequestsTest, APlanChangeFailsWithTheRouter) {
    change_plan('a');
    requests_.handle_lost(AgentId::kStorage, at(1));
    EXPECT_EQ(handled_, "");
    requests_.handle_lost(AgentId::kRouter, at(1));
    change_plan('b');
    requests_.handle_back(AgentId::kRouter, at(2));
    EXPECT_EQ(handled_, "a-b-");
    change_plan('c');
    requests_.handle(bus::RoutesPreview{{}, id_of(1)}, at(3));
    EXPECT_EQ(handled_, "a-b-") << "a late reply to another change";
    requests_.handle(bus::RoutesPreview{{}, id_of(2)}, at(3));
    EXPECT_EQ(handled_, "a-b-c+");
}

TEST_F(PendingRequestsTest, ARequestWithoutReplyFailsInTime) {
    EXPECT_EQ(requests_.next_timeout(), kNever);
    request_routes('a', 0);
    request_routes('b', 2);
    EXPECT_EQ(requests_.next_timeout(), at(5).at);
    requests_.handle_timeout(at(4));
    EXPECT_EQ(handled_, "");
    requests_.handle_timeout(at(5));
    EXPECT_EQ(handled_, "a-");
    EXPECT_EQ(requests_.next_timeout(), at(7).at);
    reply_routes(id_of(0));
    EXPECT_EQ(handled_, "a-") << "too late";
    reply_routes(id_of(1));
    EXPECT_EQ(handled_, "a-b+");
    EXPECT_EQ(requests_.next_timeout(), kNever);
}

TEST_F(PendingRequestsTest, AHandlerMaySendTheNextRequest) {
    requests_.request_routes(
        [this](const auto &reply, const WallClock &now) {
            note('a', bool(reply));
            requests_.request_routes(
                [this](const auto &next, const WallClock &) { note('b', bool(next)); }, now);
        },
        at(0));
    requests_.handle_timeout(at(5));
    EXPECT_EQ(handled_, "a-");
    EXPECT_EQ(requests_.next_timeout(), at(10).at);
    reply_routes(id_of(1));
    EXPECT_EQ(handled_, "a-b+");
}

TEST_F(PendingRequestsTest, ABacklogGoesToItsOwnRequest) {
    std::string backlogs;
    const auto request = [&](char name) {
        requests_.request_routes(
            [&backlogs, name](const auto &report, const WallClock &) {
                backlogs += name;
                backlogs += report ? std::to_string(report->waiting.front().bytes) : "-";
            },
            [this, name](const auto &reply, const WallClock &) { note(name, bool(reply)); }, at(0));
    };
    const auto report = [this](RequestId id, std::uint64_t bytes) {
        requests_.handle(
            bus::BacklogReport{AgentId::kStorage, {{NodeNumber{4}, Priority::kNormal, bytes}}, id},
            at(1));
    };
    request('a');
    request('b');
    request_routes('c');
    report(id_of(1), 20);
    report(id_of(2), 30);
    report(bus::kNoRequest, 40);
    EXPECT_EQ(backlogs, "b20") << "the first reply; the others have no request";
    reply_routes(id_of(1));
    report(id_of(0), 10);
    reply_routes(id_of(0));
    EXPECT_EQ(backlogs, "b20a10");
    EXPECT_EQ(handled_, "b+a+");
    request('d');
    requests_.handle_timeout(at(9));
    EXPECT_EQ(backlogs, "b20a10d-");
}

}  // namespace
}  // namespace farlink::control::pending_requests_test
