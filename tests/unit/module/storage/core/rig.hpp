// SPDX-License-Identifier: Apache-2.0
// A storage core with simulated disks, between an ingress and an egress that only remember.
// Owned by one test; virtual time. The disks' content outlives the rig, the rig may be destroyed at
// any moment: that is a crash.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "common/bp/flow.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v6/custody.hpp"
#include "common/buffer/loop_delay_request.hpp"
#include "module/storage/core/storage_core.hpp"
#include "module/storage/store/log/store_key.hpp"
#include "tests/support/sim_disk.hpp"
#include "tests/unit/module/storage/core/bundles.hpp"

namespace farlink::test {

inline constexpr LinkId kLink20{7};
inline constexpr LinkId kLink30{8};
inline constexpr NodeNumber kNode20{20};
inline constexpr NodeNumber kNode30{30};
inline constexpr DtnTime kRigStartMs = 800'000'005'000;
/// Enough for a disk to execute its requests.
inline constexpr Duration kRigMoment = milliseconds(10);

struct RigOptions {
    std::uint64_t segment_bytes = 64 * 1024;
    std::uint64_t capacity_bytes = 1ULL << 40;
    std::vector<std::uint64_t> disk_capacities;  ///< by disk; absent: the whole capacity
    std::vector<SimDiskSpeed> speeds;            ///< by disk; absent: the usual one
    bool reports = false;
    std::uint64_t compaction_threshold_bytes = 0;  ///< 0: never
    std::uint64_t expedited_reserve_bytes = 0;
    config::WhenFull when_full = config::WhenFull::kRefuse;
    std::vector<config::StorageQuota> quotas;
    std::uint64_t stripe_above_bytes = 0;  ///< 0: never
    storage::ReleaseLimits limits{};
    DtnTime wall_ms = kRigStartMs;
    std::uint8_t key_octet = 0x5a;  ///< the key of a new store consists of these
    storage::CustodyOptions custody{};
    config::RoutingConfig routing{};
    config::ReassemblyConfig reassembly{};
    bool clock_doubted = false;
};

struct Released {
    Bytes octets;
    std::uint64_t sequence = 0;  ///< of the creation timestamp
    Priority priority{};
    Duration age{};  ///< now - received
    LinkId link;
};

/// What was lent of a bundle in pieces; without octets: no more pieces follow.
struct ReleasedPiece {
    BundlePiece piece;
    BatchedBundle bundle;
    Bytes octets;
    LinkId link;
};

class Rig {
public:
    Rig(SimDirectory &directory, const RigOptions &options = {})
        : Rig(std::vector{&directory}, options) {}
    Rig(const std::vector<SimDirectory *> &directories, const RigOptions &options)
        : options_(options) {
        config::StorageConfig config;
        for (std::size_t at = 0; at < directories.size(); ++at) {
            auto &disk = config.disks.emplace_back();
            if (at < options.disk_capacities.size())
                disk.capacity_bytes = options.disk_capacities[at];
        }
        config.capacity_bytes = options.capacity_bytes;
        config.group_commit_window = milliseconds(5);
        config.segment_bytes = options.segment_bytes;
        config.compaction_threshold_bytes = options.compaction_threshold_bytes;
        config.expedited_reserve_bytes = options.expedited_reserve_bytes;
        config.when_full = options.when_full;
        config.quotas = options.quotas;
        config.stripe_above_bytes = options.stripe_above_bytes;
        config.reassembly = options.reassembly;
        core_ = std::make_unique<storage::StorageCore>(config, options.reports,
                                                       WallClock{now, options.wall_ms},
                                                       options.limits, options.custody);
        core_->set_policies(options.routing);
        storage::LogOptions log;
        log.node = NodeNumber{10};
        log.segment_bytes = options.segment_bytes;
        log.fresh_key.fill(options.key_octet);
        for (std::size_t at = 0; at < directories.size(); ++at) {
            static DiskId fresh_disks = 0;
            log.fresh_disk = ++fresh_disks;
            disks_.push_back(std::make_unique<SimDisk>(
                *directories[at], log,
                at < options.speeds.size() ? options.speeds[at] : SimDiskSpeed{}));
        }
        open_disks();
        step();
    }
    /// What egress and ingress hold dies first; then the disk with its queue, then the core.
    ~Rig() {
        lent.clear();
        disks_.clear();
        core_.reset();
    }

