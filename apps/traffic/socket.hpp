// SPDX-License-Identifier: Apache-2.0
// The few TCP calls that the tools need, with plain blocking sockets.
// A Socket owns its descriptor; one thread.
// Failures are texts for the tool's user: there is nobody else to act on them.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"

namespace farlink::traffic {

class Socket {
public:
    Socket() = default;
    explicit Socket(int fd) : fd_(fd) {}
    Socket(Socket &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Socket &operator=(Socket &&other) noexcept {
        std::swap(fd_, other.fd_);
        return *this;
    }
    ~Socket();

    [[nodiscard]] int fd() const { return fd_; }

private:
    int fd_ = -1;
};

/// Listens on host:port; port 0 lets the system choose.
[[nodiscard]] Result<Socket, std::string> listen_on(const std::string &host, std::uint16_t port);
[[nodiscard]] Result<Socket, std::string> accept_from(const Socket &listener);
/// One attempt; TCP_NODELAY is set.
[[nodiscard]] Result<Socket, std::string> connect_to(const std::string &host, std::uint16_t port);
[[nodiscard]] std::uint16_t local_port(const Socket &socket);

/// Writes all `pieces`, which it consumes; an empty text is success.
[[nodiscard]] std::string write_all(const Socket &socket, std::span<iovec> pieces);
/// Says that nothing more will be written.
void half_close(const Socket &socket);
/// Octets written that the peer's kernel has not acknowledged, the half-close included.
[[nodiscard]] std::uint64_t unacknowledged_bytes(const Socket &socket);
/// The error that the connection died of; empty while it lives.
[[nodiscard]] std::string connection_error(const Socket &socket);

/// What one read gave: octets, nothing just now, or the end of the stream.
struct ReadResult {
    std::size_t bytes = 0;
    bool ended = false;
    std::string error;  ///< why it ended, when that was not the peer's wish
};
[[nodiscard]] ReadResult read_some(const Socket &socket, MutableBytes space);

}  // namespace farlink::traffic
