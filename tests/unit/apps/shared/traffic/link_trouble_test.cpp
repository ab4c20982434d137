// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/link_trouble.hpp"

#include <gtest/gtest.h>

namespace farlink::traffic::link_trouble_test {
namespace {

using cla::LinkFault;

TEST(LinkTrouble, WithoutAReportThePeerDoesNotRespond) {
    LinkTrouble trouble;
    EXPECT_EQ(trouble.why(), "the peer does not respond");
    EXPECT_FALSE(trouble.known());
    trouble.handle_state(LinkFault::kNone);
    EXPECT_EQ(trouble.why(), "the peer does not respond");
}

TEST(LinkTrouble, AnAttemptThatFailedHasItsReason) {
    LinkTrouble trouble;
    trouble.handle_unreachable("Connection refused");
    EXPECT_TRUE(trouble.known());
    EXPECT_EQ(trouble.why(), "Connection refused");
    trouble.handle_state(LinkFault::kConnectFailed);
    EXPECT_EQ(trouble.why(), "Connection refused") << "the state says less";
    trouble.handle_unreachable("cannot look up nowhere.invalid");
    EXPECT_EQ(trouble.why(), "cannot look up nowhere.invalid") << "the last reason counts";
}

TEST(LinkTrouble, ASessionThatEndsHasItsFaultAndWhatIsKnownBeyond) {
    LinkTrouble trouble;
    trouble.handle_unreachable("Connection refused");
    trouble.handle_state(LinkFault::kNotTcpcl);
    EXPECT_EQ(trouble.why(), cla::in_words(LinkFault::kNotTcpcl));
    trouble.handle_ending("certificate has expired");
    trouble.handle_state(LinkFault::kTlsFailed);
    EXPECT_EQ(trouble.why(), "the TLS handshake failed: certificate has expired");
    trouble.handle_state(LinkFault::kTlsFailed);
    EXPECT_EQ(trouble.why(), "the TLS handshake failed") << "a detail is of one session";
    trouble.handle_state(LinkFault::kNone);
    EXPECT_EQ(trouble.why(), "the TLS handshake failed") << "no new reason";
}

}  // namespace
}  // namespace farlink::traffic::link_trouble_test
