// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/content/bundle_template.hpp"

#include <gtest/gtest.h>

#include "common/bp/parse.hpp"
#include "common/bp/v6/custody.hpp"

namespace farlink::traffic::bundle_template_test {
namespace {

constexpr std::uint64_t kSentNs = 1'767'225'600'123'456'789;  // 2026-01-01T00:00:00.123456789Z
constexpr std::uint64_t kSentDtnMs = 820'540'800'123;
const Pattern kPattern(42);

BundleOptions options_for(std::uint8_t version, std::uint64_t payload_bytes) {
    BundleOptions options;
    options.source = bp::Eid(1, 10).view();
    options.destination = bp::Eid(2, 300).view();
    options.version = version;
    options.payload_bytes = payload_bytes;
    return options;
}

PayloadHeader header_for(std::uint64_t sequence, std::uint64_t payload_bytes) {
    PayloadHeader header;
    header.length_bytes = static_cast<std::uint32_t>(payload_bytes);
    header.run = 5;
    header.sequence = sequence;
    header.sent_unix_ns = kSentNs;
    header.seed = kPattern.seed();
    return header;
}

Bytes whole_bundle(BundleTemplate &bundles, const PayloadHeader &header) {
    Bytes bundle(BundleTemplate::kHeadRoom);
    bundle.resize(bundles.head(header, bundle.data()));
    for (std::uint64_t rest = bundles.tail_bytes(); rest > 0;) {
        const std::size_t size = std::min<std::uint64_t>(rest, Pattern::kStretch);
        append(bundle, kPattern.stretch().first(size));
        rest -= size;
    }
    std::array<std::uint8_t, BundleTemplate::kMaxTrailerBytes> trailer;
    append(bundle, ByteView(trailer).first(bundles.trailer(trailer.data())));
    return bundle;
}

void expect_valid(const BundleOptions &options, std::uint64_t sequence) {
    SCOPED_TRACE(testing::Message() << "BPv" << int{options.version} << " payload "
                                    << options.payload_bytes << " sequence " << sequence);
    auto bundles = BundleTemplate::make(options, kPattern);
    ASSERT_TRUE(bundles);
    // One before, so that nothing is left over from a shorter or a longer bundle.
    (void)whole_bundle(*bundles, header_for(sequence / 2, options.payload_bytes));
    const Bytes bundle = whole_bundle(*bundles, header_for(sequence, options.payload_bytes));
    const ByteView octets(bundle);
    const auto view = bp::parse({&octets, 1});  // checks every CRC
    ASSERT_TRUE(view) << bp::to_string(view.error());
    EXPECT_EQ(view->version, options.version);
    EXPECT_EQ(view->source, options.source);
    EXPECT_EQ(view->destination, options.destination);
    EXPECT_TRUE(view->report_to.is_null());
    EXPECT_EQ(view->creation_time, options.version == 7 ? kSentDtnMs : kSentDtnMs / 1000);
    EXPECT_EQ(view->sequence, sequence);
    EXPECT_EQ(view->lifetime_ms, options.lifetime_s * 1000);
    EXPECT_TRUE(view->must_not_fragment);
    EXPECT_FALSE(view->primary_without_crc && options.version == 7);
    if (options.version == 7) {
        EXPECT_TRUE(view->has_hop_count);
        EXPECT_EQ(view->hop_limit, options.hop_limit);
        EXPECT_EQ(view->hop_count, 0U);
    }
    ASSERT_EQ(view->payload_length, options.payload_bytes);
    const ByteView payload = octets.subspan(view->payload_offset, view->payload_length);
    const auto header = PayloadHeader::read(payload, payload.size());
    ASSERT_TRUE(header);
    EXPECT_EQ(header->sequence, sequence);
    EXPECT_EQ(header->run, 5U);
    EXPECT_TRUE(kPattern.matches(payload.subspan(PayloadHeader::kBytes)));
}

TEST(BundleTemplate, WritesValidBundlesForEveryWidthOfTheSequenceNumber) {
    for (const std::uint8_t version : {std::uint8_t{6}, std::uint8_t{7}}) {
        for (unsigned bits = 0; bits <= 64; ++bits) {
            const std::uint64_t edge = bits == 64 ? 0 : std::uint64_t{1} << bits;
            expect_valid(options_for(version, 100), edge - 1);
            expect_valid(options_for(version, 100), edge);
        }
        for (const std::uint64_t sequence : {23, 24, 255, 256, 65535, 65536})
            expect_valid(options_for(version, 100), sequence);
    }
}

TEST(BundleTemplate, WritesValidBundlesOfEverySize) {
    for (const std::uint8_t version : {std::uint8_t{6}, std::uint8_t{7}}) {
        for (std::uint64_t size = PayloadHeader::kBytes; size < 600; ++size)
            expect_valid(options_for(version, size), 3);
        for (const std::uint64_t size : {4143, 4144, 4145, 16432, 65535, 65536, 65537, 1'000'000})
            expect_valid(options_for(version, size), 3);
    }
}

TEST(BundleTemplate, TakesEveryEndpointLifetimeAndHopLimit) {
    for (const std::uint8_t version : {std::uint8_t{6}, std::uint8_t{7}}) {
        BundleOptions options = options_for(version, 64);
        options.source = bp::Eid(~std::uint64_t{0}, ~std::uint64_t{0}).view();
        options.destination = bp::Eid(~std::uint64_t{0}, ~std::uint64_t{0} - 1).view();
        options.lifetime_s = ~std::uint64_t{0} / 1000;
        options.hop_limit = 255;
        expect_valid(options, ~std::uint64_t{0});
        options.hop_limit = 1;
        options.lifetime_s = 1;
        expect_valid(options, 0);
    }
}

TEST(BundleTemplate, AsksForCustody) {
    for (const Custody custody : {Custody::kSignals, Custody::kAggregates}) {
        for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{5000}}) {
            for (const std::uint64_t sequence :
                 {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{1} << 40,
                  ~std::uint64_t{0} - first}) {
                BundleOptions options = options_for(6, 100);
                options.custody = custody;
                options.first_custody_id = first;
                expect_valid(options, sequence);
                auto bundles = BundleTemplate::make(options, kPattern);
                ASSERT_TRUE(bundles);
                const Bytes bundle = whole_bundle(*bundles, header_for(sequence, 100));
                const ByteView octets(bundle);
                const auto view = bp::parse({&octets, 1});
                ASSERT_TRUE(view);
                EXPECT_TRUE(bp::v6::wants_custody(*view));
                EXPECT_EQ(view->custodian, bp::ipn_eid(1, 0));
                const auto id = bp::v6::custody_id_of(*view, octets.first(view->head_end));
                ASSERT_EQ(id.has_value(), custody == Custody::kAggregates);
                EXPECT_EQ(id.value_or(first + sequence), first + sequence);
            }
        }
    }
}

