// SPDX-License-Identifier: Apache-2.0
// One LTP engine whose peer is the test, which makes segments and reads the answers.
// Owned by the test.
// One thread; the test sets the time.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "cla/ltp/core/engine.hpp"
#include "tests/support/hex.hpp"
#include "tests/support/ltp_pair.hpp"

namespace farlink::cla::ltp {

using test::from_hex;
using test::LtpSide;
using test::numbered_block;

inline constexpr std::uint64_t kAll = BlockRequest::kAllRed;

/// One engine (number 20), whose peer (number 10) is the test.
struct LtpEngineTest : testing::Test {
    LtpEngineTest() { config.engine = EngineId{10}; }
    LtpSide &side() {
        if (!made) {
            made = std::make_unique<LtpSide>(EngineConfig{EngineId{20}, {}, 64}, config, 7);
            made->engine.contact_opened(made->peer, now);
            made->keep_octets = true;
        }
        return *made;
    }
    Engine &engine() { return side().engine; }
    const Counters &counters() { return engine().counters(side().peer); }
    void feed(ByteView datagram) {
        side();
        engine().handle_datagram(side().peer, datagram, now);
        side().drain(now);
    }
    void feed(const std::string &hex) { feed(from_hex(hex)); }
    /// A data segment of session `number`.
    Bytes data(SegmentType type, std::uint64_t number, std::uint64_t offset, std::size_t size,
               std::uint64_t checkpoint = 0, std::uint64_t service = 1) {
        Bytes octets(100);
        std::uint8_t *to = encode_prefix(octets.data(), type, 10, number);
        to = encode_data_fields(to, type, {service, offset, checkpoint, 0, {}}, size);
        octets.resize(static_cast<std::size_t>(to - octets.data()));
        octets.resize(octets.size() + size, 0x42);
        return octets;
    }
    /// Datagrams that the engine sends now.
    std::vector<Bytes> poll() {
        std::vector<Bytes> datagrams;
        side();
        for (bool more = true; more;) {
            made->batch.clear();
            engine().poll_segments(made->peer, made->batch, 1'000'000, now);
            for (const OutSegment &segment : made->batch.segments()) {
                datagrams.emplace_back();
                for (const ByteView piece : made->batch.pieces_of(segment))
                    append(datagrams.back(), piece);
            }
            more = !made->batch.empty();
        }
        return datagrams;
    }
    std::string only() {
        const auto datagrams = poll();
        EXPECT_EQ(datagrams.size(), 1U);
        return datagrams.empty() ? "" : test::to_hex(datagrams[0]);
    }

    /// Advances the time until the engine sends a segment, and returns it.
    Bytes wait_for_segment() {
        for (int alarms = 0; alarms < 1000 && engine().next_timeout() != kNever; ++alarms) {
            now = std::max(now, engine().next_timeout());
            engine().handle_timeout(now);
            if (auto datagrams = poll(); !datagrams.empty()) return datagrams[0];
        }
        return {};
    }

    PeerConfig config;
    TimePoint now{seconds(500)};
    std::unique_ptr<LtpSide> made;
};

}  // namespace farlink::cla::ltp
