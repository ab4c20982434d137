// SPDX-License-Identifier: Apache-2.0
// The idempotency keys of requests that send bundles, with the bundle of each.
// Owned by the gateway to applications; one thread.
// Bounded: the oldest key that is not under way is forgotten first. Keys are kept as keyed hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <unordered_map>

#include "common/base/siphash.hpp"

namespace farlink::telemetry {

class KeyMemory {
public:
    static constexpr std::size_t kMost = 131'072;

    enum class State : std::uint8_t {
        kOpen,      ///< the bundle is not known to be accepted: it is sent (again)
        kUnderWay,  ///< another request with the key is being answered
        kAccepted,
    };
    struct Found {
        State state = State::kOpen;
        bool other = false;  ///< the key was used for something else
        std::uint64_t creation_ms = 0;
        std::uint64_t sequence = 0;
    };

    explicit KeyMemory(const SipKey &secret, std::size_t most = kMost)
        : secret_(secret), most_(most) {}

    /// `content` tells apart what is sent. With kOpen and without `other` the key is under way now.
    [[nodiscard]] Found begin(std::string_view key, std::string_view content, std::uint64_t now_ms);
    /// The bundle was accepted.
    void accept(std::string_view key);
    /// It was refused: the key may be used for something else.
    void refuse(std::string_view key);
    /// It is not known what became of it.
    void leave_open(std::string_view key);
    [[nodiscard]] std::size_t size() const { return entries_.size(); }

private:
    struct Entry {
        State state = State::kUnderWay;
        std::uint64_t content = 0;
        bool refused = false;
        std::uint64_t creation_ms = 0;
    };
    [[nodiscard]] std::uint64_t hash(std::string_view text) const;
    [[nodiscard]] Entry *find(std::string_view key);
    void make_room();

    SipKey secret_;
    std::size_t most_;
    std::unordered_map<std::uint64_t, Entry> entries_;
    std::deque<std::uint64_t> order_;  ///< the oldest first
};

}  // namespace farlink::telemetry