TEST(BundleTemplate, AsksForEveryWay) {
    for (const Custody custody : {Custody::kNone, Custody::kSignals, Custody::kAggregates}) {
        BundleOptions options = options_for(6, 100);
        options.critical = true;
        options.custody = custody;
        expect_valid(options, 5);
        auto bundles = BundleTemplate::make(options, kPattern);
        ASSERT_TRUE(bundles);
        const Bytes bundle = whole_bundle(*bundles, header_for(5, 100));
        const auto view = bp::parse(std::array{ByteView(bundle)});
        ASSERT_TRUE(view);
        EXPECT_TRUE(view->critical);
        EXPECT_EQ(view->ordinal, 0U);
    }
}

TEST(BundleTemplate, LeavesRoomForTheLongestCustodian) {
    BundleOptions options = options_for(6, 64);
    options.source = bp::Eid(~std::uint64_t{0}, ~std::uint64_t{0}).view();
    options.destination = bp::Eid(~std::uint64_t{0}, ~std::uint64_t{0} - 1).view();
    options.lifetime_s = ~std::uint64_t{0} / 1000;
    options.custody = Custody::kAggregates;
    options.first_custody_id = 1;
    options.critical = true;
    expect_valid(options, ~std::uint64_t{0} - 1);
    expect_valid(options, ~std::uint64_t{0});
}

TEST(BundleTemplate, KeepsKnownOctets) {
    auto bundles = BundleTemplate::make(options_for(7, 48), kPattern);
    ASSERT_TRUE(bundles);
    const Bytes bundle = whole_bundle(*bundles, header_for(1, 48));
    const Bytes primary{0x9f, 0x89, 0x07, 0x04, 0x02, 0x82, 0x02, 0x82, 0x02, 0x19, 0x01, 0x2c,
                        0x82, 0x02, 0x82, 0x01, 0x0a, 0x82, 0x01, 0x00, 0x82, 0x1b, 0x00, 0x00,
                        0x00, 0xbf, 0x0c, 0x0a, 0xfc, 0x7b, 0x01, 0x1a, 0x00, 0x36, 0xee, 0x80};
    ASSERT_GT(bundle.size(), primary.size());
    EXPECT_EQ(Bytes(bundle.begin(), bundle.begin() + 36), primary);
    EXPECT_EQ(bundle.back(), 0xff);
}

TEST(BundleTemplate, RefusesWhatNoBundleCanHave) {
    const auto error_of = [](const BundleOptions &options) {
        return BundleTemplate::make(options, kPattern).error();
    };
    EXPECT_EQ(error_of(options_for(7, 47)), TemplateError::kPayloadTooSmall);
    EXPECT_EQ(error_of(options_for(7, BundleTemplate::kMaxPayloadBytes + 1)),
              TemplateError::kPayloadTooLarge);
    EXPECT_EQ(error_of(options_for(5, 48)), TemplateError::kUnknownVersion);
    BundleOptions options = options_for(7, 48);
    options.hop_limit = 0;
    EXPECT_EQ(error_of(options), TemplateError::kBadHopLimit);
    options = options_for(7, 48);
    options.lifetime_s = ~std::uint64_t{0};
    EXPECT_EQ(error_of(options), TemplateError::kBadLifetime);
    options = options_for(7, 48);
    options.custody = Custody::kSignals;
    EXPECT_EQ(error_of(options), TemplateError::kNoCustody);
    options = options_for(7, 48);
    options.critical = true;
    EXPECT_EQ(error_of(options), TemplateError::kNoCritical);
    options = options_for(7, 48);
    options.source = {};
    EXPECT_EQ(error_of(options), TemplateError::kNotIpn);
}

}  // namespace
}  // namespace farlink::traffic::bundle_template_test
