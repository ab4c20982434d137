// SPDX-License-Identifier: Apache-2.0
#include "module/egress/core/pieces/pieces_on_link.hpp"

#include "tests/unit/module/egress/core/egress_fixture.hpp"

namespace farlink::egress::pieces_on_link_test {
namespace {

class PiecesTest : public EgressCoreTest {
protected:
    static constexpr std::size_t kPiece = 1000;
    static constexpr std::uint64_t kSpool = 5;

    PiecesTest() {
        plan(kLink);
        core.handle_connected(kLink, 1'000'000, now, true);
    }
    /// Piece `number` of a bundle of four, as storage releases it.
    BatchPtr piece(const Bytes &octets, std::size_t number) {
        BatchPtr batch = batch_for(BatchOwner::kStorage, kLink, {octets});
        const std::size_t at = number * kPiece;
        const std::size_t size = std::min(kPiece, octets.size() - at);
        batch->piece = {kSpool, at, octets.size() - at - size};
        batch->slices.front() = batch->slices.front().subspan(at, size);
        BatchedBundle &bundle = batch->bundles.front();
        batch->bytes = bundle.size = size;
        if (number > 0) bundle.primary_end = bundle.head_end = 0;
        return batch;
    }
    void release_piece(const Bytes &octets, std::size_t number) {
        core.handle(bus::ReleaseBatch{piece(octets, number)}, now);
    }
    void release_end() {
        auto marker = std::make_unique<Batch>();
        marker->owner = BatchOwner::kStorage;
        marker->link = kLink;
        marker->next_hop = NodeNumber{2};
        marker->piece.spool = kSpool;
        core.handle(bus::ReleaseBatch{std::move(marker)}, now);
    }
    Bytes large(std::uint64_t flags = 0) {
        test::TestBundle made = bundle(3 * kPiece);
        made.flags = flags;
        return made.octets();
    }
    std::vector<TxBundle> render() {
        std::vector<TxBundle> out(16);
        out.resize(core.poll_transmit(kLink, out, kAnyBytes, now));
        return out;
    }
    std::vector<LinkCommand> orders() {
        std::vector<LinkCommand> list;
        while (const auto order = core.poll_link_order()) list.push_back(order->command);
        return list;
    }
};

TEST_F(PiecesTest, LeaveAsOneBundleWithNothingBetweenThem) {
    const Bytes octets = large();
    release_piece(octets, 0);
    std::vector<TxBundle> out = render();
    ASSERT_EQ(out.size(), 1U);
    EXPECT_FALSE(out[0].is_further_piece);
    EXPECT_EQ(out[0].left, octets.size() - kPiece);
    std::uint64_t bytes = out[0].size;
    forward(bundles(1));
    EXPECT_TRUE(render().empty()) << "it waits for the end of the large one";
    for (std::size_t number = 1; number < 4; ++number) release_piece(octets, number);
    out = render();
    ASSERT_EQ(out.size(), 4U);
    for (std::size_t number = 0; number < 3; ++number) {
        EXPECT_TRUE(out[number].is_further_piece);
        EXPECT_TRUE(out[number].head.empty());
        EXPECT_EQ(out[number].token, number + 1);
        bytes += out[number].size;
    }
    EXPECT_EQ(out[2].left, 0U);
    EXPECT_FALSE(out[3].is_further_piece);
    EXPECT_GT(bytes, octets.size()) << "with the blocks of this hop";
    acknowledge(2);
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kSent, Outcome::kSent}));
    EXPECT_EQ(value(EgressCounter::kForwarded), 0U);
    acknowledge(5);
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kSent, Outcome::kSent, Outcome::kSent}));
    EXPECT_EQ(value(EgressCounter::kForwarded), 2U);
}

TEST_F(PiecesTest, ReturnWithTheLink) {
    const Bytes octets = large();
    for (std::size_t number = 0; number < 2; ++number) release_piece(octets, number);
    EXPECT_EQ(render().size(), 2U);
    release_piece(octets, 2);
    core.handle_disconnected(kLink, now);
    EXPECT_EQ(outcomes(), Outcomes(3, Outcome::kNotSent));
    core.handle_connected(kLink, 1'000'000, now, true);
    release_piece(octets, 3);
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kNotSent})) << "its bundle has not begun";
    release_piece(octets, 0);
    EXPECT_EQ(render().size(), 1U);
    core.handle_disconnected(kLink, now);
    (void)outcomes();
}

