// SPDX-License-Identifier: Apache-2.0
// The gate of three nodes: 1 signs and encrypts, 2 verifies, 3 accepts; and what they refuse.
#if FARLINK_TLS
#include "common/security/policy/policy_gate.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "common/bp/parse.hpp"
#include "common/bp/v6/builder.hpp"
#include "tests/support/secured_bundles.hpp"

namespace farlink::security::policy_gate_test {
namespace {

using bp::bpsec::Fault;
using config::SecurityAction;
using config::SecurityContext;
using config::SecurityDefault;
using config::SecurityRole;
using config::SecurityRule;

constexpr const char *kKeys = R"([sign]
algorithm = hmac-sha256
key = 1111111111111111111111111111111111111111111111111111111111111111
[seal]
algorithm = aes-128-gcm
key = 22222222222222222222222222222222
[other]
algorithm = hmac-sha256
key = 3333333333333333333333333333333333333333333333333333333333333333
[old]
algorithm = hmac-sha256
key = 4444444444444444444444444444444444444444444444444444444444444444
not-after = 2001-01-01T00:00:00Z
)";
constexpr DtnTime kNow = 757'000'000'200;

class CountedIvs final : public IvSources {
public:
    bp::bpsec::IvSource *source_for(const std::string &) override { return &ivs_; }

private:
    test::FixedIv ivs_{Bytes(12, 0x30), true};
};

SecurityRule rule(SecurityRole role, SecurityContext context, std::vector<std::string> targets) {
    SecurityRule made;
    made.name = "rule " + std::to_string(static_cast<int>(role));
    made.role = role;
    made.context = context;
    made.targets = std::move(targets);
    made.keys = {context == SecurityContext::kIntegrity ? "sign" : "seal"};
    made.required = true;
    return made;
}
SecurityRule signing(SecurityRole role, std::vector<std::string> targets = {"payload", "primary"}) {
    return rule(role, SecurityContext::kIntegrity, std::move(targets));
}
SecurityRule sealing(SecurityRole role, std::vector<std::string> targets = {"payload"}) {
    return rule(role, SecurityContext::kConfidentiality, std::move(targets));
}

/// A node with rules; what it makes of bundles.
class Station {
public:
    explicit Station(std::vector<SecurityRule> rules,
                     SecurityDefault fallback = SecurityDefault::kPass,
                     std::vector<std::string> report_to = {}, std::uint64_t node = 1) {
        config::SecurityConfig security;
        security.rules = std::move(rules);
        security.fallback = fallback;
        security.report_to = std::move(report_to);
        std::vector<Key> keys;
        EXPECT_EQ(parse_keys(kKeys, keys), "");
        EXPECT_EQ(check_keys(security, keys), std::vector<std::string>());
        gate_.emplace(security, NodeNumber{node}, keys, GateSources{random_, ivs_});
    }

    /// The bundle as it goes on, or nothing.
    std::optional<Bytes> pass(const Bytes &bundle, Passing passing = {}) {
        passing.now = kNow;
        const ByteView slice(bundle);
        const auto view = bp::parse({&slice, 1});
        EXPECT_TRUE(view) << bp::to_string(view.error());
        if (!view) return std::nullopt;
        verdict = gate_->judge(*view, {&slice, 1}, passing);
        if (verdict.passage == Passage::kDropped) return std::nullopt;
        if (verdict.passage == Passage::kUnchanged) return bundle;
        Bytes whole(gate_->head().begin(), gate_->head().end());
        for (const ByteView piece : gate_->payload()) append(whole, piece);
        append(whole, gate_->tail());
        return whole;
    }
    Fault fault() const {
        return verdict.failure_count == 0 ? Fault::kCount_ : verdict.failures().front().fault;
    }

