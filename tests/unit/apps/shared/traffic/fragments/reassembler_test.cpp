// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/fragments/reassembler.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "common/base/random.hpp"

namespace farlink::traffic::reassembler_test {
namespace {

using Outcome = Reassembler::Outcome;

constexpr std::uint64_t kTotal = 1000;

/// Fragments of one bundle whose payload counts up, as views over their octets.
class Source {
public:
    Source() : payload_(kTotal) { std::iota(payload_.begin(), payload_.end(), std::uint8_t{0}); }

    Outcome send(Reassembler &to, std::uint64_t offset, std::uint64_t length,
                 std::uint64_t sequence = 1, std::uint64_t total = kTotal,
                 DtnTime now_ms = 2000) const {
        bp::BundleView view;
        view.version = 7;
        view.source = bp::ipn_eid(10, 1);
        view.creation_time = 1000;
        view.lifetime_ms = lifetime_ms;
        view.sequence = sequence;
        view.is_fragment = true;
        view.fragment_offset = offset;
        view.total_adu_length = total;
        view.payload_length = length;
        const ByteView octets = payload_;
        const std::size_t half = length / 2;
        const ByteView slices[] = {octets.subspan(offset, half),
                                   octets.subspan(offset + half, length - half)};
        return to.handle_fragment(view, slices, now_ms);
    }
    [[nodiscard]] const Bytes &payload() const { return payload_; }
    std::uint64_t lifetime_ms = 5000;

private:
    Bytes payload_;
};

TEST(Reassembler, PutsRandomOverlappingFragmentsTogether) {
    const Source source;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        Random random(seed);
        Reassembler reassembler({1 << 20, 4});
        std::optional<Bytes> whole;
        for (int round = 0; round < 1000 && !whole; ++round) {
            // Every third one begins at the front, else octet 0 would be rare.
            const std::uint64_t offset = random.chance(1, 3) ? 0 : random.below(kTotal);
            const std::uint64_t length =
                1 + random.below(std::min<std::uint64_t>(kTotal - offset, 200));
            if (source.send(reassembler, offset, length) == Outcome::kComplete)
                whole = reassembler.poll_data_unit();
        }
        ASSERT_TRUE(whole) << "seed " << seed;
        EXPECT_EQ(*whole, source.payload()) << "seed " << seed;
        EXPECT_EQ(reassembler.held_bytes(), 0U);
        EXPECT_EQ(reassembler.pending(), 0U);
    }
}

TEST(Reassembler, TellsRepeatsAndContradictions) {
    const Source source;
    Reassembler reassembler({1 << 20, 4});
    EXPECT_EQ(source.send(reassembler, 0, 100), Outcome::kPending);
    EXPECT_EQ(source.send(reassembler, 0, 100), Outcome::kDuplicate);
    EXPECT_EQ(source.send(reassembler, 20, 50), Outcome::kDuplicate);
    EXPECT_EQ(source.send(reassembler, 100, 50, 1, kTotal - 1), Outcome::kContradiction);
    EXPECT_EQ(source.send(reassembler, 100, 50, 1, 120), Outcome::kContradiction);
    EXPECT_EQ(source.send(reassembler, 100, 50, 2), Outcome::kPending) << "another bundle";
    EXPECT_EQ(reassembler.pending(), 2U);
}

TEST(Reassembler, KeepsItsLimits) {
    const Source source;
    Reassembler few({1 << 20, 1});
    EXPECT_EQ(source.send(few, 0, 10, 1), Outcome::kPending);
    EXPECT_EQ(source.send(few, 0, 10, 2), Outcome::kNoSpace);
    Reassembler small({300, 4});
    EXPECT_EQ(source.send(small, 0, 100), Outcome::kPending);
    EXPECT_EQ(source.send(small, 200, 100), Outcome::kNoSpace);
    EXPECT_EQ(small.held_bytes(), 100 + Reassembler::kPieceOverhead);
}

TEST(Reassembler, ADataUnitWithoutProgressForAMinuteIsDropped) {
    Source source;
    source.lifetime_ms = 1'000'000'000;
    Reassembler reassembler({1 << 20, 2});
    EXPECT_EQ(source.send(reassembler, 0, 10, 1), Outcome::kPending);
    EXPECT_EQ(source.send(reassembler, 0, 10, 2, kTotal, 3000), Outcome::kPending);
    EXPECT_EQ(source.send(reassembler, 0, 10, 1, kTotal, 60'000), Outcome::kDuplicate);
    EXPECT_EQ(source.send(reassembler, 10, 10, 2, kTotal, 60'000), Outcome::kPending);
    EXPECT_EQ(source.send(reassembler, 0, 10, 3, kTotal, 61'999), Outcome::kNoSpace);
    EXPECT_EQ(source.send(reassembler, 0, 10, 3, kTotal, 62'000), Outcome::kPending)
        << "a repetition is no progress";
    EXPECT_EQ(reassembler.pending(), 2U);
    EXPECT_EQ(source.send(reassembler, 20, 980, 2, kTotal, 62'000), Outcome::kComplete);
}

TEST(Reassembler, ForgetsWhatHasExpired) {
    const Source source;
    Reassembler reassembler({1 << 20, 4});
    EXPECT_EQ(source.send(reassembler, 0, 100), Outcome::kPending);
    EXPECT_EQ(reassembler.expire(6000), 0U);
    EXPECT_EQ(reassembler.expire(6001), 1U);
    EXPECT_EQ(reassembler.held_bytes(), 0U);
}

TEST(Reassembler, AnEmptyDataUnitIsCompleteAtOnce) {
    const Source source;
    Reassembler reassembler({1 << 20, 4});
    EXPECT_EQ(source.send(reassembler, 0, 0, 1, 0), Outcome::kComplete);
    EXPECT_TRUE(reassembler.poll_data_unit()->empty());
    EXPECT_FALSE(reassembler.poll_data_unit());
}

}  // namespace
}  // namespace farlink::traffic::reassembler_test
