// SPDX-License-Identifier: Apache-2.0
// Storage thinks here: what is written, flushed, read, lent to egress, deleted, and told to whom.
// Owned by the storage agent (or a simulated node); one thread; no file, clock or log.
// Around it: disks that execute what poll_disk_request() says and come back with handle(), and a
// bus. Messages are handled first and outputs polled afterwards, all of them until empty.
#pragma once

#include <optional>

#include "common/config/node/link_placement.hpp"
#include "common/config/node/node_config.hpp"
#include "common/telemetry/latency_histogram.hpp"
#include "module/storage/core/custody/custodian.hpp"
#include "module/storage/core/queries/piece_reader.hpp"
#include "module/storage/core/queries/store_verifier.hpp"
#include "module/storage/core/queries/stored_bundle_queries.hpp"
#include "module/storage/core/release/releaser.hpp"
#include "module/storage/core/state/holdings.hpp"
#include "module/storage/core/upkeep/compactor.hpp"
#include "module/storage/core/upkeep/evictor.hpp"
#include "module/storage/core/upkeep/pending_survey.hpp"
#include "module/storage/core/upkeep/restorer.hpp"
#include "module/storage/core/write/store_writer.hpp"

namespace farlink::storage {

class StorageCore {
public:
    StorageCore(const config::StorageConfig &config, bool status_reports, WallClock clock,
                const ReleaseLimits &limits = {}, const CustodyOptions &custody = {});

    // ---- start: the disks hand over what they found; when all are open, the store is
    void restore(DiskIndex disk, const RestoredRecord &record) { restorer_.restore(disk, record); }
    /// Such a record is restored soon: fetches the memory that it needs. A hint.
    void foresee(const Hash128 &identity) const { context_.inventory.foresee(identity); }
    /// Before the first route.
    void set_policies(const config::RoutingConfig &config) {
        context_.inventory.destinations().set_policies(config);
    }
    /// Likewise. Without it ingress and egress run once.
    void set_placement(const config::LinkPlacement &placement);
    /// The disk is open and has handed over everything. `sound`: nothing of it is damaged.
    void handle_disk_opened(DiskIndex disk, DiskId id, bool sound) {
        restorer_.handle_disk(disk, id, sound);
    }
    void handle_opened(const SipKey &identity_key);
    /// Before that: the clock shows a time that is not to be believed. No bundle expires, in any
    /// module, until it is confirmed.
    void doubt_clock() { clock_doubted_ = true; }
    /// Bundles that have expired by the clock and are still held.
    [[nodiscard]] std::uint64_t overdue() const;
    /// What is kept on the disks and cannot be sent, because other disks are missing or damaged.
    [[nodiscard]] const std::vector<LoneStripe> &lone_stripes() const {
        return restorer_.lone_stripes();
    }
    /// The disk could not be opened, or fails for good: the others go on without it.
    void set_aside(DiskIndex disk);

    // ---- from the bus
    void handle(bus::StoreBatch message, TimePoint now);
    void handle(bus::BatchOutcome message, TimePoint now);
    void handle(const bus::CopyOutcomes &message, TimePoint now);
    void handle(const bus::CustodyRecord &message, TimePoint now);
    void handle(const bus::RouteUpdate &update, TimePoint now);
    void handle(const bus::LinkUp &event, TimePoint now);
    void handle(const bus::LinkDown &event, TimePoint now);
    void handle(const bus::LinkSnapshot &snapshot, TimePoint now);
    void handle(const bus::StoreRequest &request, TimePoint now);
    void handle(const bus::BundlePieceRequest &request, TimePoint now);
    void handle(const bus::StoreTaskRequest &request, TimePoint now);
    /// What the operator has asked for and has ended, each once.
    [[nodiscard]] std::optional<bus::StoreTaskReply> poll_ended_task();
    // ---- the clock, which a ClockGuard judges: first when the store is open
    void set_wall_clock(WallClock reading);
    void handle(const bus::ClockConfirm &confirm, TimePoint now);
    [[nodiscard]] ClockState clock_state() const { return context_.clock.state(); }
    /// The newest time of reception of all that was restored; 0 when nothing was. Of a clock in
    /// doubt the end of time, so that others doubt it as well.
    [[nodiscard]] DtnTime newest_received() const {
        return clock_doubted_ ? kDtnNever : restorer_.newest_received();
    }

    // ---- modules of other processes that come and go (storage_modules.cpp)
    void handle(const bus::ModuleLost &lost, TimePoint now);
    void handle(const bus::ModuleBack &back, TimePoint now);

