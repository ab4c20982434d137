// SPDX-License-Identifier: Apache-2.0
// What log and telemetry have of the connections of links.
#include "module/egress/link_reports.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <variant>
#include <vector>

namespace farlink::egress::link_reports_test {
namespace {

using cla::LinkFault;

class LinkReportsTest : public testing::Test {
protected:
    static TimePoint at(int second) { return TimePoint{} + seconds(100 + second); }
    HostedLink &add_link() {
        HostedLink &link = links_.emplace_back();
        link.neighbour = NodeNumber{2 + links_.size()};
        link.name = "tcpclv4://host:4556";
        return link;
    }
    template <class Action>
    static std::string lines_of(const Action &action) {
        testing::internal::CaptureStderr();
        action();
        return testing::internal::GetCapturedStderr();
    }
    static std::ptrdiff_t count(const std::string &lines) {
        return std::ranges::count(lines, '\n');
    }

    Logger log_{"egress"};
    LinkReports reports_{bus::AgentId::kEgress, log_, [](const bus::Message &) {}};
    std::deque<HostedLink> links_;
};

TEST_F(LinkReportsTest, OfLinksThatFailTogetherEachHasItsLine) {
    constexpr std::uint32_t kLinks = 50;
    for (std::uint32_t at = 0; at < kLinks; ++at) add_link();
    const auto each = [&](const auto &act) {
        for (std::uint32_t at = 0; at < kLinks; ++at) act(LinkId{at}, links_[at]);
    };
    EXPECT_EQ(count(lines_of([&] {
                  each([&](LinkId id, HostedLink &link) {
                      reports_.handle_unreachable(id, link, "Connection refused", at(0));
                  });
              })),
              kLinks);
    EXPECT_EQ(count(lines_of([&] {
                  each([&](LinkId id, HostedLink &link) {
                      reports_.handle_unreachable(id, link, "Connection refused", at(5));
                  });
              })),
              0)
        << "the same reason";
    EXPECT_EQ(count(lines_of([&] {
                  each([&](LinkId id, HostedLink &link) {
                      reports_.handle_connected(id, link, at(9));
                      reports_.handle_disconnected(id, link, true, LinkFault::kPeerClosed, at(9));
                  });
              })),
              2 * kLinks);
}

TEST_F(LinkReportsTest, ALinkThatComesAndGoesHasFewLinesAndItsLastState) {
    HostedLink &link = add_link();
    const std::string flood = lines_of([&] {
        for (int round = 0; round < 100; ++round) {
            reports_.handle_connected(LinkId{1}, link, at(round));
            reports_.handle_disconnected(LinkId{1}, link, true, LinkFault::kPeerClosed, at(round));
            reports_.handle_second(link, at(round));
        }
        reports_.handle_unreachable(LinkId{1}, link, "No route to host", at(100));
    });
    EXPECT_EQ(count(flood), 10);
    const std::string last = lines_of([&] {
        for (int second = 101; second < 300; ++second) reports_.handle_second(link, at(second));
    });
    EXPECT_EQ(count(last), 1) << last;
    EXPECT_NE(
        last.find("warning egress: link 1 to node 3: cannot connect to tcpclv4://host:4556: No "
                  "route to host; trying again (190 more not shown)"),
        std::string::npos)
        << last;
}

constexpr LinkId kLink{3};
constexpr TimePoint kNow{seconds(100)};

class LinkReasonsTest : public testing::Test {
protected:
    LinkReasonsTest() {
        link_.neighbour = NodeNumber{20};
        link_.name = "udp://far:4556";
    }

    HostedLink link_;
    std::vector<std::string> reasons_;
    Logger log_{"egress"};
    LinkReports reports_{bus::AgentId::kEgress, log_, [this](const bus::Message &message) {
                             if (const auto *info = std::get_if<bus::LinkInfo>(&message))
                                 reasons_.emplace_back(as_text(info->reason));
                         }};
};

// The state of a datagram link that has lost its address says less than the attempt did.
TEST_F(LinkReasonsTest, AnAttemptThatFailedStaysTheReason) {
    reports_.handle_connected(kLink, link_, kNow);
    reports_.handle_unreachable(kLink, link_, "cannot look up far", kNow);
    reports_.handle_disconnected(kLink, link_, true, cla::LinkFault::kConnectFailed, kNow);
    EXPECT_EQ(reasons_, (std::vector<std::string>{"", "cannot connect: cannot look up far",
                                                  "cannot connect: cannot look up far"}));
}

TEST_F(LinkReasonsTest, AFaultHasWhatIsKnownBeyondIt) {
    link_.detail = "certificate has expired";
    reports_.handle_disconnected(kLink, link_, false, cla::LinkFault::kTlsFailed, kNow);
    reports_.handle_disconnected(kLink, link_, false, cla::LinkFault::kPeerClosed, kNow);
    EXPECT_EQ(reasons_,
              (std::vector<std::string>{"the TLS handshake failed: certificate has expired",
                                        "the neighbour closed the connection"}));
}

}  // namespace
}  // namespace farlink::egress::link_reports_test
