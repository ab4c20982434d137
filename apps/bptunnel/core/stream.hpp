// SPDX-License-Identifier: Apache-2.0
// One stream of octets in both directions, each with an offset, an end and a credit.
// Owned by a StreamTable.
// One thread. What comes twice or out of order does no harm; what exceeds the credit is a fault.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "apps/bptunnel/core/adu.hpp"
#include "common/base/time.hpp"

namespace farlink::bptunnel {

/// Octets that each side may send before it has a credit.
inline constexpr std::uint64_t kFirstCredit = 65'536;

class Stream {
public:
    /// `window`: octets that the peer may send before they are used up; at least kFirstCredit.
    Stream(std::uint64_t window, TimePoint now) : window_(window), granted_(window), active_(now) {}

    // ---- from the peer
    /// False: more than the credit, behind the end, or in too many pieces.
    [[nodiscard]] bool take(std::uint64_t offset, ByteView octets);
    [[nodiscard]] bool take_end(std::uint64_t offset);
    void take_credit(std::uint64_t offset) { credit_ = std::max(credit_, offset); }
    /// Octets in their order, for the application. They are taken away.
    [[nodiscard]] Bytes take_ready() { return std::exchange(ready_, {}); }
    [[nodiscard]] bool has_ready() const { return !ready_.empty(); }
    /// The application has used octets up; a credit to send, where it is worth one.
    [[nodiscard]] std::optional<std::uint64_t> used(std::size_t bytes);
    [[nodiscard]] std::uint64_t granted() const { return granted_; }
    /// All octets up to the end are ready or taken.
    [[nodiscard]] bool ended() const { return end_ && *end_ == received_; }

    // ---- to the peer
    [[nodiscard]] std::uint64_t may_send() const { return credit_ - sent_; }
    /// The offset of `bytes` octets that are sent now.
    [[nodiscard]] std::uint64_t sending(std::size_t bytes) {
        const std::uint64_t offset = sent_;
        sent_ += bytes;
        return offset;
    }
    void set_end_sent() { end_sent_ = true; }
    [[nodiscard]] bool end_sent() const { return end_sent_; }

    /// Its opening message has come, or was sent.
    void set_open() { open_ = true; }
    [[nodiscard]] bool open() const { return open_; }
    void set_active(TimePoint now) { active_ = now; }
    [[nodiscard]] TimePoint active() const { return active_; }

private:
    void join();

    static constexpr std::size_t kMostPieces = 1024;

    std::uint64_t window_;
    std::uint64_t granted_;
    std::uint64_t received_ = 0;  ///< in order
    std::uint64_t used_ = 0;
    std::optional<std::uint64_t> end_;
    Bytes ready_;
    std::map<std::uint64_t, Bytes> pieces_;  ///< behind a gap
    std::uint64_t pieces_bytes_ = 0;
    std::uint64_t sent_ = 0;
    std::uint64_t credit_ = kFirstCredit;
    bool end_sent_ = false;
    bool open_ = false;
    TimePoint active_;
};

}  // namespace farlink::bptunnel
