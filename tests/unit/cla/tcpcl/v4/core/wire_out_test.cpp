// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/wire_out.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::tcpclv4::wire_out_test {
namespace {

TEST(Tcpclv4WireOut, KnowsHowMuchOfItsSmallMessagesWaits) {
    WireOut out;
    out.send(TermReason::kBusy);
    out.send(Ack{3, 1, 2});
    out.send_keep_alive();
    EXPECT_EQ(out.small_bytes(), kTermBytes + kAckBytes + 1);
    EXPECT_EQ(out.queue().pending(), out.small_bytes());
    const Bytes bundle(1000);
    out.queue().reference(bundle);
    EXPECT_EQ(out.small_bytes(), kTermBytes + kAckBytes + 1);
    out.queue().written(1020);
    out.handle_written();
    EXPECT_EQ(out.small_bytes(), 2U);
    out.queue().written(2);
    out.handle_written();
    EXPECT_EQ(out.small_bytes(), 0U);
}

}  // namespace
}  // namespace farlink::cla::tcpclv4::wire_out_test
