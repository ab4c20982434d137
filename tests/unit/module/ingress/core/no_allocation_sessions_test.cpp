// SPDX-License-Identifier: Apache-2.0
// From one session to another, with acknowledgements that follow each bundle back: nothing is
// allocated once it is warm, neither in the node nor in the sessions of its neighbours.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>

#include "cla/session/session_setup.hpp"
#include "cla/tcpcl/v3/tcpclv3_link.hpp"
#include "cla/tcpcl/v4/tcpclv4_link.hpp"
#include "tests/support/counting_allocator/counting_allocator.hpp"
#include "tests/unit/module/ingress/core/forwarding_cores.hpp"

namespace farlink::no_allocation_sessions_test {
namespace {

using Kind = cla::SessionEvent::Kind;

/// One end of a connection that is there already: what it is sent lands in its memory at once.
class End {
public:
    End(const cla::CoreFactory &protocol, cla::SessionRole role, const char *node_id,
        std::uint32_t id, ReadBuffer &buffer, TimePoint now)
        : core(protocol(config_of(role, node_id), UpstreamId{id})), buffer_(buffer), now_(now) {}

    /// Moves what this end has to say to `to`; true when that was anything.
    bool write_to(End &to) {
        bool any = false;
        while (core->queue().pending() > 0) {
            std::array<iovec, 64> pieces;
            const std::size_t count = core->queue().gather(pieces, 1024 * 1024);
            std::uint64_t size = 0;
            for (const iovec &piece : std::span(pieces).first(count)) {
                to.read({static_cast<const std::uint8_t *>(piece.iov_base), piece.iov_len});
                size += piece.iov_len;
            }
            core->queue().written(size);
            core->handle_written(now_);
            handle_events();
            any = true;
        }
        return any;
    }
    void handle_events() {
        while (const auto event = core->poll_event()) {
            EXPECT_NE(event->kind, Kind::kEnded);
            EXPECT_NE(event->kind, Kind::kRefused);
            if (event->kind == Kind::kPeerAnnounced) core->handle_identity(true, now_);
            if (event->kind == Kind::kEstablished) established = true;
            if (event->kind == Kind::kTransmitted) {
                transmitted = event->token;
                if (on_transmitted) on_transmitted(transmitted);
            }
        }
    }

    std::unique_ptr<cla::SessionCore> core;
    std::function<void(const ReceivedBundles &)> on_bundles;
    std::function<void(std::uint64_t)> on_transmitted;
    std::uint64_t transmitted = 0;
    bool established = false;

private:
    static cla::SessionConfig config_of(cla::SessionRole role, const char *node_id) {
        config::LinkOptions options;
        options.node_id = node_id;
        return cla::session_config(options, role);
    }
    void read(ByteView octets) {
        while (!octets.empty()) {
            const MutableBytes space = core->prepare(buffer_);
            const std::size_t size = std::min(space.size(), octets.size());
            std::copy_n(octets.begin(), size, space.begin());
            octets = octets.subspan(size);
            core->handle_bytes(size, buffer_, received_, now_);
            handle_events();
            if (!received_.empty()) on_bundles(received_);
            received_.clear();
            buffer_.rest();
        }
    }

    ReadBuffer &buffer_;
    TimePoint now_;
    ReceivedBundles received_;
};

/// A source, the node between its two sessions, and a sink that takes everything.
class SessionPipeline {
public:
    static constexpr UpstreamId kFromSource{2};

    explicit SessionPipeline(const cla::CoreFactory &protocol)
        : source_(protocol, cla::SessionRole::kActive, "ipn:1.0", 1, outside_, cores_.now),
          in_(protocol, cla::SessionRole::kPassive, "ipn:10.0", 2, cores_.buffer, cores_.now),
          out_(protocol, cla::SessionRole::kActive, "ipn:10.0", 3, cores_.buffer, cores_.now),
          sink_(protocol, cla::SessionRole::kPassive, "ipn:2.0", 4, outside_, cores_.now) {
        cores_.ingress.handle_upstream_opened(kFromSource, true);
        in_.on_bundles = [this](const ReceivedBundles &received) {
            cores_.ingress.handle_bundles(kFromSource, received, cores_.now);
        };
        out_.on_transmitted = [this](std::uint64_t token) {
            cores_.egress.handle_transmitted(test::ForwardingCores::kLink, token, cores_.now);
        };
        sink_.on_bundles = [this](const ReceivedBundles &received) {
            arrived_ += received.bundles.size();
            sink_.core->handle_disposition(received.first_transfer,
                                           static_cast<std::uint32_t>(received.bundles.size()),
                                           TransferDisposition::kSafe, cores_.now);
        };
        for (End *end : {&source_, &in_, &out_, &sink_}) end->core->handle_connected(cores_.now);
        run();
        for (const End *end : {&source_, &in_, &out_, &sink_}) EXPECT_TRUE(end->established);
    }

