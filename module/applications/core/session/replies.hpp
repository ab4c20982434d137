// SPDX-License-Identifier: Apache-2.0
// The answers that a sender gets, in the order of its messages.
// Owned by an AppSession; one thread.
// An ADU is answered when it is known to be safe or refused; what follows it waits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "common/base/invariant.hpp"
#include "common/buffer/ring.hpp"
#include "module/applications/core/protocol/verdict.hpp"

namespace farlink::applications {

class Replies {
public:
    /// So many ADUs are answered together at most; 1: each by itself.
    void set_window(std::uint64_t window) { window_ = std::max<std::uint64_t>(window, 1); }

    /// A message whose answer is known.
    void add(Verdict verdict) { replies_.push_back({verdict, false}); }
    /// An ADU that is on its way; its number is next_transfer().
    void add_transfer() {
        replies_.push_back({{ResponseStatus::kUnspecified, {}}, true});
        verdicts_.push_back({ResponseStatus::kUnspecified, {}});
        ++next_transfer_;
    }
    /// What became of ADUs by number; those without one are ignored.
    void set(std::uint64_t first, std::uint64_t count, Verdict verdict) {
        const std::uint64_t oldest = next_transfer_ - verdicts_.size();
        for (std::uint64_t number = std::max(first, oldest);
             number < std::min(first + count, next_transfer_); ++number)
            verdicts_[number - oldest] = verdict;
    }
    /// All that have no answer get this one.
    void set_unanswered(Verdict verdict) {
        for (std::size_t at = 0; at < verdicts_.size(); ++at)
            if (verdicts_[at].status == ResponseStatus::kUnspecified) verdicts_[at] = verdict;
    }
    /// The next answer to send.
    [[nodiscard]] std::optional<Response> poll() {
        const auto first = front();
        if (!first) return std::nullopt;
        Response response{first->status, 0, first->reason};
        do {
            pop();
            ++response.count;
        } while (response.count < window_ && front() == first);
        return response;
    }

    [[nodiscard]] std::size_t size() const { return replies_.size(); }
    [[nodiscard]] std::uint64_t next_transfer() const { return next_transfer_; }

private:
    struct Reply {
        Verdict verdict{ResponseStatus::kUnspecified, {}};
        bool transfer = false;
    };
    [[nodiscard]] std::optional<Verdict> front() const {
        if (replies_.empty()) return std::nullopt;
        const Verdict &verdict =
            replies_.front().transfer ? verdicts_.front() : replies_.front().verdict;
        if (verdict.status == ResponseStatus::kUnspecified) return std::nullopt;
        return verdict;
    }
    void pop() {
        if (replies_.pop_front().transfer) (void)verdicts_.pop_front();
    }

    std::uint64_t window_ = 1;
    Ring<Reply> replies_;
    Ring<Verdict> verdicts_;  ///< of the transfers among them
    std::uint64_t next_transfer_ = 0;
};

}  // namespace farlink::applications
