// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/state/catch_up.hpp"

#include <gtest/gtest.h>

namespace farlink::ingress::catch_up_test {
namespace {

constexpr std::uint64_t kFlow = 5;
constexpr UpstreamId kSender{3};

class CatchUpTest : public ::testing::Test {
protected:
    CatchUpTest() {
        flows_.sent(kFlow);
        flows_.answered(kFlow, true);
    }
    void run_out() {
        bus::Backlog empty;
        empty.flow = kFlow;
        empty.taken[0] = 1;
        flows_.handle(empty);
    }
    void check_after(Duration passed) {
        now_ += passed;
        catch_up_.check(now_);
    }
    /// Whether the sender is paused (true) or resumed by now; empty: nothing was ordered.
    std::optional<bool> order() {
        const auto order = upstreams_.poll_order();
        if (!order) return std::nullopt;
        EXPECT_EQ(order->upstream, kSender);
        return order->paused;
    }

    FlowTable flows_;
    Upstreams upstreams_;
    CatchUp catch_up_{flows_, upstreams_};
    TimePoint now_{seconds(100)};
};

TEST_F(CatchUpTest, TheSenderPausesUntilItsFlowIsThrough) {
    catch_up_.pause(kFlow, kSender, now_);
    catch_up_.pause(kFlow, kSender, now_);
    EXPECT_EQ(order(), true);
    EXPECT_EQ(order(), std::nullopt) << "one pause";
    check_after(milliseconds(5));
    EXPECT_EQ(order(), std::nullopt);
    run_out();
    check_after(milliseconds(5));
    EXPECT_EQ(order(), false);
    EXPECT_EQ(catch_up_.next_timeout(), kNever);
}

TEST_F(CatchUpTest, AFlowWithMuchInStorageIsWaitedForLessAndLessOften) {
    Duration paused{};
    int pauses = 0;
    const TimePoint begin = now_;
    while (now_ < begin + seconds(100)) {
        catch_up_.pause(kFlow, kSender, now_);
        if (order() == true) {
            ++pauses;
            const TimePoint since = now_;
            check_after(catch_up_.next_timeout() - now_);
            EXPECT_EQ(order(), false);
            paused += now_ - since;
        }
        check_after(milliseconds(10));
    }
    EXPECT_GT(pauses, 5);
    EXPECT_LT(paused, seconds(1)) << "one hundredth of the time";
}

TEST_F(CatchUpTest, AfterAFlowThatWasThroughTheNextOneIsTriedAtOnce) {
    catch_up_.pause(kFlow, kSender, now_);
    check_after(milliseconds(60));
    EXPECT_EQ(order(), true);
    EXPECT_EQ(order(), false) << "in vain";
    now_ += milliseconds(300);
    catch_up_.pause(kFlow, kSender, now_);
    run_out();
    check_after(milliseconds(1));
    EXPECT_EQ(order(), true);
    EXPECT_EQ(order(), false);
    flows_.sent(kFlow);
    catch_up_.pause(kFlow, kSender, now_);
    EXPECT_EQ(order(), true);
}

TEST_F(CatchUpTest, ASenderWithoutFlowControlIsLeftAlone) {
    upstreams_.opened(kSender, false, true);
    catch_up_.pause(kFlow, kSender, now_);
    catch_up_.pause(kFlow, kNoUpstream, now_);
    EXPECT_EQ(order(), std::nullopt);
}

}  // namespace
}  // namespace farlink::ingress::catch_up_test