    GateVerdict verdict;

private:
    test::FixedRandom random_;
    CountedIvs ivs_;
    std::optional<PolicyGate> gate_;
};

Bytes::iterator find_in(Bytes &octets, const Bytes &part) {
    return std::search(octets.begin(), octets.end(), part.begin(), part.end());
}

Bytes payload_of(const Bytes &bundle) {
    return test::OpenBundle(bundle).payload();
}

TEST(PolicyGate, SignsVerifiesAndAccepts) {
    Station source({signing(SecurityRole::kSource)});
    Station verifier({signing(SecurityRole::kVerifier)});
    Station acceptor({signing(SecurityRole::kAcceptor)});
    const Bytes plain = test::plain_bundle();
    const auto made = source.pass(plain);
    ASSERT_TRUE(made);
    EXPECT_NE(*made, plain);
    EXPECT_EQ(source.verdict.applied, 2U);
    EXPECT_EQ(verifier.pass(*made), made);
    EXPECT_EQ(verifier.verdict.checked, 2U);
    EXPECT_EQ(acceptor.pass(*made), plain) << "with its CRCs again";
    EXPECT_EQ(acceptor.verdict.checked, 2U);
}

TEST(PolicyGate, EncryptsWhatItHasSigned) {
    Station source({signing(SecurityRole::kSource), sealing(SecurityRole::kSource)});
    Station acceptor({signing(SecurityRole::kAcceptor), sealing(SecurityRole::kAcceptor)});
    const Bytes plain = test::plain_bundle();
    const auto made = source.pass(plain);
    ASSERT_TRUE(made) << bp::bpsec::to_string(source.fault());
    EXPECT_NE(payload_of(*made), payload_of(plain));
    EXPECT_EQ(acceptor.pass(*made), plain) << bp::bpsec::to_string(acceptor.fault());
}

// Whatever bit of the payload or of the primary block is flipped, the bundle ends.
TEST(PolicyGate, NoticesEachFlippedBit) {
    Station source({signing(SecurityRole::kSource)});
    Station verifier({signing(SecurityRole::kVerifier)});
    const auto made = source.pass(test::plain_bundle());
    ASSERT_TRUE(made);
    const test::OpenBundle open(*made);
    const auto flip_in = [&](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; ++at)
            for (int bit = 0; bit < 8; ++bit) {
                Bytes other = *made;
                other[at] ^= static_cast<std::uint8_t>(1 << bit);
                const ByteView slice(other);
                // Another bundle altogether, which no node takes.
                if (!bp::parse({&slice, 1})) continue;
                EXPECT_FALSE(verifier.pass(other)) << "octet " << at << ", bit " << bit;
            }
    };
    flip_in(1, open.view.primary_end);
    flip_in(open.view.payload_offset, open.view.payload_offset + open.view.payload_length);
}

TEST(PolicyGate, WhatIsMissingIsHandledLikeWhatFails) {
    const Bytes plain = test::plain_bundle();
    Bytes forged = *Station({signing(SecurityRole::kSource, {"payload"})}).pass(plain);
    forged[forged.size() - 3] ^= 1;
    for (const auto action : {SecurityAction::kKeep, SecurityAction::kStripTarget,
                              SecurityAction::kStripOperation, SecurityAction::kDropBundle}) {
        SecurityRule required = signing(SecurityRole::kVerifier, {"payload"});
        required.on_failure = action;
        Station verifier({required});
        const bool missing = verifier.pass(plain).has_value();
        EXPECT_EQ(verifier.fault(), Fault::kNoOperation);
        const bool failing = verifier.pass(forged).has_value();
        EXPECT_EQ(verifier.fault(), Fault::kMismatch);
        EXPECT_EQ(missing, failing) << static_cast<int>(action);
        const bool passes =
            action == SecurityAction::kKeep || action == SecurityAction::kStripOperation;
        EXPECT_EQ(missing, passes) << static_cast<int>(action);
    }
}

TEST(PolicyGate, NotRequiredMeansCheckedWhereItIs) {
    SecurityRule optional = signing(SecurityRole::kVerifier, {"payload"});
    optional.required = false;
    Station verifier({optional});
    const Bytes plain = test::plain_bundle();
    EXPECT_EQ(verifier.pass(plain), plain);
    EXPECT_EQ(verifier.verdict.failure_count, 0U);
    Bytes forged = *Station({signing(SecurityRole::kSource, {"payload"})}).pass(plain);
    forged[forged.size() - 3] ^= 1;
    EXPECT_FALSE(verifier.pass(forged));
}

