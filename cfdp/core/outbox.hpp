// SPDX-License-Identifier: Apache-2.0
// What is to be sent to one remote entity: answers, transactions that take turns, and those that
// have not begun.
// Owned by the entity; one thread.
// The PDUs of a small file leave together, so that they share bundles and arrive as a whole.
#pragma once

#include <compare>
#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "cfdp/core/pdu/types.hpp"
#include "common/base/bytes.hpp"

namespace farlink::cfdp {

/// A transaction, at its sender or at its receiver.
struct Turn {
    bool sending = false;
    TransactionId id{};
    friend constexpr auto operator<=>(const Turn &, const Turn &) = default;
};

class Outbox {
public:
    /// Octets of a turn.
    static constexpr std::size_t kTurnBytes = 64 * 1024;
    /// Answers that wait for the lower layer; a sender repeats what was not answered.
    static constexpr std::size_t kMostReplies = 1'000;

    [[nodiscard]] bool has_room_for_replies(std::size_t count) const {
        return replies_.size() + count <= kMostReplies;
    }
    void add_reply(Bytes octets) { replies_.push_back(std::move(octets)); }
    [[nodiscard]] std::optional<Bytes> take_reply() {
        if (replies_.empty()) return std::nullopt;
        Bytes octets = std::move(replies_.front());
        replies_.pop_front();
        return octets;
    }

    void add(const Turn &turn) { turns_.push_back(turn); }
    [[nodiscard]] std::optional<Turn> current() const {
        return turns_.empty() ? std::nullopt : std::optional(turns_.front());
    }
    /// The current one has sent so many octets, and has more.
    void use(std::size_t octets) {
        used_ += octets;
        if (used_ < kTurnBytes) return;
        turns_.push_back(turns_.front());
        next();
    }
    /// The current one has nothing to send.
    void next() {
        turns_.pop_front();
        used_ = 0;
    }

    /// Senders that have not begun, in their order.
    void wait(const TransactionId &id) { waiting_.push_back(id); }
    [[nodiscard]] std::optional<TransactionId> take_waiting() {
        if (waiting_.empty()) return std::nullopt;
        const TransactionId id = waiting_.front();
        waiting_.pop_front();
        return id;
    }
    /// A sender counts while it has begun, has not ended and is not suspended.
    void count_sender(bool &counted, bool under_way) {
        if (counted == under_way) return;
        under_way ? ++senders_ : --senders_;
        counted = under_way;
    }
    [[nodiscard]] std::size_t senders() const { return senders_; }

private:
    std::deque<Bytes> replies_;
    std::deque<Turn> turns_;
    std::deque<TransactionId> waiting_;
    std::size_t senders_ = 0;
    std::size_t used_ = 0;  ///< octets of the current turn
};

}  // namespace farlink::cfdp