TEST_F(PiecesTest, RefusedOnesEndTheBundle) {
    const Bytes octets = large();
    for (std::size_t number = 0; number < 3; ++number) release_piece(octets, number);
    EXPECT_EQ(render().size(), 3U);
    core.handle_refused(kLink, 0, NextHopRefusal::kNotAcceptable, now);
    release_piece(octets, 3);
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kRefused, Outcome::kNotSent}));
    acknowledge(3);
    (void)outcomes();
    forward(bundles(1));
    EXPECT_EQ(render().size(), 1U);
    acknowledge(4);
}

TEST_F(PiecesTest, TooLargeForTheLink) {
    core.handle_connected(kLink, 2500, now, true);
    const Bytes octets = large();
    release_piece(octets, 0);
    release_piece(octets, 1);
    EXPECT_TRUE(render().empty());
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kNotSent, Outcome::kTooLarge}));
    core.handle_connected(kLink, 1'000'000, now);
    release_piece(octets, 0);
    EXPECT_TRUE(render().empty()) << "the layer takes no pieces";
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kTooLarge}));
}

TEST_F(PiecesTest, StorageBreaksOff) {
    const Bytes octets = large();
    release_piece(octets, 0);
    (void)orders();
    EXPECT_EQ(render().size(), 1U);
    release_end();
    EXPECT_EQ(orders(), (std::vector{LinkCommand::kBreakOff}));
    core.handle_disconnected(kLink, now);
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kNotSent}));
    release_end();
    EXPECT_TRUE(orders().empty()) << "nothing has begun";
}

TEST_F(PiecesTest, EndWithStorage) {
    const Bytes octets = large();
    release_piece(octets, 0);
    EXPECT_EQ(render().size(), 1U);
    (void)orders();
    core.handle(bus::ModuleLost{.module = bus::AgentId::kStorage}, now);
    EXPECT_EQ(orders(), (std::vector{LinkCommand::kBreakOff}));
    core.handle_disconnected(kLink, now);
    (void)outcomes();
    core.handle_connected(kLink, 1'000'000, now, true);
    for (std::size_t number = 0; number < 4; ++number) release_piece(octets, number);
    EXPECT_EQ(render().size(), 4U);
    acknowledge(5);
    EXPECT_EQ(outcomes(), Outcomes(4, Outcome::kSent));
}

TEST_F(PiecesTest, AFirstPieceThatStillWaitsIsReturnedAfterABreak) {
    const Bytes octets = large();
    release_piece(octets, 0);
    release_piece(octets, 1);
    release_end();
    for (const LinkCommand order : orders()) EXPECT_NE(order, LinkCommand::kBreakOff);
    forward(bundles(1));
    EXPECT_EQ(render().size(), 1U) << "the small one leaves";
    EXPECT_EQ(outcomes(), (Outcomes{Outcome::kNotSent, Outcome::kNotSent}));
    acknowledge(1);
    (void)outcomes();
}

TEST_F(PiecesTest, AreReportedWithTheLast) {
    const Bytes octets = large(bp::v7::kReportForwardingFlag);
    for (std::size_t number = 0; number < 4; ++number) release_piece(octets, number);
    EXPECT_EQ(render().size(), 4U);
    acknowledge(3);
    (void)outcomes();
    EXPECT_TRUE(reports.empty());
    acknowledge(4);
    (void)outcomes();
    ASSERT_EQ(reports.size(), 1U);
    EXPECT_EQ(reports.front().payload_length, 3 * kPiece);
}

// The link reports all tokens later, that of the last piece too.
TEST_F(PiecesTest, OfARefusedBundleTheLastPieceIsNotSent) {
    const Bytes octets = large();
    for (std::size_t number = 0; number < 4; ++number) release_piece(octets, number);
    EXPECT_EQ(render().size(), 4U);
    acknowledge(1);
    core.handle_refused(kLink, 1, NextHopRefusal::kNotAcceptable, now);
    acknowledge(4);
    EXPECT_EQ(outcomes(),
              (Outcomes{Outcome::kSent, Outcome::kRefused, Outcome::kNotSent, Outcome::kNotSent}));
    EXPECT_EQ(value(EgressCounter::kForwarded), 0U);
    for (std::size_t number = 0; number < 4; ++number) release_piece(octets, number);
    EXPECT_EQ(render().size(), 4U);
    acknowledge(8);
    EXPECT_EQ(outcomes(), Outcomes(4, Outcome::kSent)) << "another attempt";
    EXPECT_EQ(value(EgressCounter::kForwarded), 1U);
}

}  // namespace
}  // namespace farlink::egress::pieces_on_link_test
