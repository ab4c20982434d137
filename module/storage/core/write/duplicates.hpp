// SPDX-License-Identifier: Apache-2.0
// Bundles that equal one that is stored here, or that has left this store.
// Owned by StoreWriter; one thread.
// Each is counted as a duplicate, at once or when the stored one has its outcome.
#pragma once

#include "module/storage/core/custody/custodian.hpp"
#include "module/storage/core/state/storage_context.hpp"

namespace farlink::storage {

class Duplicates {
public:
    Duplicates(StorageContext &context, Custodian &custodian)
        : context_(context), custodian_(custodian) {}

    /// The entry that holds an equal bundle, written or about to be; kNoEntry: none does.
    [[nodiscard]] EntryIndex find(const Hash128 &identity) const {
        return context_.inventory.find(identity);
    }
    /// An equal bundle is stored, in entry `held`. `copy`: ingress has lent this one already.
    void note(const Batch &batch, const BatchedBundle &bundle, EntryIndex held, bool copy);
    /// True when the bundle is critical, was here before, and has reached its destination, or is
    /// kept by its custodian: it ends here.
    [[nodiscard]] bool ends_critical(const Batch &batch, const BatchedBundle &bundle,
                                     const bp::BundleView &view, const Hash128 &identity,
                                     TimePoint now);

private:
    [[nodiscard]] bool note_return(const BatchedBundle &bundle, EntryIndex held);
    [[nodiscard]] bool share_copy(const Batch &batch, const BatchedBundle &bundle, EntryIndex held);

    StorageContext &context_;
    Custodian &custodian_;
};

}  // namespace farlink::storage
