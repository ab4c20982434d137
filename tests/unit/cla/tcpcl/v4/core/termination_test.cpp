// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/termination.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::tcpclv4::termination_test {
namespace {

TEST(Tcpclv4Termination, AnswersThePeerWithTheSameContents) {
    Termination termination;
    ProtocolDeviations deviations(false);
    const Term term{0, static_cast<std::uint8_t>(TermReason::kBusy)};
    EXPECT_EQ(termination.handle_term(term, deviations), Termination::Answer::kReply);
    EXPECT_EQ(termination.state(), Termination::State::kAgreed);
    EXPECT_EQ(termination.fault(), LinkFault::kPeerTerminated);
    EXPECT_TRUE(Termination::reply_to(term).is_reply());
    EXPECT_EQ(Termination::reply_to(term).reason, term.reason);
    EXPECT_EQ(termination.handle_term(term, deviations), Termination::Answer::kReject);
}

TEST(Tcpclv4Termination, WaitsForThePeerWhenItBegan) {
    Termination termination;
    ProtocolDeviations deviations(false);
    termination.handle_terminate();
    EXPECT_EQ(termination.state(), Termination::State::kSent);
    // A peer that began at the same time sends no reply; its own message is as good.
    EXPECT_EQ(termination.handle_term({0, 0}, deviations), Termination::Answer::kNothing);
    EXPECT_EQ(termination.state(), Termination::State::kAgreed);
    EXPECT_EQ(termination.fault(), LinkFault::kNone);
}

TEST(Tcpclv4Termination, KnowsWhatReasonsMean) {
    EXPECT_EQ(Termination::fault_of(2), LinkFault::kVersionMismatch);
    EXPECT_EQ(Termination::fault_of(4), LinkFault::kPeerRefusedSession);
    EXPECT_EQ(Termination::fault_of(0), LinkFault::kPeerTerminated);
    EXPECT_EQ(Termination::fault_of(0xee), LinkFault::kPeerTerminated);
    Termination termination;
    ProtocolDeviations deviations(false);
    (void)termination.handle_term({0x80, 0xee}, deviations);
    std::size_t published = 0;
    deviations.drain([&published](ProtocolDeviation) { ++published; });
    EXPECT_EQ(published, 2U);
}

}  // namespace
}  // namespace farlink::cla::tcpclv4::termination_test