    /// Hands a batch to storage and lets it work as far as it gets without time.
    void store(const std::vector<BundleSpec> &specs) {
        BatchPtr batch = make_batch(specs);
        batch->resumes = std::exchange(refused_, false);
        core_->handle(bus::StoreBatch{std::move(batch)}, now);
        step();
    }
    /// The same with one bundle in these octets, which may request custody, until it is answered.
    Outcome store_octets(const Bytes &octets) { return store_together({octets}).front(); }
    /// The same with several, in one batch.
    std::vector<Outcome> store_together(const std::vector<Bytes> &all) {
        BatchPtr batch = batches_.acquire();
        for (const Bytes &octets : all) add_octets(*batch, octets);
        batch->resumes = std::exchange(refused_, false);
        last_outcomes_.assign(all.size(), Outcome::kPending);
        core_->handle(bus::StoreBatch{std::move(batch)}, now);
        run_for(kRigMoment);
        return last_outcomes_;
    }
    /// Hands over octets [from, to) of a bundle that comes in pieces.
    void store_piece(const Bytes &whole, std::uint64_t spool, std::uint64_t from, std::uint64_t to,
                     std::uint8_t instance = 0) {
        const bp::BundleView view = bp::parse(std::array{ByteView(whole)}).value();
        BatchPtr batch = batches_.acquire();
        batch->instance = instance;
        batch->piece = {spool, from, whole.size() - to};
        BatchedBundle bundle = describe(view);
        bundle.arrival = kSpoolArrival + spool;
        bundle.version = view.version;
        if (from == 0) bundle.primary_end = view.primary_end;
        if (from == 0) bundle.head_end = view.head_end;
        put(*batch, ByteView(whole).subspan(from, to - from), bundle);
        core_->handle(bus::StoreBatch{std::move(batch)}, now);
        step();
    }
    /// Nothing more of it comes.
    void drop_pieces(std::uint64_t spool) {
        BatchPtr batch = batches_.acquire();
        batch->piece.spool = spool;
        core_->handle(bus::StoreBatch{std::move(batch)}, now);
        step();
    }
    /// A request of the operator; empty when there is no answer within `patience`.
    bus::StoreReply ask_store(bus::StoreRequest request, Duration patience = kRigMoment) {
        store_replies.clear();
        core_->handle(request, now);
        run_for(patience);
        return store_replies.empty() ? bus::StoreReply{} : store_replies.front();
    }
    bus::StoreTaskReply ask_task(bus::StoreTask task, bus::TaskVerb verb, std::uint64_t rate = 0) {
        task_replies.clear();
        core_->handle(bus::StoreTaskRequest{bus::RequestId{1}, task, verb, rate}, now);
        step();
        return task_replies.empty() ? bus::StoreTaskReply{} : task_replies.front();
    }
    bus::BundlePiece ask_piece(const bus::BundlePieceRequest &request) {
        pieces.clear();
        core_->handle(request, now);
        run_for(kRigMoment);
        return pieces.empty() ? bus::BundlePiece{} : pieces.front();
    }
    /// A custody signal of this node arrives, by the link of `sender` where that is certain.
    void signal_custody(std::string_view from, const Bytes &record, NodeNumber sender = {}) {
        core_->handle(bus::CustodyRecord{{from.begin(), from.end()}, record, sender}, now);
        step();
    }
    /// The same with copies of bundles that are on their way elsewhere; arrivals count on from 1.
    void store_copies(const std::vector<BundleSpec> &specs) {
        BatchPtr batch = make_batch(specs);
        batch->copy = true;
        core_->handle(bus::StoreBatch{std::move(batch)}, now);
        step();
    }
    void publish_outcome(const BundleSpec &spec, std::uint64_t arrival, bool sent) {
        const std::uint64_t flow = bp::flow_key(destination_of(spec), spec.priority);
        core_->handle(bus::CopyOutcomes{{{arrival, flow, sent}}, 0}, now);
        step();
    }
    BatchPtr make_batch(const std::vector<BundleSpec> &specs) {
        BatchPtr batch = batches_.acquire();
        for (const BundleSpec &spec : specs) add(*batch, spec);
        return batch;
    }
    void link_up(LinkId link, NodeNumber node, std::uint64_t max_bundle_bytes = ~std::uint64_t{0},
                 bool fragments = true) {
        core_->handle(bus::LinkUp{{}, link, node, {}, {}, max_bundle_bytes, fragments}, now);
        step();
    }
    void link_down(LinkId link, NodeNumber node) {
        core_->handle(bus::LinkDown{{}, link, node, {}}, now);
        step();
    }
    void route(const std::vector<std::pair<NodeNumber, LinkId>> &table) {
        bus::RouteUpdate update;
        for (const auto &[node, link] : table) update.routes.push_back({node, {{node, link, 0}}});
        core_->handle(update, now);
        step();
    }
    /// All of them by the same neighbour.
    void route_by(const std::vector<std::pair<NodeNumber, LinkId>> &table, NodeNumber neighbour) {
        bus::RouteUpdate update;
        for (const auto &[node, link] : table)
            update.routes.push_back({node, {{neighbour, link, 0}}});
        core_->handle(update, now);
        step();
    }
    void routes_to_both() { route({{kNode20, kLink20}, {kNode30, kLink30}}); }

