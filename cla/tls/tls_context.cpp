// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/tls_context.hpp"

#if FARLINK_TLS

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <cerrno>

#include "cla/tls/certificate_reader.hpp"
#include "cla/tls/gcm/tls_library.hpp"
#include "cla/tls/tls_error.hpp"
#include "common/base/invariant.hpp"

namespace farlink::cla {
namespace {

/// AES-128-GCM first: the fastest here, and strong enough for the life of a bundle.
constexpr const char *kCiphers13 =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
constexpr const char *kCiphers12 =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
constexpr int kSecurityLevel = 2;
constexpr seconds kLookInterval{1};

/// What is wrong with a configuration without looking at its files; empty: nothing.
std::string find_weakness(const config::TlsConfig &config, SessionRole role) {
    const bool has_certificate = !config.certificate_file.empty();
    const bool has_key = !config.key_file.empty();
    if (config.insecure && !config.ca_file.empty())
        return "found tlsInsecure and ca; expected only one of the two: the peer's certificate is "
               "either checked against " +
               config.ca_file + " or it is not";
    if (!config.insecure && config.ca_file.empty())
        return "no `ca`: the peer's certificate cannot be checked; set `ca`, or disable the check "
               "by `tlsInsecure`";
    if (has_certificate != has_key)
        return has_key ? "found key (" + config.key_file + ") without cert; expected both"
                       : "found cert (" + config.certificate_file + ") without key; expected both";
    if (role == SessionRole::kPassive && !has_certificate)
        return "no `cert` and `key`: the listening side must have a certificate";
    return {};
}

/// Why a file cannot be opened; empty: it can.
std::string find_unreadable(const std::string &file) {
    struct stat status{};
    if (::stat(file.c_str(), &status) != 0) return system_error_text(errno);
    if (!S_ISREG(status.st_mode)) return "not a regular file";
    const std::unique_ptr<BIO, decltype(&BIO_free)> opened(BIO_new_file(file.c_str(), "r"),
                                                           &BIO_free);
    return opened ? std::string() : system_error_text(errno);
}

std::string load_certificate(SSL_CTX *context, const config::TlsConfig &config) {
    if (const std::string why = find_unreadable(config.certificate_file); !why.empty())
        return config.certificate_file + ": " + why;
    if (SSL_CTX_use_certificate_chain_file(context, config.certificate_file.c_str()) != 1)
        return config.certificate_file + ": " + pem_error_text("certificate");
    if (const std::string why = find_unreadable(config.key_file); !why.empty())
        return config.key_file + ": " + why;
    // Loading the key compares it with the certificate; both errors are told apart here.
    const bool loaded =
        SSL_CTX_use_PrivateKey_file(context, config.key_file.c_str(), SSL_FILETYPE_PEM) == 1;
    const bool of_another = !loaded && ERR_GET_LIB(ERR_peek_last_error()) == ERR_LIB_X509;
    if (!loaded && !of_another) return config.key_file + ": " + pem_error_text("private key");
    if (of_another || SSL_CTX_check_private_key(context) != 1)
        return config.key_file + ": is not the key of " + config.certificate_file;
    return {};
}

std::string load_authorities(SSL_CTX *context, const config::TlsConfig &config, SessionRole role) {
    if (const std::string why = find_unreadable(config.ca_file); !why.empty())
        return config.ca_file + ": " + why;
    if (SSL_CTX_load_verify_file(context, config.ca_file.c_str()) != 1)
        return config.ca_file + ": " + pem_error_text("certificate");
    // Sent to clients, which may have several certificates to choose from.
    if (role == SessionRole::kPassive)
        SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(config.ca_file.c_str()));
    return {};
}

std::string load_revocations(SSL_CTX *context, const std::string &file) {
    if (const std::string why = find_unreadable(file); !why.empty()) return file + ": " + why;
    X509_STORE *const store = SSL_CTX_get_cert_store(context);
    X509_LOOKUP *const lookup = X509_STORE_add_lookup(store, X509_LOOKUP_file());
    FARLINK_INVARIANT(lookup != nullptr);
    if (X509_load_crl_file(lookup, file.c_str(), X509_FILETYPE_PEM) < 1)
        return file + ": " + pem_error_text("revocation list");
    // Every certificate of the chain: a list of the leaf's issuer alone would let the certificates
    // of a revoked intermediate authority pass.
    X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
    return {};
}

int verify_peer(int ok, X509_STORE_CTX *store) {
    if (ok != 1 || X509_STORE_CTX_get_error_depth(store) != 0) return ok;
    if (!find_misuse(*X509_STORE_CTX_get_current_cert(store))) return ok;
    X509_STORE_CTX_set_error(store, X509_V_ERR_INVALID_PURPOSE);
    return 0;
}

int accept_any_peer(int, X509_STORE_CTX *) {
    return 1;
}

void set_verification(SSL_CTX *context, const config::TlsConfig &config) {
    // RFC 9174 section 4.4.3: the passive side always requests a certificate.
    int mode = SSL_VERIFY_PEER;
    if (config.mode == config::TlsMode::kRequired && !config.insecure)
        mode |= SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
    SSL_CTX_set_verify(context, mode, config.insecure ? accept_any_peer : verify_peer);
    // Purposes are those of RFC 9174, not of web servers and browsers: find_misuse() judges them.
    SSL_CTX_set_purpose(context, X509_PURPOSE_ANY);
}

void set_protocol(SSL_CTX *context) {
    const bool known = SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
                       SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1 &&
                       SSL_CTX_set_ciphersuites(context, kCiphers13) == 1 &&
                       SSL_CTX_set_cipher_list(context, kCiphers12) == 1;
    FARLINK_INVARIANT(known);
    SSL_CTX_set_security_level(context, kSecurityLevel);
    // The end of a connection is part of the layer above, where nothing can be cut off unnoticed
    // (RFC 9174 section 4.4), so that a missing close_notify is no fault.
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET |
                                     SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                     SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_num_tickets(context, 0);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    // Idle connections hold no record buffers (see also TlsConnection::keep_record_buffers).
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    // Instead of asking at the terminal for the password of a key.
    SSL_CTX_set_default_passwd_cb(context, [](char *, int, int, auto *) { return -1; });
}

}  // namespace

