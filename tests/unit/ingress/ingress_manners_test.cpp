// SPDX-License-Identifier: Apache-2.0
// Bundles that are not what their standard wants: put up with, or refused.
#include "tests/unit/ingress/ingress_fixture.hpp"

namespace farlink::ingress {
namespace {

class IngressManners : public IngressFixture {
protected:
    [[nodiscard]] std::uint64_t malformed(bp::ParseError reason) {
        return core().counters().value(IngressCounter::kMalformed,
                                       static_cast<std::size_t>(reason));
    }
    /// A fragment like those of ION: its age block has number 0.
    static Bytes unnumbered(std::uint64_t sequence) {
        bp::v7::PrimaryFields primary;
        primary.flags = bp::v7::kIsFragment;
        primary.destination = bp::ipn_eid(2, 1);
        primary.source = bp::ipn_eid(1, 1);
        primary.creation_time_ms = test::kStart;
        primary.sequence = sequence;
        primary.lifetime_ms = 3'600'000;
        primary.total_adu_length = 100;
        bp::v7::Builder builder(primary);
        builder.add_block(bp::v7::kBundleAgeBlock, 0, 0, bp::v7::CrcType::kCrc16, Bytes{0x05});
        return std::move(builder).finish(test::octets_of(20, sequence));
    }
    /// What the session of `from` hears of its bundles.
    std::vector<Settlement> settled(UpstreamId from) {
        std::vector<Settlement> heard;
        while (const auto run = core().poll_settled())
            if (run->upstream == from) heard.insert(heard.end(), run->count, run->settlement);
        return heard;
    }
};

TEST_F(IngressManners, FragmentsWithoutBlockNumbersGoOnAndAreCounted) {
    all_up();
    receive({unnumbered(1), unnumbered(2), bundle().octets()});
    receive({unnumbered(3)}, kUp2);
    std::size_t forwarded = 0;
    for (const BatchPtr &batch : at_egress) forwarded += batch->bundles.size();
    EXPECT_EQ(forwarded, 4U);
    const auto first = core().poll_departure();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->from, kUp);
    EXPECT_EQ(first->kind, BundleDeparture::kUnnumberedBlocks);
    EXPECT_EQ(first->count, 2U);
    const auto second = core().poll_departure();
    ASSERT_TRUE(second);
    EXPECT_EQ(second->from, kUp2);
    EXPECT_FALSE(core().poll_departure());
    EXPECT_FALSE(core().poll_rejected());
}

TEST_F(IngressManners, AStrictLinkRefusesThem) {
    all_up();
    core().handle_upstream_opened(kUp, true);
    core().handle_strict(kUp, true);
    receive({unnumbered(1), bundle().octets()});
    EXPECT_EQ(malformed(bp::ParseError::kBadBlockNumber), 1U);
    EXPECT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(settled(kUp), std::vector<Settlement>{Settlement::kNotAcceptable});
    const auto rejected = core().poll_rejected();
    ASSERT_TRUE(rejected);
    EXPECT_EQ(rejected->from, kUp);
    EXPECT_EQ(rejected->why, "bad_block_number");
    EXPECT_TRUE(core().poll_departure()) << "counted all the same";
}

TEST_F(IngressManners, WhatIsMalformedIsToldToTheLog) {
    all_up();
    core().handle_sender(kUp, NodeNumber{3});
    receive({Bytes{0x42}});
    const auto rejected = core().poll_rejected();
    ASSERT_TRUE(rejected);
    EXPECT_EQ(rejected->neighbour, NodeNumber{3});
    EXPECT_EQ(rejected->why, "unknown_version");
    EXPECT_FALSE(core().poll_rejected()) << "each once";
}

}  // namespace
}  // namespace farlink::ingress
