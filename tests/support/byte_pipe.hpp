// SPDX-License-Identifier: Apache-2.0
// One direction of a simulated connection: it delivers octets in pieces, with delays and stalls, up
// to the octet at which the connection is cut.
// Owned by the test; the same seed gives the same pieces and delays (a test shows it on failure).
// One thread, virtual time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "common/base/bytes.hpp"
#include "common/base/random.hpp"
#include "common/base/time.hpp"

namespace farlink::test {

struct PipeWeather {
    std::size_t longest_piece = 4096;  ///< octets that arrive together, at most
    milliseconds longest_delay{0};     ///< of a piece; order is kept
    unsigned stalls_per_mille = 0;     ///< pieces that are preceded by a pause of `stall`
    milliseconds stall{200};
    std::size_t capacity = 256 * 1024;  ///< octets in flight; at this limit the writer waits
};

class BytePipe {
public:
    explicit BytePipe(std::uint64_t seed, PipeWeather weather = {})
        : seed_(seed), weather_(weather), random_(seed) {}

    /// The connection breaks behind this many octets.
    void cut_after(std::uint64_t octets) { cut_at_ = octets; }
    /// How many octets the writer may write now.
    [[nodiscard]] std::size_t room() const {
        return under_way_ < weather_.capacity ? weather_.capacity - under_way_ : 0;
    }
    void write(ByteView octets, TimePoint now) {
        const std::uint64_t reach = std::min<std::uint64_t>(octets.size(), cut_at_ - written_);
        written_ += reach;
        octets = octets.first(static_cast<std::size_t>(reach));
        while (!octets.empty()) {
            const std::size_t longest = std::min(weather_.longest_piece, octets.size());
            const std::size_t size = 1 + static_cast<std::size_t>(random_.below(longest));
            last_arrival_ = std::max(last_arrival_, now + delay());
            pieces_.push_back({last_arrival_, {octets.begin(), octets.begin() + at(size)}});
            under_way_ += size;
            octets = octets.subspan(size);
        }
    }
    /// The next piece that has arrived, if there is one.
    [[nodiscard]] std::optional<Bytes> read(TimePoint now) {
        if (pieces_.empty() || pieces_.front().arrival > now) return std::nullopt;
        Bytes octets = std::move(pieces_.front().octets);
        pieces_.pop_front();
        under_way_ -= octets.size();
        return octets;
    }
    [[nodiscard]] TimePoint next_arrival() const {
        return pieces_.empty() ? kNever : pieces_.front().arrival;
    }
    /// Everything before the cut has been read, and something behind it was written.
    [[nodiscard]] bool broken() const { return written_ == cut_at_ && pieces_.empty(); }
    [[nodiscard]] std::uint64_t written() const { return written_; }
    [[nodiscard]] std::string describe() const { return "pipe of seed " + std::to_string(seed_); }

private:
    struct Piece {
        TimePoint arrival;
        Bytes octets;
    };

    [[nodiscard]] static std::ptrdiff_t at(std::size_t size) {
        return static_cast<std::ptrdiff_t>(size);
    }
    [[nodiscard]] Duration delay() {
        const auto most = static_cast<std::uint64_t>(weather_.longest_delay.count());
        const Duration stall =
            random_.chance(weather_.stalls_per_mille, 1000) ? weather_.stall : milliseconds(0);
        return stall + milliseconds(random_.below(most + 1));
    }

    std::uint64_t seed_;
    PipeWeather weather_;
    Random random_;
    std::deque<Piece> pieces_;
    TimePoint last_arrival_{};
    std::size_t under_way_ = 0;
    std::uint64_t written_ = 0;
    std::uint64_t cut_at_ = ~std::uint64_t{0};
};

}  // namespace farlink::test
