// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/verifier.hpp"

#include <gtest/gtest.h>

#include "apps/shared/traffic/content/bundle_template.hpp"

namespace farlink::traffic::verifier_test {
namespace {

constexpr std::uint64_t kPayloadBytes = 200;
constexpr std::uint64_t kSentNs = 1'767'225'600'000'000'000;
constexpr Arrival kArrival{TimePoint{seconds(5)}, kSentNs + 2'000'000};

/// A generator without a socket.
class Source {
public:
    explicit Source(std::uint64_t run, std::uint8_t version = 7, std::uint64_t to_node = 2)
        : pattern_(run + 1), version_(version), to_node_(to_node) {
        header_.length_bytes = kPayloadBytes;
        header_.run = run;
        header_.sent_unix_ns = kSentNs;
        header_.seed = pattern_.seed();
    }

    PayloadHeader &header() { return header_; }

    Bytes bundle(std::uint64_t sequence, std::uint64_t total = 0) {
        header_.sequence = sequence;
        header_.total = total;
        BundleOptions options;
        options.source = bp::Eid(1, 1).view();
        options.destination = bp::Eid(to_node_, 1).view();
        options.version = version_;
        options.payload_bytes = kPayloadBytes;
        auto bundles = BundleTemplate::make(options, pattern_);
        Bytes octets(BundleTemplate::kHeadRoom);
        octets.resize(bundles->head(header_, octets.data()));
        append(octets, pattern_.stretch().first(bundles->tail_bytes()));
        std::array<std::uint8_t, BundleTemplate::kMaxTrailerBytes> trailer;
        append(octets, ByteView(trailer).first(bundles->trailer(trailer.data())));
        return octets;
    }

private:
    Pattern pattern_;
    std::uint8_t version_;
    std::uint64_t to_node_;
    PayloadHeader header_;
};

Verifier verifier() {
    return Verifier(bp::Eid(2, 1));
}

void give(Verifier &sink, ByteView bundle, const Arrival &arrival = kArrival) {
    sink.handle_bundle({&bundle, 1}, arrival);
}

TEST(Verifier, IsContentWithEachBundleOnce) {
    for (const std::uint8_t version : {std::uint8_t{6}, std::uint8_t{7}}) {
        Verifier sink = verifier();
        Source source(1, version);
        for (std::uint64_t i = 0; i < 10; ++i) give(sink, source.bundle(i, i == 9 ? 10 : 0));
        const Totals totals = sink.totals();
        EXPECT_TRUE(totals.flawless());
        EXPECT_EQ(totals.received, 10U);
        EXPECT_EQ(totals.payload_bytes, 10 * kPayloadBytes);
        EXPECT_EQ(totals.runs, 1U);
        EXPECT_EQ(sink.latency().largest(), 2'000'000U);
    }
}

TEST(Verifier, OfNothingIsNotContent) {
    EXPECT_FALSE(verifier().totals().flawless());
}

TEST(Verifier, WantsToKnowTheTotal) {
    Verifier sink = verifier();
    Source source(1);
    give(sink, source.bundle(0));
    EXPECT_FALSE(sink.totals().complete);
    EXPECT_EQ(sink.totals().lost, 0U);
}

TEST(Verifier, CountsLossesRepeatsAndChangesOfOrder) {
    Verifier sink = verifier();
    Source source(1);
    for (const std::uint64_t sequence : {0, 2, 1, 2, 5}) give(sink, source.bundle(sequence, 8));
    const Totals totals = sink.totals();
    EXPECT_EQ(totals.received, 4U);
    EXPECT_EQ(totals.duplicates, 1U);
    EXPECT_EQ(totals.out_of_order, 1U);
    EXPECT_EQ(totals.lost, 4U);
    EXPECT_FALSE(totals.flawless());
}

TEST(Verifier, ReceivesRequestsOfBpingOutsideOfRuns) {
    for (const std::uint8_t version : {std::uint8_t{6}, std::uint8_t{7}}) {
        Verifier sink = verifier();
        Source ping(1, version);
        ping.header().is_ping = true;
        for (const std::uint64_t sequence : {1'500'000'000, 1'500'000'001, 7})
            give(sink, ping.bundle(sequence));
        EXPECT_EQ(sink.totals().received, 3U);
        EXPECT_EQ(sink.totals().payload_bytes, 3 * kPayloadBytes);
        EXPECT_EQ(sink.totals().runs, 0U);
        EXPECT_EQ(sink.totals().lost, 0U);
        EXPECT_EQ(sink.totals().corrupt, 0U);
        EXPECT_EQ(sink.totals().duplicates, 0U);
        EXPECT_FALSE(sink.totals().complete);  // no run has begun
        Source run(1, version);
        give(sink, run.bundle(0, 1));
        EXPECT_TRUE(sink.totals().flawless());
        EXPECT_EQ(sink.totals().runs, 1U);
        Bytes damaged = ping.bundle(8);
        damaged[damaged.size() - 20] ^= 1;
        give(sink, damaged);
        EXPECT_EQ(sink.totals().received, 4U);
        EXPECT_FALSE(sink.totals().flawless());
    }
}

TEST(Verifier, CountsRepeatedRequestsOfBping) {
    Verifier sink = verifier();
    Source ping(1, std::uint8_t{7});
    ping.header().is_ping = true;
    give(sink, ping.bundle(1'500'000'000));
    give(sink, ping.bundle(1'500'000'000));
    EXPECT_EQ(sink.totals().received, 1U);
    EXPECT_EQ(sink.totals().duplicates, 1U);
}

TEST(Verifier, KeepsRunsApart) {
    Verifier sink = verifier();
    Source first(1);
    Source second(2);
    give(sink, first.bundle(0, 2));
    give(sink, second.bundle(0, 1));
    EXPECT_FALSE(sink.totals().complete);
    give(sink, first.bundle(1, 2));
    const Totals totals = sink.totals();
    EXPECT_TRUE(totals.flawless());
    EXPECT_EQ(totals.runs, 2U);
    EXPECT_EQ(totals.received, 3U);
}

TEST(Verifier, NeverTakesAChangedOctetForABundleOfTheRun) {
    for (const std::uint8_t version : {std::uint8_t{6}, std::uint8_t{7}}) {
        Verifier sink = verifier();
        Source source(1, version);
        give(sink, source.bundle(0, 2));
        const Bytes whole = source.bundle(1, 2);
        const std::size_t payload_at = whole.size() - kPayloadBytes - (version == 7 ? 6 : 0);
        for (std::size_t at = payload_at; at < payload_at + kPayloadBytes; ++at) {
            // BPv6 has no CRC: what the sink cannot know is the send time, nor the total.
            const std::size_t in_header = at - payload_at;
            if (version == 6 && in_header >= 24 && in_header < 40) continue;
            Bytes changed = whole;
            changed[at] ^= 0x10;
            give(sink, changed);
        }
        const Totals totals = sink.totals();
        if (version == 7) {
            EXPECT_EQ(totals.malformed, kPayloadBytes);
            EXPECT_EQ(sink.malformed(bp::ParseError::kCrcMismatch), kPayloadBytes);
        } else {
            // A changed run number (8 octets) is another run, which never completes.
            EXPECT_EQ(totals.corrupt + totals.runs - 1, kPayloadBytes - 16);
        }
        EXPECT_FALSE(totals.flawless());
    }
}

TEST(Verifier, TakesABundleInAnySlices) {
    for (const std::uint8_t version : {std::uint8_t{6}, std::uint8_t{7}}) {
        Source source(1, version);
        const Bytes whole = source.bundle(0, 1);
        for (std::size_t first = 0; first <= whole.size(); ++first) {
            for (const std::size_t second : {std::size_t{0}, std::size_t{1}, std::size_t{60}}) {
                const ByteView rest = ByteView(whole).subspan(first);
                const std::size_t cut = std::min(second, rest.size());
                const std::array<ByteView, 3> slices{ByteView(whole).first(first), rest.first(cut),
                                                     rest.subspan(cut)};
                Verifier sink = verifier();
                sink.handle_bundle(slices, kArrival);
                ASSERT_TRUE(sink.totals().flawless()) << first << ", " << cut;
            }
        }
    }
}

TEST(Verifier, CountsWhatIsForOthers) {
    Verifier sink = verifier();
    Source source(1, 7, 3);
    give(sink, source.bundle(0, 1));
    EXPECT_EQ(sink.totals().misdelivered, 1U);
    EXPECT_EQ(sink.totals().received, 0U);
}

TEST(Verifier, CountsWhatIsNotABundle) {
    Verifier sink = verifier();
    Source source(1);
    const Bytes whole = source.bundle(0, 1);
    for (std::size_t size = 0; size < whole.size(); ++size) give(sink, ByteView(whole).first(size));
    EXPECT_EQ(sink.totals().malformed, whole.size());
}

TEST(Verifier, RefusesAnotherSeedInTheSameRun) {
    Verifier sink = verifier();
    Source source(1);
    give(sink, source.bundle(0, 2));
    source.header().seed ^= 1;
    give(sink, source.bundle(1, 2));
    EXPECT_EQ(sink.totals().corrupt, 1U);
}

TEST(Verifier, BoundsTheNumberOfRuns) {
    Verifier sink = verifier();
    for (std::uint64_t run = 0; run < 1030; ++run) give(sink, Source(run).bundle(0, 1));
    EXPECT_EQ(sink.totals().runs, 1024U);
    EXPECT_EQ(sink.totals().corrupt, 6U);
}

TEST(Verifier, TakesAClockThatIsBehindForNoTimeAtAll) {
    Verifier sink = verifier();
    Source source(1);
    give(sink, source.bundle(0, 1), Arrival{TimePoint{}, kSentNs - 1});
    EXPECT_EQ(sink.latency().largest(), 0U);
}

}  // namespace
}  // namespace farlink::traffic::verifier_test
