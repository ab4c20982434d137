// SPDX-License-Identifier: Apache-2.0
// Segments per second through two LTP engines in one thread, without sockets: the time of each
// half, with one copy of the octets of every segment in between (the kernel's part of the work is
// not measured). Usage: ltp_cores [BLOCK_BYTES [MTU]].
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cla/ltp/core/engine.hpp"
#include "common/base/random.hpp"
#include "common/runtime/clock.hpp"

namespace {

using namespace farlink;
using namespace farlink::cla::ltp;

constexpr std::size_t kRoundBytes = 4 * 1024 * 1024;
constexpr int kRounds = 200;

class Source final : public RandomSource {
public:
    explicit Source(std::uint64_t seed) : random_(seed) {}
    [[nodiscard]] std::uint64_t next() override { return random_.next(); }

private:
    Random random_;
};

struct Side {
    Side(std::uint64_t id, std::uint64_t other, std::uint32_t mtu)
        : random(id), engine({EngineId{id}, {}, 64 * 1024}, slabs, random) {
        PeerConfig config;
        config.engine = EngineId{other};
        config.data_mtu = mtu;
        peer = engine.add_peer(config);
        engine.contact_opened(peer, TimePoint(seconds(1)));
    }
    /// Segments as datagrams, one behind the other; returns their sizes.
    void poll(Bytes &datagrams, std::vector<std::uint32_t> &sizes, Duration &spent, TimePoint now) {
        datagrams.clear();
        sizes.clear();
        for (bool more = true; more;) {
            batch.clear();
            const TimePoint begin = monotonic_now();
            engine.poll_segments(peer, batch, 1U << 20U, now);
            spent += monotonic_now() - begin;
            for (const OutSegment &segment : batch.segments()) {
                for (const ByteView piece : batch.pieces_of(segment)) append(datagrams, piece);
                sizes.push_back(segment.size);
            }
            more = !batch.empty();
        }
    }
    void feed(ByteView datagrams, std::span<const std::uint32_t> sizes, TimePoint now) {
        for (const std::uint32_t size : sizes) {
            engine.handle_datagram(peer, datagrams.first(size), now);
            datagrams = datagrams.subspan(size);
        }
    }

    Source random;
    SlabPool slabs{256 * 1024, 1U << 30U};
    Engine engine;
    PeerId peer;
    OutBatch batch;
};

struct Cost {
    Duration send{};
    Duration receive{};
    Duration answer{};
};

/// Reports, their acknowledgements and the ends of the sessions.
Duration answer(Side &from, Side &to, TimePoint now) {
    const TimePoint begin = monotonic_now();
    Bytes datagrams;
    std::vector<std::uint32_t> sizes;
    for (Side *const sides[] = {&to, &from, &to}; Side *const side : sides) {
        Duration unused{};
        side->poll(datagrams, sizes, unused, now);
        (side == &to ? from : to).feed(datagrams, sizes, now);
    }
    while (from.engine.poll_event()) {
    }
    return monotonic_now() - begin;
}

}  // namespace

int main(int argc, char **argv) {
    const std::size_t block_bytes = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100'000;
    const auto mtu =
        static_cast<std::uint32_t>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1360);
    Side from(10, 20, mtu);
    Side to(20, 10, mtu);
    const Bytes octets(block_bytes, 0x5a);
    Bytes datagrams;
    std::vector<std::uint32_t> sizes;
    ReceivedBlock block;
    const std::size_t blocks = std::max<std::size_t>(1, kRoundBytes / block_bytes);
    Cost least{Duration::max(), Duration::max(), Duration::max()};
    std::size_t segments = 0;
    for (int round = 0; round < kRounds; ++round) {
        const TimePoint now = TimePoint(seconds(1) + milliseconds(round));
        Cost cost;
        TimePoint begin = monotonic_now();
        for (std::size_t i = 0; i < blocks; ++i) {
            const BlockPiece pieces[] = {{ByteView(octets).first(40), true},
                                         {ByteView(octets).subspan(40), false}};
            if (!from.engine.send_block(from.peer, {pieces, BlockRequest::kAllRed, 1, i, 1}, now))
                return 1;
        }
        cost.send += monotonic_now() - begin;
        from.poll(datagrams, sizes, cost.send, now);
        segments = sizes.size();
        begin = monotonic_now();
        to.feed(datagrams, sizes, now);
        std::size_t received = 0;
        while (to.engine.poll_block(block)) {
            to.engine.block_safe(block.session, now);
            ++received;
        }
        block.slabs.clear();
        cost.receive += monotonic_now() - begin;
        if (received != blocks) return 2;
        cost.answer = answer(from, to, now);
        least.send = std::min(least.send, cost.send);
        least.receive = std::min(least.receive, cost.receive);
        least.answer = std::min(least.answer, cost.answer);
    }
    if (from.engine.sessions_out() + to.engine.sessions_in() != 0) return 3;
    const auto each = [segments](Duration spent) {
        return static_cast<double>(spent.count()) / static_cast<double>(segments);
    };
    std::printf("%zu blocks of %zu bytes, MTU %u, %zu segments a round\n", blocks, block_bytes, mtu,
                segments);
    std::printf(
        "sender %.1f ns, receiver %.1f ns, reports and their acknowledgements %.1f ns a "
        "segment\n",
        each(least.send), each(least.receive), each(least.answer));
    return 0;
}
