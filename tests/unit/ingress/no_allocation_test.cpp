// SPDX-License-Identifier: Apache-2.0
// The way of a bundle from the octets of one socket to those of the next allocates nothing once it
// is warm.
#include <gtest/gtest.h>

#include <array>

#include "cla/stcp/core/stcp_receiver.hpp"
#include "cla/stcp/core/stcp_sender.hpp"
#include "module/egress/core/egress_core.hpp"
#include "module/ingress/core/ingress_core.hpp"
#include "tests/support/counting_allocator/counting_allocator.hpp"
#include "tests/support/stcp_stream.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink {
namespace {

constexpr LinkId kLink{1};
constexpr UpstreamId kUpstream{3};

config::NodeConfig node_config() {
    config::NodeConfig config;
    config.node = NodeNumber{10};
    config.inducts.resize(1);
    config.inducts[0].id = LinkId{0};
    config.outducts.resize(1);
    config.outducts[0].id = kLink;
    config.outducts[0].next_hop = NodeNumber{2};
    config.outducts[0].max_in_flight_bytes = 8 * 1024 * 1024;
    config.outducts[0].max_in_flight_bundles = 65536;
    return config;
}

/// A receiver, the two cores and a sender, joined without a bus or a socket.
class Pipeline {
public:
    static constexpr std::uint32_t kSlab = 256 * 1024;

    Pipeline() : out_(128) {
        bus::RouteUpdate routes;
        routes.routes.push_back({NodeNumber{2}, {{NodeNumber{2}, kLink, 0}}});
        ingress_.handle(routes, now_);
        bus::LinkUp up;
        up.link = kLink;
        up.neighbour = NodeNumber{2};
        ingress_.handle(up, now_);
        bus::ContactStart start;
        start.link = kLink;
        egress_.handle(start, now_);
        egress_.handle_connected(kLink, ~std::uint64_t{0}, now_);
        while (egress_.poll_message()) continue;
    }

    /// Passes a stream of frames on; returns how many octets left at the other end.
    std::uint64_t pass(ByteView stream) {
        const std::uint64_t before = sender_.queue().written_offset();
        while (!stream.empty()) {
            const MutableBytes space = receiver_.prepare(buffer_);
            const std::size_t size = std::min(space.size(), stream.size());
            std::copy_n(stream.begin(), size, space.begin());
            stream = stream.subspan(size);
            EXPECT_EQ(receiver_.handle_bytes(size, buffer_, received_),
                      cla::stcp::StcpFault::kNone);
            ingress_.handle_bundles(kUpstream, received_, now_);
            received_.clear();
            buffer_.rest();
            while (carry_messages()) transmit();
        }
        return sender_.queue().written_offset() - before;
    }
    [[nodiscard]] std::uint64_t pinned_bytes() const { return pool_.pinned_bytes(); }
    [[nodiscard]] bool idle() const { return ingress_.idle(); }

private:
    bool carry_messages() {
        bool any = false;
        while (auto message = ingress_.poll_message()) {
            egress_.handle(std::move(std::get<bus::ForwardBatch>(message->message)), now_);
            any = true;
        }
        while (auto message = egress_.poll_message()) {
            ingress_.handle(std::move(std::get<bus::BatchOutcome>(message->message)), now_);
            any = true;
        }
        return any;
    }
    void transmit() {
        for (;;) {
            const std::size_t count = egress_.poll_transmit(kLink, out_, 512 * 1024, now_);
            if (count == 0) return;
            sender_.handle_send({out_.data(), count});
            while (sender_.pending() > 0) {
                std::array<iovec, 256> entries;
                std::uint64_t taken = 0;
                const std::size_t pieces = sender_.queue().gather(entries, 1024 * 1024);
                for (std::size_t i = 0; i < pieces; ++i) taken += entries[i].iov_len;
                sender_.handle_written(taken);
            }
            egress_.handle_transmitted(
                kLink, sender_.handle_acknowledged(sender_.queue().written_offset()), now_);
        }
    }

    TimePoint now_ = test::at_ms(1);
    config::NodeConfig config_ = node_config();
    SlabPool pool_{kSlab, 64 * 1024 * 1024};
    ReadBuffer buffer_{pool_};
    cla::stcp::StcpReceiver receiver_{1'000'000, kUpstream};
    ReceivedBundles received_;
    ingress::IngressCore ingress_{config_, pool_, test::kClock, 1};
    egress::EgressCore egress_{config_.node, config_.outducts, test::kClock};
    cla::stcp::StcpSender sender_;
    std::vector<TxBundle> out_;
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
    EXPECT_LE(pipeline.pinned_bytes(), Pipeline::kSlab) << "the one that is read into";
}

INSTANTIATE_TEST_SUITE_P(PayloadBytes, NoAllocation, testing::Values(10, 100, 3000, 20'000));

}  // namespace
}  // namespace farlink
