// SPDX-License-Identifier: Apache-2.0
// The state machine of storage: it decides what is written, flushed, read, lent to egress and
// deleted, and which messages are sent.
// Owned by the storage agent (or a simulated node); one thread; no file, clock or log.
// Around it: disks that execute the requests of poll_disk_request() and return them by handle(),
// and a bus. Messages are handled first and outputs polled afterwards, all of them until empty.
#pragma once

#include <optional>
#include <span>

#include "common/config/node/link_placement.hpp"
#include "common/config/node/node_config.hpp"
#include "common/routing/reassembly_rules.hpp"
#include "module/storage/core/backlog_reporter.hpp"
#include "module/storage/core/custody/custodian.hpp"
#include "module/storage/core/disk_scheduler.hpp"
#include "module/storage/core/queries/piece_reader.hpp"
#include "module/storage/core/queries/store_verifier.hpp"
#include "module/storage/core/queries/stored_bundle_queries.hpp"
#include "module/storage/core/release/releaser.hpp"
#include "module/storage/core/storage_figures.hpp"
#include "module/storage/core/store_clock.hpp"
#include "module/storage/core/upkeep/compactor.hpp"
#include "module/storage/core/upkeep/evictor.hpp"
#include "module/storage/core/upkeep/restorer.hpp"
#include "module/storage/core/write/store_writer.hpp"

namespace farlink::storage {

class StorageCore {
public:
    /// Bundles that expire or are deleted here are recorded in `history`.
    StorageCore(const config::StorageConfig &config, bool status_reports, WallClock clock,
                const ReleaseLimits &limits = {}, const CustodyOptions &custody = {},
                history::BundleHistory history = {});

    // ---- start: the disks hand over what they found; when all are open, the store is
    void restore(DiskIndex disk, const RestoredRecord &record) { restorer_.restore(disk, record); }
    /// Such a record is restored soon: fetches the memory that it needs. A hint.
    void foresee(const Hash128 &identity) const { context_.inventory.foresee(identity); }
    /// Before the first route.
    void set_policies(const config::RoutingConfig &config) {
        context_.inventory.destinations().set_policies(config);
        reassembly_rules_.set_rules(config);
    }
    /// Likewise. Without it ingress and egress run once.
    void set_placement(const config::LinkPlacement &placement);
    /// The disk is open and has handed over everything. `sound`: nothing of it is damaged,
    /// and it is no older copy. `lost`: its files that bundles were lost with.
    void handle_disk_opened(DiskIndex disk, DiskId id, bool sound,
                            std::span<const bus::LostFile> lost = {}) {
        restorer_.handle_disk(disk, id, sound);
        verifier_.add_lost(lost);
    }
    void handle_opened(const SipKey &identity_key);
    /// What was found incomplete: kept without being sent, or erased.
    [[nodiscard]] const Restorer &restorer() const { return restorer_; }
    /// The disk could not be opened, or fails for good: the others go on without it.
    void set_aside(DiskIndex disk) { disks_.set_aside(disk); }

    // ---- from the bus
    void handle(bus::StoreBatch message, TimePoint now);
    void handle(bus::BatchOutcome message, TimePoint now);
    void handle(const bus::CopyOutcomes &message, TimePoint now);
    void handle(const bus::CustodyRecord &message, TimePoint now);

    // ---- requests of the operator
    void handle(const bus::StoreRequest &request, TimePoint now);
    void handle(const bus::BundlePieceRequest &request, TimePoint now);
    void handle(const bus::StoreTaskRequest &request, TimePoint now);
    /// The operator's tasks that have ended, each once.
    [[nodiscard]] std::optional<bus::StoreTaskReply> poll_ended_task();

    // ---- routes and links
    void handle(const bus::RouteUpdate &update, TimePoint now);
    void handle(const bus::EndpointsChange &change, TimePoint now);
    void handle(const bus::LinkUp &event, TimePoint now);
    void handle(const bus::LinkDown &event, TimePoint now);
    void handle(const bus::LinkSnapshot &snapshot, TimePoint now);
    /// Settings that were changed in the configuration file; `config` is the whole configuration.
    void set_settings(const config::NodeConfig &config);

    // ---- the clock
    [[nodiscard]] StoreClock &clock() { return clock_; }
    void handle(const bus::ClockConfirm &, TimePoint) { clock_.confirm(); }
    /// The newest time of reception of all that was restored; 0 when nothing was. Of a clock in
    /// doubt the end of time, so that others doubt it as well.
    [[nodiscard]] DtnTime newest_received() const {
        return clock_.newest_seen(restorer_.newest_received());
    }

    // ---- modules of other processes that are lost and come back
    void handle(const bus::ModuleLost &lost, TimePoint now);
    void handle(const bus::ModuleBack &back, TimePoint now);

    // ---- from the disks
    void handle(DiskIndex disk, DiskRequestPtr completed, TimePoint now) {
        disks_.handle(disk, std::move(completed), now);
    }

    // ---- time
    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);

    // ---- what to do
    /// The next request for a disk. A call for one disk may queue reads for another, so call this
    /// for all disks until none of them gets anything.
    [[nodiscard]] DiskRequestPtr poll_disk_request(DiskIndex disk, TimePoint now) {
        return disks_.poll(disk, now);
    }
    [[nodiscard]] std::optional<bus::Outgoing> poll_message();
    /// The last custody signal that was ignored for its source; each once.
    [[nodiscard]] std::optional<IgnoredSignal> poll_ignored_signal() {
        return custodian_.poll_ignored();
    }

    /// The room on the disks, and the reserve for what is in memory when the node stops.
    [[nodiscard]] Placement &placement() { return context_.placement; }
    /// From now on nothing is put off, so that idle() comes soon.
    void drain();
    /// No request is at a disk, no batch at egress, and nothing is left to write or flush.
    [[nodiscard]] bool idle() const;

    [[nodiscard]] StorageFigures &figures() { return figures_; }
    [[nodiscard]] const StorageFigures &figures() const { return figures_; }

private:
    void publish_to_ingress();

    StorageContext context_;
    StoreClock clock_;
    config::CustodyConfig custody_;
    NodeNumber node_;
    routing::ReassemblyRules reassembly_rules_;
    Custodian custodian_;
    Releaser releaser_;
    Evictor evictor_;
    StoreWriter writer_;
    Compactor compactor_;
    Restorer restorer_;
    StoredBundleQueries queries_;
    PieceReader pieces_;
    StoreVerifier verifier_;
    DiskScheduler disks_;
    BacklogReporter backlog_;
    StorageFigures figures_;
};

}  // namespace farlink::storage
