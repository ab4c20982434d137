// SPDX-License-Identifier: Apache-2.0
#if FARLINK_TLS
#include "common/bp/bpsec/integrity.hpp"

#include <gtest/gtest.h>

#include "common/bp/bpsec/scope_input.hpp"
#include "common/bp/parse.hpp"
#include "tests/support/secured_bundles.hpp"

namespace farlink::integrity_test {
namespace {

using namespace farlink::test;
using bp::v7::CrcType;
using bpsec::Fault;
using bpsec::KeyAlgorithm;
using bpsec::Service;
using bpsec::WorkingKey;

TEST(Integrity, SignsPrimaryExtensionAndPayloadAndRemovesTheirCrcs) {
    OpenBundle source(plain_bundle());
    ASSERT_TRUE(test::sign(source, {0, kAgeNumber, 1}));
    OpenBundle sent(source.render());
    ASSERT_TRUE(sent.verdict);
    EXPECT_FALSE(sent.secured.primary_has_crc());
    EXPECT_EQ(sent.secured.find(kAgeNumber)->crc_type, CrcType::kNone);
    EXPECT_EQ(sent.secured.find(1)->crc_type, CrcType::kNone);
    EXPECT_EQ(sent.secured.find(kHopCountNumber)->crc_type, CrcType::kCrc32c);
    WorkingKey key(KeyAlgorithm::kHmacSha256, hmac_key());
    for (const auto &operation : sent.operations())
        EXPECT_TRUE(bpsec::verify(sent.secured, operation, key));
    EXPECT_EQ(sent.render(), sent.octets);
}

TEST(Integrity, AnAcceptorOnTheWayRestoresCrcs) {
    OpenBundle source(plain_bundle());
    ASSERT_TRUE(test::sign(source, {0, kAgeNumber, 1}));
    OpenBundle sent(source.render());
    WorkingKey key(KeyAlgorithm::kHmacSha256, hmac_key());
    for (const auto &operation : sent.operations())
        ASSERT_TRUE(bpsec::accept_integrity(sent.secured, operation, key, CrcType::kCrc32c));
    EXPECT_EQ(sent.render(), plain_bundle());
}

TEST(Integrity, TheKeyHasToBeTheRightOne) {
    OpenBundle bundle(plain_bundle());
    ASSERT_TRUE(test::sign(bundle, {1}));
    const auto operation = bundle.operations().front();
    Bytes other = hmac_key();
    other[5] ^= 1;
    WorkingKey wrong(KeyAlgorithm::kHmacSha256, other);
    EXPECT_EQ(bpsec::verify(bundle.secured, operation, wrong).error(), Fault::kMismatch);
    WorkingKey algorithm(KeyAlgorithm::kHmacSha512, hmac_key());
    EXPECT_EQ(bpsec::verify(bundle.secured, operation, algorithm).error(), Fault::kWrongKey);
    WorkingKey kek(KeyAlgorithm::kWrapIntegrity, hmac_key());
    EXPECT_EQ(bpsec::verify(bundle.secured, operation, kek).error(), Fault::kWrongKey);
    WorkingKey shorter(KeyAlgorithm::kHmacSha256, Bytes(15));
    EXPECT_EQ(bpsec::verify(bundle.secured, operation, shorter).error(), Fault::kWrongKey);
    EXPECT_EQ(reason_of(Fault::kMismatch), bpsec::SecurityReason::kFailed);
}

TEST(Integrity, AWrappedKeyTravelsAlong) {
    OpenBundle source(plain_bundle());
    WorkingKey kek(KeyAlgorithm::kWrapIntegrity, Bytes(24, 0x44));
    FixedRandom random;
    const std::vector<std::uint64_t> targets{1};
    ASSERT_TRUE(bpsec::sign(source.secured, {targets, new_block(), bpsec::HashVariant::kSha512},
                            kek, random));
    OpenBundle sent(source.render());
    EXPECT_TRUE(bpsec::verify(sent.secured, sent.operations().front(), kek));
    WorkingKey other(KeyAlgorithm::kWrapIntegrity, Bytes(24, 0x45));
    EXPECT_EQ(bpsec::verify(sent.secured, sent.operations().front(), other).error(),
              Fault::kUnwrapFailed);
}

TEST(Integrity, RefusesWhatTheStandardForbids) {
    OpenBundle bundle(plain_bundle());
    EXPECT_EQ(test::sign(bundle, {}).error(), Fault::kNoTarget);
    EXPECT_EQ(test::sign(bundle, {1, 1}).error(), Fault::kRepeatedTarget);
    EXPECT_EQ(test::sign(bundle, {99}).error(), Fault::kTargetMissing);
    ASSERT_TRUE(test::sign(bundle, {1}));
    EXPECT_EQ(test::sign(bundle, {1}).error(), Fault::kServiceTwice);
    EXPECT_EQ(test::sign(bundle, {bundle.operations()[0].block}).error(), Fault::kTargetIsSecurity);
    // The payload's signature covers the primary block with its CRC.
    EXPECT_EQ(test::sign(bundle, {0}).error(), Fault::kPrimaryCovered);
    OpenBundle fragment(plain_bundle(CrcType::kCrc32c, 40, bp::v7::kIsFragment));
    EXPECT_EQ(test::sign(fragment, {1}).error(), Fault::kIsFragment);
}

/// Reserved flags of a block count as 0 (RFC 9172 section 4): they are in no scope.
bool has_reserved_flags(const bpsec::SecuredBundle &bundle) {
    return (bundle.find(1)->flags & ~bpsec::kAssignedBlockFlags) != 0;
}

/// Flips each bit of [from, to) of a bundle; what parse() accepts must not be accepted in silence.
void expect_flips_noticed(const Bytes &sent, std::size_t from, std::size_t to) {
    for (std::size_t bit = 8 * from; bit < 8 * to; ++bit) {
        Bytes forged = sent;
        forged[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
        const ByteView slice = forged;
        const auto view = bp::parse({&slice, 1});
        if (!view) continue;
        bpsec::SecuredBundle secured;
        if (!secured.read({&slice, 1}, *view) || has_reserved_flags(secured)) continue;
        const auto operations = [&] {
            std::vector<bpsec::Operation> found;
            secured.list_operations(found);
            return found;
        }();
        EXPECT_FALSE(operations.size() == 3 && test::accept_all(secured, hmac_key(), gcm_key()))
            << "octet " << bit / 8 << " bit " << bit % 8;
    }
}

TEST(Integrity, EveryFlippedBitInItsScopeIsNoticed) {
    OpenBundle source(plain_bundle(CrcType::kNone));
    ASSERT_TRUE(test::sign(source, {0, kAgeNumber, 1}));
    const Bytes sent = source.render();
    const OpenBundle whole{Bytes(sent)};
    // The primary block, and the payload block with its head.
    expect_flips_noticed(sent, 1, whole.view.primary_end);
    expect_flips_noticed(sent, whole.view.head_end, sent.size());
    // The results of the BIB itself are its last octets: 37 for each target.
    const ByteView bib = whole.secured.find(whole.operations()[0].block)->data;
    const auto begin = static_cast<std::size_t>(bib.data() - whole.octets.data());
    expect_flips_noticed(sent, begin + bib.size() - 3 * 37, begin + bib.size());
}

TEST(Integrity, TruncationAtEachOctetIsRefused) {
    OpenBundle source(plain_bundle(CrcType::kNone));
    ASSERT_TRUE(test::sign(source, {0, 1}));
    const Bytes sent = source.render();
    for (std::size_t size = 0; size < sent.size(); ++size) {
        const ByteView slice(sent.data(), size);
        EXPECT_FALSE(bp::parse({&slice, 1})) << size;
    }
    // And of the security block alone.
    const OpenBundle whole{Bytes(sent)};
    const ByteView data = whole.secured.find(whole.operations()[0].block)->data;
    bpsec::SecurityBlock block;
    for (std::size_t size = 0; size < data.size(); ++size)
        EXPECT_FALSE(bpsec::read_security_block(data.first(size), block)) << size;
    EXPECT_TRUE(bpsec::read_security_block(data, block));
}

TEST(Integrity, AnyEncodingOfThePrimaryBlockIsTheSameBlock) {
    OpenBundle source(plain_bundle(CrcType::kNone));
    ASSERT_TRUE(test::sign(source, {1}));
    Bytes sent = source.render();
    ASSERT_EQ(sent[1], 0x88);
    ASSERT_EQ(sent[2], 0x07);
    // The version in two octets: valid CBOR, not the shortest.
    sent[2] = 0x18;
    sent.insert(sent.begin() + 3, 0x07);
    OpenBundle longer(sent);
    EXPECT_TRUE(test::accept_all(longer));
}

TEST(Integrity, APayloadInSlicesIsTheSamePayload) {
    OpenBundle source(plain_bundle(CrcType::kNone, 1000));
    ASSERT_TRUE(test::sign(source, {1}));
    const Bytes sent = source.render();
    const OpenBundle whole{Bytes(sent)};
    const std::size_t head = whole.view.payload_offset;
    const ByteView octets = sent;
    const ByteView slices[] = {octets.first(head), octets.subspan(head, 1),
                               octets.subspan(head + 1, 500), octets.subspan(head + 501)};
    const auto view = bp::parse(slices);
    ASSERT_TRUE(view);
    bpsec::SecuredBundle secured;
    ASSERT_TRUE(secured.read(slices, *view));
    WorkingKey key(KeyAlgorithm::kHmacSha256, hmac_key());
    EXPECT_TRUE(bpsec::verify(secured, whole.operations().front(), key));
}

}  // namespace
}  // namespace farlink::integrity_test
#endif  // FARLINK_TLS
