// SPDX-License-Identifier: Apache-2.0
// A connected TCP socket to read from and write to without waiting, in the clear or under TLS.
// Owned by one session of a link; one thread. Waiting for readiness is the session's business.
// TLS begins on an established connection (RFC 9174 section 4.4) and then covers all that follows.
#pragma once

#include <sys/uio.h>

#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <span>
#include <string>

#include "cla/api/session_core.hpp"
#include "common/base/bytes.hpp"

namespace farlink::cla {

class TlsContext;
class TlsConnection;
struct CertificateNames;

/// What a call led to. Under TLS a read may have to wait until the socket is writable and the
/// other way round, as after a key update.
enum class StreamStatus : std::uint8_t {
    kOk,
    kWaitReadable,
    kWaitWritable,
    kEnded,   ///< the peer has ended its direction
    kFailed,  ///< the connection is of no more use; reason() has the cause
};

struct StreamResult {
    StreamStatus status = StreamStatus::kOk;
    std::size_t bytes = 0;
};

class ByteStream {
public:
    /// `socket` is connected; it is made non-blocking here.
    explicit ByteStream(boost::asio::ip::tcp::socket socket);
    ~ByteStream();
    ByteStream(ByteStream &&) noexcept;

    [[nodiscard]] StreamResult read(MutableBytes space);
    /// Takes as much of `pieces` as it can; `bytes` have left the caller's hands whatever the
    /// status says. kWaitWritable: call again when the socket is writable, also without pieces, for
    /// TLS may hold records that the kernel had no room for. kOk: all is with the kernel.
    [[nodiscard]] StreamResult write(std::span<const iovec> pieces);
    /// read() has a result without the socket: octets, the end, a failure. Do not wait
    /// for readiness then.
    [[nodiscard]] bool has_buffered() const;

    /// From now on handshake() is called until it answers kOk, whenever the socket is ready for
    /// what it waits for. `expected_host` is the name that the certificate may prove
    /// (RFC 9174 section 4.4.1), empty on the passive side. Refresh the context before, so that
    /// renewed certificates are used.
    void start_tls(const TlsContext &context, SessionRole role, const std::string &expected_host);
    [[nodiscard]] StreamStatus handshake();
    [[nodiscard]] bool secured() const;
    /// Of the peer's verified certificate; null without TLS, without a certificate, or when it was
    /// not checked (`tlsInsecure`).
    [[nodiscard]] const CertificateNames *peer_names() const;

    /// Says that nothing more will be written (TLS: close_notify first). After a write() that ended
    /// in kOk.
    void shut_down_writing();
    void close();

    [[nodiscard]] boost::asio::ip::tcp::socket &socket() { return socket_; }
    /// Of the last kFailed: "certificate has expired", "connection reset by peer".
    [[nodiscard]] const std::string &reason() const { return reason_; }
    /// The peer has ended TLS by an alert, which reason() names.
    [[nodiscard]] bool refused_by_peer() const;

private:
    StreamResult failed(int error);

    boost::asio::ip::tcp::socket socket_;
    std::unique_ptr<TlsConnection> tls_;
    std::string reason_;
};

}  // namespace farlink::cla
