// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/ended_transactions.hpp"

namespace farlink::cfdp {
namespace {

/// Of what others have sent, for operators.
constexpr std::size_t kMostKept = 16;

}  // namespace

void EndedTransactions::add(Report report, Bytes finished) {
    const TransactionId id = report.id;
    Outcome &outcome = *report.outcome;
    if (!report.sending) {
        if (report.acknowledged && outcome.complete) delivered_.add(id);
        if (report.messages.size() > kMostKept) report.messages.resize(kMostKept);
        if (outcome.responses.size() > kMostKept) outcome.responses.resize(kMostKept);
    }
    if (!ended_.emplace(id, Ended{std::move(report), std::move(finished)}).second) return;
    order_.push_back(id);
    if (order_.size() <= kMost) return;
    ended_.erase(order_.front());
    order_.pop_front();
    ++first_;
}

const EndedTransactions::Ended *EndedTransactions::find(const TransactionId &id) const {
    const auto found = ended_.find(id);
    return found == ended_.end() ? nullptr : &found->second;
}

}  // namespace farlink::cfdp
