// SPDX-License-Identifier: Apache-2.0
// Bundles that a neighbour has refused for their own sake: each goes by itself, to another
// neighbour where there is one, else to the same again after a pause, until its lifetime ends.
// Owned by Releaser; one thread.
#pragma once

#include "module/storage/core/release/remover.hpp"

namespace farlink::storage {

class RefusedReleaser {
public:
    RefusedReleaser(StorageContext &context, ReleaseLinks &links, FetchRequests &requests,
                    Remover &remover)
        : context_(context), links_(links), requests_(requests), remover_(remover) {}

    /// Takes the bundle out of its flow, whose younger bundles need not wait behind it.
    void park(EntryIndex index);
    /// Chooses a link for each bundle whose pause is over.
    void place_due(TimePoint now);
    /// Queues the read of the first bundle that is to go by the link; false when there is none, or
    /// no room.
    [[nodiscard]] bool queue_read(LinkId id, ReleaseLink &link, TimePoint now);
    /// The link is down, or leads elsewhere: its bundles wait for another route.
    void release(ReleaseLink &link);

private:
    void place(EntryIndex index, std::uint64_t bundle, TimePoint now);
    void list_again(EntryIndex index, std::uint64_t bundle, TimePoint now);

    StorageContext &context_;
    ReleaseLinks &links_;
    FetchRequests &requests_;
    Remover &remover_;
};

}  // namespace farlink::storage
