// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/tls_connection.hpp"

#if FARLINK_TLS

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/address.hpp>
#include <cstring>

#include "cla/tls/certificate_reader.hpp"
#include "cla/tls/tls_error.hpp"
#include "common/base/invariant.hpp"

namespace farlink::cla {
namespace {

/// Octets of a full record (RFC 8446 section 5.1).
constexpr std::size_t kRecordBytes = SSL3_RT_MAX_PLAIN_LENGTH;
/// RFC 8446 section 5.5: AES-GCM protects 2^24.5 full records with one key.
constexpr std::uint64_t kRecordsPerKey = std::uint64_t{1} << 24;

/// Hands out gathered pieces as full records: small pieces copied together, large ones as they lie.
class RecordCutter {
public:
    explicit RecordCutter(std::span<const iovec> pieces) : pieces_(pieces) { skip_empty(); }

    [[nodiscard]] bool done() const { return pieces_.empty(); }
    /// The next record's octets, valid until the next call. done() is false.
    [[nodiscard]] ByteView next() {
        if (left_of_piece() >= kRecordBytes) return pass(kRecordBytes);
        const ByteView whole = pass(left_of_piece());
        if (done()) return whole;
        std::size_t size = 0;
        append(whole, size);
        while (!done() && size < kRecordBytes)
            append(pass(std::min(left_of_piece(), kRecordBytes - size)), size);
        return {gathered_.data(), size};
    }

private:
    [[nodiscard]] std::size_t left_of_piece() const { return pieces_.front().iov_len - used_; }
    ByteView pass(std::size_t size) {
        const ByteView octets{static_cast<const std::uint8_t *>(pieces_.front().iov_base) + used_,
                              size};
        used_ += size;
        skip_empty();
        return octets;
    }
    void skip_empty() {
        while (!pieces_.empty() && left_of_piece() == 0) {
            pieces_ = pieces_.subspan(1);
            used_ = 0;
        }
    }
    void append(ByteView octets, std::size_t &size) {
        std::memcpy(gathered_.data() + size, octets.data(), octets.size());
        size += octets.size();
    }

    std::span<const iovec> pieces_;
    std::size_t used_ = 0;  ///< of the front piece
    std::array<std::uint8_t, kRecordBytes> gathered_;
};

/// SSL_get_error() needs an empty queue before each call. It nearly always is, and a check is much
/// cheaper than emptying.
void forget_errors() {
    if (ERR_peek_error() != 0) ERR_clear_error();
}

bool is_address(const std::string &host) {
    boost::system::error_code error;
    boost::asio::ip::make_address(host, error);
    return !error;
}

}  // namespace

void TlsConnection::Release::operator()(ssl_st *ssl) const {
    SSL_free(ssl);
}

TlsConnection::TlsConnection(const TlsContext &context, SessionRole role, int fd,
                             const std::string &host)
    : transport_(fd),
      ssl_(SSL_new(context.native())),
      verifies_(context.verifies()),
      checks_names_(context.checks_names()) {
    FARLINK_INVARIANT(ssl_ != nullptr);
    BIO *const bio = transport_.make_bio();
    SSL_set_bio(ssl_.get(), bio, bio);
    if (role == SessionRole::kPassive) {
        SSL_set_accept_state(ssl_.get());
        return;
    }
    SSL_set_connect_state(ssl_.get());
    // RFC 9174 section 4.4.3: server_name has the DNS name that was resolved, never an address.
    // (What SSL_set_tlsext_host_name() stands for, without its C cast.)
    if (!host.empty() && !is_address(host))
        SSL_ctrl(ssl_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
                 const_cast<char *>(host.c_str()));
}

TlsConnection::~TlsConnection() = default;

const CertificateNames *TlsConnection::peer_names() const {
    return names_ ? &*names_ : nullptr;
}

StreamStatus TlsConnection::handshake() {
    ERR_clear_error();
    const int result = SSL_do_handshake(ssl_.get());
    if (result == 1) return finish_handshake();
    StreamStatus status = outcome_of(result);
    if (status == StreamStatus::kEnded)
        status = fail("the peer closed the connection during the TLS handshake");
    // A failure is worth an alert to the peer, as far as the kernel takes it.
    const StreamStatus flushed = flush();
    return status == StreamStatus::kFailed || flushed == StreamStatus::kOk ? status : flushed;
}

StreamStatus TlsConnection::finish_handshake() {
    if (const StreamStatus flushed = flush(); flushed != StreamStatus::kOk) return flushed;
    if (secured_) return StreamStatus::kOk;
    secured_ = true;
    // Octets of the session may have come with the last of the handshake.
    more_to_publish_ = transport_.has_incoming() || SSL_has_pending(ssl_.get()) == 1;
    if (const X509 *const certificate = SSL_get0_peer_certificate(ssl_.get());
        certificate != nullptr && checks_names_)
        names_ = read_names(*certificate);
    return StreamStatus::kOk;
}

StreamResult TlsConnection::read(MutableBytes space) {
    std::size_t bytes = 0;
    StreamStatus status = StreamStatus::kOk;
    while (bytes < space.size() && status == StreamStatus::kOk) {
        std::size_t more = 0;
        // The read that finds the socket dry gives the buffer back.
        keep_record_buffers(transport_.has_incoming());
        forget_errors();
        const int result =
            SSL_read_ex(ssl_.get(), space.data() + bytes, space.size() - bytes, &more);
        bytes += more;
        if (result != 1) status = outcome_of(result);
    }
    // What has come is handed over first; the same end or failure is found again next time.
    more_to_publish_ = status != StreamStatus::kWaitReadable;
    if (status == StreamStatus::kOk)
        more_to_publish_ = transport_.has_incoming() || SSL_has_pending(ssl_.get()) == 1;
    // An answer to a key update may have been written.
    if (flush() == StreamStatus::kFailed) status = StreamStatus::kFailed;
    return {bytes > 0 ? StreamStatus::kOk : status, bytes};
}

StreamResult TlsConnection::write(std::span<const iovec> pieces) {
    std::size_t bytes = 0;
    StreamStatus status = flush();
    RecordCutter cutter(pieces);
    while (status == StreamStatus::kOk && !cutter.done()) {
        const ByteView record = cutter.next();
        keep_record_buffers(!cutter.done());
        status = write_record(record);
        if (status != StreamStatus::kOk) break;
        bytes += record.size();
        if (!transport_.has_room()) status = flush();
    }
    if (status == StreamStatus::kOk) status = flush();
    return {status, bytes};
}

StreamStatus TlsConnection::write_record(ByteView octets) {
    // The transport has room, so that a record is written whole or not at all.
    if (++records_under_key_ >= kRecordsPerKey && SSL_version(ssl_.get()) >= TLS1_3_VERSION) {
        records_under_key_ = 0;
        SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED);
    }
    std::size_t written = 0;
    forget_errors();
    const int result = SSL_write_ex(ssl_.get(), octets.data(), octets.size(), &written);
    if (result != 1) return outcome_of(result);
    FARLINK_INVARIANT(written == octets.size());
    return StreamStatus::kOk;
}