TEST(PolicyGate, StripsTheOperationOrTheTarget) {
    const Bytes plain = test::plain_bundle();
    Bytes forged = *Station({signing(SecurityRole::kSource, {"7"})}).pass(plain);
    // The value of the block of type 7, the age, is no longer what was signed.
    const auto age = find_in(forged, Bytes{0x43, 0x19, 0x01, 0x2c});
    ASSERT_NE(age, forged.end());
    *(age + 3) = 0x2d;
    SecurityRule operation = signing(SecurityRole::kVerifier, {"7"});
    operation.on_failure = SecurityAction::kStripOperation;
    const auto without = Station({operation}).pass(forged);
    ASSERT_TRUE(without);
    EXPECT_TRUE(test::OpenBundle(*without).secured.security().empty());
    EXPECT_NE(test::OpenBundle(*without).secured.find(test::kAgeNumber), nullptr);
    SecurityRule target = operation;
    target.on_failure = SecurityAction::kStripTarget;
    const auto bare = Station({target}).pass(forged);
    ASSERT_TRUE(bare);
    EXPECT_EQ(test::OpenBundle(*bare).secured.find(test::kAgeNumber), nullptr);
    EXPECT_NE(test::OpenBundle(*bare).secured.find(test::kHopCountNumber), nullptr);
}

// "7" is a type; a bundle without such a block loses none that has this number.
TEST(PolicyGate, AMissingTargetIsNoOtherBlock) {
    SecurityRule missing = signing(SecurityRole::kVerifier, {"2"});
    missing.on_failure = SecurityAction::kStripTarget;
    Station verifier({missing});
    const Bytes plain = test::plain_bundle();
    EXPECT_EQ(verifier.pass(plain), plain);
    EXPECT_EQ(verifier.fault(), Fault::kNoOperation);
}

TEST(PolicyGate, OnlyTheKeysOfTheRuleCount) {
    SecurityRule by_other = signing(SecurityRole::kSource);
    by_other.keys = {"other"};
    const auto made = Station({by_other}).pass(test::plain_bundle());
    ASSERT_TRUE(made);
    Station verifier({signing(SecurityRole::kVerifier)});
    EXPECT_FALSE(verifier.pass(*made)) << "the key is at hand, and not for this rule";
    SecurityRule both = signing(SecurityRole::kVerifier);
    both.keys = {"sign", "other"};
    EXPECT_TRUE(Station({both}).pass(*made));
}

TEST(PolicyGate, AnExpiredKeyIsNone) {
    SecurityRule expired = signing(SecurityRole::kSource);
    expired.keys = {"old"};
    Station late({expired});
    EXPECT_FALSE(late.pass(test::plain_bundle()));
    EXPECT_EQ(late.fault(), Fault::kNoKey);
    expired.keys = {"old", "sign"};
    EXPECT_TRUE(Station({expired}).pass(test::plain_bundle())) << "the next one is valid";
}

TEST(PolicyGate, OnlyTheSecuritySourceOfTheRuleCounts) {
    const auto made = Station({signing(SecurityRole::kSource)}, SecurityDefault::kPass, {}, 7)
                          .pass(test::plain_bundle());
    SecurityRule of_others = signing(SecurityRole::kVerifier);
    of_others.security_source = "ipn:8.*";
    Station strict({of_others});
    EXPECT_FALSE(strict.pass(*made));
    EXPECT_EQ(strict.fault(), Fault::kNoOperation);
    of_others.security_source = "ipn:7.0";
    EXPECT_TRUE(Station({of_others}).pass(*made));
}

TEST(PolicyGate, AnotherVariantFails) {
    const auto made = Station({signing(SecurityRole::kSource)}).pass(test::plain_bundle());
    SecurityRule longer = signing(SecurityRole::kVerifier);
    longer.variant = 256;
    EXPECT_TRUE(Station({longer}).pass(*made));
    config::SecurityConfig security;
    longer.variant = 384;
    security.rules = {longer};
    std::vector<Key> keys;
    ASSERT_EQ(parse_keys(kKeys, keys), "");
    EXPECT_EQ(check_keys(security, keys).size(), 1U) << "a key of another variant is refused";
}

TEST(PolicyGate, WhatCannotBeProtectedFailsWhereItIsRequired) {
    Station source({signing(SecurityRole::kSource)});
    const Bytes fragment = test::plain_bundle(bp::v7::CrcType::kCrc32c, 40, bp::v7::kIsFragment);
    EXPECT_FALSE(source.pass(fragment));
    EXPECT_EQ(source.fault(), Fault::kIsFragment);
    bp::v6::PrimaryFields primary;
    primary.destination = bp::ipn_eid(2, 1);
    primary.source = bp::ipn_eid(1, 1);
    primary.lifetime_s = 3600;
    bp::v6::Builder builder(primary);
    builder.add_block(bp::v6::kPayloadBlock, 0, Bytes(4, 1));
    const Bytes old = std::move(builder).finish();
    EXPECT_FALSE(source.pass(old));
    SecurityRule optional = signing(SecurityRole::kSource);
    optional.required = false;
    Station tolerant({optional});
    EXPECT_EQ(tolerant.pass(fragment), fragment);
    EXPECT_EQ(tolerant.pass(old), old);
}

