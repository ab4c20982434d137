// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/gcm/gcm_cipher.hpp"

#if FARLINK_TLS && FARLINK_IPSEC_MB

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <memory>

#include "cla/tls/gcm/gcm_self_test.hpp"
#include "common/base/random.hpp"
#include "tests/support/hex.hpp"

namespace farlink::cla::gcm_cipher_test {
namespace {

using test::from_hex;
using Direction = GcmCipher::Direction;

const GcmKernelSet &kernels() {
    static const GcmKernelSet set = gcm_of_this_processor();
    return set;
}

const GcmKernels &kernels_for(ByteView key) {
    return key.size() == 16 ? kernels().aes128 : kernels().aes256;
}

/// One message, by one of the two implementations that are compared.
struct Message {
    Bytes key;
    Bytes nonce;
    Bytes associated;
    Bytes text;
};

struct Sealed {
    Bytes text;
    Bytes tag;
    friend bool operator==(const Sealed &, const Sealed &) = default;
};

Sealed seal_by_openssl(const Message &message) {
    const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(
        EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free);
    Sealed sealed{Bytes(message.text.size()), Bytes(GcmCipher::kTagBytes)};
    EVP_EncryptInit_ex(context.get(),
                       message.key.size() == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm(), nullptr,
                       message.key.data(), message.nonce.data());
    int size = 0;
    if (!message.associated.empty())
        EVP_EncryptUpdate(context.get(), nullptr, &size, message.associated.data(),
                          static_cast<int>(message.associated.size()));
    if (!message.text.empty())
        EVP_EncryptUpdate(context.get(), sealed.text.data(), &size, message.text.data(),
                          static_cast<int>(message.text.size()));
    std::array<std::uint8_t, 16> rest{};
    EXPECT_EQ(EVP_EncryptFinal_ex(context.get(), rest.data(), &size), 1);
    EXPECT_EQ(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, 16, sealed.tag.data()), 1);
    return sealed;
}

/// How a message is cut into calls; no cuts: one call each.
struct Cuts {
    Random *random = nullptr;
    [[nodiscard]] std::size_t next(std::size_t left) const {
        return random == nullptr ? left : random->below(left + 1);
    }
};

bool associate(GcmCipher &cipher, ByteView octets, Cuts cuts) {
    while (!octets.empty()) {
        const std::size_t size = cuts.next(octets.size());
        if (!cipher.associate(octets.first(size))) return false;
        octets = octets.subspan(size);
    }
    return true;
}

/// In place when `to` is where `from` is.
bool update(GcmCipher &cipher, ByteView from, std::uint8_t *to, Cuts cuts) {
    while (!from.empty()) {
        const std::size_t size = cuts.next(from.size());
        if (!cipher.update(from.first(size), to)) return false;
        from = from.subspan(size);
        to += size;
    }
    return true;
}

Sealed seal(const Message &message, bool in_place = false, Cuts cuts = {}) {
    GcmCipher cipher(kernels_for(message.key));
    EXPECT_TRUE(cipher.start(Direction::kSeal, message.key, message.nonce));
    EXPECT_TRUE(associate(cipher, message.associated, cuts));
    Sealed sealed{in_place ? message.text : Bytes(message.text.size()), {}};
    EXPECT_TRUE(update(cipher, in_place ? sealed.text : message.text, sealed.text.data(), cuts));
    EXPECT_TRUE(cipher.finish());
    sealed.tag.assign(cipher.tag().begin(), cipher.tag().end());
    return sealed;
}

/// Whether `sealed` is taken for good; then it has to be the message.
bool opens(const Message &message, const Sealed &sealed, bool in_place = false, Cuts cuts = {}) {
    GcmCipher cipher(kernels_for(message.key));
    EXPECT_TRUE(cipher.start(Direction::kOpen, message.key, message.nonce));
    EXPECT_TRUE(associate(cipher, message.associated, cuts));
    Bytes opened = in_place ? sealed.text : Bytes(sealed.text.size());
    EXPECT_TRUE(cipher.expect_tag(sealed.tag));
    EXPECT_TRUE(update(cipher, in_place ? opened : sealed.text, opened.data(), cuts));
    if (!cipher.finish()) return false;
    EXPECT_TRUE(opened == message.text);
    return true;
}

Bytes random_bytes(Random &random, std::size_t size) {
    Bytes bytes(size);
    for (std::uint8_t &octet : bytes) octet = static_cast<std::uint8_t>(random.below(256));
    return bytes;
}

Message random_message(Random &random, std::size_t text_bytes) {
    return {random_bytes(random, random.below(2) == 0 ? 16 : 32),
            random_bytes(random, GcmCipher::kNonceBytes),
            random_bytes(random, random.below(GcmCipher::kMaxAssociatedBytes + 1)),
            random_bytes(random, text_bytes)};
}

struct KnownAnswer {
    const char *key;
    const char *nonce;
    const char *associated;
    const char *text;
    const char *sealed;
    const char *tag;
};

constexpr const char *kKey128 = "feffe9928665731c6d6a8f9467308308";
constexpr const char *kKey256 = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308";
constexpr const char *kZeros128 = "00000000000000000000000000000000";
constexpr const char *kZeros256 =
    "0000000000000000000000000000000000000000000000000000000000000000";
constexpr const char *kNonce = "cafebabefacedbaddecaf888";
constexpr const char *kZeroNonce = "000000000000000000000000";
constexpr const char *kAssociated = "feedfacedeadbeeffeedfacedeadbeefabaddad2";
constexpr const char *kText60 =
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
constexpr const char *kText64 =
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255";

// McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B: test cases 1 to 4 and 13
// to 16, those with keys of 128 and 256 bits and nonces of 96, each with either key.
constexpr std::array<KnownAnswer, 8> kKnownAnswers{{
    {kZeros128, kZeroNonce, "", "", "", "58e2fccefa7e3061367f1d57a4e7455a"},
    {kZeros256, kZeroNonce, "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"},
    {kZeros128, kZeroNonce, "", kZeros128, "0388dace60b6a392f328c2b971b2fe78",
     "ab6e47d42cec13bdf53a67b21257bddf"},
    {kZeros256, kZeroNonce, "", kZeros128, "cea7403d4d606b6e074ec5d3baf39d18",
     "d0d1c8a799996bf0265b98b5d48ab919"},
    {kKey128, kNonce, "", kText64,
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
     "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985",
     "4d5c2af327cd64a62cf35abd2ba6fab4"},
    {kKey256, kNonce, "", kText64,
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
     "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad",
     "b094dac5d93471bdec1a502270e3cc6c"},
    {kKey128, kNonce, kAssociated, kText60,
     "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
     "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091",
     "5bc94fbc3221a5db94fae95ae7121a47"},
    {kKey256, kNonce, kAssociated, kText60,
     "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
     "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
     "76fc6ece0f4e1768cddf8853bb2d551b"},
}};

TEST(GcmCipher, KnownAnswers) {
    for (const KnownAnswer &known : kKnownAnswers) {
        SCOPED_TRACE(known.tag);
        const Message message{from_hex(known.key), from_hex(known.nonce),
                              from_hex(known.associated), from_hex(known.text)};
        const Sealed sealed{from_hex(known.sealed), from_hex(known.tag)};
        EXPECT_TRUE(seal(message) == sealed);
        EXPECT_TRUE(seal(message, true) == sealed);
        EXPECT_TRUE(opens(message, sealed));
        EXPECT_TRUE(opens(message, sealed, true));
    }
}

TEST(GcmCipher, AgreesWithOpenSslAtEveryShortLength) {
    Random random(1);
    for (std::size_t size = 0; size <= 1'100; ++size) {
        SCOPED_TRACE(size);
        const Message message = random_message(random, size);
        const Sealed sealed = seal_by_openssl(message);
        ASSERT_TRUE(seal(message, size % 2 == 0) == sealed);
        ASSERT_TRUE(opens(message, sealed, size % 3 == 0));
    }
}

TEST(GcmCipher, AgreesWithOpenSslHoweverItIsCut) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(seed);
        const Message message = random_message(random, random.below(40'001));
        const Sealed sealed = seal_by_openssl(message);
        const bool in_place = random.below(2) == 0;
        const Cuts cuts{random.below(4) == 0 ? nullptr : &random};
        ASSERT_TRUE(seal(message, in_place, cuts) == sealed);
        ASSERT_TRUE(opens(message, sealed, in_place, cuts));
    }
}

TEST(GcmCipher, RefusesWhatWasChangedAnywhere) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Random random(seed);
        Message message = random_message(random, 1 + random.below(2'000));
        message.associated.resize(5, 7);
        Sealed sealed = seal(message);
        ASSERT_TRUE(opens(message, sealed));
        const auto bit = static_cast<std::uint8_t>(1U << random.below(8));
        switch (random.below(4)) {
            case 0:
                sealed.tag[random.below(sealed.tag.size())] ^= bit;
                break;
            case 1:
                sealed.text[random.below(sealed.text.size())] ^= bit;
                break;
            case 2:
                message.associated[random.below(message.associated.size())] ^= bit;
                break;
            default:
                message.nonce[random.below(message.nonce.size())] ^= bit;
        }
        ASSERT_FALSE(opens(message, sealed));
    }
}

TEST(GcmCipher, ANonceServesOnce) {
    Random random(3);
    const Message message = random_message(random, 100);
    GcmCipher cipher(kernels_for(message.key));
    Bytes to(100);
    EXPECT_FALSE(cipher.update(message.text, to.data())) << "no key";
    EXPECT_FALSE(cipher.start(Direction::kSeal, {}, message.nonce)) << "no key";
    ASSERT_TRUE(cipher.start(Direction::kSeal, message.key, {}));
    EXPECT_FALSE(cipher.update(message.text, to.data())) << "no nonce";
    EXPECT_FALSE(cipher.finish()) << "no nonce";
    ASSERT_TRUE(cipher.start(Direction::kSeal, {}, message.nonce));
    EXPECT_TRUE(cipher.tag().empty()) << "not finished";
    ASSERT_TRUE(cipher.update(message.text, to.data()));
    EXPECT_FALSE(cipher.associate(message.text)) << "too late";
    ASSERT_TRUE(cipher.finish());
    EXPECT_EQ(cipher.tag().size(), 16U);
    EXPECT_FALSE(cipher.update(message.text, to.data())) << "used up";
    EXPECT_FALSE(cipher.finish()) << "used up";
    ASSERT_TRUE(cipher.start(Direction::kSeal, {}, message.nonce));
    ASSERT_TRUE(cipher.start(Direction::kSeal, {}, {}));
    EXPECT_FALSE(cipher.update(message.text, to.data())) << "ended by a start without a nonce";
}

TEST(GcmCipher, RefusesWrongSizes) {
    GcmCipher cipher(kernels().aes256);
    EXPECT_FALSE(cipher.start(Direction::kOpen, Bytes(16), Bytes(12)));
    EXPECT_FALSE(cipher.start(Direction::kOpen, Bytes(32), Bytes(16)));
    ASSERT_TRUE(cipher.start(Direction::kOpen, Bytes(32), Bytes(12)));
    EXPECT_FALSE(cipher.associate(Bytes(GcmCipher::kMaxAssociatedBytes + 1)));
    EXPECT_FALSE(cipher.expect_tag(Bytes(12))) << "a shorter tag is easier to guess";
    EXPECT_FALSE(cipher.finish()) << "without a tag to compare with nothing is good";
}

TEST(GcmCipher, ACopyGoesOnByItself) {
    Random random(4);
    const Message message = random_message(random, 3'000);
    const Sealed expected = seal_by_openssl(message);
    GcmCipher first(kernels_for(message.key));
    ASSERT_TRUE(first.start(Direction::kSeal, message.key, message.nonce));
    ASSERT_TRUE(first.associate(message.associated));
    Sealed sealed{Bytes(3'000), {}};
    ASSERT_TRUE(first.update(ByteView(message.text).first(1'001), sealed.text.data()));
    GcmCipher second(first);
    ASSERT_TRUE(first.update(Bytes(50, 1), Bytes(50).data()));
    ASSERT_TRUE(second.update(ByteView(message.text).subspan(1'001), sealed.text.data() + 1'001));
    ASSERT_TRUE(second.finish());
    sealed.tag.assign(second.tag().begin(), second.tag().end());
    EXPECT_TRUE(sealed == expected);
}

TEST(GcmSelfTest, PassesAndNotices) {
    EXPECT_TRUE(passes_gcm_self_test(kernels()));
    GcmKernelSet broken = kernels();
    broken.aes256.seal = kernels().aes128.seal;
    EXPECT_FALSE(passes_gcm_self_test(broken));
    broken = kernels();
    broken.aes128.end_opening = broken.aes128.end_sealing;
    broken.aes128.open = broken.aes128.seal;
    EXPECT_FALSE(passes_gcm_self_test(broken));
}

}  // namespace
}  // namespace farlink::cla::gcm_cipher_test

#endif  // FARLINK_TLS && FARLINK_IPSEC_MB
