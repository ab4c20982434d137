// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/crypto/hmac.hpp"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <cstdio>

namespace farlink::bp::bpsec {
namespace {

EVP_MAC *hmac_method() {
    static EVP_MAC *const method = EVP_MAC_fetch(nullptr, "HMAC", nullptr);
    return method;
}

const char *digest_name(HashVariant variant) {
    return variant == HashVariant::kSha256   ? "SHA256"
           : variant == HashVariant::kSha384 ? "SHA384"
                                             : "SHA512";
}

}  // namespace

Hmac::Hmac(HashVariant variant) : variant_(variant), context_(EVP_MAC_CTX_new(hmac_method())) {}

bool Hmac::set_key(ByteView key) {
    char digest[8];
    std::snprintf(digest, sizeof digest, "%s", digest_name(variant_));
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end()};
    return context_ != nullptr &&
           EVP_MAC_init(context_.get(), key.data(), key.size(), parameters) == 1;
}

void Hmac::begin() {
    good_ = context_ != nullptr && EVP_MAC_init(context_.get(), nullptr, 0, nullptr) == 1;
}

void Hmac::add(ByteView octets) {
    good_ = good_ && EVP_MAC_update(context_.get(), octets.data(), octets.size()) == 1;
}

bool Hmac::finish(MutableBytes value) {
    std::size_t size = 0;
    return good_ && EVP_MAC_final(context_.get(), value.data(), &size, value.size()) == 1 &&
           size == hash_bytes(variant_);
}

}  // namespace farlink::bp::bpsec
