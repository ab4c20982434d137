// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/transaction/sender.hpp"

#include <gtest/gtest.h>

namespace farlink::cfdp::sender_test {
namespace {

// Class 1 with closure, Metadata alone: Finished is awaited at once.
TEST(CfdpSender, ResumedAtTheCheckLimitItChecksAgainAfterTheSameTime) {
    RemoteSettings remote;
    remote.handlers[static_cast<std::size_t>(ConditionCode::kCheckLimit)] = FaultHandler::kSuspend;
    Sender sender({1, 1}, {.destination = 2, .acknowledged = false, .closure = true}, remote,
                  nullptr);
    TimePoint now{};
    while (sender.poll_pdu(now)) continue;
    for (std::uint32_t check = 0; check < remote.check_limit; ++check) {
        EXPECT_FALSE(sender.report().suspended);
        now += remote.check_timeout;
        sender.handle_timeout(now);
    }
    ASSERT_TRUE(sender.report().suspended);
    EXPECT_EQ(sender.next_timeout(), kNever);
    now += seconds(1000);
    sender.resume(now);
    EXPECT_EQ(sender.next_timeout(), now + remote.check_timeout);
    for (std::uint32_t check = 0; check < remote.check_limit; ++check) {
        EXPECT_FALSE(sender.report().suspended);
        now += remote.check_timeout;
        sender.handle_timeout(now);
    }
    EXPECT_TRUE(sender.report().suspended);
}

}  // namespace
}  // namespace farlink::cfdp::sender_test
