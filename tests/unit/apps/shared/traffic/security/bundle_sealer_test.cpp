// SPDX-License-Identifier: Apache-2.0
#if FARLINK_TLS
#include "apps/shared/traffic/security/bundle_sealer.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>

#include "apps/shared/traffic/security/bundle_opener.hpp"
#include "apps/shared/traffic/security/sealed_bundles.hpp"
#include "apps/shared/traffic/verifier.hpp"
#include "common/bp/parse.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::traffic::bundle_sealer_test {
namespace {

constexpr std::uint64_t kSentNs = 1'767'225'600'000'000'000;
constexpr DtnTime kNow = 820'540'800'000;
constexpr Arrival kArrival{TimePoint{seconds(5)}, kSentNs + 2'000'000};

constexpr const char *kKeys = R"([k1]
algorithm = hmac-sha256
key = 1111111111111111111111111111111111111111111111111111111111111111
[k2]
algorithm = hmac-sha512
key = 4444444444444444444444444444444444444444444444444444444444444444
[old]
algorithm = hmac-sha256
key = 3333333333333333333333333333333333333333333333333333333333333333
not-after = 2025-01-01T00:00:00Z
[c1]
algorithm = aes-256-gcm
key = 2222222222222222222222222222222222222222222222222222222222222222
[w1]
algorithm = wrap-aes
key = 55555555555555555555555555555555
)";

class SealedRun : public testing::Test {
protected:
    SealedRun() : pattern_(9) {
        write("all.key", kKeys);
        header_.seed = pattern_.seed();
        header_.run = 7;
        header_.sent_unix_ns = kSentNs;
    }

    void write(const char *name, std::string_view text) const {
        folder_.write(name, text);
        ::chmod((folder_ / name).c_str(), 0600);
    }
    [[nodiscard]] std::string key(std::string_view id) const {
        return folder_ / "all.key" + (id.empty() ? "" : ":" + std::string(id));
    }
    [[nodiscard]] std::string fault_of(std::string_view sign, std::string_view encrypt) const {
        const auto made = make_sealer({std::string(sign), std::string(encrypt), 1}, kNow);
        return made ? std::string() : made.error();
    }

    /// The bundles of a run of that many, sealed so.
    std::vector<Bytes> sealed(const SealOptions &options, std::uint64_t payload_bytes,
                              std::uint64_t count = 3) {
        BundleOptions shape;
        shape.source = bp::Eid(1, 1).view();
        shape.destination = bp::Eid(2, 1).view();
        shape.payload_bytes = payload_bytes;
        auto bundles = BundleTemplate::make(shape, pattern_).value();
        auto sealer = make_sealer(options, kNow).value();
        SealedBundles maker(bundles, pattern_, *sealer);
        header_.length_bytes = static_cast<std::uint32_t>(payload_bytes);
        header_.total = count;
        std::vector<Bytes> made;
        for (header_.sequence = 0; header_.sequence < count; ++header_.sequence)
            made.push_back(maker.make(header_).value());
        return made;
    }

    /// What the opener counts, and the verifier behind it.
    struct Outcome {
        OpenTotals security;
        Totals totals;
    };
    static Outcome opened(const OpenOptions &options, const std::vector<Bytes> &bundles) {
        const auto opener = make_opener(options).value();
        Verifier verifier(bp::Eid(2, 1));
        for (const Bytes &bundle : bundles) {
            const ByteView slice = bundle;
            verifier.handle_bundle(opener->open({&slice, 1}, kNow), kArrival);
        }
        return {opener->totals(), verifier.totals()};
    }

    test::TempFolder folder_;
    Pattern pattern_;
    PayloadHeader header_;
};

