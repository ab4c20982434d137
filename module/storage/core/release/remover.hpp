// SPDX-License-Identifier: Apache-2.0
// Deletes bundles that expire (RFC 9171 section 5.5), are evicted, or are deleted by the operator.
// Owned by Releaser; one thread.
// What can be done depends on the state of the entry: a bundle that is lent or being read is looked
// at again when it comes back.
#pragma once

#include "module/storage/core/release/critical_releaser.hpp"

namespace farlink::storage {

class Remover {
public:
    enum class Removal : std::uint8_t {
        kDone,
        kBusy,       ///< it is being written, read or sent: it stays
        kInCustody,  ///< it stays, without `force`
    };

    Remover(StorageContext &context, Custodian &custodian, CriticalReleaser &critical,
            DeletionReporter &reporter)
        : context_(context), custodian_(custodian), critical_(critical), reporter_(reporter) {}

    /// The entry, whatever its state, has reached the end of its lifetime.
    void expire(EntryIndex index);
    /// No service of this node takes a bundle of this size.
    void reject_large(EntryIndex index) {
        reporter_.remove(index, StorageCounter::kDeletedTooLarge,
                         DeletionReporter::kReasonDestinationUnavailable);
    }
    /// A waiting bundle is evicted to make room for another one.
    void evict(EntryIndex index);
    /// The operator deletes the entry, whatever its state.
    [[nodiscard]] Removal remove_by_operator(EntryIndex index, bool force);

private:
    void remove_joined(EntryIndex index, StorageCounter why, std::uint8_t reason);
    void expire_fragment(EntryIndex index);
    [[nodiscard]] bool is_read(EntryIndex fragment) const;

    StorageContext &context_;
    Custodian &custodian_;
    CriticalReleaser &critical_;
    DeletionReporter &reporter_;
};

}  // namespace farlink::storage
