// SPDX-License-Identifier: Apache-2.0
// A socket with limits of time.
// Owned by a Channel; not installed.
// One thread.
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include <farlink/client/address.hpp>
#include <farlink/client/types.hpp>

namespace farlink::client {

using Clock = std::chrono::steady_clock;
/// None: without limit.
using Deadline = std::optional<Clock::time_point>;

enum class IoResult : std::uint8_t { kDone, kTimedOut, kLost };

class Connection {
public:
    Connection() = default;
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;
    ~Connection() { close(); }

    [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
    [[nodiscard]] IoResult open(const Address &address, const Deadline &deadline);
    void close();
    /// Writes all of `pieces`, one behind the other.
    [[nodiscard]] IoResult write(std::span<const Octets> pieces, const Deadline &deadline);
    /// Waits for octets; at least one is read. What does not fit in `first` is read to `space`.
    [[nodiscard]] IoResult read(std::span<std::uint8_t> first, std::span<std::uint8_t> space,
                                std::size_t &size, const Deadline &deadline);

private:
    [[nodiscard]] IoResult wait(short events, const Deadline &deadline) const;

    int descriptor_ = -1;
};

}  // namespace farlink::client
