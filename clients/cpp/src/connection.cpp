// SPDX-License-Identifier: Apache-2.0
#include "clients/cpp/src/connection.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

namespace farlink::client {
namespace {

constexpr std::size_t kMostPieces = 512;
/// Asked of the kernel, which may give less.
constexpr int kSocketBytes = 1024 * 1024;

int make_socket(int family) {
    const int made = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (family == AF_UNIX)
        ::setsockopt(made, SOL_SOCKET, SO_SNDBUF, &kSocketBytes, sizeof kSocketBytes);
    return made;
}

}  // namespace

void Connection::close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
}

IoResult Connection::wait(short events, const Deadline &deadline) const {
    for (;;) {
        int left_ms = -1;
        if (deadline) {
            const auto left =
                std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
            if (left.count() <= 0) return IoResult::kTimedOut;
            left_ms = static_cast<int>(std::min<std::int64_t>(left.count(), 1'000'000));
        }
        pollfd polled{descriptor_, events, 0};
        const int ready = ::poll(&polled, 1, left_ms);
        if (ready > 0) return IoResult::kDone;
        if (ready < 0 && errno != EINTR) return IoResult::kLost;
    }
}

IoResult Connection::open(const Address &address, const Deadline &deadline) {
    close();
    const auto connect = [&](int family, const sockaddr *to, socklen_t size) {
        descriptor_ = make_socket(family);
        if (descriptor_ < 0) return IoResult::kLost;
        if (::connect(descriptor_, to, size) == 0) return IoResult::kDone;
        if (errno != EINPROGRESS) return IoResult::kLost;
        if (const IoResult waited = wait(POLLOUT, deadline); waited != IoResult::kDone)
            return waited;
        int fault = 0;
        socklen_t fault_size = sizeof fault;
        ::getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &fault, &fault_size);
        return fault == 0 ? IoResult::kDone : IoResult::kLost;
    };
    IoResult result = IoResult::kLost;
    if (!address.path.empty()) {
        sockaddr_un to{};
        to.sun_family = AF_UNIX;
        if (address.path.size() >= sizeof to.sun_path) return IoResult::kLost;
        std::memcpy(to.sun_path, address.path.c_str(), address.path.size() + 1);
        result = connect(AF_UNIX, reinterpret_cast<const sockaddr *>(&to), sizeof to);
    } else {
        addrinfo hints{};
        hints.ai_socktype = SOCK_STREAM;
        addrinfo *found = nullptr;
        if (::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints,
                          &found) != 0)
            return IoResult::kLost;
        const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
        for (; found != nullptr && result != IoResult::kDone; found = found->ai_next) {
            close();
            result = connect(found->ai_family, found->ai_addr, found->ai_addrlen);
        }
        const int on = 1;
        if (result == IoResult::kDone)
            ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    if (result != IoResult::kDone) close();
    return result;
}

IoResult Connection::write(std::span<const Octets> pieces, const Deadline &deadline) {
    std::size_t written_of_first = 0;
    while (!pieces.empty()) {
        std::array<iovec, kMostPieces> vectors;
        std::size_t count = 0;
        for (; count < std::min(pieces.size(), kMostPieces); ++count) {
            const Octets piece = pieces[count].subspan(count == 0 ? written_of_first : 0);
            vectors[count] = {const_cast<std::uint8_t *>(piece.data()), piece.size()};
        }
        msghdr message{};
        message.msg_iov = vectors.data();
        message.msg_iovlen = count;
        const ssize_t written = ::sendmsg(descriptor_, &message, MSG_NOSIGNAL);
        if (written < 0) {
            if (errno == EINTR) continue;
            if (errno != EAGAIN) return IoResult::kLost;
            if (const IoResult waited = wait(POLLOUT, deadline); waited != IoResult::kDone)
                return waited;
            continue;
        }
        auto left = static_cast<std::size_t>(written);
        while (!pieces.empty() && left >= pieces.front().size() - written_of_first) {
            left -= pieces.front().size() - written_of_first;
            written_of_first = 0;
            pieces = pieces.subspan(1);
        }
        written_of_first += left;
    }
    return IoResult::kDone;
}

IoResult Connection::read(std::span<std::uint8_t> first, std::span<std::uint8_t> space,
                          std::size_t &size, const Deadline &deadline) {
    std::array<iovec, 2> vectors{{{first.data(), first.size()}, {space.data(), space.size()}}};
    for (;;) {
        const ssize_t got = ::readv(descriptor_, vectors.data(), vectors.size());
        if (got > 0) {
            size = static_cast<std::size_t>(got);
            return IoResult::kDone;
        }
        if (got == 0) return IoResult::kLost;
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return IoResult::kLost;
        if (const IoResult waited = wait(POLLIN, deadline); waited != IoResult::kDone)
            return waited;
    }
}

}  // namespace farlink::client