    void run_for(Duration duration) {
        const TimePoint end = now + duration;
        step();
        for (;;) {
            TimePoint next = core_->next_timeout();
            for (const auto &disk : disks_) next = std::min(next, disk->next_timeout());
            if (next > end) break;
            now = std::max(now, next);
            core_->handle_timeout(now);
            step();
        }
        now = end;
        core_->handle_timeout(now);
        step();
    }
    /// Gives one lent batch back.
    void set_outcome(std::size_t index, Outcome outcome) {
        BatchPtr batch = std::move(lent[index]);
        lent.erase(lent.begin() + static_cast<std::ptrdiff_t>(index));
        batch->uniform = outcome;
        core_->handle(bus::BatchOutcome{std::move(batch)}, now);
        step();
    }
    /// Ends in good order, as far as the disk allows.
    void drain() {
        while (!lent.empty()) set_outcome(0, Outcome::kNotSent);
        core_->drain();
        step();
        for (int tries = 0; tries < 100 && !core_->idle(); ++tries) run_for(milliseconds(10));
    }

    [[nodiscard]] storage::StorageCore &core() { return *core_; }
    [[nodiscard]] std::uint64_t count(storage::StorageCounter counter) const {
        return core_->figures().counters().value(counter);
    }
    [[nodiscard]] Outcome outcome(std::uint64_t sequence) const {
        const auto found = outcomes.find(sequence);
        return found == outcomes.end() ? Outcome::kPending : found->second;
    }
    [[nodiscard]] std::vector<std::uint64_t> released_sequences() const {
        std::vector<std::uint64_t> sequences;
        for (const Released &bundle : released) sequences.push_back(bundle.sequence);
        return sequences;
    }
    [[nodiscard]] std::size_t segments(std::size_t disk = 0) const {
        return disks_[disk]->file_count();
    }

