// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/tls_transport.hpp"

#if FARLINK_TLS

#include <openssl/bio.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace farlink::cla {
namespace {

using Outcome = TlsTransport::Outcome;

TlsTransport &transport_of(BIO *bio) {
    return *static_cast<TlsTransport *>(BIO_get_data(bio));
}

int write_bio(BIO *bio, const char *data, int size) {
    BIO_clear_retry_flags(bio);
    const ByteView octets{reinterpret_cast<const std::uint8_t *>(data),
                          static_cast<std::size_t>(size)};
    const Outcome outcome = transport_of(bio).take(octets);
    if (outcome == Outcome::kDone) return size;
    if (outcome == Outcome::kRetry) BIO_set_retry_write(bio);
    return -1;
}

int read_bio(BIO *bio, char *data, int size) {
    BIO_clear_retry_flags(bio);
    const MutableBytes space{reinterpret_cast<std::uint8_t *>(data),
                             static_cast<std::size_t>(size)};
    std::size_t bytes = 0;
    const Outcome outcome = transport_of(bio).give(space, bytes);
    if (outcome == Outcome::kDone) return static_cast<int>(bytes);
    if (outcome == Outcome::kRetry) BIO_set_retry_read(bio);
    return outcome == Outcome::kEnded ? 0 : -1;
}

long control_bio(BIO *bio, int command) {
    if (command == BIO_CTRL_EOF) return transport_of(bio).ended() ? 1 : 0;
    // A flush succeeds at once: TlsConnection empties the transport when OpenSSL has returned.
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

struct FreeMethod {
    void operator()(BIO_METHOD *method) const { BIO_meth_free(method); }
};
using Method = std::unique_ptr<BIO_METHOD, FreeMethod>;

Method make_method() {
    Method method(BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "farlink transport"));
    FARLINK_INVARIANT(method != nullptr);
    BIO_meth_set_write(method.get(), write_bio);
    BIO_meth_set_read(method.get(), read_bio);
    BIO_meth_set_ctrl(method.get(), [](BIO *bio, int command, long, auto *) {
        return control_bio(bio, command);
    });
    return method;
}

}  // namespace

BIO *TlsTransport::make_bio() {
    static const Method method = make_method();
    BIO *const bio = BIO_new(method.get());
    FARLINK_INVARIANT(bio != nullptr);
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    return bio;
}

StreamStatus TlsTransport::flush() {
    while (true) {
        const ByteView octets = outgoing_.waiting();
        if (octets.empty()) return StreamStatus::kOk;
        const ssize_t size = ::send(fd_, octets.data(), octets.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (size < 0 && errno == EINTR) continue;
        if (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
            error_ = errno;
            return StreamStatus::kFailed;
        }
        if (size > 0) outgoing_.emptied(static_cast<std::size_t>(size));
        // What the kernel takes in part fills it.
        if (size < static_cast<ssize_t>(octets.size())) return StreamStatus::kWaitWritable;
    }
}

Outcome TlsTransport::take(ByteView octets) {
    if (outgoing_.room_bytes() < octets.size()) {
        if (flush() == StreamStatus::kFailed) return Outcome::kFailed;
        if (outgoing_.room_bytes() < octets.size()) return Outcome::kRetry;
    }
    std::memcpy(outgoing_.room().data(), octets.data(), octets.size());
    outgoing_.filled(octets.size());
    return Outcome::kDone;
}

Outcome TlsTransport::give(MutableBytes space, std::size_t &bytes) {
    if (incoming_.waiting().empty()) {
        const Outcome outcome = fill_incoming();
        if (outcome != Outcome::kDone) return outcome;
    }
    const ByteView octets = incoming_.waiting();
    bytes = std::min(space.size(), octets.size());
    std::memcpy(space.data(), octets.data(), bytes);
    incoming_.emptied(bytes);
    return Outcome::kDone;
}

Outcome TlsTransport::fill_incoming() {
    const MutableBytes room = incoming_.room();
    ssize_t size = -1;
    do {
        size = ::recv(fd_, room.data(), room.size(), MSG_DONTWAIT);
    } while (size < 0 && errno == EINTR);
    const int error = size < 0 ? errno : 0;
    incoming_.filled(size > 0 ? static_cast<std::size_t>(size) : 0);
    if (size > 0) return Outcome::kDone;
    incoming_.emptied(0);
    if (size == 0) {
        ended_ = true;
        return Outcome::kEnded;
    }
    if (error == EAGAIN || error == EWOULDBLOCK) return Outcome::kRetry;
    error_ = error;
    return Outcome::kFailed;
}

}  // namespace farlink::cla

#endif  // FARLINK_TLS
