// SPDX-License-Identifier: Apache-2.0
// The other end of a TCP link; each step is a call of the test.
// Owned by the test; sockets on the loopback interface, never blocking.
// One thread.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "common/base/bytes.hpp"

namespace farlink::test {

inline sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

class TcpPeer {
public:
    TcpPeer() = default;
    explicit TcpPeer(int fd) : fd_(fd) {}
    TcpPeer(TcpPeer &&other) noexcept : fd_(std::exchange(other.fd_, -1)), ended_(other.ended_) {}
    TcpPeer &operator=(TcpPeer &&other) noexcept {
        close();
        fd_ = std::exchange(other.fd_, -1);
        ended_ = other.ended_;
        return *this;
    }
    ~TcpPeer() { close(); }

    /// Connects to a listener; the kernel accepts, so that the call does not wait.
    /// `last_octet` is that of its own address, 127.0.0.x.
    [[nodiscard]] static TcpPeer connect(std::uint16_t port, std::uint8_t last_octet = 1) {
        TcpPeer peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in own = loopback(0);
        own.sin_addr.s_addr = htonl(INADDR_LOOPBACK - 1U + last_octet);
        if (last_octet != 1 &&
            ::bind(peer.fd_, reinterpret_cast<const sockaddr *>(&own), sizeof own) != 0)
            throw std::runtime_error("cannot bind");
        const sockaddr_in address = loopback(port);
        const auto *generic = reinterpret_cast<const sockaddr *>(&address);
        if (::connect(peer.fd_, generic, sizeof address) != 0)
            throw std::runtime_error("cannot connect");
        return peer;
    }

    [[nodiscard]] int fd() const { return fd_; }
    /// Returns how many of `octets` the kernel accepted.
    std::size_t send(ByteView octets) const {
        const ssize_t size = ::send(fd_, octets.data(), octets.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        return size < 0 ? 0 : static_cast<std::size_t>(size);
    }
    /// Reads at most `at_most` octets; none when none have arrived. ended() returns the end.
    Bytes receive(std::size_t at_most = 1 << 20) {
        Bytes octets(at_most);
        const ssize_t size = ::recv(fd_, octets.data(), octets.size(), MSG_DONTWAIT);
        ended_ = ended_ || size == 0 || (size < 0 && errno != EAGAIN);
        octets.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
        return octets;
    }
    [[nodiscard]] bool ended() const { return ended_; }
    void half_close() const { ::shutdown(fd_, SHUT_WR); }
    void close() {
        if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    }
    /// Ends the connection with a reset, which discards the octets in flight.
    void reset() {
        const linger at_once{1, 0};
        ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close();
    }

private:
    int fd_ = -1;
    bool ended_ = false;
};

class TcpListener {
public:
    /// Port 0 lets the system choose. `receive_buffer` is that of the connections, in bytes.
    explicit TcpListener(std::uint16_t port = 0, int receive_buffer = 0)
        : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
        const int yes = 1;
        ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        if (receive_buffer > 0)
            ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
        sockaddr_in address = loopback(port);
        socklen_t size = sizeof address;
        auto *generic = reinterpret_cast<sockaddr *>(&address);
        if (fd_ < 0 || ::bind(fd_, generic, size) != 0 || ::listen(fd_, 16) != 0)
            throw std::runtime_error("cannot listen");
        ::getsockname(fd_, generic, &size);
        port_ = ntohs(address.sin_port);
    }
    ~TcpListener() { close(); }
    TcpListener(const TcpListener &) = delete;
    TcpListener &operator=(const TcpListener &) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] int fd() const { return fd_; }
    [[nodiscard]] std::optional<TcpPeer> accept() const {
        const int fd = ::accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0) return std::nullopt;
        return TcpPeer(fd);
    }
    void close() {
        if (fd_ >= 0) ::close(std::exchange(fd_, -1));
    }

private:
    int fd_;
    std::uint16_t port_ = 0;
};

}  // namespace farlink::test
