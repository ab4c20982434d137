// SPDX-License-Identifier: Apache-2.0
// How transactions have ended: the reports of the last ones, and which files were delivered at all.
// Owned by the entity; one thread.
// A sender that repeats EOF gets the same end, and no file is delivered twice.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>

#include "cfdp/core/ended_numbers.hpp"
#include "cfdp/core/transaction/transaction.hpp"
#include "common/base/bytes.hpp"

namespace farlink::cfdp {

class EndedTransactions {
public:
    /// Whose reports are kept.
    static constexpr std::size_t kMost = 10'000;

    struct Ended {
        Report report{};
        Bytes finished{};  ///< receiver of class 2: the PDU that has ended it
    };

    /// Of earlier runs.
    void remember(EndedNumbers delivered) { delivered_ = std::move(delivered); }
    void add(Report report, Bytes finished);
    /// Null: its report is not kept.
    [[nodiscard]] const Ended *find(const TransactionId &id) const;
    /// A receiver of class 2 has delivered its file.
    [[nodiscard]] bool was_delivered(const TransactionId &id) const {
        return delivered_.contains(id);
    }
    /// All that have ended in this run have numbers from 0 on.
    [[nodiscard]] std::uint64_t count() const { return first_ + order_.size(); }
    /// The number of the first one whose report is kept.
    [[nodiscard]] std::uint64_t first() const { return first_; }
    [[nodiscard]] const Report &report(std::uint64_t number) const {
        return ended_.at(order_[static_cast<std::size_t>(number - first_)]).report;
    }

private:
    std::map<TransactionId, Ended> ended_;
    std::deque<TransactionId> order_;
    std::uint64_t first_ = 0;
    EndedNumbers delivered_;
};

}  // namespace farlink::cfdp
