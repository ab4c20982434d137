// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/files/digest.hpp"

#include <openssl/evp.h>

#include <new>

namespace farlink::files {
namespace {

constexpr const char *kDigits = "0123456789abcdef";

void begin(EVP_MD_CTX *context) {
    // Found once: that takes longer than the digest of a small file.
    static EVP_MD *const kind = EVP_MD_fetch(nullptr, "SHA256", nullptr);
    if (context == nullptr || EVP_DigestInit_ex(context, kind, nullptr) != 1)
        throw std::bad_alloc();
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st *context) const {
    EVP_MD_CTX_free(context);
}

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
    begin(context_.get());
}

void Sha256::update(ByteView octets) {
    EVP_DigestUpdate(context_.get(), octets.data(), octets.size());
}

Digest Sha256::finish() {
    Digest digest{};
    EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
    begin(context_.get());
    return digest;
}

std::string hex_of(ByteView octets) {
    std::string text;
    for (const std::uint8_t octet : octets) {
        text += kDigits[octet >> 4];
        text += kDigits[octet & 15];
    }
    return text;
}

}  // namespace farlink::files
