// SPDX-License-Identifier: Apache-2.0
// Session numbers and first serial numbers (RFC 5326 sections 3.1, 3.2.1, 3.2.2 and 9.3).
// Owned by the engine; one thread. A RandomSource supplies the entropy.
// The low part of a session number counts, so that no number repeats before the count wraps; the
// high part is drawn for each number, so that none can be guessed.
#pragma once

#include <cstdint>

namespace farlink::cla::ltp {

/// Supplies random numbers: 64 new bits a call.
class RandomSource {
public:
    virtual ~RandomSource() = default;
    [[nodiscard]] virtual std::uint64_t next() = 0;
};

/// The length of the numbers that are sent to a peer.
enum class NumberSize : std::uint8_t { k32Bits, k64Bits };

/// Has the number more than 32 bits, which a peer may cut off?
[[nodiscard]] constexpr bool is_wide(std::uint64_t number) {
    return number > 0xffffffffU;
}
[[nodiscard]] constexpr std::uint64_t low_half(std::uint64_t number) {
    return number & 0xffffffffU;
}

/// The whole number of a serial that may have been cut to 32 bits; serials begin with `first`.
[[nodiscard]] constexpr std::uint64_t whole_serial(std::uint64_t serial, std::uint64_t first) {
    if (serial == 0 || is_wide(serial) || !is_wide(first)) return serial;
    const std::uint64_t whole = (first & ~std::uint64_t{0xffffffffU}) | serial;
    return whole < first ? whole + (std::uint64_t{1} << 32) : whole;
}

class NumberGenerator {
public:
    /// 32-bit numbers repeat after 2^20 sessions at the earliest, 64-bit ones after 2^28.
    static constexpr unsigned kCounterBits32 = 20;
    static constexpr unsigned kCounterBits64 = 28;

    explicit NumberGenerator(RandomSource &random) : random_(random), counter_(random.next()) {}

    /// Never 0, and never one that ping_number() gives.
    [[nodiscard]] std::uint64_t session_number(NumberSize size) {
        ++counter_;
        if ((counter_ & mask(size)) == kPingCounter) ++counter_;
        return high_part(size) | (counter_ & mask(size));
    }
    /// A number that no session has: its counting part is reserved.
    [[nodiscard]] std::uint64_t ping_number(NumberSize size) {
        return high_part(size) | kPingCounter;
    }
    /// The first serial number of a session: not 0, and with room for counting up.
    [[nodiscard]] std::uint64_t first_serial(NumberSize size) {
        const unsigned bits = size == NumberSize::k32Bits ? 30 : 55;
        return 1 + (random_.next() >> (64 - bits));
    }

private:
    static constexpr std::uint64_t kPingCounter = 0;

    [[nodiscard]] static constexpr unsigned counter_bits(NumberSize size) {
        return size == NumberSize::k32Bits ? kCounterBits32 : kCounterBits64;
    }
    [[nodiscard]] static constexpr std::uint64_t mask(NumberSize size) {
        return (std::uint64_t{1} << counter_bits(size)) - 1;
    }
    /// 63 bits take 9 octets on the wire, 64 would take 10.
    [[nodiscard]] std::uint64_t high_part(NumberSize size) {
        const unsigned bits = (size == NumberSize::k32Bits ? 32 : 63) - counter_bits(size);
        return random_.next() >> (64 - bits) << counter_bits(size);
    }

    RandomSource &random_;
    std::uint64_t counter_;
};

}  // namespace farlink::cla::ltp
