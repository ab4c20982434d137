// SPDX-License-Identifier: Apache-2.0
// The memory of many open LTP sessions: blocks that were sent once and have no report yet, of which
// some segments were lost. Without sockets, in one thread.
// Usage: ltp_sessions [SESSIONS [BLOCK_BYTES [LOSS]]].
#include <cstdio>
#include <cstdlib>

#include "cla/ltp/core/engine.hpp"
#include "common/base/random.hpp"

namespace {

using namespace farlink;
using namespace farlink::cla::ltp;

constexpr TimePoint kNow{seconds(1)};

class Source final : public RandomSource {
public:
    explicit Source(std::uint64_t seed) : random_(seed) {}
    [[nodiscard]] std::uint64_t next() override { return random_.next(); }

private:
    Random random_;
};

struct Side {
    Side(std::uint64_t id, std::uint64_t other)
        : random(id), engine({EngineId{id}, {}, 64 * 1024}, slabs, random) {
        PeerConfig config;
        config.engine = EngineId{other};
        config.max_send_bytes = config.max_receive_bytes = std::uint64_t{4} << 30U;
        config.max_send_sessions = config.max_receive_sessions = 1'000'000;
        peer = engine.add_peer(config);
        engine.contact_opened(peer, kNow);
    }

    Source random;
    SlabPool slabs{256 * 1024, std::uint64_t{8} << 30U};
    Engine engine;
    PeerId peer;
    OutBatch batch;
};

/// Every segment of the open blocks, without the lost ones.
void transfer(Side &from, Side &to, double loss, Random &fate) {
    constexpr std::uint64_t kWhole = 1'000'000;
    const auto lost = static_cast<std::uint64_t>(loss * static_cast<double>(kWhole));
    Bytes datagram;
    for (bool more = true; more;) {
        from.batch.clear();
        from.engine.poll_segments(from.peer, from.batch, 1U << 20U, kNow);
        for (const OutSegment &segment : from.batch.segments()) {
            if (fate.below(kWhole) < lost) continue;
            datagram.clear();
            for (const ByteView piece : from.batch.pieces_of(segment)) append(datagram, piece);
            to.engine.handle_datagram(to.peer, datagram, kNow);
        }
        more = !from.batch.empty();
    }
}

}  // namespace

int main(int argc, char **argv) {
    const std::uint64_t sessions = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 84'000;
    const std::uint64_t block_bytes = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 5'000;
    const double loss = argc > 3 ? std::strtod(argv[3], nullptr) : 0.01;
    Side from(10, 20);
    Side to(20, 10);
    Random fate(7);
    const Bytes octets(block_bytes, 0x5a);
    const BlockPiece piece{octets, false};
    ReceivedBlock block;
    std::uint64_t complete = 0;
    for (std::uint64_t i = 0; i < sessions; ++i) {
        if (!from.engine.send_block(from.peer, {{&piece, 1}, BlockRequest::kAllRed, 1, i, 1}, kNow))
            return 1;
        if (i % 64 != 63 && i + 1 != sessions) continue;
        transfer(from, to, loss, fate);
        // Complete blocks are delivered at once; their sessions stay open, since the test does not
        // acknowledge them.
        while (to.engine.poll_block(block)) {
            ++complete;
            block.slabs.clear();
        }
    }
    const auto megabytes = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
    const std::uint64_t open = to.engine.sessions_in() - complete;
    std::printf("%zu sessions out, %zu in, %llu of them not complete\n", from.engine.sessions_out(),
                to.engine.sessions_in(), static_cast<unsigned long long>(open));
    std::printf("state: sender %.1f MB, receiver %.1f MB\n", megabytes(from.engine.state_bytes()),
                megabytes(to.engine.state_bytes()));
    std::printf("blocks not complete: %.1f MB of blocks, %.1f MB of slabs\n",
                megabytes(open * block_bytes), megabytes(to.slabs.pinned_bytes()));
    return 0;
}
