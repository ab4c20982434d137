// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/induct_trouble.hpp"

#include <gtest/gtest.h>

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

TEST(InductTrouble, KnowsTheNodeIdThatWasRefused) {
    InductTrouble trouble;
    EXPECT_TRUE(trouble.note({"ipn:7.0 at 192.0.2.7", "no proof", "ipn:7.0"},
                             LinkFault::kIdentityRefused, at(1)));
    EXPECT_EQ(trouble.refused_id(), "ipn:7.0");
    EXPECT_TRUE(
        trouble.note({"ipn:8.0 at 192.0.2.8", "", "ipn:8.0"}, LinkFault::kProtocolError, at(20)));
    EXPECT_EQ(trouble.refused_id(), "") << "its identity is not the reason";
    EXPECT_TRUE(trouble.note({"ipn:7.0 at 192.0.2.7", "no proof", "ipn:7.0"},
                             LinkFault::kIdentityRefused, at(40)));
    EXPECT_TRUE(trouble.forget(at(101)));
    EXPECT_EQ(trouble.refused_id(), "");
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
