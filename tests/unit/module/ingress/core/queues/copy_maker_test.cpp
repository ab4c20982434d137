// SPDX-License-Identifier: Apache-2.0
// A sender with a small window: what it waits for is copied to storage where its next hop is late,
// and only there.
#include <gtest/gtest.h>

#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress::copy_maker_test {
namespace {

class IngressWindow : public IngressFixture {
protected:
    static constexpr std::size_t kWindow = 5;
    static constexpr milliseconds kStep{1};

    IngressWindow() {
        config.acknowledge_within = milliseconds(20);
        all_up();
        core().handle_upstream_opened(kUp, true);
    }
    void TearDown() override {
        finish();
        storage_drops();
        IngressFixture::TearDown();
    }
    /// The originals have gone, so storage drops their copies.
    void storage_drops() {
        storage.subtract(telemetry::StorageCounter::kStoredNow, fates.size());
        storage.add(telemetry::StorageCounter::kCopiesDropped, fates.size());
        fates.clear();
    }
    /// The sender uses its whole window, for which the next hop takes `takes`. When storage has got
    /// a copy of it; kNever: it has not.
    Duration copied_after(Duration takes) {
        const TimePoint begin = now;
        TimePoint copied = kNever;
        receive(bundles(kWindow));
        while (now - begin < takes) {
            advance(kStep);
            if (at_storage.empty()) continue;
            copied = std::min(copied, now);
            storage_answers(Outcome::kStored);
        }
        while (!at_egress.empty()) egress_answers(Outcome::kSent);
        while (core().upstreams().poll_disposition()) {
        }
        storage_drops();
        return copied == kNever ? Duration::max() : copied - begin;
    }
};

TEST_F(IngressWindow, OneLateMomentCostsNoCopiesAfterwards) {
    EXPECT_EQ(copied_after(milliseconds(2)), Duration::max());
    EXPECT_LE(copied_after(milliseconds(100)), milliseconds(30))
        << "it had to wait, and not longer";
    for (int round = 0; round < 20; ++round)
        EXPECT_EQ(copied_after(milliseconds(2)), Duration::max()) << round;
}

// The second window need not be used up before it is copied.
TEST_F(IngressWindow, ANextHopThatStaysLateIsNotWaitedFor) {
    for (int round = 0; round < 20; ++round) (void)copied_after(milliseconds(100));
    EXPECT_LE(copied_after(milliseconds(100)), kStep);
}

// What has not come back yet says so before anything has.
TEST_F(IngressWindow, NeitherIsOneThatHasNotAnsweredYet) {
    receive(bundles(kWindow));
    while (at_storage.empty()) advance(kStep);
    storage_answers(Outcome::kStored);
    while (core().upstreams().poll_disposition()) {
    }
    receive(bundles(kWindow));
    advance(kStep);
    EXPECT_EQ(at_storage.size(), 1U);
}

}  // namespace
}  // namespace farlink::ingress::copy_maker_test
