// SPDX-License-Identifier: Apache-2.0
// An emulated network for UDP: relays datagrams from each of its ports to another one, and loses or
// repeats some of them, chosen by a seed.
// Owned by one test; a thread of its own until it is destroyed.
// lead() may be called at any time: datagrams that arrive before are lost.
#pragma once

#include <fcntl.h>
#include <poll.h>

#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "tests/support/udp_peer.hpp"

namespace farlink::test {

class LossyRelay {
public:
    struct Badness {
        double loss = 0;    ///< of one datagram
        double repeat = 0;  ///< of one that was not lost
    };

    LossyRelay(std::uint64_t seed, std::size_t ways, Badness badness)
        : random_(seed), badness_(badness) {
        for (std::size_t i = 0; i < ways; ++i) ways_.push_back(std::make_unique<Way>());
        if (::pipe2(stop_.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
        thread_ = std::thread([this] { pass(); });
    }
    ~LossyRelay() {
        ::close(stop_[1]);
        thread_.join();
        ::close(stop_[0]);
    }
    LossyRelay(const LossyRelay &) = delete;
    LossyRelay &operator=(const LossyRelay &) = delete;

    /// The address to which datagrams of this direction are sent.
    [[nodiscard]] std::uint16_t port(std::size_t way) const { return ways_[way]->in.port(); }
    /// The address to which datagrams of this direction are relayed.
    void lead(std::size_t way, std::uint16_t to) { ways_[way]->to = to; }
    [[nodiscard]] std::uint64_t lost() const { return lost_; }
    [[nodiscard]] std::uint64_t passed() const { return passed_; }

private:
    struct Way {
        UdpPeer in;
        std::atomic<std::uint16_t> to = 0;
    };

    void pass() {
        std::vector<pollfd> polled;
        for (const auto &way : ways_) polled.push_back({way->in.fd(), POLLIN, 0});
        polled.push_back({stop_[0], POLLIN, 0});
        while (::poll(polled.data(), polled.size(), -1) >= 0 && polled.back().revents == 0)
            for (const auto &way : ways_)
                while (const auto datagram = way->in.receive()) pass_on(*way, *datagram);
    }
    void pass_on(const Way &way, const Bytes &datagram) {
        const std::uint16_t to = way.to;
        if (to == 0 || chance(badness_.loss)) {
            ++lost_;
            return;
        }
        ++passed_;
        for (int copies = chance(badness_.repeat) ? 2 : 1; copies > 0; --copies)
            way.in.send_to(to, datagram);
    }
    [[nodiscard]] bool chance(double probability) {
        return std::uniform_real_distribution<double>(0, 1)(random_) < probability;
    }

    std::mt19937_64 random_;  ///< of the thread
    Badness badness_;
    std::vector<std::unique_ptr<Way>> ways_;
    std::array<int, 2> stop_{};
    std::atomic<std::uint64_t> lost_ = 0;
    std::atomic<std::uint64_t> passed_ = 0;
    std::thread thread_;
};

}  // namespace farlink::test
