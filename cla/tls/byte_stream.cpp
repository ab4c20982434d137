// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/byte_stream.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <climits>

#include "cla/tls/tls_connection.hpp"
#include "cla/tls/tls_error.hpp"
#include "common/base/invariant.hpp"

namespace farlink::cla {
namespace {

using boost::asio::ip::tcp;

bool would_wait(int error) {
    return error == EAGAIN || error == EWOULDBLOCK;
}

}  // namespace

ByteStream::ByteStream(tcp::socket socket) : socket_(std::move(socket)) {
    boost::system::error_code ignored;
    socket_.non_blocking(true, ignored);
}

ByteStream::~ByteStream() = default;
ByteStream::ByteStream(ByteStream &&) noexcept = default;

StreamResult ByteStream::read(MutableBytes space) {
    if (tls_) {
        const StreamResult result = tls_->read(space);
        if (result.status == StreamStatus::kFailed) reason_ = tls_->reason();
        return result;
    }
    while (true) {
        const ssize_t size =
            ::recv(socket_.native_handle(), space.data(), space.size(), MSG_DONTWAIT);
        if (size > 0) return {StreamStatus::kOk, static_cast<std::size_t>(size)};
        if (size == 0) return {StreamStatus::kEnded, 0};
        if (would_wait(errno)) return {StreamStatus::kWaitReadable, 0};
        if (errno != EINTR) return failed(errno);
    }
}

StreamResult ByteStream::write(std::span<const iovec> pieces) {
    if (tls_) {
        const StreamResult result = tls_->write(pieces);
        if (result.status == StreamStatus::kFailed) reason_ = tls_->reason();
        return result;
    }
    std::size_t wanted = 0;
    pieces = pieces.first(std::min<std::size_t>(pieces.size(), IOV_MAX));
    for (const iovec &piece : pieces) wanted += piece.iov_len;
    if (wanted == 0) return {};
    msghdr message{};
    message.msg_iov = const_cast<iovec *>(pieces.data());
    message.msg_iovlen = pieces.size();
    while (true) {
        const ssize_t size =
            ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (size >= 0) {
            // What the kernel takes in part fills it.
            const auto bytes = static_cast<std::size_t>(size);
            return {bytes < wanted ? StreamStatus::kWaitWritable : StreamStatus::kOk, bytes};
        }
        if (would_wait(errno)) return {StreamStatus::kWaitWritable, 0};
        if (errno != EINTR) return failed(errno);
    }
}

StreamResult ByteStream::failed(int error) {
    reason_ = system_error_text(error);
    return {StreamStatus::kFailed, 0};
}

bool ByteStream::has_buffered() const {
    return tls_ && tls_->has_buffered();
}

void ByteStream::start_tls(const TlsContext &context, SessionRole role,
                           const std::string &expected_host) {
    FARLINK_INVARIANT(!tls_);
    tls_ = std::make_unique<TlsConnection>(context, role, socket_.native_handle(), expected_host);
}

StreamStatus ByteStream::handshake() {
    FARLINK_INVARIANT(tls_);
    const StreamStatus status = tls_->handshake();
    if (status == StreamStatus::kFailed) reason_ = tls_->reason();
    return status;
}

bool ByteStream::refused_by_peer() const {
    return tls_ != nullptr && tls_->refused_by_peer();
}

bool ByteStream::secured() const {
    return tls_ && tls_->secured();
}

const CertificateNames *ByteStream::peer_names() const {
    return tls_ ? tls_->peer_names() : nullptr;
}

void ByteStream::shut_down_writing() {
    if (tls_) tls_->end_writing();
    boost::system::error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
}

void ByteStream::close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
}

}  // namespace farlink::cla
