// SPDX-License-Identifier: Apache-2.0
// The OpenSSL that TLS contexts are made with: its ciphers, with a faster AES-GCM where there is
// one. One a process, made when first asked for, which is at start; any thread. A library context
// of farlink's own, so that OpenSSL's default one stays as it is.
#pragma once

#include <memory>
#include <string>

struct ossl_lib_ctx_st;
struct ossl_provider_st;

namespace farlink::cla {

class TlsLibrary {
public:
    [[nodiscard]] static const TlsLibrary &instance();
    ~TlsLibrary();
    TlsLibrary(const TlsLibrary &) = delete;
    TlsLibrary &operator=(const TlsLibrary &) = delete;

    /// For SSL_CTX_new_ex() and the like; both may be null, which is OpenSSL's default.
    [[nodiscard]] ossl_lib_ctx_st *native() const { return library_.get(); }
    [[nodiscard]] const char *properties() const { return properties_; }
    /// The implementation of AES-GCM: "intel-ipsec-mb", "OpenSSL (no AVX-512 with VAES)".
    [[nodiscard]] const std::string &gcm() const { return gcm_; }

private:
    struct Free {
        void operator()(ossl_lib_ctx_st *library) const;
    };
    struct Unload {
        void operator()(ossl_provider_st *provider) const;
    };

    TlsLibrary();
    /// Why OpenSSL's own AES-GCM stays in use; empty: it does not.
    [[nodiscard]] std::string prefer_fast_gcm();

    std::unique_ptr<ossl_lib_ctx_st, Free> library_;
    std::unique_ptr<ossl_provider_st, Unload> provider_;
    const char *properties_ = nullptr;
    std::string gcm_;
};

}  // namespace farlink::cla
