// SPDX-License-Identifier: Apache-2.0
// Decides which fragments are joined with others here, within the limits of each source.
// Owned by StoreWriter; one thread.
// A fragment in transit that exceeds a limit is sent as it is, one for this node is refused.
#pragma once

#include "common/routing/reassembly_rules.hpp"
#include "module/storage/core/state/storage_context.hpp"

namespace farlink::storage {

class Gathering {
public:
    /// Of all sources together.
    static constexpr std::size_t kMostSets = 1'000'000;
    /// The fragments of a set, which may overlap, have so many times the largest bundle at most.
    static constexpr std::uint64_t kMostCoverings = 2;

    enum class Admission : std::uint8_t {
        kJoined,   ///< with others
        kAlone,    ///< it is sent as it is
        kTooMany,  ///< beyond a limit of its source, and for a service of this node
    };

    Gathering(StorageContext &context, const routing::ReassemblyRules &rules,
              const config::ReassemblyConfig &limits)
        : context_(context), rules_(rules), limits_(limits) {}

    void set_limits(const config::ReassemblyConfig &limits) { limits_ = limits; }

    [[nodiscard]] bool joins(const bp::BundleView &view, const BatchedBundle &bundle) const {
        return (bundle.requests & kRequestCritical) == 0 && rules_.joins(view);
    }
    [[nodiscard]] Admission admit(const bp::BundleView &view, const FragmentLabel &label) const;
    /// The entry of its bundle if it was the last one that was missing; else kNoEntry.
    [[nodiscard]] EntryIndex handle_flushed(EntryIndex fragment);

private:
    [[nodiscard]] bool exceeds_limits(const FragmentLabel &label) const;

    StorageContext &context_;
    const routing::ReassemblyRules &rules_;
    config::ReassemblyConfig limits_;
};

}  // namespace farlink::storage
