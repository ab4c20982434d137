// SPDX-License-Identifier: Apache-2.0
#include "common/buffer/tx_queue.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

#include "tests/support/octets.hpp"

namespace farlink::tx_queue_test {
namespace {

using test::octets_of;

constexpr std::size_t kAll = ~std::size_t{0};

struct Gathered {
    std::array<iovec, 64> entries{};
    std::size_t count = 0;

    [[nodiscard]] ByteView piece(std::size_t i) const {
        return {static_cast<const std::uint8_t *>(entries[i].iov_base), entries[i].iov_len};
    }
    [[nodiscard]] std::string text() const {
        std::string all;
        for (std::size_t i = 0; i < count; ++i) all += as_text(piece(i));
        return all;
    }
};

Gathered gather(const TxQueue &queue, std::size_t entries = 64, std::size_t max_bytes = kAll) {
    Gathered result;
    result.count = queue.gather(std::span(result.entries).first(entries), max_bytes);
    return result;
}

TEST(TxQueue, CopiesThatFollowEachOtherAreOnePiece) {
    TxQueue queue;
    queue.copy(as_bytes("one "));
    queue.copy(as_bytes("two "));
    const MutableBytes room = queue.reserve(100);
    std::copy_n("three", 5, room.begin());
    queue.commit(5);
    const Gathered all = gather(queue);
    EXPECT_EQ(all.count, 1U);
    EXPECT_EQ(all.text(), "one two three");
    EXPECT_EQ(queue.pending(), 13U);
}

TEST(TxQueue, SlicesThatLieNextToEachOtherAreOnePiece) {
    const Bytes octets = octets_of(100, 1);
    const ByteView view(octets);
    TxQueue queue;
    queue.reference(view.first(40));
    queue.reference(view.subspan(40, 10));
    queue.reference(view.subspan(60));
    const Gathered all = gather(queue);
    ASSERT_EQ(all.count, 2U);
    EXPECT_EQ(all.piece(0).data(), octets.data()) << "not copied";
    EXPECT_EQ(all.piece(0).size(), 50U);
    EXPECT_EQ(all.piece(1).data(), octets.data() + 60);
}

TEST(TxQueue, ACopyAndASliceAreTwoPieces) {
    const Bytes octets = octets_of(10, 1);
    TxQueue queue;
    queue.copy(as_bytes("head"));
    queue.reference(octets);
    queue.copy(as_bytes("head"));
    EXPECT_EQ(gather(queue).count, 3U);
}

TEST(TxQueue, NothingIsNoPiece) {
    TxQueue queue;
    queue.copy({});
    queue.reference({});
    EXPECT_EQ(gather(queue).count, 0U);
    EXPECT_EQ(queue.pending(), 0U);
}

TEST(TxQueue, GathersUpToItsLimits) {
    const Bytes octets = octets_of(1000, 1);
    TxQueue queue;
    for (std::size_t at = 0; at < 1000; at += 100)
        queue.reference(ByteView(octets).subspan(at, 90));
    EXPECT_EQ(gather(queue, 0).count, 0U);
    EXPECT_EQ(gather(queue, 4).count, 4U);
    EXPECT_EQ(gather(queue, 64, 90).count, 1U);
    EXPECT_EQ(gather(queue, 64, 91).count, 2U) << "whole pieces: the last may reach beyond";
    EXPECT_EQ(gather(queue, 64, 0).count, 0U);
    EXPECT_EQ(gather(queue).count, 10U);
}

TEST(TxQueue, WhatIsWrittenLeavesAcrossPieces) {
    const Bytes octets = octets_of(10, 1);
    TxQueue queue;
    queue.copy(as_bytes("abcd"));
    queue.reference(octets);
    queue.copy(as_bytes("efgh"));
    const std::string stream = gather(queue).text();
    std::uint64_t written = 0;
    for (const std::size_t step : {0, 1, 3, 2, 9, 3}) {
        queue.written(step);
        written += step;
        EXPECT_EQ(queue.written_offset(), written);
        EXPECT_EQ(gather(queue).text(), stream.substr(written));
    }
    EXPECT_EQ(queue.pending(), 0U);
}

TEST(TxQueue, ForgetsBehindAnOffset) {
    const Bytes octets = octets_of(10, 1);
    for (std::size_t written = 0; written <= 18; ++written) {
        for (std::size_t end = written; end <= 18; ++end) {
            TxQueue queue;
            queue.copy(as_bytes("abcd"));
            queue.reference(octets);
            queue.copy(as_bytes("efgh"));
            const std::string stream = gather(queue).text();
            queue.written(written);
            queue.truncate(end);
            ASSERT_EQ(gather(queue).text(), stream.substr(written, end - written));
            ASSERT_EQ(queue.queued_offset(), end);
            queue.copy(as_bytes("more"));
            ASSERT_EQ(gather(queue).text(), stream.substr(written, end - written) + "more");
        }
    }
}

TEST(TxQueue, BeginsAnewAfterClear) {
    TxQueue queue;
    queue.copy(as_bytes("old"));
    queue.written(1);
    queue.clear();
    EXPECT_EQ(queue.queued_offset(), 0U);
    EXPECT_EQ(queue.written_offset(), 0U);
    queue.copy(as_bytes("new"));
    EXPECT_EQ(gather(queue).text(), "new");
}

TEST(TxQueue, CopiesMoreThanABlock) {
    const Bytes octets = octets_of(3 * TxQueue::kBlockBytes + 17, 1);
    TxQueue queue;
    queue.copy(as_bytes("x"));
    queue.copy(octets);
    EXPECT_EQ(gather(queue).text(), "x" + std::string(as_text(octets)));
}

// A queue that is never empty still uses few blocks, again and again.
TEST(TxQueue, ReusesTheBlocksThatAreWritten) {
    TxQueue queue;
    std::set<const std::uint8_t *> blocks;
    constexpr std::size_t kPart = TxQueue::kBlockBytes / 4;
    for (int i = 0; i < 4; ++i) {
        (void)queue.reserve(kPart);
        queue.commit(kPart);
    }
    for (int i = 0; i < 1000; ++i) {
        if (i % 4 == 0) blocks.insert(queue.reserve(kPart).data());
        (void)queue.reserve(kPart);
        queue.commit(kPart);
        queue.written(kPart);
    }
    EXPECT_LE(blocks.size(), 3U);
    queue.written(queue.pending());
    EXPECT_EQ(queue.reserve(1).data(), queue.reserve(TxQueue::kBlockBytes).data())
        << "an empty queue begins its block anew";
}

/// The queue against a string: what is gathered is always the model's first octets.
class Differential {
public:
    explicit Differential(std::uint64_t seed) : random_(seed), arena_(octets_of(1 << 16, seed)) {}

