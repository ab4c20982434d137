// SPDX-License-Identifier: Apache-2.0
// Which request each disk gets next, and which part of the core takes its answer.
// Owned by StorageCore; one thread.
// Appends go first, so that a flush covers all that is at hand; reads go last. The disks are
// independent of each other.
#pragma once

#include <vector>

#include "module/storage/core/queries/piece_reader.hpp"
#include "module/storage/core/queries/store_verifier.hpp"
#include "module/storage/core/queries/stored_bundle_queries.hpp"
#include "module/storage/core/release/releaser.hpp"
#include "module/storage/core/upkeep/compactor.hpp"
#include "module/storage/core/write/store_writer.hpp"

namespace farlink::storage {

class DiskScheduler {
public:
    DiskScheduler(StorageContext &context, Custodian &custodian, Releaser &releaser,
                  StoreWriter &writer, Compactor &compactor, StoredBundleQueries &queries,
                  PieceReader &pieces, StoreVerifier &verifier)
        : context_(context),
          custodian_(custodian),
          releaser_(releaser),
          writer_(writer),
          compactor_(compactor),
          queries_(queries),
          pieces_(pieces),
          verifier_(verifier) {}

    /// The next request for the disk; empty when there is none now.
    [[nodiscard]] DiskRequestPtr poll(DiskIndex disk, TimePoint now);
    void handle(DiskIndex disk, DiskRequestPtr completed, TimePoint now);
    /// The disk fails for good: the others go on without it.
    void set_aside(DiskIndex disk);
    /// The store is open: what the disks found to be torn or dead is erased, also if nothing else
    /// is written.
    void handle_opened();
    /// The node stops: nothing is put off any more.
    void drain() { draining_ = true; }

private:
    [[nodiscard]] DiskRequestPtr next(DiskIndex disk, TimePoint now);
    [[nodiscard]] DiskRequestPtr poll_erasures(DiskIndex disk, TimePoint now);
    [[nodiscard]] DiskRequestPtr poll_flush(DiskIndex disk, TimePoint now);
    void handle_flushed(DiskIndex disk, const DiskRequest &flush, TimePoint now);
    void watch_health(DiskIndex disk, const DiskRequest &completed, TimePoint now);

    StorageContext &context_;
    Custodian &custodian_;
    Releaser &releaser_;
    StoreWriter &writer_;
    Compactor &compactor_;
    StoredBundleQueries &queries_;
    PieceReader &pieces_;
    StoreVerifier &verifier_;
    std::vector<FlowIndex> offered_;  ///< memory for flows that have got bundles
    bool draining_ = false;
};

}  // namespace farlink::storage
