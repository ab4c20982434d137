// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/transfer_sender.hpp"

#include <gtest/gtest.h>

#include "tests/unit/cla/tcpcl/v4/core/fixture.hpp"

namespace farlink::cla::tcpclv4::transfer_sender_test {
namespace {

using test::octets_of;
using test::to_hex;
using Kind = SessionEvent::Kind;

constexpr std::uint8_t kWhole = kSegmentStart | kSegmentEnd;

/// The kinds of what happened since `from`.
std::vector<Kind> kinds(const Played &played, std::size_t from) {
    std::vector<Kind> all;
    for (std::size_t i = from; i < played.host.events.size(); ++i)
        all.push_back(played.host.events[i].kind);
    return all;
}

TEST(Tcpclv4TransferSender, ReportsARunOfAcknowledgementsOnce) {
    Played played;
    const std::size_t before = played.host.events.size();
    Bytes acks;
    for (std::uint64_t id = 0; id < 5; ++id) {
        played.host.send(octets_of(100, id), played.now);
        append(acks, ack_octets(kWhole, id, 100));
    }
    EXPECT_EQ(played.said().size(), 5 * (kStartHeadBytes + 100));
    played.handle(acks);
    EXPECT_EQ(kinds(played, before), std::vector{Kind::kTransmitted});
    EXPECT_EQ(played.host.transmitted, 5U);
}

TEST(Tcpclv4TransferSender, TellsRefusalsBeforeTheReportThatCoversThem) {
    Played played;
    const std::size_t before = played.host.events.size();
    for (std::uint64_t id = 0; id < 5; ++id) played.host.send(octets_of(100, id), played.now);
    (void)played.said();
    played.handle(ack_octets(kWhole, 0, 100) + refuse_octets(Refusal::kNoResources, 1) +
                  refuse_octets(Refusal::kCompleted, 2) + ack_octets(kWhole, 4, 100));
    EXPECT_EQ(kinds(played, before), (std::vector{Kind::kRefused, Kind::kTransmitted}));
    EXPECT_EQ(played.host.refused, (std::map<std::uint64_t, Refusal>{{1, Refusal::kNoResources}}));
    EXPECT_EQ(played.host.transmitted, 3U);
    played.handle(octets_of_message(Refuse{0x77, 3}));
    EXPECT_EQ(played.host.refused.at(3), Refusal::kUnknown);
    EXPECT_TRUE(played.host.departed(ProtocolDeviation::kUnknownRefusalReason));
    EXPECT_EQ(played.host.transmitted, 5U);
    EXPECT_EQ(played.said_hex(), "");
}

TEST(Tcpclv4TransferSender, TakesAcknowledgementsOfEachSegment) {
    Played played;
    played.host.send(octets_of(2500, 1), played.now);
    (void)played.said();
    played.handle(ack_octets(kSegmentStart, 0, 1000) + ack_octets(0, 0, 2000));
    EXPECT_EQ(played.host.transmitted, 0U);
    played.handle(ack_octets(kSegmentEnd, 0, 2500));
    EXPECT_EQ(played.host.transmitted, 1U);
    EXPECT_EQ(played.host.count(Kind::kDeparture), 0U);
}

TEST(Tcpclv4TransferSender, PutsUpWithAcknowledgementsWithoutFlags) {
    Played played;
    played.host.send(octets_of(100, 1), played.now);
    (void)played.said();
    played.handle(ack_octets(0, 0, 100));
    EXPECT_EQ(played.host.transmitted, 1U);
    EXPECT_TRUE(played.host.departed(ProtocolDeviation::kAckFlagsDiffer));

    SessionConfig config = config_of(SessionRole::kPassive);
    config.strict = true;
    Played strict(config);
    strict.host.send(octets_of(100, 1), strict.now);
    (void)strict.said();
    strict.handle(ack_octets(0, 0, 100));
    EXPECT_EQ(strict.said_hex(), "060202");
    EXPECT_EQ(strict.host.fault, LinkFault::kProtocolError);
    EXPECT_EQ(strict.host.transmitted, 0U);
}

TEST(Tcpclv4TransferSender, RejectsAnswersToWhatItDidNotSend) {
    Played played;
    played.handle(ack_octets(kWhole, 0, 100));
    EXPECT_EQ(played.said_hex(), "060302");
    played.handle(refuse_octets(Refusal::kNoResources, 0));
    EXPECT_EQ(played.said_hex(), "060303");
    EXPECT_FALSE(played.host.ended);
    played.host.send(octets_of(100, 1), played.now);
    (void)played.said();
    played.handle(ack_octets(kWhole, 0, 100) + ack_octets(kWhole, 0, 100));
    EXPECT_EQ(played.said_hex(), "060302");
    // A transfer may be refused once for each of its segments.
    played.handle(refuse_octets(Refusal::kNoResources, 0));
    EXPECT_EQ(played.said_hex(), "");
    EXPECT_TRUE(played.host.refused.empty());
}

TEST(Tcpclv4TransferSender, AcknowledgesNoMoreThanWasSent) {
    Played played;
    played.host.send(octets_of(100, 1), played.now);
    (void)played.said();
    played.handle(ack_octets(kWhole, 0, 101));
    EXPECT_EQ(played.host.transmitted, 1U);
    EXPECT_TRUE(played.host.departed(ProtocolDeviation::kAckBeyondSent));
}

TEST(Tcpclv4TransferSender, ReportsNoBundleWhoseOctetsAreStillReferredTo) {
    Played played(config_of(SessionRole::kPassive), 1'000'000);
    played.host.send(octets_of(50'000, 1), played.now);
    (void)played.host.drain(played.now, 10'000);
    played.handle(ack_octets(kWhole, 0, 50'000));
    EXPECT_EQ(played.host.transmitted, 0U);
    (void)played.said();
    EXPECT_EQ(played.host.transmitted, 1U);
}

TEST(Tcpclv4TransferSender, StopsSendingWhatIsRefused) {
    Played played(config_of(SessionRole::kPassive), 100'000, 100'000'000);
    const Bytes bundle = octets_of(5'000'000, 1);
    played.host.send(bundle, played.now);
    (void)played.host.drain(played.now, 10'000);
    played.handle(refuse_octets(Refusal::kNoResources, 0));
    EXPECT_EQ(played.host.transmitted, 0U);
    const Bytes rest = played.said();
    EXPECT_EQ(10'000 + rest.size(), kStartHeadBytes + kTransferLengthBytes + 64 * 1024);
    EXPECT_EQ(played.host.transmitted, 1U);
    EXPECT_EQ(played.host.refused.at(0), Refusal::kNoResources);
    played.host.send(octets_of(5, 1), played.now);
    EXPECT_EQ(played.said_hex(), to_hex(segment_octets(kWhole, 1, octets_of(5, 1))));
}

TEST(Tcpclv4TransferSender, AwaitsNoPiecesOfWhatIsRefused) {
    Played played;
    played.host.send(octets_of(10, 1), played.now);
    played.host.send_piece(octets_of(100, 1), false, 900, played.now);
    (void)played.said();
    EXPECT_TRUE(played.host.core->awaits_pieces());
    played.handle(refuse_octets(Refusal::kNoResources, 1));
    EXPECT_FALSE(played.host.core->awaits_pieces());
    // The bundle before it has no answer yet.
    played.host.timeout(played.now + seconds(61));
    EXPECT_EQ(played.host.fault, LinkFault::kUnresponsive);
}

TEST(Tcpclv4TransferSender, DoesNotAskThePeerForWhatItNeverTakes) {
    Played played(config_of(SessionRole::kPassive), 1000, 5000);
    EXPECT_EQ(played.host.core->max_bundle_bytes(), 5000U);
    played.host.send_all({Bytes(5001), Bytes(10), Bytes(5001)}, played.now);
    EXPECT_EQ(played.host.refused.size(), 2U);
    EXPECT_EQ(played.host.refused.at(2), Refusal::kTooLarge);
    EXPECT_EQ(played.host.transmitted, 1U);
    (void)played.said();
    played.handle(ack_octets(kWhole, 0, 10));
    EXPECT_EQ(played.host.transmitted, 3U);
}

TEST(Tcpclv4TransferSender, ItsCreditEndsWithItsWindowAndItsQueue) {
    SessionConfig config = config_of(SessionRole::kPassive);
    config.max_transfers = 2;
    config.max_unsent = 10'000;
    Played played(config, 100'000);
    EXPECT_EQ(played.host.core->transmit_credit(), 10'000U);
    played.host.send_all({octets_of(10, 1), octets_of(10, 2)}, played.now);
    EXPECT_EQ(played.host.core->transmit_credit(), 0U);
    (void)played.said();
    EXPECT_EQ(played.host.count(Kind::kWritable), 0U);
    played.handle(ack_octets(kWhole, 0, 10));
    EXPECT_EQ(played.host.count(Kind::kWritable), 1U);
    EXPECT_EQ(played.host.core->transmit_credit(), 10'000U);
    played.handle(ack_octets(kWhole, 1, 10));
    played.host.send(octets_of(20'000, 3), played.now);
    EXPECT_EQ(played.host.core->transmit_credit(), 0U);
    (void)played.host.drain(played.now, 15'000);
    EXPECT_EQ(played.host.count(Kind::kWritable), 2U);
    EXPECT_EQ(played.host.core->transmit_credit(), 10'000 - (20'000 + kStartHeadBytes - 15'000));
}

TEST(Tcpclv4TransferSender, TinySegmentsDoNotMakeItsQueueLarge) {
    Played played(config_of(SessionRole::kPassive), 1, 100'000'000);
    const std::uint64_t credit = played.host.core->transmit_credit();
    EXPECT_EQ(credit, 4U * 1024 * 1024 / 512);
    played.host.send_all({Bytes(credit / 2), Bytes(credit / 2), Bytes(5'000'000)}, played.now);
    EXPECT_LT(played.host.core->queue().pending(), 1'000'000U);
}

TEST(Tcpclv4TransferSender, APieceIsDoneWhenThePeerHasIt) {
    Played played;
    const Bytes bundle = octets_of(3700, 1);
    const auto piece = [&](std::size_t from, std::size_t size) {
        return ByteView(bundle).subspan(from, size);
    };
    played.host.send_piece(piece(0, 1500), false, 2200, played.now, 20);
    const Bytes first = segment_octets(kSegmentStart, 0, piece(0, 1000), length_item(3700)) +
                        segment_octets(0, 0, piece(1000, 500));
    EXPECT_EQ(played.said(), first) << "a segment has what is here";
    EXPECT_EQ(played.host.core->transmit_credit(), 4U * 1024 * 1024);
    played.handle(ack_octets(kSegmentStart, 0, 1000));
    EXPECT_EQ(played.host.transmitted, 0U);
    EXPECT_NE(played.host.core->next_timeout(), kNever);
    played.handle(ack_octets(0, 0, 1500));
    EXPECT_EQ(played.host.transmitted, 1U);
    EXPECT_EQ(played.host.core->next_timeout(), kNever) << "nothing is sent that has no answer";
    played.host.send_piece(piece(1500, 1000), true, 1200, played.now);
    played.host.send_piece(piece(2500, 1200), true, 0, played.now, 1200);
    (void)played.said();
    played.handle(ack_octets(0, 0, 2500));
    EXPECT_EQ(played.host.transmitted, 2U);
    played.handle(ack_octets(kSegmentEnd, 0, 3700));
    EXPECT_EQ(played.host.transmitted, 3U);
    EXPECT_EQ(played.host.count(Kind::kDeparture), 0U);
    // The next bundle is another transfer.
    played.host.send(octets_of(10, 2), played.now);
    EXPECT_EQ(played.said(), segment_octets(kWhole, 1, octets_of(10, 2)));
}

TEST(Tcpclv4TransferSender, ASegmentSpansPiecesThatAreHere) {
    Played played(config_of(SessionRole::kPassive), 400'000, 2'000'000);
    const Bytes bundle = octets_of(1'200'000, 1);
    const ByteView view(bundle);
    played.host.send_piece(view.first(700'000), false, 500'000, played.now);
    played.host.send_piece(view.subspan(700'000), true, 0, played.now);
    Bytes data;
    std::vector<std::uint64_t> sizes;
    const Bytes said = played.said();
    for (ByteView rest(said); !rest.empty();) {
        const auto segment = decode_segment(rest);
        ASSERT_TRUE(segment);
        sizes.push_back(segment->data_bytes);
        EXPECT_EQ(segment->starts(), data.empty());
        append(data, rest.subspan(segment->head_bytes(), segment->data_bytes));
        EXPECT_EQ(segment->ends(), data.size() == bundle.size());
        rest = rest.subspan(segment->head_bytes() + segment->data_bytes);
    }
    EXPECT_EQ(data, bundle);
    EXPECT_EQ(sizes.front(), 65'536U);
    EXPECT_LE(std::ranges::count_if(sizes, [](auto size) { return size != 65'536; }), 1);
}

TEST(Tcpclv4TransferSender, ARefusalInTheMiddleNamesAPieceAndDropsTheRest) {
    Played played;
    played.host.send(octets_of(10, 9), played.now);
    played.host.send_piece(octets_of(1000, 1), false, 5000, played.now);
    played.host.send_piece(octets_of(1000, 2), true, 4000, played.now);
    (void)played.said();
    played.handle(ack_octets(kWhole, 0, 10) + ack_octets(kSegmentStart, 1, 1000));
    EXPECT_EQ(played.host.transmitted, 2U);
    played.handle(refuse_octets(Refusal::kNoResources, 1));
    EXPECT_EQ(played.host.refused, (std::map<std::uint64_t, Refusal>{{2, Refusal::kNoResources}}));
    EXPECT_EQ(played.host.transmitted, 3U);
    // Further pieces are dropped.
    played.host.send_piece(octets_of(1000, 3), true, 3000, played.now);
    EXPECT_EQ(played.said_hex(), "");
    EXPECT_EQ(played.host.transmitted, 4U);
    // The host may go on with another bundle.
    played.host.send(octets_of(10, 4), played.now);
    EXPECT_EQ(played.said(), segment_octets(kWhole, 2, octets_of(10, 4)));
    played.handle(ack_octets(kWhole, 2, 10));
    EXPECT_EQ(played.host.transmitted, 5U);
    EXPECT_EQ(played.host.refused.size(), 1U);
}

TEST(Tcpclv4TransferSender, ARefusalBehindAllThatIsHereNamesTheNextPiece) {
    Played played;
    played.host.send_piece(octets_of(1000, 1), false, 2000, played.now);
    (void)played.said();
    played.handle(ack_octets(kSegmentStart, 0, 1000) + refuse_octets(Refusal::kNoResources, 0));
    EXPECT_EQ(played.host.transmitted, 1U);
    EXPECT_TRUE(played.host.refused.empty());
    played.host.send_piece(octets_of(1000, 2), true, 1000, played.now);
    EXPECT_EQ(played.host.refused, (std::map<std::uint64_t, Refusal>{{1, Refusal::kNoResources}}));
    played.host.send_piece(octets_of(1000, 3), true, 0, played.now);
    EXPECT_EQ(played.said_hex(), "");
    EXPECT_EQ(played.host.transmitted, 3U);
    EXPECT_EQ(played.host.refused.size(), 1U);
}

TEST(Tcpclv4TransferSender, ABundleInPiecesMayBeTooLarge) {
    Played played(config_of(SessionRole::kPassive), 1000, 5000);
    played.host.send_piece(octets_of(1000, 1), false, 4001, played.now);
    EXPECT_EQ(played.host.refused, (std::map<std::uint64_t, Refusal>{{0, Refusal::kTooLarge}}));
    played.host.send_piece(octets_of(4001, 1), true, 0, played.now);
    EXPECT_EQ(played.host.transmitted, 2U);
    EXPECT_EQ(played.said_hex(), "");
    played.host.send_piece(octets_of(1000, 1), false, 4000, played.now);
    EXPECT_FALSE(played.said().empty());
}

}  // namespace
}  // namespace farlink::cla::tcpclv4::transfer_sender_test
