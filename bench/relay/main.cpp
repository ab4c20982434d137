// SPDX-License-Identifier: Apache-2.0
// relay: recv and send in a loop, without parsing bundles: the reference for a router.
// Usage: relay LISTEN_PORT CONNECT_PORT, both on the loopback address; prints the port it listens
// on (0 lets the system choose). Serves one connection after the other until it is killed.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::size_t kBufferBytes = 1024 * 1024;

[[noreturn]] void give_up(const char *what) {
    std::perror(what);
    std::exit(1);
}

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
}

void set_flag(int fd, int level, int name) {
    const int on = 1;
    ::setsockopt(fd, level, name, &on, sizeof on);
}

int new_socket() {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) give_up("relay: socket");
    return fd;
}

int listen_on(std::uint16_t port) {
    const int fd = new_socket();
    set_flag(fd, SOL_SOCKET, SO_REUSEADDR);
    sockaddr_in address = loopback(port);
    socklen_t size = sizeof address;
    auto *generic = reinterpret_cast<sockaddr *>(&address);
    if (::bind(fd, generic, size) != 0 || ::listen(fd, 16) != 0) give_up("relay: listen");
    ::getsockname(fd, generic, &size);
    std::printf("%u\n", static_cast<unsigned>(ntohs(address.sin_port)));
    std::fflush(stdout);
    return fd;
}

bool send_all(int to, const char *octets, std::size_t size) {
    while (size > 0) {
        const ssize_t sent = ::send(to, octets, size, 0);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return false;
        octets += sent;
        size -= static_cast<std::size_t>(sent);
    }
    return true;
}

/// Returns false when a side failed, true at the end of the stream.
bool copy(int from, int to, std::vector<char> &buffer) {
    while (true) {
        const ssize_t got = ::recv(from, buffer.data(), buffer.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got == 0;
        if (!send_all(to, buffer.data(), static_cast<std::size_t>(got))) return false;
    }
}

void relay(int from, std::uint16_t connect_port, std::vector<char> &buffer) {
    const int to = new_socket();
    set_flag(to, IPPROTO_TCP, TCP_NODELAY);
    const sockaddr_in address = loopback(connect_port);
    if (::connect(to, reinterpret_cast<const sockaddr *>(&address), sizeof address) != 0) {
        std::perror("relay: connect");
    } else if (copy(from, to, buffer)) {
        // Forwards the half-close and waits until the receiver has read all octets.
        ::shutdown(to, SHUT_WR);
        while (::recv(to, buffer.data(), buffer.size(), 0) > 0) continue;
    }
    ::close(to);
}

std::uint16_t port_of(const char *text) {
    char *end = nullptr;
    const long port = std::strtol(text, &end, 10);
    if (end == text || *end != '\0' || port < 0 || port > 65535) {
        std::fprintf(stderr, "relay: not a port: %s\n", text);
        std::exit(2);
    }
    return static_cast<std::uint16_t>(port);
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: relay LISTEN_PORT CONNECT_PORT\n");
        return 2;
    }
    std::signal(SIGPIPE, SIG_IGN);
    const std::uint16_t connect_port = port_of(argv[2]);
    const int listener = listen_on(port_of(argv[1]));
    std::vector<char> buffer(kBufferBytes);
    while (true) {
        const int from = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (from < 0) give_up("relay: accept");
        relay(from, connect_port, buffer);
        ::close(from);
    }
}