    /// Sends `bundle` so often; true when each has arrived and its acknowledgement is back.
    [[nodiscard]] bool pass(ByteView bundle, std::size_t count) {
        arrived_ = 0;
        for (std::size_t left = count; left > 0;) {
            std::size_t sent = 0;
            for (; left > 0 && source_.core->transmit_credit() > 0; --left, ++sent) {
                const TxBundle tx{
                    bundle.first(30), bundle.subspan(30), {}, bundle.size(), next_token_++};
                source_.core->handle_send({&tx, 1}, cores_.now);
            }
            if (sent == 0) return false;
            run();
        }
        return arrived_ == count && source_.transmitted == next_token_;
    }
    [[nodiscard]] bool idle() const { return cores_.ingress.idle(); }

private:
    void run() {
        bool moved = true;
        while (moved) {
            moved = source_.write_to(in_);
            while (cores_.carry_messages()) moved = true;
            moved |= transmit();
            moved |= out_.write_to(sink_);
            moved |= sink_.write_to(out_);
            while (cores_.carry_messages()) moved = true;
            while (const auto run = cores_.ingress.upstreams().poll_disposition())
                in_.core->handle_disposition(run->first, run->count, run->disposition, cores_.now);
            moved |= in_.write_to(source_);
        }
    }
    bool transmit() {
        bool any = false;
        while (out_.established && out_.core->transmit_credit() > 0) {
            const auto bundles = cores_.poll_transmit(out_.core->transmit_credit());
            if (bundles.empty()) break;
            out_.core->handle_send(bundles, cores_.now);
            any = true;
        }
        return any;
    }

    test::ForwardingCores cores_{test::at_ms(1)};
    SlabPool outside_pool_{test::ForwardingCores::kSlab, 64 * 1024 * 1024};
    ReadBuffer outside_{outside_pool_};
    End source_;
    End in_;
    End out_;
    End sink_;
    std::uint64_t next_token_ = 0;
    std::size_t arrived_ = 0;
};

struct Case {
    const char *name;
    cla::CoreFactory protocol;
    std::size_t payload_bytes;
};

class NoAllocationSessions : public testing::TestWithParam<Case> {};

TEST_P(NoAllocationSessions, BetweenTwoOfThem) {
    test::TestBundle bundle;
    bundle.payload_bytes = GetParam().payload_bytes;
    bundle.hop_limit = 30;
    const Bytes octets = bundle.octets();

    SessionPipeline pipeline(GetParam().protocol);
    const std::size_t count = std::min<std::size_t>(1000, 10'000'000 / octets.size());
    // Small bundles take some time until they have met the end of a slab in every place.
    for (int warm_up = 0; warm_up < 40; ++warm_up) ASSERT_TRUE(pipeline.pass(octets, count));
    const std::size_t before = test::allocations();
    bool passed = true;
    for (int i = 0; i < 5; ++i) passed = pipeline.pass(octets, count) && passed;
    EXPECT_EQ(test::allocations() - before, 0U);
    EXPECT_TRUE(passed);
    EXPECT_TRUE(pipeline.idle());
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const std::size_t bytes : {std::size_t{10}, std::size_t{100}, std::size_t{3000},
                                    std::size_t{20'000}, std::size_t{400'000}}) {
        all.push_back({"tcpclv4", cla::tcpclv4::make_session, bytes});
        all.push_back({"tcpclv3", cla::tcpclv3::make_session, bytes});
    }
    return all;
}

std::string name_of(const testing::TestParamInfo<Case> &test) {
    return test.param.name + std::string("_") + std::to_string(test.param.payload_bytes);
}

INSTANTIATE_TEST_SUITE_P(Layers, NoAllocationSessions, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace farlink::no_allocation_sessions_test
