// SPDX-License-Identifier: Apache-2.0
// Sequences of what hosts, clocks and links do to a pair of LTP engines.
// Input: two octets of weather, then two octets an operation: what, and how much.
#include "tests/support/ltp_pair.hpp"

namespace {

using namespace farlink;
using namespace farlink::cla::ltp;
using test::LtpPair;
using test::LtpSide;

constexpr std::size_t kMostOperations = 100;

LtpPair::Settings settings_of(std::uint8_t weather, std::uint8_t limits) {
    LtpPair::Settings settings;
    settings.seed = weather;
    settings.link.timing = {milliseconds(100), milliseconds(50)};
    settings.link.retries = 1 + (limits & 3);
    settings.link.cycles = 30;
    settings.link.data_mtu = 128;
    settings.link.report_mtu = 128;
    settings.link.checkpoint_every = limits >> 2 & 3;
    settings.link.max_receive_sessions = (limits & 16) != 0 ? 3 : 1000;
    settings.link.max_gaps = (limits & 32) != 0 ? 4 : 1000;
    settings.link.max_block_bytes = (limits & 64) != 0 ? 20'000 : 1'000'000;
    settings.link.spool_above = 15'000;
    settings.link.part_bytes = 4'000;
    settings.link.max_spooled_bytes = settings.link.max_block_bytes;
    settings.slab_limit = (limits & 128) != 0 ? 512U << 10U : 64U << 20U;
    for (emulation::WireProfile *wire : {&settings.to_a, &settings.to_b}) {
        wire->delay = milliseconds(100);
        wire->reordering = (weather & 3) * 0.2;
        wire->loss = (weather >> 2 & 3) * 0.12;
        wire->duplication = (weather >> 4 & 3) * 0.1;
        wire->burst_loss = (weather >> 6 & 3) * 0.04;
    }
    return settings;
}

struct Player {
    Player(LtpPair &played, LtpSide &played_side) : pair(played), side(played_side) {
        side.acknowledge_at_once = false;
    }
    void send(std::uint8_t amount, bool green) {
        const std::size_t size = amount < 128 ? 8 + amount : (amount - 127U) * 300U;
        const std::uint64_t red =
            green ? std::max<std::size_t>(8, size / 2) : BlockRequest::kAllRed;
        static_cast<void>(side.send(next, test::numbered_block(next, size), red, pair.now));
        ++next;
    }
    void acknowledge(std::uint8_t amount) {
        if (side.unacknowledged.empty()) return;
        const SessionHandle session = side.unacknowledged.back();
        side.unacknowledged.pop_back();
        if (amount % 4 == 0)
            side.engine.block_refused(session, pair.now);
        else
            side.engine.block_safe(session, pair.now);
    }
    void cancel(std::uint8_t amount) {
        side.engine.cancel_block({amount, amount % 3U}, CancelReason::kUserCancelled, pair.now);
    }
    LtpPair &pair;
    LtpSide &side;
    std::uint64_t next = 0;
};

void play(Player &player, std::uint8_t what, std::uint8_t amount) {
    LtpPair &pair = player.pair;
    switch (what) {
        case 0:
        case 1:
            return player.send(amount, what == 1);
        case 2:
            return player.acknowledge(amount);
        case 3:
            return player.cancel(amount);
        case 4:
            return pair.contact(amount % 2 != 0);
        case 5:
            return player.side.engine.set_timing(
                player.side.peer, {milliseconds(amount), milliseconds(50)}, pair.now);
        default:
            return pair.run(pair.now + milliseconds(amount * (what == 6 ? 1 : 20)));
    }
}

/// What was delivered arrived, and what arrived did so once.
void check_promise(const LtpSide &from, const LtpSide &to) {
    for (const auto &[number, times] : to.received) FARLINK_INVARIANT(times == 1);
    for (const auto &[number, times] : from.delivered)
        FARLINK_INVARIANT(times == 1 && to.received.contains(number));
    for (const auto &[number, times] : from.cancelled)
        FARLINK_INVARIANT(times == 1 && !from.delivered.contains(number));
    FARLINK_INVARIANT(from.sent.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    if (size < 2) return 0;
    LtpPair pair(settings_of(data[0], data[1]));
    Player a(pair, pair.a);
    Player b(pair, pair.b);
    const std::size_t operations = std::min((size - 2) / 2, kMostOperations);
    for (std::size_t i = 0; i < operations; ++i) {
        const std::uint8_t what = data[2 + 2 * i];
        play((what & 128) != 0 ? b : a, what % 8, data[3 + 2 * i]);
    }
    pair.contact(true);
    pair.run(kNever);
    FARLINK_INVARIANT(pair.idle());
    check_promise(pair.a, pair.b);
    check_promise(pair.b, pair.a);
    FARLINK_INVARIANT(pair.a.slabs.pinned_bytes() + pair.b.slabs.pinned_bytes() == 0);
    return 0;
}
