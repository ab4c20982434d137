// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v6/custody_signal_collector.hpp"

#include <algorithm>

#include "common/bp/v6/custody.hpp"
#include "common/bp/v6/primary.hpp"

namespace farlink::bp::v6 {
namespace {

constexpr std::uint64_t kNanosecondsPerMs = 1'000'000;

Bytes single_signal(const BundleView &view, CustodyAnswer answer, DtnTime now_ms) {
    CustodySignal signal;
    signal.succeeded = answer.succeeded;
    signal.reason = static_cast<std::uint8_t>(answer.reason);
    signal.time = time_of(now_ms);
    signal.subject = subject_of(view);
    return encode(signal);
}

}  // namespace

Time time_of(DtnTime now_ms) {
    return {now_ms / kMsPerSecond, now_ms % kMsPerSecond * kNanosecondsPerMs};
}

Subject subject_of(const BundleView &view) {
    Subject subject{Eid(view.source), view.creation_time, view.sequence, {}};
    if (view.is_fragment) subject.fragment = {view.fragment_offset, view.payload_length};
    return subject;
}

void CustodySignalCollector::add(const BundleView &view, ByteView head, CustodyAnswer answer,
                                 DtnTime now_ms, TimePoint now) {
    if (view.custodian.is_null() || view.custodian == local_.view()) return;
    const auto id = options_.aggregate ? custody_id_of(view, head) : std::nullopt;
    const DtnTime end = view.expiry(now_ms);
    if (!id) {
        ready_.push_back({Eid(view.custodian), single_signal(view, answer, now_ms), false, end});
        return;
    }
    Aggregate &to = find_or_add(view.custodian, answer, now);
    to.ids.add(*id);
    to.needed_until = std::max(to.needed_until, end);
    if (to.ids.fills() >= options_.max_fills)
        complete(static_cast<std::size_t>(&to - aggregates_.data()));
}

CustodySignalCollector::Aggregate &CustodySignalCollector::find_or_add(const EidView &custodian,
                                                                       CustodyAnswer answer,
                                                                       TimePoint now) {
    for (Aggregate &each : aggregates_)
        if (each.answer == answer && each.custodian.view() == custodian) return each;
    if (aggregates_.size() >= kMostAggregates) complete(0);
    return aggregates_.emplace_back(Eid(custodian), answer, CustodyRanges{}, now + options_.period,
                                    DtnTime{0});
}

void CustodySignalCollector::complete(std::size_t index) {
    const Aggregate &done = aggregates_[index];
    const AggregateCustodySignal signal{
        done.answer.succeeded, static_cast<std::uint8_t>(done.answer.reason), done.ids.ranges()};
    ready_.push_back({done.custodian, encode(signal), true, done.needed_until});
    aggregates_.erase(aggregates_.begin() + static_cast<std::ptrdiff_t>(index));
}

std::optional<CustodySignalCollector::Signal> CustodySignalCollector::poll(TimePoint now) {
    while (!aggregates_.empty() && aggregates_.front().due <= now) complete(0);
    if (ready_.empty()) return std::nullopt;
    return ready_.pop_front();
}

TimePoint CustodySignalCollector::next_timeout() const {
    if (!ready_.empty()) return TimePoint::min();
    return aggregates_.empty() ? kNever : aggregates_.front().due;
}

void CustodySignalCollector::expedite() {
    while (!aggregates_.empty()) complete(0);
}

}  // namespace farlink::bp::v6
