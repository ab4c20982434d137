// SPDX-License-Identifier: Apache-2.0
// Bundles that are too large for memory, as a receiver delivers them.
#include <gtest/gtest.h>

#include <utility>

#include "cla/stcp/core/stcp_receiver.hpp"
#include "tests/support/octets.hpp"
#include "tests/support/stcp_stream.hpp"

namespace farlink::cla::stcp::stcp_receiver_pieces_test {
namespace {

using test::append_frame;
using test::joined;
using test::octets_of;

constexpr std::uint32_t kSlab = 64 * 1024;
constexpr std::uint64_t kMaxBundle = 1024 * 1024;

struct Loop {
    SlabPool pool{kSlab, 64 * kSlab};
    ReadBuffer buffer{pool};
    ReceivedBundles received;
};

TEST(StcpReceiver, OfALargeBundleThereArePiecesInAnyReads) {
    const Bytes large = octets_of(500'000, 1), small = octets_of(1000, 2);
    Bytes stream;
    for (const Bytes &bundle : {small, large, small}) append_frame(stream, bundle);
    Random random(1);
    for (int run = 0; run < 20; ++run) {
        Loop loop;
        loop.buffer.set_spool_above(100'000);
        StcpReceiver receiver(kMaxBundle);
        std::vector<Bytes> bundles;
        std::size_t pieces = 0;
        Bytes begun;
        for (ByteView rest(stream); !rest.empty();) {
            const std::size_t most = run % 2 == 0 ? 5000 : 300'000;
            const std::size_t size = std::min<std::size_t>(rest.size(), 1 + random.below(most));
            for (ByteView part = rest.first(size); !part.empty();) {
                const MutableBytes space = receiver.prepare(loop.buffer);
                const std::size_t fits = std::min(space.size(), part.size());
                std::ranges::copy(part.first(fits), space.begin());
                part = part.subspan(fits);
                ASSERT_EQ(receiver.handle_bytes(fits, loop.buffer, loop.received),
                          StcpFault::kNone);
                EXPECT_LE(receiver.unfinished_bytes(), 100'000U);
                for (const ReceivedBundle &bundle : loop.received.bundles) {
                    ASSERT_EQ(bundle.is_further, !begun.empty());
                    append(begun, joined(loop.received.slices_of(bundle)));
                    pieces += bundle.more ? 1 : 0;
                    if (bundle.more) continue;
                    bundles.push_back(std::exchange(begun, Bytes()));
                }
                loop.received.clear();
                loop.buffer.rest();
            }
            rest = rest.subspan(size);
        }
        EXPECT_EQ(bundles, (std::vector{small, large, small}));
        EXPECT_GE(pieces, 4U);
    }
}

}  // namespace
}  // namespace farlink::cla::stcp::stcp_receiver_pieces_test
