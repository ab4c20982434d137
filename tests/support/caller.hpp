// SPDX-License-Identifier: Apache-2.0
// A peer that a test plays: it says octets and hears what comes back, as far as the node lets it.
// Owned by the test; a socket on the loopback interface. One thread.
// Every wait is for an event and has a limit, after which the answer is false.
#pragma once

#include <poll.h>

#include <span>
#include <vector>

#include "tests/support/tcp_peer.hpp"

namespace farlink::test {

class Caller {
public:
    static constexpr int kLimitMs = 5000;

    explicit Caller(std::uint16_t port) : peer_(TcpPeer::connect(port)) {}

    /// Says all of it, and hears meanwhile.
    bool say(ByteView octets) {
        while (!octets.empty() && !peer_.ended()) {
            if ((wait(POLLOUT | POLLIN, kLimitMs) & POLLOUT) != 0)
                octets = octets.subspan(peer_.send(octets));
            handle_now();
        }
        return octets.empty();
    }
    /// Says without listening; how much was taken before nothing was for `limit_ms`.
    std::size_t say_deaf(ByteView octets, int limit_ms) {
        std::size_t said = 0;
        while (said < octets.size()) {
            if ((wait(POLLOUT, limit_ms) & ~POLLOUT) != 0) return said;
            const std::size_t taken = peer_.send(octets.subspan(said));
            if (taken == 0) return said;
            said += taken;
        }
        return said;
    }
    /// Hears until what it has heard is enough.
    template <class Enough>
    bool handle_until(Enough enough) {
        while (!enough(ByteView(received_at_))) {
            if (peer_.ended() || wait(POLLIN, kLimitMs) == 0) return false;
            handle_now();
        }
        return true;
    }
    bool handle_end() {
        (void)handle_until([](ByteView) { return false; });
        return peer_.ended();
    }
    /// What has come meanwhile.
    void handle_now() {
        while (!peer_.ended()) {
            const Bytes octets = peer_.receive(64 * 1024);
            if (octets.empty()) return;
            append(received_at_, octets);
        }
    }
    /// Does not hear, but learns of it when the other end throws the connection away.
    [[nodiscard]] bool wait_broken() const { return wait(0, kLimitMs) != 0; }
    /// Hears what comes to any of them; false when nothing does for so long.
    static bool handle_any(std::span<Caller> callers, int limit_ms) {
        std::vector<pollfd> polled;
        for (const Caller &caller : callers)
            polled.push_back({caller.ended() ? -1 : caller.peer_.fd(), POLLIN, 0});
        const bool some = ::poll(polled.data(), polled.size(), limit_ms) > 0;
        for (Caller &caller : callers) caller.handle_now();
        return some;
    }
    [[nodiscard]] const Bytes &received() const { return received_at_; }
    [[nodiscard]] bool ended() const { return peer_.ended(); }
    void half_close() const { peer_.half_close(); }
    void reset() { peer_.reset(); }

private:
    /// What of `events` has come true, or went wrong; 0: nothing in time.
    [[nodiscard]] short wait(int events, int limit_ms) const {
        pollfd polled{peer_.fd(), static_cast<short>(events), 0};
        return ::poll(&polled, 1, limit_ms) > 0 ? polled.revents : short{0};
    }

    TcpPeer peer_;
    Bytes received_at_;
};

}  // namespace farlink::test
