// SPDX-License-Identifier: Apache-2.0
// A relay between two programs that cuts each connection after so many octets, chosen by a seed.
// Owned by a test; it has a thread of its own, which ends with it.
// Only the first connections are cut, so that what is to be shown can end.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

#include "common/base/random.hpp"

namespace farlink::test {

class CuttingProxy {
public:
    /// Relays to `target` on the loopback address; the first `cuts` connections end after at most
    /// `most_octets`, both directions counted together.
    CuttingProxy(std::uint16_t target, std::uint64_t seed, int cuts, std::uint64_t most_octets)
        : target_(target), random_(seed), cuts_left_(cuts), most_octets_(most_octets) {
        listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address = loopback(0);
        (void)::bind(listener_, reinterpret_cast<const sockaddr *>(&address), sizeof address);
        (void)::listen(listener_, 16);
        socklen_t size = sizeof address;
        (void)::getsockname(listener_, reinterpret_cast<sockaddr *>(&address), &size);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ~CuttingProxy() {
        ending_ = true;
        thread_.join();
        ::close(listener_);
    }
    CuttingProxy(const CuttingProxy &) = delete;
    CuttingProxy &operator=(const CuttingProxy &) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    /// Connections that were cut.
    [[nodiscard]] int cuts() const { return cuts_; }

private:
    static constexpr int kLookAroundMs = 20;

    static sockaddr_in loopback(std::uint16_t port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        return address;
    }
    void serve() {
        while (!ending_) {
            pollfd wait{listener_, POLLIN, 0};
            if (::poll(&wait, 1, kLookAroundMs) <= 0) continue;
            const int near = ::accept(listener_, nullptr, nullptr);
            if (near < 0) continue;
            const int far = ::socket(AF_INET, SOCK_STREAM, 0);
            const sockaddr_in address = loopback(target_);
            if (::connect(far, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0)
                relay(near, far);
            ::close(near);
            ::close(far);
        }
    }
    void relay(int near, int far) {
        const bool cut = cuts_left_ > 0;
        std::uint64_t left = cut ? 1 + random_.below(most_octets_) : ~std::uint64_t{0};
        std::array<pollfd, 2> ends{{{near, POLLIN, 0}, {far, POLLIN, 0}}};
        while (!ending_ && left > 0) {
            if (::poll(ends.data(), ends.size(), kLookAroundMs) <= 0) continue;
            for (std::size_t from = 0; from < 2 && left > 0; ++from) {
                if (ends[from].revents == 0) continue;
                if (!pass(ends[from].fd, ends[1 - from].fd, left)) return;
            }
        }
        if (!cut || left > 0) return;
        --cuts_left_;
        ++cuts_;
    }
    /// False when the connection has ended.
    static bool pass(int from, int to, std::uint64_t &left) {
        std::array<char, 16 * 1024> octets;
        const std::size_t most = left < octets.size() ? left : octets.size();
        const ssize_t got = ::recv(from, octets.data(), most, 0);
        if (got <= 0) return false;
        left -= static_cast<std::uint64_t>(got);
        for (ssize_t sent = 0; sent < got;) {
            const ssize_t more = ::send(to, octets.data() + sent,
                                        static_cast<std::size_t>(got - sent), MSG_NOSIGNAL);
            if (more <= 0) return false;
            sent += more;
        }
        return true;
    }

    std::uint16_t target_;
    Random random_;
    int cuts_left_;
    std::uint64_t most_octets_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::atomic<int> cuts_ = 0;
    std::atomic<bool> ending_ = false;
    std::thread thread_;
};

}  // namespace farlink::test
