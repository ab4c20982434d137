// SPDX-License-Identifier: Apache-2.0
// Bundles that are not what their standard wants: put up with, or refused.
#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

#include "common/bp/parse.hpp"

namespace farlink::ingress::deviation_check_test {
namespace {

class IngressManners : public IngressFixture {
protected:
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
    std::vector<TransferDisposition> edited(UpstreamId from) {
        std::vector<TransferDisposition> received;
        while (const auto run = core().upstreams().poll_disposition())
            if (run->upstream == from)
                received.insert(received.end(), run->count, run->disposition);
        return received;
    }
};

TEST_F(IngressManners, FragmentsWithoutBlockNumbersGoOnAndAreCounted) {
    all_up();
    receive({unnumbered(1), unnumbered(2), bundle().octets()});
    receive({unnumbered(3)}, kUp2);
    std::size_t forwarded = 0;
    for (const BatchPtr &batch : at_egress) forwarded += batch->bundles.size();
    EXPECT_EQ(forwarded, 4U);
    const auto first = core().poll_deviation();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->from, kUp);
    EXPECT_EQ(first->kind, BundleDeviation::kUnnumberedBlocks);
    EXPECT_EQ(first->count, 2U);
    const auto second = core().poll_deviation();
    ASSERT_TRUE(second);
    EXPECT_EQ(second->from, kUp2);
    EXPECT_FALSE(core().poll_deviation());
    EXPECT_FALSE(core().take_notices().rejected);
}

TEST_F(IngressManners, AStrictLinkRefusesThem) {
    all_up();
    core().handle_upstream_opened(kUp, true);
    core().upstreams().set_policy(kUp, {.strict = true});
    core().upstreams().set_link(kUp, LinkId{5});
    receive({unnumbered(1), bundle().octets()});
    EXPECT_EQ(malformed(bp::ParseError::kBadBlockNumber), 1U);
    EXPECT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(edited(kUp), std::vector<TransferDisposition>{TransferDisposition::kNotAcceptable});
    const auto rejected = core().take_notices().rejected;
    ASSERT_TRUE(rejected);
    EXPECT_EQ(rejected->from, kUp);
    EXPECT_EQ(rejected->link, LinkId{5});
    EXPECT_EQ(rejected->why, "invalid or repeated block number");
    EXPECT_TRUE(core().poll_deviation()) << "counted all the same";
}

/// A bundle whose primary block has no CRC; `signs`: a block integrity block signs it instead.
Bytes without_crc(std::uint64_t sequence, bool signs) {
    constexpr std::uint8_t kSignsThePrimary[] = {0x81, 0x00, 0x01, 0x00};
    bp::v7::PrimaryFields primary;
    primary.crc_type = bp::v7::CrcType::kNone;
    primary.destination = bp::ipn_eid(2, 1);
    primary.source = bp::ipn_eid(1, 1);
    primary.creation_time_ms = test::kStart;
    primary.sequence = sequence;
    primary.lifetime_ms = 3'600'000;
    bp::v7::Builder builder(primary);
    if (signs)
        builder.add_block(bp::v7::kIntegrityBlock, 0, bp::v7::CrcType::kNone, kSignsThePrimary);
    return std::move(builder).finish(test::octets_of(20, sequence));
}

// RFC 9171 section 4.3.1.
TEST_F(IngressManners, APrimaryBlockWithoutCrcIsCountedUnlessItIsSigned) {
    all_up();
    receive({without_crc(1, false), without_crc(2, true)});
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(at_egress[0]->bundles.size(), 2U);
    const auto run = core().poll_deviation();
    ASSERT_TRUE(run);
    EXPECT_EQ(run->kind, BundleDeviation::kPrimaryWithoutCrc);
    EXPECT_EQ(run->count, 1U);
}

TEST_F(IngressManners, AStrictLinkWantsItSigned) {
    all_up();
    core().upstreams().set_policy(kUp, {.strict = true});
    receive({without_crc(1, false), without_crc(2, true)});
    EXPECT_EQ(malformed(bp::ParseError::kPrimaryWithoutCrc), 1U);
    ASSERT_EQ(at_egress.size(), 1U);
    EXPECT_EQ(at_egress[0]->bundles.size(), 1U);
}

// RFC 9171 section 4.4.2.
TEST_F(IngressManners, NeitherTimeNorAgeIsRefused) {
    all_up();
    core().handle_upstream_opened(kUp, true);
    test::TestBundle ageless = bundle();
    ageless.created_ms = 0;
    receive({ageless.octets()});
    EXPECT_TRUE(at_egress.empty());
    EXPECT_EQ(malformed(bp::ParseError::kAgeMissing), 1U);
    EXPECT_EQ(edited(kUp), std::vector<TransferDisposition>{TransferDisposition::kNotAcceptable});
    const auto run = core().poll_deviation();
    ASSERT_TRUE(run);
    EXPECT_EQ(run->kind, BundleDeviation::kAgeBlockMissing);
}

TEST_F(IngressManners, WhereItIsAllowedTheAgeBeginsHere) {
    all_up();
    core().upstreams().set_policy(kUp, {.allows_missing_age = true});
    test::TestBundle ageless = bundle();
    ageless.created_ms = 0;
    ageless.hop_limit = 9;
    ageless.lifetime_ms = 5000;
    const Bytes octets = ageless.octets();
    receive({octets});
    receive_sliced(octets, {octets.size() - 10});
    ASSERT_EQ(at_egress.size(), 2U);
    for (const BatchPtr &batch : at_egress) {
        const Bytes sent = content(*batch).front();
        const ByteView whole = sent;
        const auto view = bp::parse({&whole, 1});
        ASSERT_TRUE(view) << to_string(view.error());
        EXPECT_TRUE(view->has_age);
        EXPECT_EQ(view->age_ms, 0U);
        EXPECT_FALSE(view->lacks_age);
        EXPECT_EQ(view->hop_limit, 9U);
        EXPECT_EQ(batch->bytes, sent.size());
        EXPECT_GT(batch->bundles[0].expiry, test::kStart + 6000) << "5 s from now on";
        EXPECT_LE(batch->bundles[0].expiry, test::kStart + 6001);
        EXPECT_TRUE(std::ranges::equal(whole.subspan(view->payload_offset, view->payload_length),
                                       ageless.payload()));
    }
}

TEST_F(IngressManners, WhatIsMalformedIsToldToTheLog) {
    all_up();
    core().upstreams().set_neighbour(kUp, NodeNumber{3});
    receive({Bytes{0x42}});
    const auto rejected = core().take_notices().rejected;
    ASSERT_TRUE(rejected);
    EXPECT_EQ(rejected->neighbour, NodeNumber{3});
    EXPECT_EQ(rejected->why, "neither version 6 nor version 7 of the Bundle Protocol");
    EXPECT_FALSE(core().take_notices().rejected) << "each once";
}

}  // namespace
}  // namespace farlink::ingress::deviation_check_test