    TimePoint now{seconds(100)};
    Result<storage::Recovery, storage::StoreError> opened;  ///< the last disk
    std::size_t unreadable_files = 0;                       ///< kept for a human
    bool send_at_once = true;  ///< egress answers kSent at once; otherwise batches stay in `lent`
    std::map<std::uint64_t, Outcome> outcomes;  ///< by sequence number, the last one
    std::vector<Released> released;
    std::vector<BatchPtr> lent;
    std::vector<Outcome> piece_outcomes;  ///< in the order of the answers
    std::vector<ReleasedPiece> released_pieces;
    std::vector<bus::Backlog> backlogs;
    std::vector<bus::WaitingBytes> waiting;  ///< of the last report
    std::vector<bus::ReportRequest> reports;
    std::vector<bus::OriginateRequest> signals;
    std::vector<std::uint64_t> ready;  ///< StorageReady::restored
    std::vector<bus::StoreReply> store_replies;
    std::vector<bus::BundlePiece> pieces;
    std::vector<bus::StoreTaskReply> task_replies;

private:
    void open_disks() {
        std::vector<storage::DiskKey> keys;
        for (std::size_t at = 0; at < disks_.size(); ++at) {
            opened = disks_[at]->open([&](const RestoredRecord &record) {
                core_->restore(static_cast<DiskIndex>(at), record);
            });
            if (!opened) return;
            for (const storage::Damage &damage : opened->damages)
                unreadable_files += damage.kind == storage::DamageKind::kFileHeader ? 1 : 0;
            keys.push_back({opened->fresh, opened->key});
            core_->handle_disk_opened(static_cast<DiskIndex>(at), opened->disk, opened->sound);
        }
        for (std::size_t at = 0; at < disks_.size(); ++at)
            if (keys[at].fresh) disks_[at]->adopt_key(storage::common_key(keys));
        if (options_.clock_doubted) core_->clock().doubt();
        core_->handle_opened(storage::common_key(keys));
    }
    void add(Batch &batch, const BundleSpec &spec) {
        BatchedBundle bundle;
        bundle.arrival = spec.arrival;
        bundle.flow = bp::flow_key(destination_of(spec), spec.priority);
        bundle.expiry = saturating_add(spec.created, spec.lifetime_ms);
        bundle.priority = spec.priority;
        if (spec.report_deletion) bundle.requests |= kReportDeletion;
        if (spec.critical) bundle.requests |= kRequestCritical;
        if (spec.circling) bundle.requests |= kRequestLoopDelay;
        add(batch, encode(spec), bundle);
    }
    void add(Batch &batch, const Bytes &octets, BatchedBundle bundle) {
        const bp::BundleView view = bp::parse(std::array{ByteView(octets)}).value();
        bundle.version = view.version;
        bundle.primary_end = view.primary_end;
        bundle.head_end = view.head_end;
        put(batch, octets, bundle);
    }
    void put(Batch &batch, ByteView octets, BatchedBundle bundle) {
        SlabRef slab = slabs_.acquire_sized(static_cast<std::uint32_t>(octets.size()));
        std::ranges::copy(octets, slab->data);
        bundle.size = octets.size();
        if (bundle.arrival == 0) bundle.arrival = ++arrivals_;
        bundle.received = now;
        bundle.first_slice = static_cast<std::uint32_t>(batch.slices.size());
        bundle.slice_count = 1;
        batch.slices.emplace_back(slab->data, octets.size());
        batch.bytes += octets.size();
        batch.pin(slab);
        batch.bundles.push_back(bundle);
    }
    void add_octets(Batch &batch, const Bytes &octets) {
        add(batch, octets, describe(bp::parse(std::array{ByteView(octets)}).value()));
    }
    [[nodiscard]] BatchedBundle describe(const bp::BundleView &view) const {
        BatchedBundle bundle;
        bundle.flow = bp::flow_key(view.destination, view.priority);
        bundle.expiry = view.expiry(options_.wall_ms);
        bundle.priority = view.priority;
        if (options_.reports) bundle.requests |= view.requests;
        if (bp::v6::wants_custody(view)) bundle.requests |= kRequestCustody;
        if (view.critical) bundle.requests |= kRequestCritical;
        return bundle;
    }
    static bp::EidView destination_of(const BundleSpec &spec) {
        bp::EidView endpoint;
        endpoint.scheme = spec.destination_node == 0 ? bp::EidScheme::kDtn : bp::EidScheme::kIpn;
        endpoint.node = spec.destination_node;
        endpoint.service = spec.destination_node == 0 ? 0 : 1;
        if (spec.destination_node == 0) endpoint.name = "//far/away";
        return endpoint;
    }
    static std::uint64_t sequence_of(const Batch &batch, const BatchedBundle &bundle) {
        return bp::parse(batch.slices_of(bundle))->sequence;
    }

