// SPDX-License-Identifier: Apache-2.0
// Decides what is read from the disks next, and for which link.
// Owned by Releaser; one thread.
// Links take turns. On a link critical bundles go first, then bundles that another neighbour has
// refused, then flows by priority; flows of one priority take turns. Flows with few bundles are
// read together, or each of their bundles would be a request and a batch. While a bundle leaves by
// a link in pieces, nothing else is read for that link.
#pragma once

#include "module/storage/core/release/refused_releaser.hpp"

namespace farlink::storage {

class ReadScheduler {
public:
    ReadScheduler(StorageContext &context, ReleaseLinks &links, FetchRequests &requests,
                  ReadyFlows &flows, CriticalReleaser &critical, RefusedReleaser &refused,
                  Remover &remover)
        : context_(context),
          links_(links),
          requests_(requests),
          flows_(flows),
          critical_(critical),
          refused_(refused),
          remover_(remover) {}

    /// Queues the next fetch of one link; false when no link has anything to read, or room for it.
    [[nodiscard]] bool queue_next(TimePoint now);

private:
    [[nodiscard]] bool queue_for(LinkId id, ReleaseLink &link, TimePoint now);
    [[nodiscard]] bool queue_piece(LinkId id, ReleaseLink &link);
    void collect_flows(LinkId id, ReleaseLink &link, Fetch &fetch, TimePoint now);
    [[nodiscard]] bool collect(LinkId id, ReleaseLink &link, FlowIndex index, Fetch &fetch,
                               TimePoint now);

    StorageContext &context_;
    ReleaseLinks &links_;
    FetchRequests &requests_;
    ReadyFlows &flows_;
    CriticalReleaser &critical_;
    RefusedReleaser &refused_;
    Remover &remover_;
    LinkId last_served_ = kNoLink;
};

}  // namespace farlink::storage
