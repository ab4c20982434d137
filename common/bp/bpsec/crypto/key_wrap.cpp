// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/crypto/key_wrap.hpp"

#include <algorithm>

namespace farlink::bp::bpsec {
namespace {

constexpr std::size_t kWrapUnit = 8;
constexpr std::size_t kLeastWrapped = 2 * kWrapUnit;

const EVP_CIPHER *wrap_cipher(std::size_t kek_bytes) {
    static EVP_CIPHER *const wraps[] = {EVP_CIPHER_fetch(nullptr, "AES-128-WRAP", nullptr),
                                        EVP_CIPHER_fetch(nullptr, "AES-192-WRAP", nullptr),
                                        EVP_CIPHER_fetch(nullptr, "AES-256-WRAP", nullptr)};
    return wraps[(kek_bytes - 16) / 8];
}

bool can_be_wrapped(std::size_t octets) {
    return octets >= kLeastWrapped && octets % kWrapUnit == 0 && octets <= Secret::kMostBytes;
}

}  // namespace

bool KeyWrap::begin(ByteView kek, int encrypt) {
    if (context_ == nullptr || (kek.size() != 16 && kek.size() != 24 && kek.size() != 32))
        return false;
    EVP_CIPHER_CTX_set_flags(context_.get(), EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    return EVP_CipherInit_ex2(context_.get(), wrap_cipher(kek.size()), kek.data(), nullptr, encrypt,
                              nullptr) == 1;
}

std::optional<Bytes> KeyWrap::wrap(ByteView kek, ByteView key) {
    if (!can_be_wrapped(key.size()) || !begin(kek, 1)) return std::nullopt;
    Bytes wrapped(key.size() + kWrapOverhead);
    int size = 0;
    if (EVP_CipherUpdate(context_.get(), wrapped.data(), &size, key.data(),
                         static_cast<int>(key.size())) != 1 ||
        static_cast<std::size_t>(size) != wrapped.size())
        return std::nullopt;
    return wrapped;
}

bool KeyWrap::unwrap(ByteView kek, ByteView wrapped, Secret &key) {
    if (wrapped.size() < kWrapOverhead || !can_be_wrapped(wrapped.size() - kWrapOverhead) ||
        !begin(kek, 0))
        return false;
    std::uint8_t plain[Secret::kMostBytes + kWrapOverhead];
    int size = 0;
    const bool good = EVP_CipherUpdate(context_.get(), plain, &size, wrapped.data(),
                                       static_cast<int>(wrapped.size())) == 1 &&
                      static_cast<std::size_t>(size) == wrapped.size() - kWrapOverhead;
    if (good) std::copy_n(plain, size, key.resize(static_cast<std::size_t>(size)).begin());
    wipe(plain);
    return good;
}

}  // namespace farlink::bp::bpsec
