// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/local/local_services.hpp"

#include <gtest/gtest.h>

#include "common/bp/parse.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::ingress::local_services_test {
namespace {

using test::kStart;
using test::TestBundle;

constexpr NodeNumber kNode{10};
constexpr std::uint64_t kEcho = 2047;

TestBundle ping(std::uint64_t sequence = 1) {
    TestBundle made;
    made.to = bp::ipn_eid(10, kEcho);
    made.from = bp::ipn_eid(2, 5);
    made.report_to = bp::ipn_eid(2, 0);
    made.sequence = sequence;
    return made;
}

Delivery deliver(LocalServices &services, const Bytes &octets) {
    const ByteView whole(octets);
    const auto view = bp::parse({&whole, 1});
    EXPECT_TRUE(view.has_value());
    return services.deliver(*view, whole, kStart);
}

bp::BundleView view_of(const Bytes &octets) {
    const ByteView whole(octets);
    const auto view = bp::parse({&whole, 1});
    EXPECT_TRUE(view.has_value());
    return view.value_or(bp::BundleView{});
}

TEST(LocalServices, EchoAnswersOnceForEachBundle) {
    LocalServices services(kNode, kEcho);
    EXPECT_EQ(deliver(services, ping(1).octets()), Delivery::kDelivered);
    EXPECT_EQ(deliver(services, ping(1).octets()), Delivery::kDuplicate);
    EXPECT_EQ(deliver(services, ping(2).octets()), Delivery::kDelivered);
    const auto first = services.poll_originated();
    const auto second = services.poll_originated();
    ASSERT_TRUE(first && second);
    EXPECT_FALSE(services.poll_originated().has_value());
    EXPECT_EQ(view_of(*first).destination, ping().from);
    EXPECT_NE(view_of(*first).identity(), view_of(*second).identity());
}

TEST(LocalServices, EchoDoesNotAnswerAnEcho) {
    LocalServices services(kNode, kEcho);
    TestBundle from_echo = ping();
    from_echo.from = bp::ipn_eid(2, kEcho);
    EXPECT_EQ(deliver(services, from_echo.octets()), Delivery::kDelivered);
    EXPECT_FALSE(services.poll_originated().has_value()) << "they would go on for ever";
}

/// What an echo service that answers everything, from where it was asked, makes of a bundle.
Bytes answered_by_anybody(const Bytes &octets, std::uint64_t sequence) {
    const ByteView whole(octets);
    const bp::BundleView view = view_of(octets);
    return bp::make_echo_reply(view, {&whole, 1}, kStart, sequence, view.destination).value();
}

TEST(LocalServices, EchoServicesOfDifferentNumbersComeToAnEnd) {
    for (const std::uint64_t other : {7ULL, 2046ULL, 2047ULL, 5ULL}) {
        SCOPED_TRACE(other);
        LocalServices services(kNode, kEcho);
        TestBundle begin = ping();
        begin.from = bp::ipn_eid(2, other);
        Bytes octets = begin.octets();
        std::uint64_t echoes = 0;
        for (; echoes < 10; ++echoes) {
            EXPECT_EQ(deliver(services, octets), Delivery::kDelivered);
            const auto echo = services.poll_originated();
            if (!echo) break;
            octets = answered_by_anybody(*echo, echoes + 100);  // each is new
        }
        EXPECT_LE(echoes, 1U);
        EXPECT_EQ(echoes, other == kEcho ? 0U : 1U);
    }
}

TEST(LocalServices, TwoNodesWithEchoesOfDifferentNumbersComeToAnEnd) {
    for (const std::uint64_t of_second : {7ULL, 2046ULL}) {
        LocalServices first(kNode, kEcho);
        LocalServices second(NodeNumber{2}, of_second);
        TestBundle begin = ping();
        begin.from = bp::ipn_eid(2, of_second);
        ASSERT_EQ(deliver(first, begin.octets()), Delivery::kDelivered);
        std::uint64_t echoes = 0;
        for (auto echo = first.poll_originated(); echo && echoes < 10; ++echoes) {
            LocalServices &to = echoes % 2 == 0 ? second : first;
            (void)deliver(to, *echo);
            echo = to.poll_originated();
        }
        EXPECT_LE(echoes, 3U);
    }
}

TEST(LocalServices, WhatItMakesHasAHopLimit) {
    for (const std::uint8_t limit : {std::uint8_t{0}, std::uint8_t{20}}) {
        LocalServices services(kNode, kEcho);
        services.set_hop_limit(limit);
        EXPECT_EQ(deliver(services, ping(1).octets()), Delivery::kDelivered);
        const Bytes echo = services.poll_originated().value();
        EXPECT_EQ(view_of(echo).has_hop_count, limit > 0);
        EXPECT_EQ(view_of(echo).hop_limit, limit);
    }
}

TEST(LocalServices, EchoHasNobodyToAnswerWithoutASource) {
    LocalServices services(kNode, kEcho);
    TestBundle anonymous = ping();
    anonymous.from = {};
    anonymous.report_to = {};
    anonymous.flags = bp::v7::kMustNotFragment;
    for (int time = 0; time < 2; ++time)
        EXPECT_EQ(deliver(services, anonymous.octets()), Delivery::kDelivered) << "no duplicate";
    EXPECT_FALSE(services.poll_originated().has_value());
}

// Whatever the service: some nodes give all their records of one second the same identity.
TEST(LocalServices, ServesEachRecord) {
    LocalServices services(kNode, kEcho);
    TestBundle record = ping();
    record.flags = bp::v7::kIsAdminRecord;
    for (int time = 0; time < 2; ++time)
        EXPECT_EQ(deliver(services, record.octets()), Delivery::kDelivered) << "no duplicate";
    while (services.poll_originated()) {
        // Its echoes do not matter here.
    }
}

TEST(LocalServices, KnowsNoOtherServices) {
    LocalServices services(kNode, kEcho);
    TestBundle stray = ping();
    stray.to = bp::ipn_eid(10, 99);
    EXPECT_EQ(deliver(services, stray.octets()), Delivery::kNoService);
    stray.to = bp::ipn_eid(10, 0);
    EXPECT_EQ(deliver(services, stray.octets()), Delivery::kAdminUnknown);
    stray.flags = bp::v7::kIsAdminRecord;
    EXPECT_EQ(deliver(services, stray.octets()), Delivery::kAdminUnknown) << "not a record";
}

TEST(LocalServices, UnderstandsAStatusReport) {
    LocalServices services(kNode, kEcho);
    LocalServices other(NodeNumber{2}, kEcho);
    TestBundle subject = ping();
    subject.report_to = bp::ipn_eid(10, 0);
    subject.flags = bp::v7::kReportReceptionFlag;
    const Bytes octets = subject.octets();
    const ByteView head = ByteView(octets).first(view_of(octets).head_end);
    other.report(bus::ReportEvent::kReceived, bp::ReportReason::kNone, head, 20, kStart);
    const auto report = other.poll_originated();
    ASSERT_TRUE(report.has_value());
    EXPECT_EQ(deliver(services, *report), Delivery::kDelivered);
    EXPECT_EQ(deliver(services, *report), Delivery::kDelivered) << "a record is no duplicate";
}

TEST(LocalServices, ReportsToNobodyAreNotMade) {
    LocalServices services(kNode, kEcho);
    TestBundle quiet = ping();
    quiet.report_to = {};
    TestBundle record = ping();
    record.flags = bp::v7::kIsAdminRecord;
    for (const Bytes &octets : {quiet.octets(), record.octets()}) {
        const ByteView head = ByteView(octets).first(view_of(octets).head_end);
        services.report(bus::ReportEvent::kDeleted, bp::ReportReason::kNone, head, 20, kStart);
    }
    for (const Bytes &nonsense : {Bytes{}, Bytes{6}, Bytes(100, 0x9f), Bytes(3, 0xff)})
        services.report(bus::ReportEvent::kDeleted, bp::ReportReason::kNone, nonsense, 0, kStart);
    EXPECT_FALSE(services.poll_originated().has_value());
}

TEST(LocalServices, RemembersTheLatestBundlesOnly) {
    constexpr std::uint64_t kRemembered = 65536;
    LocalServices services(kNode, kEcho);
    const Bytes octets = ping().octets();
    const ByteView whole(octets);
    auto view = bp::parse({&whole, 1});
    ASSERT_TRUE(view.has_value());
    const auto deliver_number = [&](std::uint64_t sequence) {
        view->sequence = sequence;
        const Delivery delivery = services.deliver(*view, whole, kStart);
        while (services.poll_originated()) continue;
        return delivery;
    };
    for (std::uint64_t i = 0; i <= kRemembered; ++i)
        ASSERT_EQ(deliver_number(i), Delivery::kDelivered);
    EXPECT_EQ(deliver_number(kRemembered), Delivery::kDuplicate);
    EXPECT_EQ(deliver_number(1), Delivery::kDuplicate);
    EXPECT_EQ(deliver_number(0), Delivery::kDelivered) << "forgotten";
}

}  // namespace
}  // namespace farlink::ingress::local_services_test
