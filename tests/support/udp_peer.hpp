// SPDX-License-Identifier: Apache-2.0
// The other end of a UDP link; each call sends or receives one datagram.
// Owned by the test; a socket on the loopback interface, never blocking.
// One thread.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <stdexcept>

#include "common/base/bytes.hpp"

namespace farlink::test {

class UdpPeer {
public:
    /// Port 0 lets the system choose.
    explicit UdpPeer(std::uint16_t port = 0)
        : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
        const int buffer = 4 * 1024 * 1024;
        ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer);
        sockaddr_in address = loopback_at(port);
        socklen_t size = sizeof address;
        auto *generic = reinterpret_cast<sockaddr *>(&address);
        if (::bind(fd_, generic, size) != 0) throw std::runtime_error("cannot bind");
        ::getsockname(fd_, generic, &size);
        port_ = ntohs(address.sin_port);
    }
    ~UdpPeer() { ::close(fd_); }
    UdpPeer(const UdpPeer &) = delete;
    UdpPeer &operator=(const UdpPeer &) = delete;

    [[nodiscard]] static sockaddr_in loopback_at(std::uint16_t port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return address;
    }
    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] int fd() const { return fd_; }
    void send_to(std::uint16_t port, ByteView octets) const {
        const sockaddr_in address = loopback_at(port);
        const auto *generic = reinterpret_cast<const sockaddr *>(&address);
        if (::sendto(fd_, octets.data(), octets.size(), 0, generic, sizeof address) < 0)
            throw std::runtime_error("cannot send");
    }
    [[nodiscard]] std::optional<Bytes> receive() const {
        Bytes octets(65'536);
        const ssize_t size = ::recv(fd_, octets.data(), octets.size(), 0);
        if (size < 0) return std::nullopt;
        octets.resize(static_cast<std::size_t>(size));
        return octets;
    }

private:
    int fd_;
    std::uint16_t port_ = 0;
};

}  // namespace farlink::test
