// SPDX-License-Identifier: Apache-2.0
#if FARLINK_TLS
#include "apps/bpinspect/security/security_checker.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "apps/bpinspect/core/inspect.hpp"
#include "apps/bpinspect/report.hpp"
#include "common/bp/v7/builder.hpp"
#include "tests/support/security.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::inspect::security_checker_test {
namespace {

constexpr const char *kKeys = R"([k1]
algorithm = hmac-sha256
key = 1111111111111111111111111111111111111111111111111111111111111111
[c1]
algorithm = aes-128-gcm
key = 22222222222222222222222222222222
)";
constexpr const char *kOnlySignatures = R"([k1]
algorithm = hmac-sha256
key = 1111111111111111111111111111111111111111111111111111111111111111
)";
constexpr const char *kOthers = R"([k9]
algorithm = hmac-sha256
key = 3333333333333333333333333333333333333333333333333333333333333333
)";

Bytes plain_bundle() {
    bp::v7::PrimaryFields primary;
    primary.destination = bp::ipn_eid(20, 2);
    primary.source = bp::ipn_eid(10, 1);
    primary.creation_time_ms = 820'540'800'000;
    primary.lifetime_ms = 3'600'000;
    bp::v7::Builder builder(primary);
    return std::move(builder).finish(Bytes(40, 0x61));
}

/// Signed, and encrypted where that is wanted, with k1 and c1.
Bytes sealed_bundle(bool encrypted) {
    test::OpenBundle bundle(plain_bundle());
    test::FixedRandom random;
    bp::bpsec::WorkingKey sign(bp::bpsec::KeyAlgorithm::kHmacSha256, Bytes(32, 0x11));
    const std::uint64_t targets[] = {0, 1};
    for (const std::uint64_t &target : targets) {
        bp::bpsec::SignRequest request{{&target, 1}, {}, bp::bpsec::HashVariant::kSha256};
        request.block.source = bp::ipn_eid(10, 0);
        EXPECT_TRUE(bp::bpsec::sign(bundle.secured, request, sign, random));
    }
    if (!encrypted) return bundle.render();
    bp::bpsec::WorkingKey cipher(bp::bpsec::KeyAlgorithm::kA128Gcm, Bytes(16, 0x22));
    test::FixedIv ivs(Bytes(12, 1), true);
    bp::bpsec::EncryptRequest request;
    request.targets = std::span(targets).last(1);
    request.block.source = bp::ipn_eid(10, 0);
    EXPECT_TRUE(bp::bpsec::encrypt(bundle.secured, request, cipher, ivs, random));
    return bundle.render();
}

class SecurityCheck : public testing::Test {
protected:
    /// An inspection of the bundle with a file of these keys.
    Inspection inspected(const Bytes &bundle, std::string_view keys) {
        folder_.write("some.key", keys);
        ::chmod((folder_ / "some.key").c_str(), 0600);
        const auto checker = make_security_checker(folder_.path().string());
        EXPECT_TRUE(checker);
        Inspection inspection = inspect(bundle, Kind::kBundle7);
        inspection.security = (*checker)->check(bundle);
        return inspection;
    }
    test::TempFolder folder_;
};

std::vector<SecurityOutcome> outcomes_of(const Inspection &inspection) {
    std::vector<SecurityOutcome> outcomes;
    for (const CheckedOperation &each : inspection.security->operations)
        outcomes.push_back(each.outcome);
    return outcomes;
}

using enum SecurityOutcome;

TEST_F(SecurityCheck, VerifiesAndDecrypts) {
    const Bytes bundle = sealed_bundle(true);
    const Inspection inspection = inspected(bundle, kKeys);
    EXPECT_EQ(outcomes_of(inspection), (std::vector{kGood, kGood, kGood, kGood}));
    EXPECT_FALSE(inspection.security->failed());
    const Bytes &decrypted = inspection.security->decrypted;
    EXPECT_TRUE(inspect(decrypted, Kind::kBundle7).conforms());
    const std::string text = report_text(inspection, bundle, {}, {});
    EXPECT_NE(text.find("(payload): decrypted with key c1"), std::string::npos) << text;
    EXPECT_NE(text.find("(primary): valid with key k1"), std::string::npos) << text;
    EXPECT_NE(text.find("decrypted: bundle ipn:10.1/"), std::string::npos) << text;
}

TEST_F(SecurityCheck, IsInTheJson) {
    const Bytes bundle = sealed_bundle(true);
    const Inspection inspection = inspected(bundle, kKeys);
    const auto json = nlohmann::json::parse(report_json(inspection, bundle, {}, {}));
    EXPECT_EQ(json["security"].size(), 4U);
    EXPECT_EQ(json["security"][0]["service"], "confidentiality");
    EXPECT_EQ(json["security"][0]["result"], "decrypted");
    EXPECT_EQ(json["security"][0]["key"], "c1");
    EXPECT_EQ(json["decrypted"]["type"], "bundle");
    EXPECT_EQ(nlohmann::json::parse(summary_json(inspection, bundle, {}))["security"].size(), 4U);
}

TEST_F(SecurityCheck, WithoutAKeyNothingIsWrong) {
    const Inspection inspection = inspected(sealed_bundle(true), kOnlySignatures);
    EXPECT_EQ(outcomes_of(inspection), (std::vector{kUnchecked, kUnchecked, kGood}));
    EXPECT_FALSE(inspection.security->failed());
    EXPECT_TRUE(inspection.security->decrypted.empty());
}

TEST_F(SecurityCheck, FailsWithAnotherKeyAndAnotherPayload) {
    const Bytes bundle = sealed_bundle(false);
    EXPECT_EQ(outcomes_of(inspected(bundle, kOthers)), (std::vector{kFailed, kFailed}));
    Bytes changed = bundle;
    changed[changed.size() - 2] ^= 1;
    const Inspection inspection = inspected(changed, kKeys);
    EXPECT_TRUE(inspection.security->failed());
    EXPECT_NE(report_text(inspection, changed, {}, {}).find("FAILED, mismatch"), std::string::npos);
    EXPECT_NE(summary_text(inspection, changed, {}).find("security failed"), std::string::npos);
}

TEST_F(SecurityCheck, ReadsAnyOctets) {
    const Bytes bundle = sealed_bundle(true);
    for (std::size_t size = 0; size < bundle.size(); ++size) {
        const Bytes part(bundle.begin(), bundle.begin() + static_cast<std::ptrdiff_t>(size));
        if (size == 0) continue;
        EXPECT_TRUE(inspected(part, kKeys).security->failed()) << size;
    }
    EXPECT_FALSE(make_security_checker(folder_ / "none"));
}

}  // namespace
}  // namespace farlink::inspect::security_checker_test
#endif  // FARLINK_TLS
