// SPDX-License-Identifier: Apache-2.0
// TLS on one connected socket: the handshake, then octets in and out as records.
// Owned by a ByteStream, on its thread.
// Never waits, and never raises SIGPIPE: OpenSSL uses a TlsTransport instead of the socket.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cla/tls/byte_stream.hpp"
#include "cla/tls/certificate_names.hpp"
#include "cla/tls/tls_context.hpp"
#include "cla/tls/tls_transport.hpp"

struct ssl_st;

namespace farlink::cla {

class TlsConnection {
public:
    /// See ByteStream::start_tls().
    TlsConnection(const TlsContext &context, SessionRole role, int fd, const std::string &host);
    ~TlsConnection();
    TlsConnection(const TlsConnection &) = delete;
    TlsConnection &operator=(const TlsConnection &) = delete;

    [[nodiscard]] StreamStatus handshake();
    [[nodiscard]] bool secured() const { return secured_; }
    [[nodiscard]] const CertificateNames *peer_names() const;

    [[nodiscard]] StreamResult read(MutableBytes space);
    [[nodiscard]] StreamResult write(std::span<const iovec> pieces);
    [[nodiscard]] bool has_buffered() const { return more_to_publish_; }
    /// Sends close_notify (RFC 8446 section 6.1).
    void end_writing();

    /// Of the last kFailed.
    [[nodiscard]] const std::string &reason() const { return reason_; }
    /// The peer has sent an alert: reason() names it.
    [[nodiscard]] bool refused_by_peer() const { return refused_by_peer_; }

private:
    struct Release {
        void operator()(ssl_st *ssl) const;
    };

    [[nodiscard]] StreamStatus finish_handshake();
    [[nodiscard]] StreamStatus write_record(ByteView octets);
    /// Whether OpenSSL's buffers stay for the next record; idle connections hold none.
    void keep_record_buffers(bool keep);
    /// What a call into OpenSSL that did not succeed means.
    [[nodiscard]] StreamStatus outcome_of(int result);
    [[nodiscard]] StreamStatus flush();
    StreamStatus fail(std::string reason);

    TlsTransport transport_;
    std::unique_ptr<ssl_st, Release> ssl_;
    std::optional<CertificateNames> names_;
    std::string reason_;
    bool refused_by_peer_ = false;
    std::uint64_t records_under_key_ = 0;
    bool verifies_;
    bool checks_names_;
    bool secured_ = false;
    bool more_to_publish_ =
        false;  ///< the last read() stopped for another reason than a dry socket
};

}  // namespace farlink::cla
