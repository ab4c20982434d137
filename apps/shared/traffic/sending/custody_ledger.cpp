// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/sending/custody_ledger.hpp"

#include <algorithm>

#include "apps/shared/traffic/content/bundle_template.hpp"

namespace farlink::traffic {

void CustodyLedger::handle_sent(const Stretch &bundles, TimePoint now) {
    open_.push_back({bundles, now + patience_});
    if (bundles.first < sent_) return;
    sent_ = bundles.first + bundles.count;
    const std::uint64_t time_s = creation_time_s(bundles.sent_unix_ns);
    if (created_.empty() || created_.back().time_s != time_s)
        created_.push_back({bundles.first, time_s});
}

bool CustodyLedger::handle_record(ByteView record) {
    if (const auto many = bp::v6::decode_aggregate_custody_signal(record)) {
        ++aggregates_;
        for (const bp::v6::CustodyRange &range : many->ranges) {
            if (range.last < first_id_) continue;
            answer(std::max(range.first, first_id_) - first_id_, range.last - first_id_,
                   many->succeeded, many->reason);
        }
        return true;
    }
    const auto one = bp::v6::decode_custody_signal(record);
    if (!one) return false;
    ++signals_;
    if (is_mine(one->subject))
        answer(one->subject.sequence, one->subject.sequence, one->succeeded, one->reason);
    return true;
}

// RFC 5050 section 5.12: a refusal for redundant reception means that the node has the bundle.
void CustodyLedger::answer(std::uint64_t first, std::uint64_t last, bool succeeded,
                           std::uint8_t reason) {
    using bp::v6::CustodyReason;
    if (first >= sent_) return;
    last = std::min(last, sent_ - 1);
    if (!succeeded && reason != static_cast<std::uint8_t>(CustodyReason::kRedundantReception)) {
        refused_ += last - first + 1;
        if (reason == static_cast<std::uint8_t>(CustodyReason::kDepletedStorage))
            depleted_ += last - first + 1;
        return;
    }
    for (std::uint64_t number = first; number <= last; ++number) (void)accepted_.record(number);
}

// An earlier run may have sent bundles with the same numbers, at other times.
bool CustodyLedger::is_mine(const bp::v6::Subject &subject) const {
    if (subject.fragment || subject.source.view() != source_.view()) return false;
    const auto after = std::ranges::upper_bound(created_, subject.sequence, {}, &Created::first);
    return after != created_.begin() && std::prev(after)->time_s == subject.creation_time_s;
}

std::optional<Stretch> CustodyLedger::poll_resend(std::uint64_t at_most, TimePoint now) {
    for (; !open_.empty() && open_.front().due <= now; open_.pop_front()) {
        Stretch &oldest = open_.front().bundles;
        while (oldest.count > 0 && accepted_.contains(oldest.first)) {
            ++oldest.first;
            --oldest.count;
        }
        Stretch part = oldest;
        part.count = 0;
        while (part.count < std::min(at_most, oldest.count) &&
               !accepted_.contains(oldest.first + part.count))
            ++part.count;
        if (part.count == 0) continue;
        oldest.first += part.count;
        oldest.count -= part.count;
        resent_ += part.count;
        return part;
    }
    return std::nullopt;
}

}  // namespace farlink::traffic
