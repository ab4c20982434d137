// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/gcm/gcm_provider.hpp"

#if FARLINK_TLS && FARLINK_IPSEC_MB

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <array>
#include <memory>

#include "cla/tls/gcm/tls_library.hpp"
#include "common/base/bytes.hpp"

namespace farlink::cla::gcm_provider_test {
namespace {

using Cipher = std::unique_ptr<EVP_CIPHER, decltype(&EVP_CIPHER_free)>;
using Context = std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)>;
using Tag = std::array<std::uint8_t, 16>;

Context make_context() {
    return {EVP_CIPHER_CTX_new(), &EVP_CIPHER_CTX_free};
}

/// By OpenSSL's interface for ciphers, as its TLS uses it.
class GcmProvider : public testing::TestWithParam<const char *> {
protected:
    void SetUp() override {
        const TlsLibrary &library = TlsLibrary::instance();
        if (library.native() == nullptr) GTEST_SKIP() << library.gcm();
        fast_.reset(EVP_CIPHER_fetch(library.native(), GetParam(), "provider=farlink"));
        usual_.reset(EVP_CIPHER_fetch(nullptr, GetParam(), nullptr));
        ASSERT_NE(fast_, nullptr);
        ASSERT_NE(usual_, nullptr);
        key_.assign(static_cast<std::size_t>(EVP_CIPHER_get_key_length(usual_.get())), 0x51);
    }
    Context start(const Cipher &cipher, int seal) {
        Context context = make_context();
        EXPECT_EQ(EVP_CipherInit_ex(context.get(), cipher.get(), nullptr, key_.data(),
                                    nonce_.data(), seal),
                  1);
        int size = 0;
        EXPECT_EQ(EVP_CipherUpdate(context.get(), nullptr, &size, header_.data(), 5), 1);
        return context;
    }
    static Bytes update(const Context &context, const Bytes &from) {
        Bytes to(from.size());
        int size = 0;
        EXPECT_EQ(EVP_CipherUpdate(context.get(), to.data(), &size, from.data(),
                                   static_cast<int>(from.size())),
                  1);
        EXPECT_EQ(static_cast<std::size_t>(size), from.size());
        return to;
    }
    static int finish(const Context &context) {
        std::array<std::uint8_t, 16> rest{};
        int size = 0;
        return EVP_CipherFinal_ex(context.get(), rest.data(), &size);
    }
    static Tag tag_of(const Context &context) {
        Tag tag{};
        EXPECT_EQ(finish(context), 1);
        EXPECT_EQ(EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, 16, tag.data()), 1);
        return tag;
    }

    Cipher fast_{nullptr, &EVP_CIPHER_free};
    Cipher usual_{nullptr, &EVP_CIPHER_free};
    Bytes key_;
    Bytes nonce_ = Bytes(12, 0x17);
    Bytes header_ = Bytes(5, 3);
    Bytes text_ = Bytes(5'000, 0x42);
};

TEST_P(GcmProvider, SaysWhatOpenSslsOwnSays) {
    for (const auto ask : {EVP_CIPHER_get_key_length, EVP_CIPHER_get_iv_length,
                           EVP_CIPHER_get_block_size, EVP_CIPHER_get_mode, EVP_CIPHER_get_nid})
        EXPECT_EQ(ask(fast_.get()), ask(usual_.get()));
    constexpr unsigned long kFlags = EVP_CIPH_FLAG_AEAD_CIPHER | EVP_CIPH_CUSTOM_IV;
    EXPECT_EQ(EVP_CIPHER_get_flags(fast_.get()) & kFlags, kFlags);
    EXPECT_EQ(EVP_CIPHER_CTX_get_tag_length(start(fast_, 1).get()), 16);
}

TEST_P(GcmProvider, SealsAsOpenSslDoesAndOpensIt) {
    const Context ours = start(fast_, 1);
    const Context theirs = start(usual_, 1);
    const Bytes sealed = update(ours, text_);
    EXPECT_TRUE(sealed == update(theirs, text_));
    Tag tag = tag_of(ours);
    EXPECT_EQ(tag, tag_of(theirs));
    for (const int wrong : {0, 1}) {
        tag[15] = static_cast<std::uint8_t>(tag[15] + wrong);
        const Context opening = start(fast_, 0);
        EXPECT_EQ(EVP_CIPHER_CTX_ctrl(opening.get(), EVP_CTRL_AEAD_SET_TAG, 16, tag.data()), 1);
        EXPECT_TRUE(update(opening, sealed) == text_);
        EXPECT_EQ(finish(opening), 1 - wrong);
    }
}

TEST_P(GcmProvider, ContextsCanBeCopied) {
    const Context first = start(fast_, 1);
    const Context expected = start(usual_, 1);
    EXPECT_TRUE(update(first, text_) == update(expected, text_));
    const Context second = make_context();
    ASSERT_EQ(EVP_CIPHER_CTX_copy(second.get(), first.get()), 1);
    EXPECT_TRUE(update(second, text_) == update(expected, text_));
    const Tag whole = tag_of(expected);
    EXPECT_EQ(tag_of(second), whole);
    EXPECT_NE(tag_of(first), whole);
}

TEST_P(GcmProvider, RefusesWhatItDoesNotDo) {
    const Context sealing = start(fast_, 1);
    Tag tag{};
    EXPECT_LE(EVP_CIPHER_CTX_ctrl(sealing.get(), EVP_CTRL_AEAD_SET_IVLEN, 16, nullptr), 0);
    EXPECT_EQ(EVP_CIPHER_CTX_ctrl(sealing.get(), EVP_CTRL_AEAD_SET_IVLEN, 12, nullptr), 1);
    EXPECT_LE(EVP_CIPHER_CTX_ctrl(sealing.get(), EVP_CTRL_AEAD_GET_TAG, 16, tag.data()), 0);
    EXPECT_LE(EVP_CIPHER_CTX_ctrl(sealing.get(), EVP_CTRL_AEAD_SET_TAG, 16, tag.data()), 0);
    const Context opening = start(fast_, 0);
    EXPECT_EQ(finish(opening), 0) << "no tag to compare with";
    int size = 0;
    const Context empty = make_context();
    ASSERT_EQ(EVP_CipherInit_ex(empty.get(), fast_.get(), nullptr, nullptr, nullptr, 1), 1);
    Bytes to(10);
    EXPECT_EQ(EVP_CipherUpdate(empty.get(), to.data(), &size, text_.data(), 10), 0) << "no key";
}

INSTANTIATE_TEST_SUITE_P(KeySizes, GcmProvider, testing::Values("AES-128-GCM", "AES-256-GCM"));

}  // namespace
}  // namespace farlink::cla::gcm_provider_test

#endif  // FARLINK_TLS && FARLINK_IPSEC_MB
