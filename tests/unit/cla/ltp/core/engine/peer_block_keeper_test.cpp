// SPDX-License-Identifier: Apache-2.0
// Incomplete blocks, and which of them are given up when the loop's memory is short.
#include "tests/unit/cla/ltp/core/engine_fixture.hpp"

namespace farlink::cla::ltp::peer_block_keeper_test {
namespace {

constexpr std::uint64_t kMemory = 8U << 20U;
constexpr LinkId kLink{1};
constexpr std::size_t kPart = 60'000;

/// An engine whose peers share the memory of a loop.
struct LtpEngineMemory : LtpEngineTest {
    LtpEngineMemory() {
        made = std::make_unique<LtpSide>(
            EngineConfig{EngineId{20}, {}, 1024, 1'000, kMemory / 4 * 3}, config, 7, kMemory);
        made->keep_octets = true;
        made->engine.contact_opened(made->peer, now);
        engine().when_given_back([this] { ++published; });
    }
    ~LtpEngineMemory() override { made.reset(); }  // before the shares

    PeerId add(const std::string &address, bool unknown) {
        PeerConfig settings = config;
        settings.unknown = unknown;
        const PeerId peer = engine().add_peer(settings);
        engine().contact_opened(peer, now);
        engine().share_memory(peer, shares, kLink, address);
        return peer;
    }
    void feed(PeerId peer, const Bytes &datagram) {
        engine().handle_datagram(peer, datagram, now);
        side().drain(now);
    }
    /// Begins blocks of `parts` datagrams each, and completes none.
    void begin_blocks(PeerId peer, std::uint64_t blocks, std::uint64_t parts) {
        for (std::uint64_t number = 1; number <= blocks; ++number)
            for (std::uint64_t part = 0; part < parts; ++part)
                feed(peer, data(SegmentType::kRed, number, part * kPart, kPart));
    }
    /// One whole block.
    void feed_block(PeerId peer, std::uint64_t number, std::uint64_t parts) {
        for (std::uint64_t part = 0; part + 1 < parts; ++part)
            feed(peer, data(SegmentType::kRed, number, part * kPart, kPart));
        feed(peer, data(SegmentType::kEndOfRedBlock, number, (parts - 1) * kPart, kPart, 3));
    }
    /// Cancel segments for `peer`.
    std::size_t cancellations(PeerId peer) {
        OutBatch batch(64);
        std::size_t count = 0;
        for (bool more = true; more;) {
            batch.clear();
            engine().poll_segments(peer, batch, 1'000'000, now);
            for (const OutSegment &segment : batch.segments()) {
                Bytes octets;
                for (const ByteView piece : batch.pieces_of(segment)) append(octets, piece);
                const auto decoded = decode_segment(octets);
                if (decoded && decoded->type == SegmentType::kCancelByReceiver) ++count;
            }
            more = !batch.empty();
        }
        return count;
    }

    ReceptionShares shares{kMemory};
    int published = 0;
};

// The unknown peer sends many blocks, and completes none.
TEST_F(LtpEngineMemory, BlocksOfAnUnknownPeerGiveWayToANeighboursBlock) {
    const PeerId stranger = add("192.0.2.66", true);
    const PeerId neighbour = add("192.0.2.20", false);
    begin_blocks(stranger, 200, 2);
    EXPECT_GT(engine().held_bytes(), kMemory / 2) << "while no other peer needs memory";
    feed_block(neighbour, 1, 40);
    ASSERT_EQ(side().blocks.size(), 1U);
    EXPECT_EQ(engine().counters(neighbour).no_memory, 0U);
    EXPECT_LE(engine().held_bytes(), kMemory / 4) << "the share of an unknown peer";
    EXPECT_GT(engine().held_bytes(), kMemory / 8);
    EXPECT_GT(cancellations(stranger), 10U);
    EXPECT_GT(published, 0);
}

TEST_F(LtpEngineMemory, BlocksOfAnUnknownPeerGiveWayToAnotherUnknownPeer) {
    const PeerId first = add("192.0.2.66", true);
    const PeerId second = add("192.0.2.67", true);
    begin_blocks(first, 200, 2);
    feed_block(second, 1, 30);
    EXPECT_EQ(side().blocks.size(), 1U);
    EXPECT_EQ(engine().counters(second).no_memory, 0U);
}

// All peers stay within their shares; other links hold the rest.
TEST_F(LtpEngineMemory, TheLargestSlowBlockOfAnUnknownPeerIsGivenUpLast) {
    const PeerId first = add("192.0.2.66", true);
    const PeerId second = add("192.0.2.67", true);
    const PeerId third = add("192.0.2.68", true);
    begin_blocks(first, 8, 2);
    begin_blocks(second, 1, 22);
    begin_blocks(third, 1, 2);
    std::vector<SlabRef> held;
    while (SlabRef slab = side().slabs.acquire()) held.push_back(std::move(slab));
    feed_block(third, 2, 10);
    EXPECT_EQ(engine().counters(third).no_memory, 1U) << "no block is slow";
    now += seconds(120);
    feed_block(third, 3, 10);
    EXPECT_EQ(engine().counters(third).no_memory, 1U);
    EXPECT_EQ(side().blocks.size(), 1U);
    EXPECT_EQ(engine().counters(second).no_memory, 1U) << "the largest one";
    EXPECT_EQ(engine().counters(first).no_memory, 0U);
}

// Nobody has had time to be slow; other links hold the rest.
TEST_F(LtpEngineMemory, ANeighbourTakesTheLargestBlockOfAnUnknownPeerAtOnce) {
    const PeerId first = add("192.0.2.66", true);
    const PeerId second = add("192.0.2.67", true);
    const PeerId neighbour = add("192.0.2.20", false);
    begin_blocks(first, 8, 2);
    begin_blocks(second, 1, 22);
    std::vector<SlabRef> held;
    while (SlabRef slab = side().slabs.acquire()) held.push_back(std::move(slab));
    feed_block(neighbour, 1, 10);
    EXPECT_EQ(side().blocks.size(), 1U);
    EXPECT_EQ(engine().counters(neighbour).no_memory, 0U);
    EXPECT_EQ(engine().counters(second).no_memory, 1U);
    EXPECT_EQ(engine().counters(first).no_memory, 0U);
}

// Each has a single block within the share of one unknown peer, and together they fill the room.
TEST_F(LtpEngineMemory, SingleBlocksOfUnknownPeersGiveWayToANeighbour) {
    for (int host = 0; host < 3; ++host)
        begin_blocks(add("192.0.2." + std::to_string(host), true), 1, 34);
    const PeerId neighbour = add("192.0.2.20", false);
    for (std::uint64_t number = 1; number <= 4; ++number) feed_block(neighbour, number, 40);
    EXPECT_EQ(side().blocks.size(), 4U);
    EXPECT_EQ(engine().counters(neighbour).no_memory, 0U);
    EXPECT_EQ(engine().counters(neighbour).sessions_refused, 0U);
}

TEST_F(LtpEngineMemory, ANeighbourAtItsOwnLimitTakesNothing) {
    const PeerId stranger = add("192.0.2.66", true);
    begin_blocks(stranger, 1, 20);
    config.max_receive_bytes = kPart;
    const PeerId neighbour = add("192.0.2.20", false);
    begin_blocks(neighbour, 2, 2);
    EXPECT_EQ(engine().counters(neighbour).sessions_refused, 1U) << "the second block";
    EXPECT_EQ(engine().counters(stranger).no_memory, 0U);
}

/// Ten addresses send almost a quarter each, then an octet now and then; whoever is cancelled comes
/// back.
struct LtpReturningStrangers : LtpEngineMemory {
    static constexpr std::uint64_t kBurst = 34 * kPart;
    static constexpr milliseconds kTurn{10};
    struct Stranger {
        PeerId peer;
        std::uint64_t number = 1;
        std::uint64_t bytes = 0;
        std::uint64_t losses = 0;
        TimePoint next{};
    };

    LtpReturningStrangers() {
        for (int host = 0; host < 10; ++host)
            strangers.push_back({add("192.0.2." + std::to_string(host), true)});
    }
    [[nodiscard]] std::uint64_t losses(PeerId peer) {
        const Counters &its = engine().counters(peer);
        return its.no_memory + its.sessions_refused;
    }
    void send(Stranger &one) {
        if (const std::uint64_t lost = losses(one.peer); lost != one.losses) {
            Bytes cancel(100);
            cancel.resize(static_cast<std::size_t>(
                encode_prefix(cancel.data(), SegmentType::kCancelBySender, 10, one.number) -
                cancel.data()));
            cancel.push_back(0);
            feed(one.peer, cancel);
            one = {one.peer, one.number + 1, 0, lost, now + milliseconds(100)};
        }
        if (now < one.next) return;
        const bool bursts = one.bytes < kBurst;
        const std::size_t size = bursts ? kPart : 1;
        feed(one.peer, data(SegmentType::kRed, one.number, one.bytes, size));
        one.bytes += size;
        one.next = bursts ? now : now + milliseconds(200);
    }
    void turn() {
        now += kTurn;
        for (Stranger &one : strangers) send(one);
    }
    void pass(Duration time) {
        for (const TimePoint end = now + time; now < end;) turn();
    }
    /// Sends a block while the strangers send; true: it has arrived.
    [[nodiscard]] bool delivers(PeerId peer, std::uint64_t number, std::uint64_t parts) {
        const std::size_t before = side().blocks.size();
        for (std::uint64_t part = 0; part < parts; ++part) {
            const bool last = part + 1 == parts;
            feed(peer, data(last ? SegmentType::kEndOfRedBlock : SegmentType::kRed, number,
                            part * kPart, kPart, last ? 3 : 0));
            turn();
        }
        return side().blocks.size() == before + 1;
    }

    std::vector<Stranger> strangers;
};

TEST_F(LtpReturningStrangers, LeaveANeighbourWhatItNeeds) {
    const PeerId neighbour = add("192.0.2.120", false);
    for (std::uint64_t number = 1; number <= 20; ++number) {
        pass(milliseconds(300));
        EXPECT_TRUE(delivers(neighbour, number, 40)) << number;
    }
}

TEST_F(LtpReturningStrangers, GiveWayToNewcomersOnceAllHaveStalled) {
    pass(seconds(8));
    const PeerId newcomer = add("192.0.2.230", true);
    for (std::uint64_t number = 1; number <= 20; ++number) {
        EXPECT_TRUE(delivers(newcomer, number, 10)) << number;
        pass(milliseconds(300));
    }
}

TEST_F(LtpEngineMemory, AnotherLinkGetsMemoryBeyondTheShare) {
    const PeerId stranger = add("192.0.2.66", true);
    begin_blocks(stranger, 200, 2);
    const std::uint64_t before = side().slabs.pinned_bytes();
    ReceptionShares::Hold session(shares, LinkId{2}, "192.0.2.30", true, [] {});
    shares.handle_shortage(session, now);
    EXPECT_LE(engine().held_bytes(), kMemory / 4);
    EXPECT_LT(side().slabs.pinned_bytes(), before / 3 * 2);
    EXPECT_EQ(shares.given_up(), 1U);
}

// Each of them has sent the beginning of one block in a burst, and nothing since.
TEST_F(LtpEngineMemory, UnknownPeersThatHaveStoppedGiveWayToANewcomerOnAnotherLink) {
    for (int host = 0; host < 10; ++host)
        begin_blocks(add("192.0.2." + std::to_string(host), true), 1, 8);
    ReceptionShares::Hold beside(shares, LinkId{2}, "192.0.2.31", false, [] {});
    beside.update(kMemory / 8, now);  // what this link has in any case
    ReceptionShares::Hold newcomer(shares, LinkId{2}, "192.0.2.30", false, [] {});
    EXPECT_FALSE(newcomer.admitted(now)) << "they have more than the share of unknown peers";
    const TimePoint stopped = now;
    while (!newcomer.admitted(now) && now - stopped < seconds(60)) {
        now += milliseconds(50);
        newcomer.ask_for_memory(now);
    }
    EXPECT_LE(now - stopped, seconds(3));
    EXPECT_GT(engine().held_bytes(), 0U) << "no more than is needed";
}

// A datagram of each is enough to occupy all slabs.
TEST_F(LtpEngineMemory, SmallBlocksOfManyUnknownPeersLeaveTheSlabsToOthers) {
    std::vector<PeerId> peers;
    while (side().slabs.pinned_bytes() < kMemory && peers.size() < 100) {
        peers.push_back(add("192.0.2." + std::to_string(peers.size()), true));
        feed(peers.back(), data(SegmentType::kRed, 1, 0, 10));
    }
    EXPECT_EQ(peers.size(), kMemory / side().slabs.slab_bytes());
    EXPECT_FALSE(side().slabs.acquire());
    ReceptionShares::Hold newcomer(shares, LinkId{2}, "192.0.2.230", false, [] {});
    newcomer.ask_for_memory(now);
    EXPECT_LE(side().slabs.pinned_bytes(), peers.size() * 10);
    EXPECT_EQ(engine().sessions_in(), peers.size()) << "no block is lost";
    feed(peers[3], data(SegmentType::kEndOfRedBlock, 1, 10, 10, 3));
    ASSERT_EQ(side().blocks.size(), 1U);
    EXPECT_EQ(side().blocks[0], Bytes(20, 0x42));
}

TEST_F(LtpEngineMemory, ABlockThatArrivesStaysWhenOthersHaveStopped) {
    const PeerId stopped = add("192.0.2.66", true);
    const PeerId active = add("192.0.2.67", true);
    begin_blocks(stopped, 1, 30);
    begin_blocks(active, 1, 34);
    ReceptionShares::Hold newcomer(shares, LinkId{2}, "192.0.2.30", false, [] {});
    for (std::uint64_t part = 34; part < 54; ++part) {
        now += milliseconds(200);
        feed(active, data(SegmentType::kRed, 1, part * kPart, kPart));
        newcomer.ask_for_memory(now);
    }
    EXPECT_EQ(engine().counters(stopped).no_memory, 1U);
    EXPECT_EQ(engine().counters(active).no_memory, 0U) << "although it is the larger one";
}

TEST_F(LtpEngineMemory, ALargeBlockOfAnUnknownPeerArrivesWhileThereIsMemory) {
    const PeerId stranger = add("192.0.2.66", true);
    feed_block(stranger, 1, 80);
    EXPECT_EQ(side().blocks.size(), 1U) << "beyond its share of a quarter";
    EXPECT_EQ(shares.given_up(), 0U);
}

TEST_F(LtpEngineMemory, TheMemoryOfARemovedPeerIsFree) {
    const PeerId stranger = add("192.0.2.66", true);
    begin_blocks(stranger, 20, 2);
    static_cast<void>(engine().remove_peer(stranger));
    EXPECT_EQ(engine().held_bytes(), 0U);
    const PeerId other = add("192.0.2.66", true);
    feed_block(other, 1, 30);
    EXPECT_EQ(side().blocks.size(), 1U);
}

// The same octet comes again and again, so that the sender is never silent.
TEST_F(LtpEngineMemory, ABlockWithoutNewOctetsIsGivenUp) {
    const PeerId stranger = add("192.0.2.66", true);
    begin_blocks(stranger, 3, 2);
    const TimePoint begun = now;
    while (engine().sessions_in(stranger) > 0 && now - begun < seconds(600)) {
        now += seconds(1);
        engine().handle_timeout(now);
        if (engine().held_bytes() == 0) break;
        for (std::uint64_t number = 1; number <= 3; ++number)
            feed(stranger, data(SegmentType::kRed, number, 0, 1));
    }
    EXPECT_EQ(engine().held_bytes(), 0U);
    EXPECT_GE(now - begun, kTransferLimit);
    EXPECT_LT(now - begun, kTransferLimit + seconds(10));
    EXPECT_EQ(cancellations(stranger), 3U);
}

TEST_F(LtpEngineMemory, ABlockThatArrivesSlowlyIsDelivered) {
    const PeerId neighbour = add("192.0.2.20", false);
    for (std::uint64_t part = 0; part < 20; ++part) {
        const bool last = part == 19;
        feed(neighbour, data(last ? SegmentType::kEndOfRedBlock : SegmentType::kRed, 1, part * 100,
                             100, last ? 3 : 0));
        // A duplicate, so that the session does not end for silence.
        for (int second = 0; second < 50 && !last; ++second) {
            now += seconds(1);
            feed(neighbour, data(SegmentType::kRed, 1, part * 100, 100));
            engine().handle_timeout(now);
        }
    }
    EXPECT_EQ(side().blocks.size(), 1U);
}

}  // namespace
}  // namespace farlink::cla::ltp::peer_block_keeper_test
