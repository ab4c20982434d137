// SPDX-License-Identifier: Apache-2.0
// A relay between two links that cuts the connection after some octets, again and again.
// Owned by the test that derives from it, for each protocol.
// One thread.
#pragma once

#include <map>

#include "common/base/random.hpp"
#include "tests/unit/cla/session/session_fixture.hpp"

namespace farlink::cla {

class SessionCuts : public SessionTest {
protected:
    /// Passes octets on in both directions until its allowance is used up.
    struct Relay {
        test::TcpPeer near;
        test::TcpPeer far;
        Bytes to_far;
        Bytes to_near;
        std::size_t allowance = 0;
    };

    /// Sends `count` bundles of `bytes` octets from the client to the server while the connection
    /// is cut after random numbers of octets; what is not safe is sent again.
    void deliver_through_cuts(std::size_t count, std::size_t bytes) {
        listen();
        const test::TcpListener relay_port;
        out.url.port = relay_port.port();
        connect();
        Random random(42);
        std::vector<Bytes> waiting;
        for (std::size_t i = 0; i < count; ++i) waiting.push_back(test::octets_of(bytes, i));
        std::optional<Relay> relay;
        std::size_t cuts = 0;
        std::size_t times_connecting = 1;
        ASSERT_TRUE(until([&] {
            if (!relay) {
                if (auto near = relay_port.accept())
                    relay.emplace(Relay{std::move(*near), test::TcpPeer::connect(induct->port()),
                                        Bytes(), Bytes()});
                if (relay) relay->allowance = cuts < 40 ? random.below(10 * bytes) : ~0ULL;
            }
            if (relay && !pass_on(*relay)) {
                if (random.chance(1, 2)) relay->near.reset();
                if (random.chance(1, 2)) relay->far.reset();
                relay.reset();
                ++cuts;
            }
            if (client.times(LinkState::kConnecting) > times_connecting) {
                times_connecting = client.times(LinkState::kConnecting);
                for (Bytes &bundle : client.take_back()) waiting.push_back(std::move(bundle));
            }
            while (!waiting.empty() && outduct->transmit_credit() > 0) {
                client.send(*outduct, std::move(waiting.back()));
                waiting.pop_back();
            }
            client.flush(*outduct);
            return waiting.empty() && client.transmitted == client.next_token;
        }));
        EXPECT_GE(cuts, 40U);
        std::map<Bytes, std::size_t> delivered;
        for (const auto &[id, upstream] : server.upstreams)
            for (const Bytes &bundle : upstream.bundles) ++delivered[bundle];
        EXPECT_EQ(delivered.size(), count);
        for (std::size_t i = 0; i < count; ++i)
            EXPECT_TRUE(delivered.contains(test::octets_of(bytes, i))) << i;
        EXPECT_EQ(bench.pool.pinned_bytes(), 0U);
    }

private:
    /// Some octets each way; false when the relay has come to its end.
    static bool pass_on(Relay &relay) {
        for (auto *side : {&relay.near, &relay.far}) {
            test::TcpPeer &other = side == &relay.near ? relay.far : relay.near;
            Bytes &held = side == &relay.near ? relay.to_far : relay.to_near;
            if (held.empty()) held = side->receive(65536);
            const std::size_t part = std::min(held.size(), relay.allowance);
            const std::size_t taken = other.send(ByteView(held).first(part));
            held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(taken));
            relay.allowance -= taken;
            if (relay.allowance == 0) return false;
        }
        return !relay.near.ended() && !relay.far.ended();
    }
};

}  // namespace farlink::cla
