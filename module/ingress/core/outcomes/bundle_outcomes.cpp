// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/outcomes/bundle_outcomes.hpp"

#include "common/bp/parse.hpp"
#include "common/buffer/loop_delay_request.hpp"
#include "module/storage/disk/disk_io.hpp"

namespace farlink::ingress {
namespace {

ByteView head_of(const Batch &batch, const BatchedBundle &bundle) {
    return batch.slices[bundle.first_slice].first(bundle.head_end);
}

/// Only reports need it, and they are rare: so it is parsed again.
std::uint64_t payload_length(const Batch &batch, const BatchedBundle &bundle) {
    const auto view = bp::parse(batch.slices_of(bundle));
    return view ? view->payload_length : 0;
}

}  // namespace

bool BundleOutcomes::set_outcome(const Batch &batch, const BatchedBundle &bundle, Outcome outcome,
                                 UpstreamId waiting, TimePoint now) {
    switch (outcome) {
        case Outcome::kSent:
            context_.counters.increment(IngressCounter::kCutThrough);
            if ((bundle.requests & kReportForwarding) != 0) report_forwarded(batch, bundle, now);
            acknowledge(waiting, bundle, TransferDisposition::kSafe, now);
            return true;
        case Outcome::kStored:
        case Outcome::kDuplicate:
            acknowledge(waiting, bundle, TransferDisposition::kSafe, now);
            return true;
        case Outcome::kExpired:
            context_.counters.increment(IngressCounter::kExpired);
            return drop_ended(batch, bundle, bp::ReportReason::kLifetimeExpired, waiting, now);
        // Egress has counted it.
        case Outcome::kDeletedHopLimit:
            return drop_ended(batch, bundle, bp::ReportReason::kHopLimitExceeded, waiting, now);
        case Outcome::kDeletedUnreadable:
            return drop_ended(batch, bundle, bp::ReportReason::kBlockUnintelligible, waiting, now);
        case Outcome::kContradicts:
            return refuse_fragment(batch, bundle, IngressCounter::kDeletedContradiction,
                                   bp::ReportReason::kBlockUnintelligible,
                                   TransferDisposition::kNotAcceptable, now);
        case Outcome::kTooManyFragments:
            return refuse_fragment(batch, bundle, IngressCounter::kDeletedFragmentLimit,
                                   bp::ReportReason::kDepletedStorage,
                                   TransferDisposition::kNoResources, now);
        case Outcome::kNoSpace:
            return leave_to_custodian(batch, bundle, waiting, now) ||
                   refuse_without_space(batch, bundle, now);
        case Outcome::kIoError:
            return leave_to_custodian(batch, bundle, waiting, now) ||
                   refuse_upstream(batch, bundle, now);
        case Outcome::kNotSent:
        case Outcome::kTooLate:
        case Outcome::kPartSent:  // of bundles of storage only
        case Outcome::kRefused:
        case Outcome::kTooLarge:
            return false;
        case Outcome::kPending:
        case Outcome::kReturnedEarly:
        case Outcome::kUnacknowledged:
            break;
    }
    FARLINK_INVARIANT(!"a batch came back without all outcomes");
    return false;
}

// The bundle was deleted; its sender must not send it again.
bool BundleOutcomes::drop_ended(const Batch &batch, const BatchedBundle &bundle,
                                bp::ReportReason reason, UpstreamId waiting, TimePoint now) {
    report_deleted(batch, bundle, reason, now);
    acknowledge(waiting, bundle, TransferDisposition::kSafe, now);
    return true;
}

// Its sender has it still, if it waits for the acknowledgement.
bool BundleOutcomes::refuse_fragment(const Batch &batch, const BatchedBundle &bundle,
                                     IngressCounter why, bp::ReportReason reason,
                                     TransferDisposition disposition, TimePoint now) {
    context_.counters.increment(why);
    context_.record(batch, bundle, history::Ending::kRefused, reason, now);
    report_deleted(batch, bundle, reason, now);
    acknowledge(batch.upstream, bundle, disposition, now);
    return true;
}

// RFC 5050 section 5.4.2: a bundle whose custody is not accepted is not lost when it is dropped.
// Its custodian has it and sends it again, after a refusal or a timeout.
bool BundleOutcomes::leave_to_custodian(const Batch &batch, const BatchedBundle &bundle,
                                        UpstreamId waiting, TimePoint now) {
    if ((bundle.requests & kRequestCustody) == 0 || context_.upstreams.defers_when_full(waiting))
        return false;
    const auto view = bp::parse(batch.slices_of(bundle));
    const bool has_another = view && !view->custodian.is_null() &&
                             !(view->custodian.scheme == bp::EidScheme::kIpn &&
                               view->custodian.node_number() == context_.config.node);
    if (!has_another) return false;
    forget_pass(batch, bundle);
    context_.counters.increment(IngressCounter::kDeletedNoResources);
    context_.record(batch, bundle, history::Ending::kRefused, bp::ReportReason::kDepletedStorage,
                    now);
    acknowledge(waiting, bundle, TransferDisposition::kNoResources, now);
    held_.pause_storage(now);
    return true;
}

bool BundleOutcomes::refuse_without_space(const Batch &batch, const BatchedBundle &bundle,
                                          TimePoint now) {
    if (may_be_stored(batch, bundle)) return refuse_upstream(batch, bundle, now);
    context_.counters.increment(IngressCounter::kDeletedNoStorageSpace);
    context_.record(batch, bundle, history::Ending::kDeleted, bp::ReportReason::kDepletedStorage,
                    now);
    report_deleted(batch, bundle, bp::ReportReason::kDepletedStorage, now);
    acknowledge(batch.upstream, bundle, TransferDisposition::kNotAcceptable, now);
    return true;
}

// Storage has refused the bundle twice. A sender that waits for the acknowledgement still has it:
// a refusal frees the memory for bundles that can go on.
bool BundleOutcomes::refuse_upstream(const Batch &batch, const BatchedBundle &bundle,
                                     TimePoint now) {
    if (batch.upstream == kNoUpstream || !batch.retried ||
        context_.upstreams.defers_when_full(batch.upstream))
        return false;
    refuse(batch, bundle, now);
    return true;
}

bool BundleOutcomes::leave_to_sender(const Batch &batch, TimePoint now) {
    if (batch.upstream == kNoUpstream || context_.upstreams.defers_when_full(batch.upstream))
        return false;
    for (const BatchedBundle &bundle : batch.bundles) refuse(batch, bundle, now);
    return true;
}

// When its sender sends it again, it has not returned in a loop.
void BundleOutcomes::forget_pass(const Batch &batch, const BatchedBundle &bundle) {
    if (!context_.passes.any() || (bundle.requests & kRequestLoopDelay) != 0) return;
    const auto view = bp::parse(batch.slices_of(bundle));
    if (view && view->has_identity()) context_.passes.forget(view->identity());
}

void BundleOutcomes::refuse(const Batch &batch, const BatchedBundle &bundle, TimePoint now) {
    forget_pass(batch, bundle);
    context_.counters.increment(IngressCounter::kDeletedNoResources);
    context_.record(batch, bundle, history::Ending::kRefused, bp::ReportReason::kDepletedStorage,
                    now);
    acknowledge(batch.upstream, bundle, TransferDisposition::kNoResources, now);
}

// False for a bundle that is too large even for an empty store.
bool BundleOutcomes::may_be_stored(const Batch &batch, const BatchedBundle &bundle) const {
    constexpr std::uint64_t kLabelOverhead = 32;
    const auto view = bp::parse(batch.slices_of(bundle));
    const std::uint64_t label = (view ? view->destination.name.size() : 0) + kLabelOverhead;
    return label <= kMaxLabelBytes &&
           record_bytes(label, bundle.size) <= context_.config.storage.largest_room_bytes();
}

void BundleOutcomes::report_forwarded(const Batch &batch, const BatchedBundle &bundle,
                                      TimePoint now) {
    local_.report(bus::ReportEvent::kForwarded, bp::ReportReason::kNone, head_of(batch, bundle),
                  payload_length(batch, bundle), now);
}

void BundleOutcomes::report_deleted(const Batch &batch, const BatchedBundle &bundle,
                                    bp::ReportReason reason, TimePoint now) {
    if ((bundle.requests & kReportDeletion) != 0)
        local_.report(bus::ReportEvent::kDeleted, reason, head_of(batch, bundle),
                      payload_length(batch, bundle), now);
}

}  // namespace farlink::ingress