void TlsContext::Release::operator()(SSL_CTX *context) const {
    SSL_CTX_free(context);
}

TlsContext::TlsContext(config::TlsConfig config, SessionRole role)
    : config_(std::move(config)), role_(role), stamps_(stamps()) {}
TlsContext::~TlsContext() = default;
TlsContext::TlsContext(TlsContext &&) noexcept = default;
TlsContext &TlsContext::operator=(TlsContext &&) noexcept = default;

Result<TlsContext, std::string> TlsContext::make(const config::TlsConfig &config,
                                                 SessionRole role) {
    FARLINK_INVARIANT(config.mode != config::TlsMode::kNone);
    if (std::string weakness = find_weakness(config, role); !weakness.empty())
        return fail("TLS: " + weakness);
    TlsContext made(config, role);
    auto context = load(config, role);
    if (!context) return fail("TLS: " + context.error());
    made.context_ = std::move(*context);
    return made;
}

Result<TlsContext::Context, std::string> TlsContext::load(const config::TlsConfig &config,
                                                          SessionRole role) {
    ERR_clear_error();
    const TlsLibrary &library = TlsLibrary::instance();
    Context context(SSL_CTX_new_ex(library.native(), library.properties(), TLS_method()));
    FARLINK_INVARIANT(context != nullptr);
    set_protocol(context.get());
    set_verification(context.get(), config);
    std::string failure;
    if (!config.certificate_file.empty()) failure = load_certificate(context.get(), config);
    if (failure.empty() && !config.ca_file.empty())
        failure = load_authorities(context.get(), config, role);
    if (failure.empty() && !config.crl_file.empty())
        failure = load_revocations(context.get(), config.crl_file);
    ERR_clear_error();
    if (!failure.empty()) return fail(std::move(failure));
    return context;
}

TlsRefresh TlsContext::refresh(TimePoint now) {
    if (now < next_look_) return {};
    next_look_ = now + kLookInterval;
    const Stamps seen = stamps();
    if (seen == stamps_) return {};
    stamps_ = seen;
    auto context = load(config_, role_);
    if (!context) return {false, "TLS: " + context.error()};
    context_ = std::move(*context);
    return {true, {}};
}

CertificateNames TlsContext::own_names() const {
    const X509 *const certificate = SSL_CTX_get0_certificate(context_.get());
    return certificate == nullptr ? CertificateNames{} : read_names(*certificate);
}

TlsContext::Stamps TlsContext::stamps() const {
    Stamps found{};
    const std::array files{&config_.ca_file, &config_.crl_file, &config_.certificate_file,
                           &config_.key_file};
    for (std::size_t i = 0; i < files.size(); ++i) {
        struct stat status{};
        if (files[i]->empty() || ::stat(files[i]->c_str(), &status) != 0) continue;
        found[i] = {status.st_dev, status.st_ino, status.st_size,
                    status.st_mtim.tv_sec * std::int64_t{1'000'000'000} + status.st_mtim.tv_nsec};
    }
    return found;
}

}  // namespace farlink::cla

#endif  // FARLINK_TLS