    void step() {
        switch (random_.below(8)) {
            case 0:
                return copy();
            case 1:
                return reserve();
            case 2:
            case 3:
                return reference();
            case 4:
                return random_.chance(1, 2) ? truncate() : erase();
            case 5:
                if (random_.chance(1, 20)) return clear();
                [[fallthrough]];
            default:
                return write();
        }
    }
    void check() const {
        ASSERT_EQ(queue_.pending(), model_.size());
        std::array<iovec, 8> entries;
        const std::size_t count = queue_.gather(entries, kAll);
        std::size_t at = 0;
        for (std::size_t i = 0; i < count; ++i) {
            ASSERT_GT(entries[i].iov_len, 0U);
            const std::string_view piece(static_cast<const char *>(entries[i].iov_base),
                                         entries[i].iov_len);
            ASSERT_EQ(piece, std::string_view(model_).substr(at, piece.size()));
            at += piece.size();
        }
        if (count < entries.size()) {
            ASSERT_EQ(at, model_.size());
        }
    }

private:
    ByteView slice(std::size_t at_most) {
        const std::size_t size = random_.below(at_most + 1);
        return ByteView(arena_).subspan(random_.below(arena_.size() - size + 1), size);
    }
    void copy() {
        const ByteView octets = slice(random_.chance(1, 10) ? arena_.size() : 200);
        queue_.copy(octets);
        model_ += as_text(octets);
    }
    void reserve() {
        const ByteView octets = slice(TxQueue::kBlockBytes / 2);
        std::ranges::copy(octets, queue_.reserve(TxQueue::kBlockBytes / 2).begin());
        queue_.commit(octets.size());
        model_ += as_text(octets);
    }
    void reference() {
        // Often the octets right behind those of the last time, as slices of one slab are.
        if (random_.chance(1, 2) || next_ + 500 > arena_.size())
            next_ = random_.below(arena_.size() - 500);
        const ByteView octets = ByteView(arena_).subspan(next_, random_.below(500));
        next_ += octets.size();
        queue_.reference(octets);
        model_ += as_text(octets);
    }
    void truncate() {
        if (!random_.chance(1, 4)) return;
        const std::uint64_t keep = random_.below(model_.size() + 1);
        queue_.truncate(queue_.written_offset() + keep);
        model_.resize(keep);
    }
    void erase() {
        const std::uint64_t begin = random_.below(model_.size() + 1);
        const std::uint64_t end = begin + random_.below(model_.size() - begin + 1);
        queue_.erase(queue_.written_offset() + begin, queue_.written_offset() + end);
        model_.erase(begin, end - begin);
    }
    void write() {
        std::array<iovec, 8> entries;
        const std::size_t count = queue_.gather(entries, 1 + random_.below(100'000));
        std::uint64_t offered = 0;
        for (std::size_t i = 0; i < count; ++i) offered += entries[i].iov_len;
        const std::uint64_t taken = random_.chance(1, 2) ? offered : random_.below(offered + 1);
        queue_.written(taken);
        model_.erase(0, taken);
    }
    void clear() {
        queue_.clear();
        model_.clear();
    }

    Random random_;
    Bytes arena_;
    std::size_t next_ = 0;
    TxQueue queue_;
    std::string model_;
};

TEST(TxQueue, WhatLiesBehindErasedOctetsMovesUp) {
    const Bytes octets = octets_of(10, 1);
    TxQueue queue;
    queue.copy(as_bytes("abcd"));
    queue.reference(octets);
    queue.copy(as_bytes("efgh"));
    queue.written(1);
    queue.erase(2, 16);
    EXPECT_EQ(gather(queue).text(), "bgh");
    EXPECT_EQ(queue.queued_offset(), 4U);
    queue.copy(as_bytes("ij"));
    EXPECT_EQ(gather(queue).text(), "bghij");
}

TEST(TxQueue, DoesWhatAStringDoes) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        Differential test(seed);
        for (int step = 0; step < 2000; ++step) {
            test.step();
            test.check();
            if (testing::Test::HasFatalFailure()) return;
        }
    }
}

using TxQueueDeathTest = testing::Test;

TEST(TxQueueDeathTest, KnowsItsEnds) {
    TxQueue queue;
    queue.copy(as_bytes("abcd"));
    queue.written(2);
    EXPECT_DEATH(queue.written(3), "broken invariant");
    EXPECT_DEATH(queue.truncate(1), "broken invariant");
    EXPECT_DEATH(queue.truncate(5), "broken invariant");
    EXPECT_DEATH(queue.erase(1, 3), "broken invariant");
    EXPECT_DEATH(queue.erase(3, 5), "broken invariant");
    EXPECT_DEATH((void)queue.reserve(TxQueue::kBlockBytes + 1), "broken invariant");
}

}  // namespace
}  // namespace farlink::tx_queue_test
