// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/receive/security_guard.hpp"

#include <algorithm>
#include <utility>

#include "common/base/copy_octets.hpp"

namespace farlink::ingress {
namespace {

/// A payload up to this size is copied behind the new head, so that the bundle is one slice.
constexpr std::uint64_t kCopiedPayload = 1024;

std::uint64_t size_of(std::span<const ByteView> slices) {
    std::uint64_t size = 0;
    for (const ByteView slice : slices) size += slice.size();
    return size;
}

bp::ReportReason report_reason_of(bp::bpsec::Fault fault) {
    return static_cast<bp::ReportReason>(bp::bpsec::reason_of(fault));
}

}  // namespace

static_assert(bp::bpsec::kFaultCount <= telemetry::kSecurityFaults);

void SecurityGuard::set_gate(std::unique_ptr<security::BundleGate> gate) {
    gate_ = std::move(gate);
    if (gate_ != nullptr) return;
    room_.reset();
    slabs_.clear();
}

security::Passing SecurityGuard::passing_of(const Arrival &arrival, bool stays,
                                            TimePoint now) const {
    return {.link = context_.upstreams.link(arrival.from),
            .made_here = arrival.made_here || arrival.from == kNoUpstream,
            .stays = stays,
            .now = context_.clock.dtn_at(now)};
}

std::optional<SecurityGuard::Passed> SecurityGuard::judge(const bp::BundleView &view,
                                                          const Arrival &arrival, bool stays,
                                                          TimePoint now) {
    const security::GateVerdict verdict =
        gate_->judge(view, arrival.slices, passing_of(arrival, stays, now));
    count(verdict, view);
    if (verdict.passage == security::Passage::kUnchanged) return Passed{false, arrival};
    if (verdict.passage == security::Passage::kDropped) {
        discard(verdict, view, arrival, now);
        return std::nullopt;
    }
    auto next = changed(arrival);
    if (!next) {
        refuse(arrival, now);
        return std::nullopt;
    }
    return Passed{true, *next};
}

bool SecurityGuard::admits(const bp::BundleView &view, const Arrival &first, bool stays,
                           TimePoint now) {
    const security::GateVerdict verdict = gate_->judge_head(view, passing_of(first, stays, now));
    count(verdict, view);
    if (verdict.passage != security::Passage::kDropped) return true;
    discard(verdict, view, first, now);
    return false;
}

void SecurityGuard::count(const security::GateVerdict &verdict, const bp::BundleView &view) {
    auto &counters = context_.counters;
    counters.add(IngressCounter::kSecurityChecked, verdict.checked);
    counters.add(IngressCounter::kSecurityApplied, verdict.applied);
    for (const security::Failure &failure : verdict.failures()) {
        counters.increment(IngressCounter::kSecurityFault, static_cast<std::size_t>(failure.fault));
        if (failure.rule != security::kNoRule)
            counters.increment(IngressCounter::kSecurityRule,
                               std::min(failure.rule, telemetry::kSecurityRules - 1));
        if (!context_.notices.security_failed)
            context_.notices.security_failed =
                SecurityFailed{.source = bp::to_string(view.source),
                               .destination = bp::to_string(view.destination),
                               .rule = std::string(failure.name),
                               .fault = bp::bpsec::in_words(failure.fault),
                               .deleted = verdict.passage == security::Passage::kDropped};
    }
}

// To a neighbour the bundle is as safe as any other one that ends here: it must not learn why. An
// application of this node gets a refusal.
void SecurityGuard::discard(const security::GateVerdict &verdict, const bp::BundleView &view,
                            const Arrival &arrival, TimePoint now) {
    const bp::ReportReason reason = report_reason_of(verdict.failures().back().fault);
    context_.counters.increment(IngressCounter::kDeletedSecurity);
    context_.record(view, view.size, arrival.sender, history::Ending::kDeleted, reason, now);
    if (verdict.reported && (view.requests & kReportDeletion) != 0)
        local_.report(bus::ReportEvent::kDeleted, reason,
                      arrival.slices.front().first(view.head_end), view.payload_length, now);
    context_.acknowledge(
        arrival,
        arrival.made_here ? TransferDisposition::kNotAcceptable : TransferDisposition::kSafe, now);
}

// There is no memory for what was changed; a sender that gets refusals sends the bundle again.
void SecurityGuard::refuse(const Arrival &arrival, TimePoint now) {
    const bool repeated = arrival.waiting != kNoUpstream;
    context_.counters.increment(repeated ? IngressCounter::kDeletedNoResources
                                         : IngressCounter::kDeletedTooLarge);
    context_.record_unparsed(arrival,
                             repeated ? history::Ending::kRefused : history::Ending::kDeleted,
                             bp::ReportReason::kDepletedStorage, now);
    context_.acknowledge(arrival, TransferDisposition::kNoResources, now);
}

// The payload stays where it is, unless it is small, or new.
std::optional<Arrival> SecurityGuard::changed(const Arrival &arrival) {
    const ByteView head = gate_->head();
    const ByteView tail = gate_->tail();
    const auto payload = gate_->payload();
    const std::uint64_t payload_size = size_of(payload);
    const bool copies = gate_->has_new_payload() || payload_size <= kCopiedPayload;
    if (!reserve(head.size() + tail.size() + (copies ? payload_size : 0))) return std::nullopt;
    slices_.clear();
    const std::uint8_t *const begin = room_->data + used_;
    const auto put = [this](ByteView octets) {
        copy_octets(octets, room_->data + used_);
        used_ += static_cast<std::uint32_t>(octets.size());
    };
    put(head);
    if (copies) {
        for (const ByteView piece : payload) put(piece);
        put(tail);
        slices_.emplace_back(begin, head.size() + payload_size + tail.size());
    } else {
        slices_.emplace_back(begin, head.size());
        slices_.insert(slices_.end(), payload.begin(), payload.end());
        put(tail);
        slices_.emplace_back(begin + head.size(), tail.size());
    }
    slabs_.clear();
    if (!copies) slabs_.assign(arrival.slabs.begin(), arrival.slabs.end());
    slabs_.push_back(room_);
    Arrival next = arrival;
    next.slices = slices_;
    next.slabs = slabs_;
    next.size = head.size() + payload_size + tail.size();
    return next;
}

// A slab in turn for many bundles, and one of its own for a large one.
bool SecurityGuard::reserve(std::uint64_t bytes) {
    if (room_ && room_->capacity - used_ >= bytes) return true;
    used_ = 0;
    room_ = bytes <= context_.pool.slab_bytes()
                ? context_.pool.acquire()
                : context_.pool.acquire_sized(static_cast<std::uint32_t>(bytes));
    return static_cast<bool>(room_);
}

}  // namespace farlink::ingress
