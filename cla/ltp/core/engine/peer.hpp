// SPDX-License-Identifier: Apache-2.0
// The state of one remote engine: its settings, contact, timers, counters, and queues to send.
// Owned by the engine; one thread. The engine's parts change it.
// Its queues keep their memory, so that a steady state allocates nothing.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "cla/ltp/core/codec/counters.hpp"
#include "cla/ltp/core/memory/timer_wheel.hpp"
#include "cla/ltp/core/session/contact_clock.hpp"
#include "cla/ltp/core/session/pace_control.hpp"
#include "cla/ltp/core/session/peer_config.hpp"
#include "cla/ltp/core/session/receive_memory.hpp"
#include "cla/ltp/core/session/receiver_session.hpp"
#include "cla/ltp/core/session/segment_writer.hpp"
#include "common/buffer/ring.hpp"

namespace farlink::cla::ltp {

struct Peer {
    Peer(PeerConfig configured, PeerId number, SlabPool &slabs, ReceiveRoom &room)
        : config(std::move(configured)), id(number), wheel(TimePoint{}), memory(slabs, room) {
        config.data_mtu = std::max(config.data_mtu, kLeastMtu);
        config.report_mtu = std::max(config.report_mtu, kLeastMtu);
    }

    /// The fields of any segment fit, with some data.
    static constexpr std::uint32_t kLeastMtu = 128;
    /// Answers that may wait to be sent. Others are dropped: the peer repeats its segment.
    static constexpr std::size_t kMostAnswers = 64 * 1024;
    /// Reports and repairs are delayed for so long after the last reordering.
    static constexpr Duration kReorderingLasts = seconds(60);

    [[nodiscard]] SenderLimits sender_limits() const {
        return {config.retries, config.cycles, checkpoint_every()};
    }
    /// While PaceControl measures the rate, it needs reports before the end of a block.
    [[nodiscard]] std::uint32_t checkpoint_every() const {
        const bool paced = config.rate == BitRate{} && pace.rate() != BitRate{};
        if (!paced || config.checkpoint_every != 0) return config.checkpoint_every;
        return static_cast<std::uint32_t>(std::max<std::uint64_t>(
            pace.asks_after() / config.data_mtu, 2 * PaceControl::kLargeGap));
    }
    [[nodiscard]] ReceiverLimits receiver_limits(TimePoint at) const {
        ReceiverLimits limits;
        limits.retries = config.retries;
        limits.cycles = config.cycles;
        limits.gaps = config.max_gaps;
        limits.block_bytes = config.max_block_bytes;
        limits.spool_above = config.spool_above;
        limits.part_bytes = config.part_bytes;
        limits.spooled_bytes = config.max_spooled_bytes;
        limits.report_bytes = config.report_mtu;
        limits.report_delay = std::max(delay(at), config.report_delay);
        // Half of the time after which a sender with the same settings cancels the block.
        const auto retries = static_cast<std::int64_t>(config.retries);
        if (config.hold_closing_reports) limits.hold = config.timing.answer_within() * retries / 2;
        limits.silence = silence();
        limits.progress = std::max<Duration>(limits.silence, kTransferLimit);
        return limits;
    }
    /// Longer than a sender without any answer goes on.
    [[nodiscard]] Duration silence() const {
        return config.timing.answer_within() * static_cast<std::int64_t>(config.retries + 2) +
               seconds(1);
    }
    [[nodiscard]] Duration delay(TimePoint at) const {
        return at < reordered_until ? config.reorder_delay : Duration{};
    }
    /// Bytes of blocks that may be in flight: twice the product of rate and round trip, at most the
    /// configured limit.
    [[nodiscard]] std::uint64_t send_window() const {
        if (config.rate.value() == 0) return config.max_send_bytes;
        constexpr std::uint64_t kLeast = 4U << 20U;
        const auto ms = static_cast<std::uint64_t>(
            std::chrono::duration_cast<milliseconds>(config.timing.answer_within()).count());
        const std::uint64_t per_ms = config.rate.value() / 8000 + 1;
        if (ms > config.max_send_bytes / per_ms / 2) return config.max_send_bytes;
        return std::min(config.max_send_bytes, 2 * ms * per_ms + kLeast);
    }
    void answer(const ControlSegment &answer) {
        if (answers.size() < kMostAnswers)
            answers.push_back(answer);
        else
            ++counters.answers_dropped;
    }

    PeerConfig config;
    PeerId id;
    ContactClock clock;
    TimerWheel wheel;  ///< in contact time
    /// The peer's share of the loop's memory, after Engine::share_memory(): what gives its blocks
    /// up, and what they hold.
    std::unique_ptr<BlockKeeper> keeper;
    std::optional<ReceptionShares::Hold> hold;
    ReceiveMemory memory;
    Counters counters;
    PaceControl pace;  ///< applies without a configured rate

    Ring<ControlSegment> answers;
    Ring<SessionHandle> receivers;             ///< with a report or a cancel segment to send
    Ring<SessionHandle> urgent;                ///< senders with something to send again
    Ring<SessionHandle> first;                 ///< senders whose block was not sent whole yet
    std::uint32_t places = 0;                  ///< sessions in both directions, with cancelled ones
    NumberSize numbers = NumberSize::k32Bits;  ///< of new numbers for the peer
    std::uint32_t wide_blocks = 0;             ///< open sessions with numbers above 32 bits
    std::uint32_t cut_misses = 0;              ///< answers to unknown numbers, perhaps cut ones
    bool answers_whole = false;                ///< the peer has answered to a number above 32 bits
    std::uint32_t send_sessions = 0;
    std::uint64_t send_bytes = 0;
    std::uint32_t receive_sessions = 0;
    std::uint32_t first_receiver = ~0U;  ///< the session that the peer opened last

    TimePoint reordered_until{};
    std::uint64_t highest_report = 0;  ///< serial of the session below; detects reordering
    SessionHandle reported_session{~0U, 0};
    std::uint64_t last_number = 0;  ///< of the session of the last data segment
    std::uint32_t last_slot = ~0U;
    Bytes carry;  ///< the incomplete segment at the end of a stream's octets

    TimePoint last_received{};  ///< in contact time
    TimePoint ping_sent{};
    std::uint64_t ping_number = 0;  ///< 0: none is unanswered
    std::uint32_t pings = 0;        ///< unanswered
    bool silent = false;            ///< the peer does not answer pings
    bool holds_parts = false;       ///< no parts of large blocks are passed on
};

}  // namespace farlink::cla::ltp
