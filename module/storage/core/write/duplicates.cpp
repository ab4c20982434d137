// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/write/duplicates.hpp"

namespace farlink::storage {

// The stored bundle may be lent. When it has been sent and acknowledged, one of the two must
// remain.
void Duplicates::note(const Batch &batch, const BatchedBundle &bundle, EntryIndex held, bool copy) {
    const bool counted = copy ? share_copy(batch, bundle, held) : note_return(bundle, held);
    if (!counted) context_.counters.increment(StorageCounter::kDuplicates);
}

// A critical bundle that comes again when all copies were sent ends here if its destination has got
// it from this node. With custody the destination must have answered: the outcome of its link is
// not enough. Until it has, the first copy of a custodian ends here without an answer.
bool Duplicates::ends_critical(const Batch &batch, const BatchedBundle &bundle,
                               const bp::BundleView &view, const Hash128 &identity, TimePoint now) {
    if ((bundle.requests & kRequestCritical) == 0) return false;
    const auto before = context_.critical.passed_on(identity);
    if (!before) return false;
    context_.counters.increment(StorageCounter::kCriticalRepeats);
    const bool custody = custodian_.takes(bundle);
    const ByteView octets = batch.slices_of(bundle).front();
    if (custody && before->arrived)
        custodian_.arrived_before(view, octets, now);
    else if (custody ? !custodian_.leaves_unanswered(identity, view, octets)
                     : !before->to_destination)
        return false;
    context_.counters.increment(StorageCounter::kDuplicates);
    return true;
}

// The next hop may have given back what it was just lent. If its acknowledgement released the
// bundle here, and the answer to this one released it there, the bundle would be lost: it stays,
// and waits again. With custody that cannot be: see Custodian::repeated(). Whether it was a
// duplicate after all is counted when that is certain.
bool Duplicates::note_return(const BatchedBundle &bundle, EntryIndex held) {
    Entry &entry = context_.inventory.entry(held);
    const bool lent = entry.state() == EntryState::kReleased ||
                      (entry.state() == EntryState::kCritical &&
                       (context_.critical.any(held, CriticalCopy::State::kLent) ||
                        context_.critical.any(held, CriticalCopy::State::kSent)));
    if (entry.in_custody() || entry.came_back || !lent) return false;
    entry.requests |= bundle.requests & kRequestLoopDelay;
    return entry.came_back = true;
}

// Ingress has lent the bundle already, so storage need not send it: the copy waits for the outcome
// of its original, as any copy does. An entry that is not lent stays anyway.
bool Duplicates::share_copy(const Batch &batch, const BatchedBundle &bundle, EntryIndex held) {
    Entry &entry = context_.inventory.entry(held);
    if (entry.in_custody() || entry.state() != EntryState::kReleased) return false;
    context_.copies.share(entry, context_.inventory.entries().handle_of(held), bundle.arrival,
                          batch.instance);
    return true;
}

}  // namespace farlink::storage
