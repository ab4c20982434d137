// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/write/gathering.hpp"

namespace farlink::storage {

// A fragment in transit can be joined elsewhere.
Gathering::Admission Gathering::admit(const bp::BundleView &view,
                                      const FragmentLabel &label) const {
    if (!exceeds_limits(label)) return Admission::kJoined;
    return rules_.is_here(view.destination) ? Admission::kTooMany : Admission::kAlone;
}

bool Gathering::exceeds_limits(const FragmentLabel &label) const {
    if (label.total_adu_length > limits_.largest_bundle_bytes) return true;
    const FragmentSets &sets = context_.fragments.sets();
    const SourceUsage usage = sets.usage_of(label.source);
    if (usage.fragments >= limits_.fragments_per_source ||
        usage.bytes + label.extent.length > limits_.bytes_per_source)
        return true;
    // Fragments that overlap are read all the same when the bundle leaves.
    if (const SetIndex set = sets.find(label.set); set != kNoSet)
        return sets[set].pieces.bytes() + label.extent.length >
               kMostCoverings * limits_.largest_bundle_bytes;
    return usage.sets >= limits_.sets_per_source || sets.size() >= kMostSets;
}

EntryIndex Gathering::handle_flushed(EntryIndex fragment) {
    const EntryIndex whole = context_.fragments.gather(fragment);
    context_.count_sets();
    return whole;
}

}  // namespace farlink::storage