    // ---- from the disks
    void handle(DiskIndex disk, DiskRequestPtr completed, TimePoint now);
    /// A record that could not be read, and is kept and not sent; of very many not each is named.
    [[nodiscard]] std::optional<Unreadable> poll_unreadable();
    /// How many more there are that are not told one by one, since the last call.
    [[nodiscard]] std::uint64_t take_nameless_unreadable() {
        return std::exchange(context_.nameless, 0);
    }
    /// The last custody signal that was ignored for its source; each once.
    [[nodiscard]] std::optional<IgnoredSignal> poll_ignored_signal() {
        return custodian_.poll_ignored();
    }
    [[nodiscard]] DiskTrouble trouble(DiskIndex disk) const {
        return context_.placement.volumes()[disk].trouble();
    }
    void set_segments(std::uint64_t files) {
        context_.counters.set(StorageCounter::kSegments, files);
    }

    // ---- time
    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);

    // ---- what to do
    /// The next request for a disk. One disk's reads may be made while another one is asked, so
    /// all are asked until none of them gets anything.
    [[nodiscard]] DiskRequestPtr poll_disk_request(DiskIndex disk, TimePoint now);
    [[nodiscard]] std::optional<bus::Outgoing> poll_message();

    /// The node stops: what is in memory, so many octets, is taken whatever the limits.
    void open_reserve(std::uint64_t bytes) { context_.placement.open_reserve(bytes); }
    /// From now on nothing is put off, so that idle() comes soon.
    void drain();
    /// No request is at a disk, no batch at egress, and nothing is left to write or flush.
    [[nodiscard]] bool idle() const;

    // ---- figures for people (storage_figures.cpp)
    [[nodiscard]] const telemetry::StorageCounters &counters() const { return context_.counters; }
    /// From the order of a flush to its end, of those that succeeded.
    [[nodiscard]] const telemetry::LatencyHistogram &flush_times() const { return flush_times_; }
    /// Without its path, which the core does not know.
    [[nodiscard]] bus::DiskReport disk_report(DiskIndex disk) const;
    /// Begins to count what is held for each node, if that has changed since it was counted last.
    void survey_pending();
    /// Counts on for a moment; the result when it is through.
    [[nodiscard]] std::optional<PendingSurvey::Result> poll_survey();
    [[nodiscard]] std::size_t disk_count() const { return context_.placement.volumes().size(); }
    [[nodiscard]] bool is_set_aside(DiskIndex disk) const {
        return context_.placement.volumes()[disk].is_set_aside();
    }
    /// The neighbour that was the last to refuse a bundle for its own sake.
    [[nodiscard]] NodeNumber last_refuser() const { return context_.refused.last_refuser(); }
    /// Bundles held, unreadable ones too.
    [[nodiscard]] std::uint64_t held() const { return context_.inventory.count(); }
    /// Memory that is taken for them, the queues of their flows apart.
    [[nodiscard]] std::uint64_t index_bytes() const { return context_.inventory.memory_bytes(); }
    /// What is held for each destination. It looks at every bundle: for people, not for the data
    /// path.
    [[nodiscard]] std::vector<Holding> holdings() const {
        return count_holdings(context_.inventory);
    }

private:
    /// Changes when what is held does.
    struct Surveyed {
        std::uint64_t changes = 0;
        std::uint64_t disk_bytes = 0;
        std::uint64_t stored = 0;
        friend bool operator==(const Surveyed &, const Surveyed &) = default;
    };
    [[nodiscard]] bus::DiskState disk_state(DiskIndex disk) const;
    [[nodiscard]] DiskRequestPtr next_request(DiskIndex disk, TimePoint now);
    [[nodiscard]] DiskRequestPtr poll_erasures(DiskIndex disk, TimePoint now);
    [[nodiscard]] DiskRequestPtr poll_flush(DiskIndex disk, TimePoint now);
    void handle_flushed(DiskIndex disk, const DiskRequest &flush, TimePoint now);
    void watch_health(DiskIndex disk, const DiskRequest &completed, TimePoint now);
    void count_suspension();
    void report_backlog(TimePoint now);
    void publish_to_ingress();
    [[nodiscard]] bus::StorageReady ready() const;
    [[nodiscard]] TimePoint next_report() const;

    StorageContext context_;
    config::CustodyConfig custody_;
    Custodian custodian_;
    Releaser releaser_;
    Evictor evictor_;
    StoreWriter writer_;
    Compactor compactor_;
    Restorer restorer_;
    StoredBundleQueries queries_;
    PieceReader pieces_;
    StoreVerifier verifier_;
    std::vector<FlowIndex> offered_;
    bool clock_doubted_ = false;
    bool draining_ = false;
    std::uint64_t reported_changes_ = 0;
    bool backlog_known_ = false;  ///< to the router
    TimePoint reported_at_{};
    PendingSurvey survey_;
    std::optional<Surveyed> surveyed_;
    telemetry::LatencyHistogram flush_times_;
};

}  // namespace farlink::storage
