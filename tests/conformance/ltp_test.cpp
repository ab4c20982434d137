// SPDX-License-Identifier: Apache-2.0
// LTP against the vectors: each segment both ways, the claims, and the dialogues.
#include <gtest/gtest.h>

#include "cla/ltp/core/session/interval_list.hpp"
#include "tests/support/ltp_pair.hpp"
#include "tests/support/vectors.hpp"

namespace farlink::cla::ltp::ltp_test {
namespace {

using test::hex_of;
using test::Json;
using test::LtpSide;
using test::to_hex;

const Json &vectors() {
    static const Json loaded = test::load_vectors("ltp.json");
    return loaded;
}

std::uint64_t number(const Json &value) {
    return value.is_string() ? std::stoull(value.get<std::string>()) : value.get<std::uint64_t>();
}

void append_extensions(Bytes &octets, const Json &expect, const char *name, ByteView extensions,
                       std::uint8_t count) {
    const Json listed = expect.value(name, Json::array());
    ASSERT_EQ(count, listed.size());
    ExtensionReader reader(extensions, count);
    for (const Json &wanted : listed) {
        const auto extension = reader.next();
        ASSERT_TRUE(extension.has_value());
        EXPECT_EQ(extension->tag, wanted.at("tag").get<unsigned>());
        EXPECT_EQ(to_hex(extension->value), wanted.at("value").get<std::string>());
        octets.push_back(extension->tag);
        codec::append_sdnv(octets, extension->value.size());
        append(octets, extension->value);
    }
    EXPECT_FALSE(reader.next().has_value());
}

/// Compares the fields with those of the vector, and encodes them.
Bytes content_again(const Json &expect, const Segment &segment) {
    Bytes octets(200 + segment.octets.size());
    std::uint8_t *to = octets.data();
    if (is_data(segment.type)) {
        EXPECT_EQ(segment.data.service, number(expect.at("client_service")));
        EXPECT_EQ(segment.data.offset, number(expect.at("offset")));
        EXPECT_EQ(segment.data.data.size(), number(expect.at("length")));
        EXPECT_EQ(is_checkpoint(segment.type), expect.contains("checkpoint_serial"));
        if (expect.contains("checkpoint_serial")) {
            EXPECT_EQ(segment.data.checkpoint_serial, number(expect.at("checkpoint_serial")));
            EXPECT_EQ(segment.data.report_serial, number(expect.at("report_serial")));
        }
        to = encode_data_fields(to, segment.type, segment.data, segment.data.data.size());
        to = std::copy(segment.data.data.begin(), segment.data.data.end(), to);
    } else if (segment.type == SegmentType::kReport) {
        EXPECT_EQ(segment.report.report_serial, number(expect.at("report_serial")));
        EXPECT_EQ(segment.report.checkpoint_serial, number(expect.at("checkpoint_serial")));
        EXPECT_EQ(segment.report.upper, number(expect.at("upper_bound")));
        EXPECT_EQ(segment.report.lower, number(expect.at("lower_bound")));
        to = encode_report_fields(to, segment.report);
        ClaimReader claims(segment.report);
        for (const Json &wanted : expect.at("claims")) {
            const auto claim = claims.next();
            EXPECT_TRUE(claim.has_value());
            EXPECT_EQ(claim->begin - segment.report.lower, number(wanted.at(0)));
            EXPECT_EQ(claim->size(), number(wanted.at(1)));
            to = encode_claim(to, *claim, segment.report.lower);
        }
        EXPECT_FALSE(claims.next().has_value());
    } else if (segment.type == SegmentType::kReportAck) {
        EXPECT_EQ(segment.acked_report, number(expect.at("report_serial")));
        to += codec::encode_sdnv(segment.acked_report, to);
    } else if (expect.contains("reason")) {
        EXPECT_EQ(segment.reason, number(expect.at("reason")));
        *to++ = segment.reason;
    }
    octets.resize(static_cast<std::size_t>(to - octets.data()));
    return octets;
}

void check_valid(const Json &vector) {
    const Bytes octets = hex_of(vector.at("hex"));
    const Json &expect = vector.at("expect");
    const auto segment = decode_segment(octets);
    ASSERT_TRUE(segment.has_value());
    EXPECT_EQ(static_cast<unsigned>(segment->type), number(expect.at("type")));
    EXPECT_EQ(segment->originator, number(expect.at("originator")));
    EXPECT_EQ(segment->session, number(expect.at("session")));
    Bytes again(kMaxPrefixBytes);
    const auto counts = static_cast<std::uint8_t>(segment->header_extension_count << 4 |
                                                  segment->trailer_extension_count);
    again.resize(static_cast<std::size_t>(
        encode_prefix(again.data(), segment->type, segment->originator, segment->session, counts) -
        again.data()));
    append_extensions(again, expect, "header_extensions", segment->header_extensions,
                      segment->header_extension_count);
    append(again, content_again(expect, *segment));
    append_extensions(again, expect, "trailer_extensions", segment->trailer_extensions,
                      segment->trailer_extension_count);
    EXPECT_EQ(to_hex(again), to_hex(octets));
    for (std::size_t size = 0; size < octets.size(); ++size) {
        const Bytes cut(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size));
        EXPECT_FALSE(decode_segment(cut).has_value()) << "cut to " << size;
    }
}

/// A peer of engine 10, since the vectors' sessions are of that engine or go to it.
std::unique_ptr<LtpSide> engine_with_peer(std::uint64_t engine, std::uint64_t peer) {
    PeerConfig config;
    config.engine = EngineId{peer};
    config.hold_closing_reports = false;
    auto side = std::make_unique<LtpSide>(EngineConfig{EngineId{engine}, {}, 64}, config, 5);
    side->engine.contact_opened(side->peer, TimePoint(seconds(1)));
    side->keep_octets = true;
    return side;
}

constexpr TimePoint kNow{seconds(5)};

std::vector<Bytes> converse(LtpSide &side, ByteView datagram) {
    if (!datagram.empty()) side.engine.handle_datagram(side.peer, datagram, kNow);
    side.drain(kNow);
    std::vector<Bytes> answers;
    side.batch.clear();
    side.engine.poll_segments(side.peer, side.batch, 1'000'000, kNow);
    for (const OutSegment &segment : side.batch.segments()) {
        answers.emplace_back();
        for (const ByteView piece : side.batch.pieces_of(segment)) append(answers.back(), piece);
    }
    return answers;
}

TEST(LtpVectors, Segments) {
    std::size_t valid = 0;
    for (const Json &vector : vectors().at("segments")) {
        SCOPED_TRACE(vector.at("id").get<std::string>());
        if (vector.at("verdict") == "valid") {
            check_valid(vector);
            ++valid;
            continue;
        }
        const Bytes octets = hex_of(vector.at("hex"));
        EXPECT_FALSE(decode_segment(octets).has_value());
        const auto side = engine_with_peer(10, 10);
        side->engine.handle_datagram(side->peer, octets, kNow);
        EXPECT_TRUE(converse(*side, {}).empty());
        EXPECT_EQ(side->engine.sessions_in() + side->engine.sessions_out(), 0U);
    }
    EXPECT_GT(valid, 15U);
}

TEST(LtpVectors, Claims) {
    for (const Json &vector : vectors().at("claims")) {
        SCOPED_TRACE(vector.at("id").get<std::string>());
        const auto lower = number(vector.at("lower_bound"));
        const auto upper = number(vector.at("upper_bound"));
        if (!vector.contains("claims")) {
            EXPECT_GE(lower, upper);
            continue;
        }
        IntervalPool pool;
        IntervalList received;
        for (const Json &range : vector.at("received_ranges_inclusive"))
            ASSERT_TRUE(received.add(pool, number(range.at(0)), number(range.at(1)) + 1));
        Json claims = Json::array();
        std::uint64_t cursor = lower;
        while (const auto part = received.next_part(pool, cursor, upper)) {
            claims.push_back({part->begin - lower, part->size()});
            cursor = part->end;
        }
        EXPECT_EQ(claims, vector.at("claims"));
        // What the sender infers from the claims alone.
        IntervalList acknowledged;
        for (const Json &claim : claims)
            ASSERT_TRUE(acknowledged.add(pool, lower + number(claim.at(0)),
                                         lower + number(claim.at(0)) + number(claim.at(1))));
        Json gaps = Json::array();
        cursor = lower;
        while (const auto gap = acknowledged.next_gap(pool, cursor, upper)) {
            gaps.push_back({gap->begin, gap->end - 1});
            cursor = gap->end;
        }
        EXPECT_EQ(gaps, vector.at("retransmit_ranges_inclusive"));
    }
}

/// The dialogues in which the product receives: a report of the given scope and claims.
void expect_report(const Bytes &answer, std::uint64_t checkpoint, Interval scope,
                   const std::vector<Interval> &claims) {
    const auto segment = decode_segment(answer);
    ASSERT_TRUE(segment.has_value());
    ASSERT_EQ(segment->type, SegmentType::kReport);
    EXPECT_EQ(segment->originator, 99U);
    EXPECT_EQ(segment->report.checkpoint_serial, checkpoint);
    EXPECT_EQ(segment->report.lower, scope.begin);
    EXPECT_EQ(segment->report.upper, scope.end);
    ClaimReader reader(segment->report);
    for (const Interval &claim : claims) EXPECT_EQ(reader.next(), claim);
    EXPECT_FALSE(reader.next().has_value());
}

const Json &dialogue(const std::string &id) {
    for (const Json &found : vectors().at("dialogues"))
        if (found.at("id") == id) return found;
    throw std::runtime_error("no dialogue " + id);
}

/// Sends what the tester sends; returns all answers.
std::vector<Bytes> play(LtpSide &side, const Json &steps) {
    std::vector<Bytes> answers;
    for (const Json &step : steps.at("steps")) {
        const std::string hex = step.value("tester_sends", "");
        if (hex.empty()) continue;
        for (Bytes &answer : converse(side, test::from_hex(hex))) answers.push_back(answer);
    }
    return answers;
}

Bytes bundle() {
    return hex_of(vectors().at("bundle_hex"));
}

TEST(LtpVectors, RedBlocksAreReportedAndDelivered) {
    for (const char *const id : {"ltp-dlg-01", "ltp-dlg-03"}) {
        SCOPED_TRACE(id);
        const auto side = engine_with_peer(10, 99);
        const auto answers = play(*side, dialogue(id));
        ASSERT_EQ(answers.size(), 1U);
        expect_report(answers[0], 17, {0, 1059}, {{0, 1059}});
        ASSERT_EQ(side->blocks.size(), 1U);
        EXPECT_EQ(side->blocks[0], bundle());
    }
}

TEST(LtpVectors, AGapIsReportedAndFilled) {
    const auto side = engine_with_peer(10, 99);
    const auto answers = play(*side, dialogue("ltp-dlg-02"));
    ASSERT_EQ(answers.size(), 1U);
    expect_report(answers[0], 17, {0, 1059}, {{0, 400}, {800, 1059}});
    const auto first = decode_segment(answers[0]);
    Bytes ack(kMaxControlBytes);
    std::uint8_t *to = encode_prefix(ack.data(), SegmentType::kReportAck, 99, 4242);
    to += codec::encode_sdnv(first->report.report_serial, to);
    ack.resize(static_cast<std::size_t>(to - ack.data()));
    EXPECT_TRUE(converse(*side, ack).empty());
    Bytes repair(100);
    to = encode_prefix(repair.data(), SegmentType::kCheckpoint, 99, 4242);
    to = encode_data_fields(to, SegmentType::kCheckpoint,
                            {1, 400, 18, first->report.report_serial, {}}, 400);
    repair.resize(static_cast<std::size_t>(to - repair.data()));
    append(repair, ByteView(bundle()).subspan(400, 400));
    const auto second = converse(*side, repair);
    ASSERT_EQ(second.size(), 1U);
    expect_report(second[0], 18, {0, 800}, {{0, 800}});
    EXPECT_EQ(decode_segment(second[0])->report.report_serial, first->report.report_serial + 1);
    ASSERT_EQ(side->blocks.size(), 1U);
    EXPECT_EQ(side->blocks[0], bundle());
}

TEST(LtpVectors, AGreenBlockIsDeliveredSilently) {
    const auto side = engine_with_peer(10, 99);
    EXPECT_TRUE(play(*side, dialogue("ltp-dlg-07")).empty());
    ASSERT_EQ(side->blocks.size(), 1U);
    EXPECT_EQ(side->blocks[0], bundle());
}

TEST(LtpVectors, ASenderMayCancel) {
    const auto side = engine_with_peer(10, 99);
    const auto answers = play(*side, dialogue("ltp-dlg-08"));
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(to_hex(answers[0]), "0d63a11200");
    EXPECT_TRUE(side->blocks.empty());
    EXPECT_EQ(side->engine.sessions_in(), 0U);
}

/// Report 5000 of the tester on a block of engine 10, with these claims.
Bytes report_of(const Segment &checkpoint, const std::vector<Interval> &claims) {
    Bytes report(200);
    std::uint8_t *to = encode_prefix(report.data(), SegmentType::kReport, 10, checkpoint.session);
    to = encode_report_fields(
        to, {5000, checkpoint.data.checkpoint_serial, checkpoint.data.end(), 0, claims.size(), {}});
    for (const Interval &claim : claims) to = encode_claim(to, claim, 0);
    report.resize(static_cast<std::size_t>(to - report.data()));
    return report;
}

TEST(LtpVectors, ASenderEndsWithTheReport) {
    const auto side = engine_with_peer(10, 99);
    ASSERT_TRUE(side->send(1, bundle(), BlockRequest::kAllRed, kNow));
    const auto sent = converse(*side, {});
    const auto last = decode_segment(sent.back());
    ASSERT_TRUE(last.has_value());
    EXPECT_EQ(last->type, SegmentType::kEndOfRedBlock);
    EXPECT_EQ(last->originator, 10U);
    EXPECT_NE(last->data.checkpoint_serial, 0U);
    EXPECT_EQ(last->data.report_serial, 0U);
    const auto answers = converse(*side, report_of(*last, {{0, last->data.end()}}));
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(decode_segment(answers[0])->acked_report, 5000U);
    EXPECT_EQ(side->engine.sessions_out(), 0U);
}

TEST(LtpVectors, ASenderFillsAGap) {
    const auto side = engine_with_peer(10, 99);
    ASSERT_TRUE(side->send(1, bundle(), BlockRequest::kAllRed, kNow));
    const auto sent = converse(*side, {});
    const auto last = decode_segment(sent.back());
    ASSERT_TRUE(last.has_value());
    const auto answers = converse(*side, report_of(*last, {{0, 100}, {300, last->data.end()}}));
    ASSERT_EQ(answers.size(), 2U);
    EXPECT_EQ(decode_segment(answers[0])->acked_report, 5000U);
    const auto repair = decode_segment(answers[1]);
    EXPECT_EQ(repair->type, SegmentType::kCheckpoint);
    EXPECT_EQ(repair->data.offset, 100U);
    EXPECT_EQ(repair->data.end(), 300U);
    EXPECT_EQ(repair->data.checkpoint_serial, last->data.checkpoint_serial + 1);
    EXPECT_EQ(repair->data.report_serial, 5000U);
    EXPECT_TRUE(std::ranges::equal(repair->data.data, ByteView(bundle()).subspan(100, 200)));
}

}  // namespace
}  // namespace farlink::cla::ltp::ltp_test
