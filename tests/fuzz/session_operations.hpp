// SPDX-License-Identifier: Apache-2.0
// Sequences of what hosts, clocks and connections do to a pair of sessions of one protocol.
// For the fuzz targets of TCPCL, one pair a run; one thread.
// Input: an octet of weather, an octet of limits, then two octets an operation: what, how much.
#pragma once

#include <memory>
#include <set>

#include "tests/support/core_pair.hpp"

namespace farlink::test {

using cla::TransferDisposition;

inline constexpr std::size_t kMostOperations = 200;

inline cla::SessionConfig session_config(cla::SessionRole role, std::uint8_t limits) {
    cla::SessionConfig config;
    config.role = role;
    config.node_id = role == cla::SessionRole::kActive ? "ipn:1.0" : "ipn:2.0";
    config.keep_alive = seconds(2);
    config.segment_mru = 2000;
    config.transfer_mru = (limits & 1) != 0 ? 30'000 : 10'000;
    config.max_segment = (limits & 2) != 0 ? 3000 : 50;
    config.max_unacknowledged = 10'000;
    config.max_unsent = (limits & 4) != 0 ? 50'000 : 500;
    config.max_transfers = (limits & 8) != 0 ? 8 : 2;
    config.handshake_limit = seconds(3);
    config.termination_limit = seconds(1);
    config.acknowledge_limit = seconds(5);
    return config;
}

inline PipeWeather weather_of(std::uint8_t octet) {
    PipeWeather weather;
    weather.longest_piece = (octet & 1) != 0 ? 5 : 3000;
    weather.longest_delay = milliseconds(octet >> 1 & 7);
    weather.capacity = (octet & 16) != 0 ? 500 : 100'000;
    weather.stalls_per_mille = (octet & 32) != 0 ? 20 : 0;
    return weather;
}

/// A host and the bundles that it has not acknowledged.
struct Player {
    explicit Player(CoreHost &played) : host(played) {}

    void send(std::uint8_t amount, TimePoint now) {
        if (!host.established || host.ended || host.core->transmit_credit() == 0) return;
        Bytes bundle(8 + (amount < 128 ? amount : (amount - 127U) * 100U), amount);
        store_be(bundle.data(), host.next_token);
        host.send(bundle, now, 1 + amount % 3);
    }
    /// Acknowledges some of the bundles that it has not acknowledged, in any order.
    void acknowledge(std::uint8_t amount, TimePoint now) {
        open.resize(host.received.size(), true);
        std::uint64_t first = open.empty() ? 0 : amount % open.size();
        std::uint32_t count = 0;
        while (first + count < open.size() && open[first + count]) open[first + count++] = false;
        if (count > 0)
            host.acknowledge(first, count, static_cast<TransferDisposition>(amount % 3), now);
    }
    /// Takes all memory of the pool, or gives it back.
    void starve() {
        if (!hoard.empty()) return hoard.clear();
        while (SlabRef slab = host.pool.acquire()) hoard.push_back(slab);
        hoard.push_back(host.pool.acquire_beyond_limit());
    }

    CoreHost &host;
    std::vector<bool> open;
    std::vector<SlabRef> hoard;
};

/// What was reported as transmitted is safe with the other side or was reported as refused; both
/// only `in_doubt`: a refusal that names no transfer (RFC 7242 section 5.4) may come too late.
inline void check_promise(const CoreHost &sender, const CoreHost &receiver, bool in_doubt) {
    std::set<std::uint64_t> safe;
    for (std::size_t i = 0; i < receiver.received.size(); ++i)
        if (receiver.safe[i]) safe.insert(load_be<std::uint64_t>(receiver.received[i].data()));
    for (std::uint64_t token = 0; token < sender.transmitted; ++token)
        FARLINK_INVARIANT(safe.contains(token) != sender.refused.contains(token) ||
                          (in_doubt && safe.contains(token)));
}

inline void play(CorePair &pair, Player &player, std::uint8_t what, std::uint8_t amount) {
    switch (what) {
        case 0:
            return player.send(amount, pair.now);
        case 1:
            return player.acknowledge(amount, pair.now);
        case 2:
            return player.host.core->handle_pause(amount % 2 != 0);
        case 3:
            return player.starve();
        case 4:
            return static_cast<void>(player.host.core->compact(player.host.pool));
        case 5:
            return pair.run(pair.now + milliseconds(amount));
        case 6:
            return pair.run_timers(pair.now + milliseconds(amount * 10));
        default:
            if (amount == 1) player.host.terminate(pair.now);
            if (amount == 2) pair.to_a.cut_after(pair.to_a.written() + 20);
    }
}

/// Two farlinks never see anything in each other that their standard does not allow.
inline void check_manners(const CoreHost &host) {
    FARLINK_INVARIANT(host.fault != cla::LinkFault::kProtocolError);
    FARLINK_INVARIANT(host.count(CoreHost::Kind::kDeparture) == 0);
}

template <class Session>
int play_operations(const std::uint8_t *data, std::size_t size, bool in_doubt) {
    if (size < 2) return 0;
    const auto session = [&](cla::SessionRole role, unsigned limits) {
        return std::make_unique<Session>(session_config(role, static_cast<std::uint8_t>(limits)),
                                         UpstreamId{1});
    };
    CorePair pair(session(cla::SessionRole::kActive, data[1]),
                  session(cla::SessionRole::kPassive, data[1] >> 4U), data[0], weather_of(data[0]));
    Player a(pair.a);
    Player b(pair.b);
    pair.connect();
    const std::size_t operations = std::min((size - 2) / 2, kMostOperations);
    for (std::size_t i = 0; i < operations; ++i) {
        const std::uint8_t what = data[2 + 2 * i];
        play(pair, (what & 128) != 0 ? b : a, what % 8, data[3 + 2 * i]);
        check_promise(pair.a, pair.b, in_doubt);
        check_promise(pair.b, pair.a, in_doubt);
    }
    pair.break_off();
    FARLINK_INVARIANT(pair.a.ended && pair.b.ended);
    check_manners(pair.a);
    check_manners(pair.b);
    return 0;
}

}  // namespace farlink::test