TEST(PolicyGate, TheDefaultIsAboutWhatArrives) {
    SecurityRule others = signing(SecurityRole::kVerifier);
    others.bundle_source = "ipn:99.*";
    const Bytes plain = test::plain_bundle();
    Station closed({others}, SecurityDefault::kDrop);
    EXPECT_FALSE(closed.pass(plain));
    ASSERT_EQ(closed.verdict.failure_count, 1U);
    EXPECT_EQ(closed.verdict.failures()[0].rule, kNoRule);
    EXPECT_EQ(closed.pass(plain, {.made_here = true}), plain);
    EXPECT_EQ(Station({others}).pass(plain), plain);
}

TEST(PolicyGate, DirectionsDependOnWhereABundleComesFromAndGoes) {
    const Bytes plain = test::plain_bundle();
    Station source({signing(SecurityRole::kSource)});
    EXPECT_EQ(source.pass(plain, {.stays = true}), plain) << "it does not leave";
    EXPECT_NE(source.pass(plain, {.made_here = true}), plain);
    Station verifier({signing(SecurityRole::kVerifier)});
    EXPECT_FALSE(verifier.pass(plain, {.stays = true}));
    EXPECT_EQ(verifier.pass(plain, {.made_here = true}), plain) << "it does not arrive";
    for (const SecurityRole role : {SecurityRole::kSource, SecurityRole::kVerifier})
        EXPECT_EQ(Station({signing(role)}, SecurityDefault::kDrop)
                      .pass(plain, {.made_here = true, .stays = true}),
                  plain)
            << "it does not leave the node";
}

TEST(PolicyGate, WhoLearnsOfADroppedBundle) {
    const Bytes plain = test::plain_bundle();
    Station silent({signing(SecurityRole::kVerifier)});
    EXPECT_FALSE(silent.pass(plain));
    EXPECT_FALSE(silent.verdict.reported);
    Station open({signing(SecurityRole::kVerifier)}, SecurityDefault::kPass, {"ipn:10.*"});
    EXPECT_FALSE(open.pass(plain));
    EXPECT_TRUE(open.verdict.reported);
}

TEST(PolicyGate, ABundleInPiecesIsNeitherCheckedNorChanged) {
    const Bytes plain = test::plain_bundle();
    const ByteView slice(plain);
    const auto view = bp::parse({&slice, 1});
    ASSERT_TRUE(view);
    config::SecurityConfig security;
    security.rules = {signing(SecurityRole::kVerifier)};
    std::vector<Key> keys;
    ASSERT_EQ(parse_keys(kKeys, keys), "");
    test::FixedRandom random;
    CountedIvs ivs;
    PolicyGate required(security, NodeNumber{1}, keys, {random, ivs});
    EXPECT_EQ(required.judge_head(*view, {}).passage, Passage::kDropped);
    security.rules[0].required = false;
    PolicyGate optional(security, NodeNumber{1}, keys, {random, ivs});
    EXPECT_EQ(optional.judge_head(*view, {}).passage, Passage::kUnchanged);
}

TEST(PolicyGate, AnOperationThatIsThereIsNotAddedAgain) {
    Station source({signing(SecurityRole::kSource)});
    const auto once = source.pass(test::plain_bundle());
    EXPECT_EQ(source.pass(*once), once);
    EXPECT_EQ(source.verdict.failure_count, 0U);
}

TEST(PolicyGate, KeysAndRulesAreComparedAtTheStart) {
    std::vector<Key> keys;
    ASSERT_EQ(parse_keys(kKeys, keys), "");
    config::SecurityConfig security;
    security.rules = {signing(SecurityRole::kSource)};
    security.rules[0].keys = {"gone", "seal"};
    const auto wrong = check_keys(security, keys);
    ASSERT_EQ(wrong.size(), 2U);
    EXPECT_EQ(wrong[0], "security.rules[0].keys: found no key gone in keyStore");
    EXPECT_NE(wrong[1].find("key seal is for aes-128-gcm"), std::string::npos);
}

}  // namespace
}  // namespace farlink::security::policy_gate_test
#endif  // FARLINK_TLS
