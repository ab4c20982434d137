// SPDX-License-Identifier: Apache-2.0
// The lines of the log about single bundles, as they are written to standard error.
#include "module/ingress/bundle_warnings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace farlink::ingress::bundle_warnings_test {
namespace {

class BundleWarningsTest : public testing::Test {
protected:
    static TimePoint at(int second) { return TimePoint{} + seconds(100 + second); }
    template <class Action>
    static std::string lines_of(const Action &action) {
        testing::internal::CaptureStderr();
        action();
        return testing::internal::GetCapturedStderr();
    }

    Logger log_{"ingress"};
    BundleWarnings warnings_{log_};
};

TEST_F(BundleWarningsTest, ARoutingLoopNamesTheDestinationAndBothNeighbours) {
    BundleNotices notices;
    notices.returned_in_loop =
        ReturnedInLoop{"ipn:99.1", UpstreamId{7}, LinkId{0}, NodeNumber{3}, NodeNumber{2}};
    const std::string first = lines_of([&] { warnings_.log(notices, at(0)); });
    EXPECT_NE(first.find("a bundle to ipn:99.1 received from node 3 has returned to this node, "
                         "whose next hop for it is node 2"),
              std::string::npos)
        << first;
    EXPECT_NE(first.find("or several neighbours send the same bundle"), std::string::npos) << first;
    for (int second = 1; second < 10; ++second)
        EXPECT_EQ(lines_of([&] { warnings_.log(notices, at(second)); }), "");
    notices.returned_in_loop->next_hop = {};
    warnings_.handle_peer(UpstreamId{7}, {"ipn:4.0", "192.0.2.4"});
    const std::string next = lines_of([&] { warnings_.log(notices, at(10)); });
    EXPECT_NE(next.find("received from ipn:4.0 has"), std::string::npos) << next;
    EXPECT_NE(next.find("not known now"), std::string::npos);
    EXPECT_NE(next.find("(9 more not shown)"), std::string::npos);
}

TEST_F(BundleWarningsTest, WithheldReportsAreOneLineWithTheirNumber) {
    BundleNotices notices;
    notices.reports_withheld = ReportsWithheld{1, "ipn:2.9"};
    const std::string first = lines_of([&] { warnings_.log(notices, at(0)); });
    EXPECT_NE(first.find("1 status report not sent, most recently to ipn:2.9"), std::string::npos)
        << first;
    notices.reports_withheld->count = 20;
    EXPECT_EQ(lines_of([&] {
                  warnings_.log(notices, at(1));
                  warnings_.log(notices, at(2));
                  warnings_.handle_second(at(9));
              }),
              "");
    const std::string rest = lines_of([&] { warnings_.handle_second(at(10)); });
    EXPECT_NE(rest.find("40 status reports not sent"), std::string::npos) << rest;
    EXPECT_EQ(lines_of([&] { warnings_.handle_second(at(60)); }), "") << "there are no more";
}

TEST_F(BundleWarningsTest, RefusalsAreOneLineForEachLinkWithTheirNumber) {
    warnings_.handle_peer(UpstreamId{7}, {"ipn:4.0", "192.0.2.4"});
    const auto refuse = [&](LinkId link, std::uint64_t bundles, int second) {
        return lines_of([&] { warnings_.log_refused(link, UpstreamId{7}, bundles, at(second)); });
    };
    const std::string first = refuse(LinkId{0}, 4, 0);
    EXPECT_NE(first.find("link 0: refused 4 bundles for lack of memory, the last one from ipn:4.0"),
              std::string::npos)
        << first;
    EXPECT_EQ(refuse(LinkId{0}, 558, 1), "");
    EXPECT_NE(refuse(LinkId{1}, 2, 1).find("link 1: refused 2 bundles"), std::string::npos);
    warnings_.handle_closed(UpstreamId{7});
    EXPECT_EQ(lines_of([&] { warnings_.handle_second(at(9)); }), "");
    const std::string rest = lines_of([&] { warnings_.handle_second(at(10)); });
    EXPECT_NE(
        rest.find("link 0: refused 558 bundles for lack of memory, the last one from ipn:4.0"),
        std::string::npos)
        << rest;
    EXPECT_EQ(lines_of([&] { warnings_.handle_second(at(60)); }), "") << "there are no more";
}

}  // namespace
}  // namespace farlink::ingress::bundle_warnings_test
