// SPDX-License-Identifier: Apache-2.0
// A port that nobody else is given: bound, but without a listener until a program listens there.
// Owned by one test.
// One thread.
#pragma once

#include <gtest/gtest.h>

#include "tests/support/tcp_peer.hpp"

namespace farlink::test {

class ReservedPort {
public:
    /// SOCK_STREAM or SOCK_DGRAM.
    explicit ReservedPort(int type = SOCK_STREAM) : fd_(::socket(AF_INET, type | SOCK_CLOEXEC, 0)) {
        const int yes = 1;
        ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        sockaddr_in address = loopback(0);
        socklen_t size = sizeof address;
        auto *generic = reinterpret_cast<sockaddr *>(&address);
        if (::bind(fd_, generic, size) != 0 || ::getsockname(fd_, generic, &size) != 0)
            ADD_FAILURE() << "no free port";
        number_ = ntohs(address.sin_port);
        // Two UDP sockets on one port would share its datagrams.
        if (type == SOCK_DGRAM) ::close(std::exchange(fd_, -1));
    }
    ReservedPort(const ReservedPort &) = delete;
    ReservedPort &operator=(const ReservedPort &) = delete;
    ~ReservedPort() {
        if (fd_ >= 0) ::close(fd_);
    }
    [[nodiscard]] std::uint16_t number() const { return number_; }

private:
    int fd_;
    std::uint16_t number_ = 0;
};

}  // namespace farlink::test
