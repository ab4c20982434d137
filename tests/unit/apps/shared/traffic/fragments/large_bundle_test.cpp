// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/fragments/large_bundle.hpp"

#include <gtest/gtest.h>

#include "apps/shared/traffic/content/bundle_template.hpp"
#include "apps/shared/traffic/verifier.hpp"
#include "common/base/random.hpp"

namespace farlink::traffic::large_bundle_test {
namespace {

constexpr std::uint64_t kPayloadBytes = 10'000;
constexpr Arrival kArrival{TimePoint{seconds(5)}, 1'767'225'600'000'000'000};

Bytes bundle_of(std::uint8_t version, std::uint64_t sequence, std::uint64_t to_node = 2) {
    const Pattern pattern(77);
    PayloadHeader header;
    header.length_bytes = kPayloadBytes;
    header.run = 3;
    header.sequence = sequence;
    header.sent_unix_ns = kArrival.unix_ns;
    header.total = 1;
    header.seed = pattern.seed();
    BundleOptions options;
    options.source = bp::ipn_eid(1, 1);
    options.destination = bp::ipn_eid(to_node, 1);
    options.version = version;
    options.payload_bytes = kPayloadBytes;
    auto bundles = BundleTemplate::make(options, pattern);
    Bytes octets(BundleTemplate::kHeadRoom);
    octets.resize(bundles->head(header, octets.data()));
    append(octets, pattern.stretch().first(bundles->tail_bytes()));
    std::array<std::uint8_t, BundleTemplate::kMaxTrailerBytes> trailer;
    append(octets, ByteView(trailer).first(bundles->trailer(trailer.data())));
    return octets;
}

Verifier verifier() {
    return Verifier(bp::Eid(2, 1));
}

/// In pieces of random sizes, in one or two slices each.
void give(Verifier &sink, const Bytes &bundle, Random &random) {
    LargeBundle large;
    for (ByteView rest(bundle); !rest.empty();) {
        const std::size_t least = rest.size() == bundle.size() ? 300 : 1;
        const std::size_t size = std::min<std::size_t>(rest.size(), least + random.below(4000));
        const std::size_t cut = random.below(size + 1);
        const std::array<ByteView, 2> slices{rest.first(cut), rest.subspan(cut, size - cut)};
        large.add(slices);
        rest = rest.subspan(size);
    }
    sink.handle_large(large, kArrival);
}

TEST(LargeBundle, IsCheckedWhereverItIsCut) {
    Random random(1);
    for (int run = 0; run < 100; ++run) {
        Verifier sink = verifier();
        give(sink, bundle_of(run % 2 == 0 ? 7 : 6, 0), random);
        EXPECT_TRUE(sink.totals().flawless()) << run;
        EXPECT_EQ(sink.totals().payload_bytes, kPayloadBytes);
    }
}

TEST(LargeBundle, AChangedOctetIsFoundAnywhere) {
    Random random(2);
    for (const std::uint8_t version : {std::uint8_t{6}, std::uint8_t{7}}) {
        const Bytes bundle = bundle_of(version, 0);
        for (std::size_t at = bundle.size() - kPayloadBytes; at < bundle.size(); at += 97) {
            Bytes changed = bundle;
            changed[at] ^= 1;
            Verifier sink = verifier();
            give(sink, changed, random);
            const Totals totals = sink.totals();
            EXPECT_EQ(totals.received, 0U) << at;
            EXPECT_EQ(totals.corrupt + totals.malformed, 1U) << at;
            if (version == 7) {
                EXPECT_EQ(totals.malformed, 1U) << at;
            }
        }
    }
}

TEST(LargeBundle, ATruncatedOneIsMalformed) {
    Random random(3);
    for (const std::size_t missing : {1, 6, 7, 5000}) {
        Bytes bundle = bundle_of(7, 0);
        bundle.resize(bundle.size() - missing);
        Verifier sink = verifier();
        give(sink, bundle, random);
        EXPECT_EQ(sink.totals().malformed, 1U) << missing;
    }
}

TEST(LargeBundle, ForAnotherEndpointIsMisdelivered) {
    Random random(4);
    Verifier sink = verifier();
    give(sink, bundle_of(7, 0, 9), random);
    EXPECT_EQ(sink.totals().misdelivered, 1U);
}

TEST(LargeBundle, WithoutAHeadItIsKeptAndMalformed) {
    LargeBundle large;
    const Bytes noise(1000, 0x55);
    const ByteView slice(noise);
    large.add({&slice, 1});
    large.add({&slice, 1});
    EXPECT_EQ(large.kept().size(), 2000U);
    Verifier sink = verifier();
    sink.handle_large(large, kArrival);
    EXPECT_EQ(sink.totals().malformed, 1U);
}

}  // namespace
}  // namespace farlink::traffic::large_bundle_test
