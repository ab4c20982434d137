// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/crypto/gcm.hpp"

#include <algorithm>
#include <array>

namespace farlink::bp::bpsec {
namespace {

/// OpenSSL counts octets of one call as int.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

const EVP_CIPHER *cipher_of(CipherVariant variant) {
    static EVP_CIPHER *const aes128 = EVP_CIPHER_fetch(nullptr, "AES-128-GCM", nullptr);
    static EVP_CIPHER *const aes256 = EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr);
    return variant == CipherVariant::kA128Gcm ? aes128 : aes256;
}

}  // namespace

Gcm::Gcm(CipherVariant variant) : variant_(variant), context_(EVP_CIPHER_CTX_new()) {}

bool Gcm::set_key(ByteView key) {
    return context_ != nullptr && key.size() == cipher_key_bytes(variant_) &&
           EVP_EncryptInit_ex2(context_.get(), cipher_of(variant_), key.data(), nullptr, nullptr) ==
               1;
}

void Gcm::begin(Direction direction, ByteView iv) {
    good_ = EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_SET_IVLEN,
                                static_cast<int>(iv.size()), nullptr) == 1 &&
            EVP_CipherInit_ex2(context_.get(), nullptr, nullptr, iv.data(),
                               static_cast<int>(direction), nullptr) == 1;
}

void Gcm::add_aad(ByteView octets) {
    int size = 0;
    good_ = good_ && EVP_CipherUpdate(context_.get(), nullptr, &size, octets.data(),
                                      static_cast<int>(octets.size())) == 1;
}

void Gcm::transform(ByteView from, std::uint8_t *to) {
    while (good_ && !from.empty()) {
        const std::size_t part = std::min(from.size(), kMostAtOnce);
        int size = 0;
        good_ =
            EVP_CipherUpdate(context_.get(), to, &size, from.data(), static_cast<int>(part)) == 1 &&
            static_cast<std::size_t>(size) == part;
        from = from.subspan(part);
        to += part;
    }
}

bool Gcm::finish(MutableBytes tag) {
    std::uint8_t none[16];
    int size = 0;
    return good_ && tag.size() == kTagBytes &&
           EVP_CipherFinal_ex(context_.get(), none, &size) == 1 &&
           EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes, tag.data()) == 1;
}

Gcm::Match Gcm::finish_with(ByteView tag) {
    if (!good_ || tag.size() != kTagBytes) return Match::kError;
    std::array<std::uint8_t, kTagBytes> expected;
    std::ranges::copy(tag, expected.begin());
    std::uint8_t none[16];
    int size = 0;
    if (EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_SET_TAG, kTagBytes, expected.data()) != 1)
        return Match::kError;
    return EVP_CipherFinal_ex(context_.get(), none, &size) == 1 ? Match::kYes : Match::kNo;
}

}  // namespace farlink::bp::bpsec
