// SPDX-License-Identifier: Apache-2.0
// A peer that a test plays: it sends octets and receives the answers of the node.
// Owned by the test; a socket on the loopback interface. One thread.
// Every wait is for an event and has a limit; at the limit the function returns false.
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

    /// Sends all octets, and receives meanwhile.
    bool say(ByteView octets) {
        while (!octets.empty() && !peer_.ended()) {
            if ((wait(POLLOUT | POLLIN, kLimitMs) & POLLOUT) != 0)
                octets = octets.subspan(peer_.send(octets));
            handle_now();
        }
        return octets.empty();
    }
    /// Sends without receiving, until the node accepts nothing for `limit_ms`; returns how many
    /// octets it accepted.
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
    /// Receives until the octets received satisfy the condition.
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
    /// The octets received since the last call.
    void handle_now() {
        while (!peer_.ended()) {
            const Bytes octets = peer_.receive(64 * 1024);
            if (octets.empty()) return;
            append(received_at_, octets);
        }
    }
    /// Does not receive; returns when the other end resets the connection.
    [[nodiscard]] bool wait_broken() const { return wait(0, kLimitMs) != 0; }
    /// Receives from any of them; false when nothing arrives within the limit.
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
    /// The poll events that occurred, among them errors; 0: none within the limit.
    [[nodiscard]] short wait(int events, int limit_ms) const {
        pollfd polled{peer_.fd(), static_cast<short>(events), 0};
        return ::poll(&polled, 1, limit_ms) > 0 ? polled.revents : short{0};
    }

    TcpPeer peer_;
    Bytes received_at_;
};

}  // namespace farlink::test
