// SPDX-License-Identifier: Apache-2.0
#if FARLINK_TLS
#include "common/bp/bpsec/confidentiality.hpp"

#include <gtest/gtest.h>

#include <set>

#include "common/bp/bpsec/scope_input.hpp"
#include "common/bp/parse.hpp"
#include "tests/support/hex.hpp"
#include "tests/support/secured_bundles.hpp"

namespace farlink::confidentiality_test {
namespace {

using namespace farlink::test;
using bp::v7::CrcType;
using bpsec::Fault;
using bpsec::KeyAlgorithm;
using bpsec::Service;
using bpsec::WorkingKey;

TEST(Confidentiality, ThereAndBack) {
    for (const bool tag_in_target : {false, true}) {
        OpenBundle source(plain_bundle());
        ASSERT_TRUE(test::encrypt(source, {1, kAgeNumber}, tag_in_target));
        OpenBundle sent(source.render());
        ASSERT_TRUE(sent.verdict);
        EXPECT_NE(sent.payload(), OpenBundle(plain_bundle()).payload());
        WorkingKey key(KeyAlgorithm::kA128Gcm, gcm_key());
        for (const auto &operation : sent.operations()) {
            EXPECT_TRUE(bpsec::authenticate(sent.secured, operation, key));
            ASSERT_TRUE(bpsec::decrypt(sent.secured, operation, key, CrcType::kCrc32c));
        }
        EXPECT_EQ(sent.render(), plain_bundle());
    }
}

TEST(Confidentiality, EachTargetHasAVectorOfItsOwn) {
    OpenBundle bundle(plain_bundle());
    ASSERT_TRUE(test::encrypt(bundle, {1, kHopCountNumber, kAgeNumber}));
    std::set<std::string> ivs;
    for (const auto &security : bundle.secured.security())
        ivs.insert(to_hex(bpsec::confidentiality_parameters(security.block)->iv));
    EXPECT_EQ(ivs.size(), 3U);
}

TEST(Confidentiality, ABibOfAnEncryptedTargetIsEncryptedToo) {
    OpenBundle source(plain_bundle());
    ASSERT_TRUE(test::sign(source, {1}));
    const std::uint64_t bib = source.operations().front().block;
    ASSERT_TRUE(test::encrypt(source, {1}));
    OpenBundle sent(source.render());
    ASSERT_TRUE(sent.verdict);
    EXPECT_TRUE(sent.secured.find(bib)->encrypted);
    EXPECT_EQ(sent.secured.find_security(bib), nullptr) << "unreadable";
    // The BIB alone can be decrypted, and not yet verified.
    WorkingKey key(KeyAlgorithm::kA128Gcm, gcm_key());
    for (const auto &operation : sent.operations()) {
        if (operation.target != bib) continue;
        ASSERT_TRUE(bpsec::decrypt(sent.secured, operation, key, CrcType::kNone));
    }
    WorkingKey hmac(KeyAlgorithm::kHmacSha256, hmac_key());
    EXPECT_EQ(bpsec::verify(sent.secured, {Service::kIntegrity, bib, 1}, hmac).error(),
              Fault::kTargetEncrypted);
    EXPECT_TRUE(test::accept_all(sent));
    EXPECT_EQ(sent.payload(), OpenBundle(plain_bundle()).payload());
}

TEST(Confidentiality, ABibWithOtherTargetsIsDivided) {
    constexpr bpsec::Scope kWithoutHeader = bpsec::kScopePrimary | bpsec::kScopeTarget;
    OpenBundle source(plain_bundle());
    ASSERT_TRUE(test::sign(source, {0, 1}, kWithoutHeader));
    ASSERT_TRUE(test::encrypt(source, {1}));
    OpenBundle sent(source.render());
    ASSERT_TRUE(sent.verdict);
    EXPECT_TRUE(sent.secured.has(Service::kIntegrity, 0));
    EXPECT_FALSE(sent.secured.has(Service::kIntegrity, 1));
    EXPECT_TRUE(test::accept_all(sent));
}

TEST(Confidentiality, ABibWhoseNumberIsSignedIsNotDivided) {
    OpenBundle source(plain_bundle());
    ASSERT_TRUE(test::sign(source, {0, 1}));
    const Bytes before = source.render();
    EXPECT_EQ(test::encrypt(source, {1}).error(), Fault::kSplitBreaksSignature);
    EXPECT_EQ(source.render(), before);
}

TEST(Confidentiality, RefusesWhatTheStandardForbids) {
    OpenBundle bundle(plain_bundle());
    EXPECT_EQ(test::encrypt(bundle, {0}).error(), Fault::kTargetIsPrimary);
    EXPECT_EQ(test::encrypt(bundle, {9}).error(), Fault::kTargetMissing);
    ASSERT_TRUE(test::sign(bundle, {kAgeNumber}));
    const std::uint64_t bib = bundle.operations().front().block;
    EXPECT_EQ(test::encrypt(bundle, {1, bib}).error(), Fault::kSharesNoTarget);
    ASSERT_TRUE(test::encrypt(bundle, {1}));
    EXPECT_EQ(test::encrypt(bundle, {1}).error(), Fault::kServiceTwice);
    EXPECT_EQ(test::sign(bundle, {1}).error(), Fault::kTargetEncrypted);
    OpenBundle fragment(plain_bundle(CrcType::kCrc32c, 40, bp::v7::kIsFragment));
    EXPECT_EQ(test::encrypt(fragment, {1}).error(), Fault::kIsFragment);
}

TEST(Confidentiality, EveryFlippedBitInItsScopeIsNoticed) {
    OpenBundle source(plain_bundle(CrcType::kNone));
    ASSERT_TRUE(test::encrypt(source, {1}));
    const Bytes sent = source.render();
    const OpenBundle whole{Bytes(sent)};
    const auto notice = [&](std::size_t from, std::size_t to) {
        for (std::size_t bit = 8 * from; bit < 8 * to; ++bit) {
            Bytes forged = sent;
            forged[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
            const ByteView slice = forged;
            const auto view = bp::parse({&slice, 1});
            bpsec::SecuredBundle secured;
            if (!view || !secured.read({&slice, 1}, *view) || secured.security().empty()) continue;
            // Reserved flags count as 0 (RFC 9172 section 4): they are in no scope.
            if ((secured.find(1)->flags & ~bpsec::kAssignedBlockFlags) != 0) continue;
            EXPECT_FALSE(test::accept_all(secured, {}, gcm_key())) << "bit " << bit;
        }
    };
    notice(1, whole.view.primary_end);
    notice(whole.view.head_end, sent.size());
}

TEST(Confidentiality, DecryptsInPlaceInPieces) {
    OpenBundle source(plain_bundle(CrcType::kNone, 1000));
    ASSERT_TRUE(test::encrypt(source, {1}));
    OpenBundle sent(source.render());
    const std::size_t at = sent.view.payload_offset;
    const ByteView octets = sent.octets;
    const ByteView slices[] = {octets.first(at), octets.subspan(at, 333), octets.subspan(at + 333)};
    const auto view = bp::parse(slices);
    ASSERT_TRUE(view);
    ASSERT_TRUE(sent.secured.read(slices, *view));
    const MutableBytes memory(sent.octets);
    const MutableBytes room[] = {memory.subspan(at, 333), memory.subspan(at + 333, 667)};
    WorkingKey key(KeyAlgorithm::kA128Gcm, gcm_key());
    const auto operation = sent.operations().front();
    const MutableBytes small[] = {memory.subspan(at, 333)};
    EXPECT_EQ(bpsec::decrypt(sent.secured, operation, key, CrcType::kNone, small).error(),
              Fault::kNoRoom);
    ASSERT_TRUE(bpsec::decrypt(sent.secured, operation, key, CrcType::kNone, room));
    EXPECT_EQ(sent.secured.payload()[0].data(), octets.data() + at);
    EXPECT_EQ(sent.payload(), OpenBundle(plain_bundle(CrcType::kNone, 1000)).payload());
}

TEST(Confidentiality, OtherContextsPassThrough) {
    OpenBundle source(plain_bundle(CrcType::kNone));
    ASSERT_TRUE(test::encrypt(source, {1}));
    const auto operation = source.operations().front();
    bpsec::SecurityBlock block = source.secured.find(operation)->block;
    block.context = 77;
    Bytes data;
    bpsec::write_security_block(block, data);
    source.secured.set_data(operation.block, data);
    OpenBundle other(source.render());
    ASSERT_TRUE(other.verdict);
    WorkingKey key(KeyAlgorithm::kA128Gcm, gcm_key());
    const auto verdict = bpsec::decrypt(other.secured, operation, key, CrcType::kNone);
    EXPECT_EQ(verdict.error(), Fault::kUnknownContext);
    EXPECT_EQ(reason_of(verdict.error()), bpsec::SecurityReason::kUnknown);
    EXPECT_EQ(other.render(), other.octets);
}

}  // namespace
}  // namespace farlink::confidentiality_test
#endif  // FARLINK_TLS
