// SPDX-License-Identifier: Apache-2.0
// Critical bundles: each goes to every neighbour that may bring it there in time, as soon as the
// link of that neighbour is up, and stays until all have it. One record on disk serves them all.
// Owned by Releaser; one thread.
#pragma once

#include "module/storage/core/custody/custodian.hpp"
#include "module/storage/core/release/deletion_reporter.hpp"
#include "module/storage/core/release/ready_flows.hpp"

namespace farlink::storage {

class CriticalReleaser {
public:
    CriticalReleaser(StorageContext &context, Custodian &custodian, ReleaseLinks &links,
                     FetchRequests &requests, ReadyFlows &flows, DeletionReporter &reporter)
        : context_(context),
          custodian_(custodian),
          links_(links),
          requests_(requests),
          flows_(flows),
          reporter_(reporter) {}

    /// Lists new bundles, and those whose routes may have changed, on their links.
    void list_all(TimePoint now);
    /// Queues the read of the first bundle that waits for the link; false when none waits, or there
    /// is no room.
    [[nodiscard]] bool queue_read(LinkId id, ReleaseLink &link, TimePoint now);
    /// The copy could not be lent to its link. `readable`: the record was read and parsed.
    void give_up(LinkId id, EntryIndex index, bool readable);
    /// The copy for that link came back with this outcome.
    void set_outcome(LinkId id, const ReleaseLink &link, EntryIndex index, Outcome outcome,
                     TimePoint now);
    /// The bundle expires or is deleted. If a neighbour has it, that is no deletion, unless this
    /// node is still its custodian.
    void end(EntryIndex index, StorageCounter why, std::uint8_t reason);

private:
    void list(EntryIndex index, TimePoint now);
    [[nodiscard]] bool is_complete(EntryIndex index);
    void complete(EntryIndex index, TimePoint now);
    [[nodiscard]] CriticalCopy *listed_on(LinkId id, const ReleaseLink &link, EntryIndex index);

    StorageContext &context_;
    Custodian &custodian_;
    ReleaseLinks &links_;
    FetchRequests &requests_;
    ReadyFlows &flows_;
    DeletionReporter &reporter_;
};

}  // namespace farlink::storage
