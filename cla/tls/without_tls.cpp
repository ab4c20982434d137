// SPDX-License-Identifier: Apache-2.0
// Stands in for TLS in a build without OpenSSL: no context can be made, so that no link gets as far
// as a TLS connection.
#if !FARLINK_TLS

#include "cla/tls/gcm/tls_library.hpp"
#include "cla/tls/tls_connection.hpp"
#include "common/base/invariant.hpp"

namespace farlink::cla {
namespace {

constexpr const char *kAbsent = "TLS: this build has no TLS";

}  // namespace

void TlsLibrary::Free::operator()(ossl_lib_ctx_st *) const {}
void TlsLibrary::Unload::operator()(ossl_provider_st *) const {}
TlsLibrary::TlsLibrary() : gcm_("none") {}
TlsLibrary::~TlsLibrary() = default;

const TlsLibrary &TlsLibrary::instance() {
    static const TlsLibrary library;
    return library;
}

void TlsContext::Release::operator()(ssl_ctx_st *) const {}
TlsContext::~TlsContext() = default;
TlsContext::TlsContext(TlsContext &&) noexcept = default;
TlsContext &TlsContext::operator=(TlsContext &&) noexcept = default;

Result<TlsContext, std::string> TlsContext::make(const config::TlsConfig &, SessionRole) {
    return fail(std::string(kAbsent));
}

CertificateNames TlsContext::own_names() const {
    return {};
}

TlsRefresh TlsContext::refresh(TimePoint) {
    return {false, kAbsent};
}

void TlsConnection::Release::operator()(ssl_st *) const {}
TlsConnection::~TlsConnection() = default;

TlsConnection::TlsConnection(const TlsContext &, SessionRole, int fd, const std::string &)
    : transport_(fd), verifies_(true) {
    FARLINK_INVARIANT(!"a TLS connection in a build without TLS");
}

StreamStatus TlsConnection::handshake() {
    return StreamStatus::kFailed;
}
StreamResult TlsConnection::read(MutableBytes) {
    return {StreamStatus::kFailed, 0};
}
StreamResult TlsConnection::write(std::span<const iovec>) {
    return {StreamStatus::kFailed, 0};
}
void TlsConnection::end_writing() {}
const CertificateNames *TlsConnection::peer_names() const {
    return nullptr;
}

}  // namespace farlink::cla

#endif  // !FARLINK_TLS
