// SPDX-License-Identifier: Apache-2.0
// A port of the loopback address that is reserved until a program of the test binds it.
// Owned by one test.
// One thread.
#pragma once

#include <gtest/gtest.h>

#include <fstream>

#include "common/base/random.hpp"
#include "common/runtime/entropy.hpp"
#include "tests/support/tcp_peer.hpp"

namespace farlink::test {

/// For TCP the system chooses the port, which stays bound without a listener. Two UDP sockets on
/// one port would share its datagrams, so for UDP the same port of a neighbouring loopback address
/// is bound, and the port is outside of the range from which the system chooses ports.
class ReservedPort {
public:
    /// SOCK_STREAM or SOCK_DGRAM.
    explicit ReservedPort(int type = SOCK_STREAM) : fd_(::socket(AF_INET, type | SOCK_CLOEXEC, 0)) {
        const bool found = type == SOCK_DGRAM ? claim_datagram_port() : claim_stream_port();
        if (!found) ADD_FAILURE() << "no free port";
    }
    ReservedPort(const ReservedPort &) = delete;
    ReservedPort &operator=(const ReservedPort &) = delete;
    ~ReservedPort() { ::close(fd_); }
    [[nodiscard]] std::uint16_t number() const { return number_; }

private:
    static bool bind(int fd, const sockaddr_in &address) {
        return ::bind(fd, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0;
    }

    bool claim_stream_port() {
        const int yes = 1;
        ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        sockaddr_in address = loopback(0);
        socklen_t size = sizeof address;
        if (!bind(fd_, address)) return false;
        ::getsockname(fd_, reinterpret_cast<sockaddr *>(&address), &size);
        number_ = ntohs(address.sin_port);
        return true;
    }

    bool claim_datagram_port() {
        constexpr std::uint64_t kLowest = 10'000;
        constexpr int kTries = 1000;
        std::uint64_t handed_out_from = 32'768;
        std::ifstream("/proc/sys/net/ipv4/ip_local_port_range") >> handed_out_from;
        Random random(entropy_seed());
        for (int tries = 0; tries < kTries; ++tries) {
            number_ = static_cast<std::uint16_t>(kLowest + random.below(handed_out_from - kLowest));
            sockaddr_in claim = loopback(number_);
            claim.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
            if (bind(fd_, claim) && is_free()) return true;
            ::close(fd_);
            fd_ = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        }
        return false;
    }
    [[nodiscard]] bool is_free() const {
        const int probe = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        const bool free = bind(probe, loopback(number_));
        ::close(probe);
        return free;
    }

    int fd_;
    std::uint16_t number_ = 0;
};

}  // namespace farlink::test
