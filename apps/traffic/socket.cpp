// SPDX-License-Identifier: Apache-2.0
#include "apps/traffic/socket.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/sockios.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <memory>
#include <system_error>

namespace farlink::traffic {
namespace {

std::string text_of(int error) {
    return std::system_category().message(error);
}

void set_flag(int fd, int level, int name) {
    const int on = 1;
    ::setsockopt(fd, level, name, &on, sizeof on);
}

/// Tries the addresses of host:port one after the other until `use` accepts a socket.
template <class Use>
Result<Socket, std::string> first_usable(const std::string &host, std::uint16_t port, Use use) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo *found = nullptr;
    const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
    if (error != 0) return fail(host + ": " + ::gai_strerror(error));
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
    int last_error = 0;
    for (const addrinfo *at = found; at != nullptr; at = at->ai_next) {
        Socket socket(::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol));
        if (socket.fd() >= 0 && use(socket.fd(), *at)) return socket;
        last_error = errno;
    }
    return fail(host + ":" + std::to_string(port) + ": " + text_of(last_error));
}

}  // namespace

Socket::~Socket() {
    if (fd_ >= 0) ::close(fd_);
}

Result<Socket, std::string> listen_on(const std::string &host, std::uint16_t port) {
    return first_usable(host, port, [](int fd, const addrinfo &address) {
        set_flag(fd, SOL_SOCKET, SO_REUSEADDR);
        return ::bind(fd, address.ai_addr, address.ai_addrlen) == 0 && ::listen(fd, 128) == 0;
    });
}

Result<Socket, std::string> accept_from(const Socket &listener) {
    Socket accepted(::accept4(listener.fd(), nullptr, nullptr, SOCK_CLOEXEC));
    if (accepted.fd() < 0) return fail(text_of(errno));
    return accepted;
}

Result<Socket, std::string> connect_to(const std::string &host, std::uint16_t port) {
    return first_usable(host, port, [](int fd, const addrinfo &address) {
        set_flag(fd, IPPROTO_TCP, TCP_NODELAY);
        return ::connect(fd, address.ai_addr, address.ai_addrlen) == 0;
    });
}

std::uint16_t local_port(const Socket &socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (::getsockname(socket.fd(), reinterpret_cast<sockaddr *>(&address), &size) != 0) return 0;
    if (address.ss_family == AF_INET6)
        return ntohs(reinterpret_cast<const sockaddr_in6 *>(&address)->sin6_port);
    return ntohs(reinterpret_cast<const sockaddr_in *>(&address)->sin_port);
}

std::string write_all(const Socket &socket, std::span<iovec> pieces) {
    while (!pieces.empty()) {
        msghdr message{};
        message.msg_iov = pieces.data();
        message.msg_iovlen = std::min<std::size_t>(pieces.size(), IOV_MAX);
        const ssize_t sent = ::sendmsg(socket.fd(), &message, MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EINTR) continue;
            return text_of(errno);
        }
        auto rest = static_cast<std::size_t>(sent);
        while (!pieces.empty() && rest >= pieces.front().iov_len) {
            rest -= pieces.front().iov_len;
            pieces = pieces.subspan(1);
        }
        if (rest == 0) continue;
        pieces.front().iov_base = static_cast<std::uint8_t *>(pieces.front().iov_base) + rest;
        pieces.front().iov_len -= rest;
    }
    return {};
}

void half_close(const Socket &socket) {
    ::shutdown(socket.fd(), SHUT_WR);
}

std::uint64_t unacknowledged_bytes(const Socket &socket) {
    int queued = 0;
    if (::ioctl(socket.fd(), SIOCOUTQ, &queued) != 0) return 0;
    return static_cast<std::uint64_t>(std::max(queued, 0));
}

std::string connection_error(const Socket &socket) {
    int error = 0;
    socklen_t size = sizeof error;
    if (::getsockopt(socket.fd(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    return error == 0 ? std::string{} : text_of(error);
}

ReadResult read_some(const Socket &socket, MutableBytes space) {
    const ssize_t size = ::recv(socket.fd(), space.data(), space.size(), MSG_DONTWAIT);
    if (size > 0) return {static_cast<std::size_t>(size), false, {}};
    if (size == 0) return {0, true, {}};
    if (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK) return {};
    return {0, true, text_of(errno)};
}

}  // namespace farlink::traffic
