// SPDX-License-Identifier: Apache-2.0
// The way of a bundle from the octets of one socket to those of the next allocates nothing once it
// is warm.
#include <gtest/gtest.h>

#include <array>

#include "cla/stcp/core/stcp_receiver.hpp"
#include "cla/stcp/core/stcp_sender.hpp"
#include "tests/support/counting_allocator/counting_allocator.hpp"
#include "tests/support/stcp_stream.hpp"
#include "tests/unit/module/ingress/core/forwarding_cores.hpp"

namespace farlink::no_allocation_test {
namespace {

constexpr UpstreamId kUpstream{3};

/// A receiver, the two cores and a sender, joined without a bus or a socket.
class Pipeline {
public:
    /// Passes a stream of frames on; returns how many octets left at the other end.
    std::uint64_t pass(ByteView stream) {
        const std::uint64_t before = sender_.queue().written_offset();
        while (!stream.empty()) {
            const MutableBytes space = receiver_.prepare(cores_.buffer);
            const std::size_t size = std::min(space.size(), stream.size());
            std::copy_n(stream.begin(), size, space.begin());
            stream = stream.subspan(size);
            EXPECT_EQ(receiver_.handle_bytes(size, cores_.buffer, received_),
                      cla::stcp::StcpFault::kNone);
            cores_.ingress.handle_bundles(kUpstream, received_, cores_.now);
            received_.clear();
            cores_.buffer.rest();
            while (cores_.carry_messages()) transmit();
        }
        return sender_.queue().written_offset() - before;
    }
    [[nodiscard]] std::uint64_t pinned_bytes() const { return cores_.pool.pinned_bytes(); }
    [[nodiscard]] bool idle() const { return cores_.ingress.idle(); }

private:
    void transmit() {
        for (;;) {
            const auto bundles = cores_.poll_transmit(512 * 1024);
            if (bundles.empty()) return;
            sender_.handle_send(bundles);
            while (sender_.pending() > 0) {
                std::array<iovec, 256> entries;
                std::uint64_t taken = 0;
                const std::size_t pieces = sender_.queue().gather(entries, 1024 * 1024);
                for (std::size_t i = 0; i < pieces; ++i) taken += entries[i].iov_len;
                sender_.handle_written(taken);
            }
            cores_.egress.handle_transmitted(
                test::ForwardingCores::kLink,
                sender_.handle_acknowledged(sender_.queue().written_offset()), cores_.now);
        }
    }

    test::ForwardingCores cores_{test::at_ms(1)};
    cla::stcp::StcpReceiver receiver_{1'000'000, kUpstream};
    ReceivedBundles received_;
    cla::stcp::StcpSender sender_;
};

class NoAllocation : public testing::TestWithParam<std::size_t> {};

TEST_P(NoAllocation, BetweenTwoSockets) {
    test::TestBundle bundle;
    bundle.payload_bytes = GetParam();
    bundle.hop_limit = 30;
    Bytes stream;
    for (int i = 0; i < 1000; ++i) test::append_frame(stream, bundle.octets());

    Pipeline pipeline;
    for (int warm_up = 0; warm_up < 10; ++warm_up) (void)pipeline.pass(stream);
    const std::size_t before = test::allocations();
    std::uint64_t left = 0;
    for (int i = 0; i < 5; ++i) left += pipeline.pass(stream);
    EXPECT_EQ(test::allocations() - before, 0U);
    EXPECT_GE(left, 5 * stream.size()) << "the previous node block comes on top";
    EXPECT_TRUE(pipeline.idle());
    EXPECT_LE(pipeline.pinned_bytes(), test::ForwardingCores::kSlab) << "the one that is read into";
}

INSTANTIATE_TEST_SUITE_P(PayloadBytes, NoAllocation, testing::Values(10, 100, 3000, 20'000));

}  // namespace
}  // namespace farlink::no_allocation_test