    void step() {
        for (bool busy = true; busy;) {
            busy = false;
            for (std::size_t at = 0; at < disks_.size(); ++at) {
                const auto disk = static_cast<DiskIndex>(at);
                while (DiskRequestPtr request = core_->poll_disk_request(disk, now)) {
                    disks_[at]->submit(std::move(request), now);
                    busy = true;
                }
            }
            while (auto outgoing = core_->poll_message()) {
                take(std::move(*outgoing));
                busy = true;
            }
            for (std::size_t at = 0; at < disks_.size(); ++at) {
                while (DiskRequestPtr done = disks_[at]->poll_completion(now)) {
                    core_->handle(static_cast<DiskIndex>(at), std::move(done), now);
                    busy = true;
                }
            }
        }
    }
    void take(bus::Outgoing outgoing) {
        if (auto *answer = std::get_if<bus::BatchOutcome>(&outgoing.message)) {
            last_outcomes_.clear();
            for (const BatchedBundle &bundle : answer->batch->bundles) {
                if (answer->batch->piece.present()) {
                    piece_outcomes.push_back(answer->batch->outcome_of(bundle));
                    continue;
                }
                last_outcomes_.push_back(answer->batch->outcome_of(bundle));
                const Outcome outcome = answer->batch->outcome_of(bundle);
                outcomes[sequence_of(*answer->batch, bundle)] = outcome;
                refused_ |= outcome == Outcome::kNoSpace || outcome == Outcome::kIoError;
            }
            batches_.recycle(std::move(answer->batch));
        } else if (auto *release = std::get_if<bus::ReleaseBatch>(&outgoing.message)) {
            take_release(std::move(release->batch));
        } else if (const auto *backlog = std::get_if<bus::Backlog>(&outgoing.message)) {
            backlogs.push_back(*backlog);
        } else if (const auto *all_waiting = std::get_if<bus::BacklogReport>(&outgoing.message)) {
            waiting = all_waiting->waiting;
        } else if (const auto *report = std::get_if<bus::ReportRequest>(&outgoing.message)) {
            reports.push_back(*report);
        } else if (const auto *all = std::get_if<bus::StorageReady>(&outgoing.message)) {
            ready.push_back(all->restored);
        } else if (auto *signal = std::get_if<bus::OriginateRequest>(&outgoing.message)) {
            signals.push_back(std::move(*signal));
        } else if (auto *reply = std::get_if<bus::StoreReply>(&outgoing.message)) {
            store_replies.push_back(std::move(*reply));
        } else if (auto *piece = std::get_if<bus::BundlePiece>(&outgoing.message)) {
            pieces.push_back(std::move(*piece));
        } else if (auto *task = std::get_if<bus::StoreTaskReply>(&outgoing.message)) {
            task_replies.push_back(std::move(*task));
        }
    }
    void take_release(BatchPtr batch) {
        if (batch->piece.present()) {
            ReleasedPiece &got = released_pieces.emplace_back();
            got.piece = batch->piece;
            got.link = batch->link;
            if (!batch->bundles.empty()) {
                got.bundle = batch->bundles.front();
                for (const ByteView slice : batch->slices_of(got.bundle)) append(got.octets, slice);
            }
            return answer_release(std::move(batch));
        }
        for (const BatchedBundle &bundle : batch->bundles) {
            Released got;
            for (const ByteView slice : batch->slices_of(bundle)) append(got.octets, slice);
            got.sequence = sequence_of(*batch, bundle);
            got.priority = bundle.priority;
            got.age = now - bundle.received;
            got.link = batch->link;
            released.push_back(std::move(got));
        }
        answer_release(std::move(batch));
    }
    void answer_release(BatchPtr batch) {
        if (send_at_once) {
            batch->uniform = Outcome::kSent;
            core_->handle(bus::BatchOutcome{std::move(batch)}, now);
        } else {
            lent.push_back(std::move(batch));
        }
    }

    static constexpr std::uint64_t kSpoolArrival = 1'000'000;

    RigOptions options_;
    SlabPool slabs_{64 * 1024, 1ULL << 40};
    bool refused_ = false;  ///< storage has refused something; the next batch resumes
    BatchPool batches_{BatchOwner::kIngress};
    std::unique_ptr<storage::StorageCore> core_;
    std::vector<std::unique_ptr<SimDisk>> disks_;
    std::vector<Outcome> last_outcomes_;  ///< of the batch that was answered last
    std::uint64_t arrivals_ = 0;
};

}  // namespace farlink::test
