// SPDX-License-Identifier: Apache-2.0
// The payload that bpgen and bping send and bpsink checks: a header of 48 octets, then a periodic
// pattern.
// Values and constant tables, owned by the tool that made them; any thread may read them.
// Everything is big-endian; the format is private to these tools and has no version but the magic.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "common/base/bytes.hpp"

namespace farlink::traffic {

/// The first octets of every payload.
///
///     0      4        8      16         24             32      40     48
///     | magic | length |  run | sequence | sent (Unix ns) | total | seed | pattern ...
struct PayloadHeader {
    static constexpr std::size_t kBytes = 48;
    static constexpr std::uint32_t kMagic = 0x666c7431;      // "flt1"
    static constexpr std::uint32_t kPingMagic = 0x50494e47;  // "PING"; no octet is the same

    std::uint32_t length_bytes = 0;  ///< of the whole payload, this header included, modulo 2^32
    std::uint64_t run = 0;           ///< random: one run of one generator
    std::uint64_t sequence = 0;      ///< counts from 0 within the run; of bping from any number
    std::uint64_t sent_unix_ns = 0;  ///< just before the write; nanoseconds since 1970
    std::uint64_t total = 0;         ///< bundles of the run; 0: not known yet
    std::uint64_t seed = 0;          ///< of the pattern
    bool is_ping = false;            ///< a request of bping, which is not part of a run

    /// Writes kBytes octets.
    void write(std::uint8_t *to) const;
    /// Reads the header of a payload of `payload_bytes`. Empty when it is no payload of these
    /// tools: too short, or another magic or length.
    [[nodiscard]] static std::optional<PayloadHeader> read(ByteView front,
                                                           std::uint64_t payload_bytes);
};

/// What follows the header: pseudo-random octets that repeat after kPeriod, so that both sides
/// compare and copy from the first-level cache.
class Pattern {
public:
    static constexpr std::size_t kPeriod = 4096;
    /// stretch() is a few periods long: fewer pieces in a gathered write, still in the cache.
    static constexpr std::size_t kStretch = 4 * kPeriod;

    explicit Pattern(std::uint64_t seed);

    [[nodiscard]] std::uint64_t seed() const { return seed_; }
    /// kStretch octets of the pattern, from its start.
    [[nodiscard]] ByteView stretch() const { return octets_; }
    /// True when `octets` are the pattern, from its octet `offset` on.
    [[nodiscard]] bool matches(ByteView octets, std::uint64_t offset = 0) const;

private:
    std::uint64_t seed_;
    std::array<std::uint8_t, kStretch> octets_;
};

}  // namespace farlink::traffic
