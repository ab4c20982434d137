// SPDX-License-Identifier: Apache-2.0
// Blocks that are sent without loss allocate nothing once every pool has its size.
#include <gtest/gtest.h>

#include <array>

#include "cla/ltp/core/engine.hpp"
#include "tests/support/counting_allocator/counting_allocator.hpp"
#include "tests/support/ltp_pair.hpp"

namespace farlink::cla::ltp::no_allocation_test {
namespace {

/// Its values are as long as those of HMAC-SHA-256, and depend on all octets.
class Parity final : public Authenticator {
public:
    [[nodiscard]] ByteView header_value() const override { return kHeader; }
    [[nodiscard]] std::size_t value_bytes() const override { return 32; }
    void sign(std::span<const ByteView> segment, MutableBytes value) override {
        std::uint8_t parity = 0;
        for (const ByteView piece : segment)
            for (const std::uint8_t octet : piece) parity ^= octet;
        std::ranges::fill(value, parity);
    }

private:
    static constexpr std::uint8_t kHeader[] = {192, 0x24};
};

struct Node {
    Node(std::uint64_t id, std::uint64_t other, Authenticator *authenticator)
        : source(id), engine({EngineId{id}, {}, 16}, slabs, source) {
        PeerConfig config;
        config.engine = EngineId{other};
        config.authenticator = authenticator;
        peer = engine.add_peer(config);
        engine.contact_opened(peer, {});
    }
    /// Sends all segments to `other`.
    void talk(Node &other, TimePoint now) {
        for (bool more = true; more;) {
            batch.clear();
            engine.poll_segments(peer, batch, 1U << 20U, now);
            for (const OutSegment &segment : batch.segments()) {
                auto to = datagram.begin();
                for (const ByteView piece : batch.pieces_of(segment))
                    to = std::ranges::copy(piece, to).out;
                other.engine.handle_datagram(other.peer, ByteView(datagram).first(segment.size),
                                             now);
            }
            more = !batch.empty();
        }
        while (other.engine.poll_block(block)) {
            other.engine.block_safe(block.session, now);
            ++blocks;
        }
        block.slabs.clear();
        while (engine.poll_event()) {
        }
    }
    test::SeededSource source;
    SlabPool slabs{256 * 1024, 1U << 28U};
    Engine engine;
    PeerId peer;
    OutBatch batch;
    std::array<std::uint8_t, 2000> datagram{};
    ReceivedBlock block;
    std::uint64_t blocks = 0;
};

void expect_no_allocation(Authenticator *authenticator) {
    const Bytes octets = test::numbered_block(1, 100'000);
    Node a(1, 2, authenticator);
    Node b(2, 1, authenticator);
    TimePoint now(seconds(1));
    std::size_t before = 0;
    for (int round = 0; round < 60; ++round) {
        if (round == 30) before = test::allocations();
        for (int i = 0; i < 20; ++i) {
            const std::size_t size = i % 3 == 0 ? 100'000 : 3000;
            const BlockPiece pieces[] = {{ByteView(octets).first(50), true},
                                         {ByteView(octets).subspan(50, size - 50), false}};
            ASSERT_TRUE(a.engine.send_block(a.peer, {pieces, BlockRequest::kAllRed, 1, 0, 1}, now));
        }
        for (int turn = 0; turn < 3; ++turn) {
            a.talk(b, now);
            b.talk(a, now);
        }
        now += milliseconds(10);
        a.engine.handle_timeout(now);
        b.engine.handle_timeout(now);
    }
    EXPECT_EQ(test::allocations(), before);
    EXPECT_EQ(a.blocks, 60U * 20);
    EXPECT_EQ(a.engine.sessions_out() + b.engine.sessions_in(), 0U);
}

TEST(LtpEngine, ASteadyStateAllocatesNothing) {
    expect_no_allocation(nullptr);
}

TEST(LtpEngine, NorDoesOneOfAuthenticatedSegments) {
    Parity parity;
    expect_no_allocation(&parity);
}

}  // namespace
}  // namespace farlink::cla::ltp::no_allocation_test
