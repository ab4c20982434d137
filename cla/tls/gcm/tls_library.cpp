// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/gcm/tls_library.hpp"

#if FARLINK_TLS

#include <openssl/conf.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "cla/tls/gcm/gcm_kernels.hpp"
#include "cla/tls/gcm/gcm_provider.hpp"

namespace farlink::cla {

void TlsLibrary::Free::operator()(OSSL_LIB_CTX *library) const {
    OSSL_LIB_CTX_free(library);
}

void TlsLibrary::Unload::operator()(OSSL_PROVIDER *provider) const {
    OSSL_PROVIDER_unload(provider);
}

TlsLibrary::~TlsLibrary() = default;

const TlsLibrary &TlsLibrary::instance() {
    static const TlsLibrary library;
    return library;
}

TlsLibrary::TlsLibrary() {
    const std::string reason = prefer_fast_gcm();
    gcm_ = reason.empty() ? "intel-ipsec-mb" : "OpenSSL (" + reason + ")";
    ERR_clear_error();
}

#if FARLINK_IPSEC_MB

std::string TlsLibrary::prefer_fast_gcm() {
    if (!fast_gcm()) return fast_gcm().error();
    std::unique_ptr<OSSL_LIB_CTX, Free> library(OSSL_LIB_CTX_new());
    if (!library || !add_gcm_provider(library.get()))
        return "OpenSSL cannot register the provider of intel-ipsec-mb";
    // As OpenSSL reads it for its default context. An openssl.cnf that prescribes other providers
    // or properties, as for FIPS, counts here too.
    CONF_modules_load_file_ex(library.get(), nullptr, nullptr,
                              CONF_MFLAGS_DEFAULT_SECTION | CONF_MFLAGS_IGNORE_MISSING_FILE |
                                  CONF_MFLAGS_IGNORE_RETURN_CODES);
    // OpenSSL's default provider stays the one for all else.
    constexpr int kKeepFallbacks = 1;
    provider_.reset(OSSL_PROVIDER_try_load(library.get(), kGcmProvider, kKeepFallbacks));
    if (!provider_) return "OpenSSL cannot load the provider of intel-ipsec-mb";
    const std::unique_ptr<EVP_CIPHER, decltype(&EVP_CIPHER_free)> cipher(
        EVP_CIPHER_fetch(library.get(), "AES-128-GCM", kGcmProviderPreferred), &EVP_CIPHER_free);
    if (!cipher || EVP_CIPHER_get0_provider(cipher.get()) != provider_.get()) {
        provider_.reset();
        return "openssl.cnf selects another provider";
    }
    library_ = std::move(library);
    properties_ = kGcmProviderPreferred;
    return {};
}

#else

std::string TlsLibrary::prefer_fast_gcm() {
    return "this build has no intel-ipsec-mb";
}

#endif  // FARLINK_IPSEC_MB

}  // namespace farlink::cla

#endif  // FARLINK_TLS
