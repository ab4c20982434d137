// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/induct_trouble.hpp"

#include <gtest/gtest.h>

#include <string>

namespace farlink::ingress::induct_trouble_test {
namespace {

using cla::LinkFault;

TimePoint at(int second) {
    return TimePoint{} + seconds(second);
}

TEST(InductTrouble, TellsWhatCanBeRepairedAndForgetsIt) {
    InductTrouble trouble;
    EXPECT_FALSE(trouble.note({"192.0.2.7", ""}, LinkFault::kPeerClosed, at(0)));
    EXPECT_FALSE(trouble.note({"192.0.2.7", ""}, LinkFault::kTooManySessions, at(0)));
    EXPECT_EQ(trouble.text(), "");
    EXPECT_TRUE(trouble.note({"192.0.2.7", ""}, LinkFault::kTcpclNotStcp, at(1)));
    EXPECT_EQ(trouble.text(),
              "192.0.2.7: the neighbour does not use STCP: its first octets look like TCPCL");
    EXPECT_FALSE(trouble.note({"192.0.2.7", ""}, LinkFault::kTcpclNotStcp, at(2)));
    EXPECT_FALSE(trouble.forget(at(61)));
    EXPECT_TRUE(trouble.forget(at(62)));
    EXPECT_EQ(trouble.text(), "");
    EXPECT_FALSE(trouble.forget(at(63)));
}

/// A session for this number ends, since nothing proves it. True: there is news.
bool refuse(InductTrouble &trouble, int number, int second) {
    const std::string id = "ipn:" + std::to_string(number) + ".0";
    return trouble.note({id + " at 192.0.2.7", "no proof", id}, LinkFault::kIdentityRefused,
                        at(second));
}

TEST(InductTrouble, KnowsTheNodeIdsThatWereRefused) {
    InductTrouble trouble;
    EXPECT_TRUE(refuse(trouble, 7, 1));
    EXPECT_TRUE(refuse(trouble, 8, 2)) << "although the text stays";
    EXPECT_FALSE(refuse(trouble, 8, 3));
    EXPECT_FALSE(
        trouble.note({"ipn:9.0 at 192.0.2.9", "", "ipn:9.0"}, LinkFault::kProtocolError, at(4)))
        << "its identity is not the reason";
    ASSERT_EQ(trouble.refused().size(), 2U);
    EXPECT_EQ(trouble.refused()[0].node_id, "ipn:7.0");
    EXPECT_TRUE(trouble.refused()[0].text.starts_with("ipn:7.0 at 192.0.2.7: "));
    EXPECT_TRUE(trouble.refused()[0].text.ends_with("no proof"));
    EXPECT_EQ(trouble.refused()[0].text, trouble.text());
    EXPECT_EQ(trouble.refused()[1].node_id, "ipn:8.0");
    EXPECT_TRUE(trouble.forget(at(61)));
    ASSERT_EQ(trouble.refused().size(), 1U);
    EXPECT_EQ(trouble.refused()[0].node_id, "ipn:8.0") << "it was there two seconds later";
    EXPECT_TRUE(trouble.forget(at(63)));
    EXPECT_TRUE(trouble.refused().empty());
}

TEST(InductTrouble, KeepsAFewNodeIdsThatChangeSeldom) {
    InductTrouble trouble;
    const auto most = static_cast<int>(InductTrouble::kMostRefused);
    for (int number = 1; number <= most; ++number) EXPECT_TRUE(refuse(trouble, number, 0));
    (void)refuse(trouble, 1, 5);
    EXPECT_FALSE(refuse(trouble, 100, 9));
    EXPECT_TRUE(refuse(trouble, 100, 10));
    EXPECT_EQ(trouble.refused().size(), InductTrouble::kMostRefused);
    EXPECT_EQ(trouble.refused().front().node_id, "ipn:1.0") << "it was there last";
    EXPECT_EQ(trouble.refused()[1].node_id, "ipn:3.0");
    EXPECT_EQ(trouble.refused().back().node_id, "ipn:100.0");
}

TEST(InductTrouble, ChangesSeldom) {
    InductTrouble trouble;
    EXPECT_TRUE(trouble.note({"ipn:7.0 at 192.0.2.7", "expired"}, LinkFault::kTlsFailed, at(1)));
    EXPECT_TRUE(trouble.text().ends_with("the TLS handshake failed: expired")) << trouble.text();
    EXPECT_FALSE(trouble.note({"192.0.2.8", ""}, LinkFault::kNotTcpcl, at(10)));
    EXPECT_TRUE(trouble.note({"192.0.2.8", ""}, LinkFault::kNotTcpcl, at(11)));
    EXPECT_TRUE(trouble.text().starts_with("192.0.2.8: ")) << trouble.text();
}

}  // namespace
}  // namespace farlink::ingress::induct_trouble_test
