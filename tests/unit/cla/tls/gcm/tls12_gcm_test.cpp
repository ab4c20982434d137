// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/gcm/tls12_gcm.hpp"

#if FARLINK_TLS && FARLINK_IPSEC_MB

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <algorithm>
#include <memory>

#include "common/base/random.hpp"

namespace farlink::cla::tls12_gcm_test {
namespace {

using Direction = GcmCipher::Direction;

constexpr std::size_t kOverhead = Tls12Gcm::kOverheadBytes;

/// A record's sequence number, type, version and length.
Bytes header(std::uint64_t number, std::size_t length) {
    Bytes octets(13);
    store_be(octets.data(), number);
    octets[8] = 23;
    octets[9] = octets[10] = 3;
    store_be(octets.data() + 11, static_cast<std::uint16_t>(length));
    return octets;
}

/// OpenSSL's own cipher of a TLS 1.2 connection, in one direction.
class OpenSslRecords {
public:
    OpenSslRecords(Direction direction, const Bytes &key, const Bytes &salt)
        : context_(EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free) {
        const auto *const cipher = key.size() == 16 ? EVP_aes_128_gcm() : EVP_aes_256_gcm();
        EVP_CipherInit_ex(context_.get(), cipher, nullptr, key.data(), nullptr,
                          direction == Direction::kSeal ? 1 : 0);
        Bytes part = salt;
        EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_GCM_SET_IV_FIXED, 4, part.data());
    }
    /// As Tls12Gcm::process(), in place; below 0: refused.
    int process(Bytes header, Bytes &record) {
        EXPECT_EQ(EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_TLS1_AAD, 13, header.data()),
                  16);
        int size = 0;
        const int done = EVP_CipherUpdate(context_.get(), record.data(), &size, record.data(),
                                          static_cast<int>(record.size()));
        return done == 1 ? size : -1;
    }

private:
    std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context_;
};

class Tls12GcmTest : public testing::TestWithParam<std::size_t> {
protected:
    Tls12GcmTest() {
        const GcmKernelSet set = gcm_of_this_processor();
        const GcmKernels &kernels = GetParam() == 16 ? set.aes128 : set.aes256;
        key_ = bytes(GetParam());
        salt_ = bytes(4);
        sealer_ = std::make_unique<GcmCipher>(kernels);
        opener_ = std::make_unique<GcmCipher>(kernels);
        EXPECT_TRUE(sealer_->start(Direction::kSeal, key_, {}));
        EXPECT_TRUE(opener_->start(Direction::kOpen, key_, {}));
        EXPECT_TRUE(sealing_.set_salt(salt_));
        EXPECT_TRUE(opening_.set_salt(salt_));
    }
    Bytes bytes(std::size_t size) {
        Bytes made(size);
        for (auto &octet : made) octet = static_cast<std::uint8_t>(random_.below(256));
        return made;
    }
    /// The text with room around it.
    static Bytes record_of(const Bytes &text) {
        Bytes record(text.size() + kOverhead);
        std::ranges::copy(text, record.begin() + 8);
        return record;
    }
    static Bytes text_of(const Bytes &record) { return {record.begin() + 8, record.end() - 16}; }
    Bytes seal(std::uint64_t number, const Bytes &text) {
        Bytes record = record_of(text);
        EXPECT_TRUE(sealing_.announce(Direction::kSeal, header(number, text.size() + 8)));
        EXPECT_EQ(sealing_.process(*sealer_, record, record.data()), record.size());
        return record;
    }
    std::optional<std::size_t> open(std::uint64_t number, Bytes &record) {
        EXPECT_TRUE(opening_.announce(Direction::kOpen, header(number, record.size())));
        EXPECT_TRUE(opening_.announced());
        const auto size = opening_.process(*opener_, record, record.data());
        EXPECT_FALSE(opening_.announced());
        return size;
    }

    Random random_{5};
    Bytes key_;
    Bytes salt_;
    std::unique_ptr<GcmCipher> sealer_;
    std::unique_ptr<GcmCipher> opener_;
    Tls12Gcm sealing_;
    Tls12Gcm opening_;
};

TEST_P(Tls12GcmTest, OpenSslOpensWhatIsSealed) {
    OpenSslRecords openssl(Direction::kOpen, key_, salt_);
    for (std::uint64_t number = 0; number < 200; ++number) {
        SCOPED_TRACE(number);
        const Bytes text = bytes(number < 40 ? number : random_.below(16'385));
        Bytes record = seal(number, text);
        EXPECT_EQ(load_be<std::uint64_t>(record.data()), number) << "RFC 5288 section 3";
        ASSERT_EQ(openssl.process(header(number, record.size()), record),
                  static_cast<int>(text.size()));
        ASSERT_TRUE(text_of(record) == text);
    }
}

TEST_P(Tls12GcmTest, OpensWhatOpenSslSeals) {
    OpenSslRecords openssl(Direction::kSeal, key_, salt_);
    for (std::uint64_t number = 0; number < 200; ++number) {
        SCOPED_TRACE(number);
        const Bytes text = bytes(number < 40 ? number : random_.below(16'385));
        Bytes record = record_of(text);
        ASSERT_EQ(openssl.process(header(number, text.size() + 8), record),
                  static_cast<int>(record.size()));
        ASSERT_EQ(open(number, record), text.size());
        ASSERT_TRUE(text_of(record) == text);
    }
}

TEST_P(Tls12GcmTest, RefusesAndWipesWhatWasChanged) {
    for (std::size_t at = 0; at < 100 + kOverhead; ++at) {
        SCOPED_TRACE(at);
        Bytes record = seal(9, bytes(100));
        record[at] ^= 4;
        EXPECT_FALSE(open(9, record));
        EXPECT_EQ(std::ranges::count(record, 0), std::ssize(record));
    }
    Bytes record = seal(9, bytes(100));
    EXPECT_FALSE(open(10, record)) << "another record's place";
}

TEST_P(Tls12GcmTest, AnAnnouncementServesOneRecordOfItsSize) {
    Bytes record = record_of(bytes(50));
    ASSERT_TRUE(sealing_.announce(Direction::kSeal, header(1, 58)));
    EXPECT_FALSE(sealing_.process(*sealer_, ByteView(record).first(60), record.data()));
    EXPECT_FALSE(sealing_.announced());
    EXPECT_FALSE(sealing_.announce(Direction::kSeal, header(1, 7))) << "shorter than a nonce";
    EXPECT_FALSE(opening_.announce(Direction::kOpen, header(1, 23))) << "shorter than a tag";
    EXPECT_FALSE(opening_.announce(Direction::kOpen, Bytes(12)));
    EXPECT_FALSE(Tls12Gcm().announce(Direction::kSeal, header(1, 58))) << "no salt";
    EXPECT_FALSE(sealing_.set_salt(Bytes(12)));
}

INSTANTIATE_TEST_SUITE_P(KeySizes, Tls12GcmTest, testing::Values(16, 32));

}  // namespace
}  // namespace farlink::cla::tls12_gcm_test

#endif  // FARLINK_TLS && FARLINK_IPSEC_MB
