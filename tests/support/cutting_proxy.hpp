// SPDX-License-Identifier: Apache-2.0
// A relay between two programs that cuts connections: after a number of octets, or where a rule of
// the test decides.
// Owned by a test; it has a thread of its own, which calls the rules and ends with it.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "common/base/bytes.hpp"
#include "common/base/random.hpp"

namespace farlink::test {

/// How much of one connection passes.
class CutRule {
public:
    enum class Way : std::uint8_t { kToFar, kToNear };  ///< the near end has connected to the relay

    virtual ~CutRule() = default;
    /// How many of these octets pass, from the first on.
    [[nodiscard]] virtual std::size_t pass(Way way, ByteView octets) = 0;
    /// Whether to cut the connection now. Called before the first octet, too.
    [[nodiscard]] virtual bool cuts() const = 0;
    /// Cuts by a reset, which discards the octets in flight to the relay.
    [[nodiscard]] virtual bool resets() const { return false; }
};

/// Cuts after this many octets of both directions together.
class CutAfterOctets final : public CutRule {
public:
    explicit CutAfterOctets(std::uint64_t octets) : left_(octets) {}
    std::size_t pass(Way, ByteView octets) override {
        const auto part = std::min<std::uint64_t>(left_, octets.size());
        left_ -= part;
        return part;
    }
    [[nodiscard]] bool cuts() const override { return left_ == 0; }

private:
    std::uint64_t left_;
};

/// Loses what follows after this many octets of both directions together; the connection stays.
class LoseAfterOctets final : public CutRule {
public:
    explicit LoseAfterOctets(std::uint64_t octets) : passes_(octets) {}
    std::size_t pass(Way way, ByteView octets) override { return passes_.pass(way, octets); }
    [[nodiscard]] bool cuts() const override { return false; }

private:
    CutAfterOctets passes_;
};

class CuttingProxy {
public:
    /// Returns the rule of each connection, in their order; null: the connection is not cut.
    using Rules = std::function<std::unique_ptr<CutRule>()>;

    /// Relays to `target` on the loopback address.
    CuttingProxy(std::uint16_t target, Rules rules) : target_(target), rules_(std::move(rules)) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address = loopback(0);
        (void)::bind(listener_, reinterpret_cast<const sockaddr *>(&address), sizeof address);
        (void)::listen(listener_, 16);
        socklen_t size = sizeof address;
        (void)::getsockname(listener_, reinterpret_cast<sockaddr *>(&address), &size);
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    /// Cuts the first `cuts` connections after at most `most_octets`, chosen by the seed. Later
    /// connections are not cut, so that the transfers can end.
    CuttingProxy(std::uint16_t target, std::uint64_t seed, int cuts, std::uint64_t most_octets)
        : CuttingProxy(target, [random = Random(seed), left = cuts, most_octets]() mutable {
              return left-- > 0 ? std::make_unique<CutAfterOctets>(1 + random.below(most_octets))
                                : nullptr;
          }) {}
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
            const int near = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (near < 0) continue;
            const int far = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
            const sockaddr_in address = loopback(target_);
            if (::connect(far, reinterpret_cast<const sockaddr *>(&address), sizeof address) == 0)
                relay({near, far}, rules_().get());
            ::close(near);
            ::close(far);
        }
    }
    void relay(const std::array<int, 2> &ends, CutRule *rule) {
        std::array<pollfd, 2> polled{{{ends[0], POLLIN, 0}, {ends[1], POLLIN, 0}}};
        const auto is_cut = [rule] { return rule != nullptr && rule->cuts(); };
        while (!ending_ && !is_cut()) {
            if (::poll(polled.data(), polled.size(), kLookAroundMs) <= 0) continue;
            for (std::size_t from = 0; from < 2 && !is_cut(); ++from) {
                if (polled[from].revents == 0) continue;
                const auto way = from == 0 ? CutRule::Way::kToFar : CutRule::Way::kToNear;
                if (!pass(ends[from], ends[1 - from], way, rule)) return;
            }
        }
        if (!is_cut()) return;
        ++cuts_;
        const linger at_once{1, 0};
        if (rule->resets())
            for (const int end : ends)
                ::setsockopt(end, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    /// False when the connection has ended.
    static bool pass(int from, int to, CutRule::Way way, CutRule *rule) {
        std::array<std::uint8_t, 16 * 1024> octets;
        const ssize_t got = ::recv(from, octets.data(), octets.size(), 0);
        if (got <= 0) return false;
        const ByteView fresh(octets.data(), static_cast<std::size_t>(got));
        ByteView left = rule == nullptr ? fresh : fresh.first(rule->pass(way, fresh));
        while (!left.empty()) {
            const ssize_t sent = ::send(to, left.data(), left.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            left = left.subspan(static_cast<std::size_t>(sent));
        }
        return true;
    }

    std::uint16_t target_;
    Rules rules_;
    int listener_ = -1;
    std::uint16_t port_ = 0;
    std::atomic<int> cuts_ = 0;
    std::atomic<bool> ending_ = false;
    std::thread thread_;
};

}  // namespace farlink::test