void TlsConnection::keep_record_buffers(bool keep) {
    if (keep)
        SSL_clear_mode(ssl_.get(), SSL_MODE_RELEASE_BUFFERS);
    else
        SSL_set_mode(ssl_.get(), SSL_MODE_RELEASE_BUFFERS);
}

void TlsConnection::end_writing() {
    ERR_clear_error();
    if (secured_ && reason_.empty()) SSL_shutdown(ssl_.get());
    ERR_clear_error();
    static_cast<void>(transport_.flush());
}

StreamStatus TlsConnection::flush() {
    const StreamStatus status = transport_.flush();
    return status == StreamStatus::kFailed ? fail(system_error_text(transport_.error())) : status;
}

StreamStatus TlsConnection::outcome_of(int result) {
    switch (SSL_get_error(ssl_.get(), result)) {
        case SSL_ERROR_WANT_READ:
            return StreamStatus::kWaitReadable;
        case SSL_ERROR_WANT_WRITE:
            return StreamStatus::kWaitWritable;
        case SSL_ERROR_ZERO_RETURN:
            return StreamStatus::kEnded;
        default:
            break;
    }
    // In TLS 1.3 a client has finished when the server judges its certificate. The alert may have
    // come before the connection broke, and is read after it.
    if (is_peer_alert(ERR_peek_error())) {
        refused_by_peer_ = true;
        reason_ = tls_error_text(ERR_peek_error());
        return StreamStatus::kFailed;
    }
    if (transport_.error() != 0) return fail(system_error_text(transport_.error()));
    if (transport_.ended() && ERR_peek_error() == 0) return StreamStatus::kEnded;
    const long verified = SSL_get_verify_result(ssl_.get());
    if (!secured_ && verifies_ && verified != X509_V_OK) return fail(verify_error_text(verified));
    return fail(tls_error_text(ERR_peek_error()));
}

// The first reason is the one that counts.
StreamStatus TlsConnection::fail(std::string reason) {
    if (reason_.empty()) reason_ = std::move(reason);
    return StreamStatus::kFailed;
}

}  // namespace farlink::cla

#endif  // FARLINK_TLS
