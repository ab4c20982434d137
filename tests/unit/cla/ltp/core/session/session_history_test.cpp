// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/session_history.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::ltp::session_history_test {
namespace {

TEST(LtpSessionHistory, KeepsTheLastSessionsOnly) {
    SessionHistory history(64, 12345);
    EXPECT_EQ(history.find(PeerId{1}, 7), std::nullopt);
    for (std::uint64_t number = 0; number < 1000; ++number) {
        history.add(PeerId{1}, number, SessionEnd::kComplete);
        for (std::uint64_t back = 0; back < 64 && back <= number; ++back)
            ASSERT_EQ(history.find(PeerId{1}, number - back), SessionEnd::kComplete);
    }
    EXPECT_EQ(history.find(PeerId{1}, 0), std::nullopt);
    EXPECT_EQ(history.find(PeerId{2}, 999), std::nullopt);
    EXPECT_LE(history.bytes(), 2U * 2 * 64 * 16);
}

TEST(LtpSessionHistory, TheLastEndCounts) {
    SessionHistory history(16, 1);
    history.add(PeerId{}, 5, refused_with(CancelReason::kSystemCancelled));
    EXPECT_EQ(refusal_reason(*history.find(PeerId{}, 5)), CancelReason::kSystemCancelled);
    history.add(PeerId{}, 5, SessionEnd::kCancelledBySender);
    EXPECT_EQ(history.find(PeerId{}, 5), SessionEnd::kCancelledBySender);
    EXPECT_EQ(refusal_reason(SessionEnd::kCancelledBySender), std::nullopt);
}

}  // namespace
}  // namespace farlink::cla::ltp::session_history_test