TEST_F(SealedRun, IsVerifiedAndDecrypted) {
    for (const std::uint64_t size : {48U, 100U, 5000U, 300'000U})
        for (const char *const cipher : {"c1", "w1"}) {
            const auto bundles = sealed({key("k1"), key(cipher), 1}, size);
            const Outcome outcome = opened({key(""), key("")}, bundles);
            EXPECT_TRUE(outcome.totals.flawless()) << size << ' ' << cipher;
            EXPECT_TRUE(outcome.security.flawless());
            EXPECT_EQ(outcome.security.verified, 3U);
            EXPECT_EQ(outcome.security.decrypted, 3U);
            for (const Bytes &bundle : bundles) EXPECT_LE(bundle.size(), size + 1024 + 256);
        }
}

TEST_F(SealedRun, OnlySignedIsReadWithoutKeys) {
    const auto bundles = sealed({key("k2"), "", 1}, 200);
    EXPECT_TRUE(opened({}, bundles).totals.flawless());
    const Outcome outcome = opened({key("k2"), ""}, bundles);
    EXPECT_TRUE(outcome.totals.flawless());
    EXPECT_EQ(outcome.security.verified, 3U);
}

TEST_F(SealedRun, AnotherKeyIsNoProof) {
    const Outcome outcome = opened({key("k1"), ""}, sealed({key("k2"), "", 1}, 200));
    EXPECT_EQ(outcome.security.failed, 3U);
    EXPECT_EQ(outcome.security.verified, 0U);
    EXPECT_FALSE(outcome.security.flawless());
}

TEST_F(SealedRun, LacksWhatIsDemanded) {
    const auto bundles = sealed({key("k1"), "", 1}, 200);
    const Outcome outcome = opened({key(""), key("")}, bundles);
    EXPECT_EQ(outcome.security.missing, 3U);
    EXPECT_EQ(outcome.security.verified, 3U);
    EXPECT_EQ(opened({key(""), ""}, sealed({"", key("c1"), 1}, 200)).security.missing, 3U);
}

TEST_F(SealedRun, EachFlippedBitIsNoticed) {
    const Bytes good = sealed({key("k1"), key("c1"), 1}, 60, 1).front();
    for (std::size_t at = 0; at < good.size(); ++at) {
        Bytes bad = good;
        bad[at] ^= 1U << at % 8;
        const Outcome outcome = opened({key(""), key("")}, {bad});
        const bool noticed = !outcome.security.flawless() || !outcome.totals.flawless();
        // The hop count block is no target.
        const Outcome decrypted = opened({"", key("c1")}, {bad});
        EXPECT_TRUE(noticed || decrypted.totals.flawless()) << "octet " << at;
    }
}

TEST_F(SealedRun, NoVectorIsUsedTwice) {
    std::set<Bytes> ciphertexts;
    for (int again = 0; again < 3; ++again)
        for (const Bytes &bundle : sealed({"", key("c1"), 1}, 100)) {
            const ByteView slice = bundle;
            const auto view = bp::parse({&slice, 1});
            ASSERT_TRUE(view);
            const ByteView payload = slice.subspan(view->payload_offset, view->payload_length);
            EXPECT_TRUE(ciphertexts.emplace(payload.begin(), payload.end()).second);
        }
}

TEST_F(SealedRun, NamesWhatIsWrongWithAKey) {
    EXPECT_EQ(fault_of(key("k1"), key("c1")), "");
    EXPECT_NE(fault_of(key(""), "").find("expected FILE:ID"), std::string::npos);
    EXPECT_NE(fault_of(key("gone"), "").find("found no key gone"), std::string::npos);
    EXPECT_NE(fault_of(key("c1"), "").find("key c1 may not be used to sign"), std::string::npos);
    EXPECT_NE(fault_of(key("old"), "").find("valid now"), std::string::npos);
    EXPECT_NE(fault_of(folder_ / "none.key", "").find("--sign: "), std::string::npos);
    ::chmod((folder_ / "all.key").c_str(), 0644);
    EXPECT_NE(fault_of("", key("c1")).find("--encrypt: "), std::string::npos);
}

TEST_F(SealedRun, EndsWithTheKey) {
    write("short.key",
          "[s]\nalgorithm = hmac-sha256\n"
          "key = 11111111111111111111111111111111\n"
          "not-after = 2026-01-01T00:00:01Z\n");
    BundleOptions shape;
    shape.source = bp::Eid(1, 1).view();
    shape.destination = bp::Eid(2, 1).view();
    auto bundles = BundleTemplate::make(shape, pattern_).value();
    const auto sealer = make_sealer({folder_ / "short.key", "", 1}, kNow).value();
    SealedBundles maker(bundles, pattern_, *sealer);
    header_.length_bytes = 100;
    EXPECT_TRUE(maker.make(header_));
    header_.sent_unix_ns += 1'000'000'000;
    const auto late = maker.make(header_);
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error(), "key s has expired");
}

}  // namespace
}  // namespace farlink::traffic::bundle_sealer_test
#endif  // FARLINK_TLS
