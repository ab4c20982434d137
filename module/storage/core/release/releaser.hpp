// SPDX-License-Identifier: Apache-2.0
// Reads bundles back when their link is up, lends them to egress, and takes the outcomes.
// Owned by StorageCore; one thread.
// Critical bundles first, then by priority, then the flows of a link in turn, each in the order of
// arrival; what a neighbour has refused goes between the two, by itself; a flow that the router has
// laid onto several links is served by all of them. A bundle is never lent twice at a time, a
// critical one never twice to the same link: it leaves kWaiting when it is read and comes back to
// it unsent.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "common/config/node/node_config.hpp"
#include "module/storage/core/custody/custodian.hpp"
#include "module/storage/core/release/answer_time.hpp"
#include "module/storage/core/release/fetch_queue.hpp"
#include "module/storage/core/release/forwarded_before.hpp"
#include "module/storage/core/release/read_ahead.hpp"
#include "module/storage/core/state/storage_context.hpp"

namespace farlink::storage {

struct ReleaseLimits {
    std::uint64_t link_bytes = 8 * 1024 * 1024;        ///< lent to one link at a time, at most
    std::uint32_t link_bundles = 8192;                 ///< the same, in bundles
    std::uint64_t read_ahead_bytes = 8 * 1024 * 1024;  ///< the most that is read beyond
    std::uint64_t memory_bytes = 64 * 1024 * 1024;     ///< for bundles read and lent, all links
};

/// A link that takes long to acknowledge needs as much in flight from storage as from ingress.
[[nodiscard]] ReleaseLimits release_limits(const config::NodeConfig &config);

class Releaser {
public:
    /// `reports`: deletions are reported to those who asked for it.
    Releaser(StorageContext &context, Custodian &custodian, const ReleaseLimits &limits,
             bool reports)
        : context_(context), custodian_(custodian), limits_(limits), reports_wanted_(reports) {}

    /// `rate`: of its contact; 0: as fast as it goes.
    void handle_link(LinkId link, NodeNumber neighbour, bool up, BitRate rate = {},
                     Duration owlt = {});
    void handle_snapshot(const bus::LinkSnapshot &snapshot);
    /// Nothing goes to the links of this instance of egress until they are told of again.
    void take_down(std::size_t egress) {
        for (auto &[id, link] : links_) {
            if (forwarded_before_.instance_of(id) != egress) continue;
            link.up = false;
            release_refused(link);
        }
    }
    [[nodiscard]] ForwardedBefore &forwarded_before() { return forwarded_before_; }
    void handle_routes(const bus::RouteUpdate &update);
    /// Outcomes of a lent batch, or of a part of it.
    void handle(BatchPtr batch, TimePoint now);

    /// A bundle that was lent, or of which this is the copy, waits again.
    void take_back(EntryIndex index, TimePoint now);
    /// The flow may have got a bundle that waits.
    void offer(FlowIndex flow);
    /// The entry, whatever its state, has reached the end of its lifetime.
    void expire(EntryIndex index);

    /// A waiting bundle gives way to another one.
    void evict(EntryIndex index);
    enum class Removal : std::uint8_t {
        kDone,
        kBusy,       ///< it is being written, read or sent: it stays
        kInCustody,  ///< it stays, without `force`
    };
    /// The operator deletes the entry, whatever its state.
    [[nodiscard]] Removal remove_by_operator(EntryIndex index, bool force);
    /// The neighbour has no room: nothing goes there before `until`, and what has another way takes
    /// that.
    void hold_back(NodeNumber neighbour, TimePoint until);
    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);

    /// The next read for a disk; empty when nothing may be read from it now. Reads for other disks
    /// may have been queued then: see StorageCore::poll_disk_request(). `more`: not only what is
    /// queued already.
    [[nodiscard]] DiskRequestPtr poll_read(DiskIndex disk, bool more, TimePoint now);
    void handle_read_done(DiskIndex disk, DiskRequestPtr request, TimePoint now);

    /// Nothing is lent to egress or being read.
    [[nodiscard]] bool idle() const { return reading_ == 0 && lent_ == 0; }

private:
    // RFC 9171 section 9.5, RFC 5050 section 6.1.1
    static constexpr std::uint8_t kReasonLifetimeExpired = 1;
    static constexpr std::uint8_t kReasonTransmissionCancelled = 3;
    static constexpr std::uint8_t kReasonDepletedStorage = 4;
    /// Tag of a read that is for a deletion report; otherwise the tag is the link.
    /// Bundles whose pause is over, in one turn.
    static constexpr std::size_t kRestedAtOnce = 512;
    static constexpr std::uint64_t kReportTag = ~std::uint64_t{0};

    struct Deletion {
        std::uint64_t handle = 0;
        StorageCounter why = StorageCounter::kExpired;
        std::uint8_t reason = 0;
    };
    struct Link {
        NodeNumber neighbour;
        bool up = false;
        BitRate rate;
        Duration owlt{};
        AnswerTime answer_time;
        std::uint64_t bytes = 0;       ///< being read, read or lent
        std::uint64_t lent_bytes = 0;  ///< lent
        std::uint32_t bundles = 0;
        std::array<Ring<FlowIndex>, kPriorityCount> ready;
        Ring<std::uint64_t> critical;      ///< handles of critical bundles, before all others
        Ring<std::uint64_t> refused;       ///< those of bundles that others have refused, next
        std::set<std::uint64_t> too_late;  ///< keys of flows that this contact is too short for
        std::uint64_t lent_before = 0;     ///< batches up to this number are of earlier contacts
        FetchQueue fetches;
        ReadAhead ahead;
    };

    [[nodiscard]] bool queue_reads(TimePoint now);
    [[nodiscard]] bool queue_reads_for(LinkId id, Link &link, TimePoint now);
    void queue_fetch(LinkId id, Link &link, Fetch fetch);
    /// Of bundles that go ahead of all flows: on the link, and in memory.
    [[nodiscard]] bool has_room_for(const Link &link, EntryIndex index, TimePoint now) const;
    void fetch_alone(LinkId id, Link &link, EntryIndex index);
    [[nodiscard]] std::optional<std::uint64_t> share_of(LinkId id, const Link &link,
                                                        FlowIndex flow) const;
    void spend_share(LinkId id, FlowIndex flow, std::uint64_t bytes);
    [[nodiscard]] bool leads_by(LinkId id, const Link &link, FlowIndex flow) const {
        return share_of(id, link, flow).has_value();
    }
    [[nodiscard]] EntryIndex next_bundle(FlowIndex flow);
    void retry_set_aside();
    [[nodiscard]] FlowIndex next_flow(LinkId id, Link &link);
    [[nodiscard]] std::uint64_t window_bytes(const Link &link) const;
    /// What may be read or lent for the link.
    [[nodiscard]] std::uint64_t most_bytes(const Link &link, TimePoint now) const {
        return window_bytes(link) + link.ahead.bytes(limits_.read_ahead_bytes, now);
    }
    [[nodiscard]] bool collect(LinkId id, Link &link, FlowIndex flow, Fetch &fetch, TimePoint now);
    /// A waiting bundle goes, and whoever asked for it is told why.
    void remove(EntryIndex index, StorageCounter why, std::uint8_t reason);
    void queue_report();
    void add_record(Fetch &fetch, EntryIndex index);
    void place_buffers(std::span<const DiskRequestPtr> parts);
    void lend_ready(LinkId id, Link &link, TimePoint now);
    void lend(LinkId id, Link &link, Fetch &fetch, TimePoint now);
    [[nodiscard]] bool goes_another_way(const Link &link, EntryIndex index,
                                        const bp::BundleView &view);
    [[nodiscard]] bool lendable(LinkId id, Link &link, const DiskRecord &record, TimePoint now);
    void lend_one(LinkId id, Link &link, BatchPtr &batch, DiskRequest &request,
                  const DiskRecord &record, const bp::BundleView &view, TimePoint now);
    void send_batch(BatchPtr batch, TimePoint now);
    void take_report_part(DiskIndex disk, DiskRequestPtr part);
    void report(const DiskRecord &record);
    void take_outcome(LinkId id, Link &link, const BatchedBundle &bundle, Outcome outcome,
                      TimePoint now);
    [[nodiscard]] bool stays_for_copies(EntryIndex index);
    void set_outcome(Link &link, std::uint64_t size);

    // critical bundles (releaser_critical.cpp)
    void list_critical(TimePoint now);
    void list_ways(EntryIndex index, TimePoint now);
    [[nodiscard]] bool over(EntryIndex index);
    void let_go(EntryIndex index);
    [[nodiscard]] bool queue_critical(LinkId id, Link &link, TimePoint now);
    [[nodiscard]] CriticalCopy *listed_on(LinkId id, const Link &link, EntryIndex index);
    void lend_copy(LinkId id, Link &link, BatchPtr &batch, DiskRequest &request,
                   const DiskRecord &record, TimePoint now);
    void set_copy_outcome(LinkId id, const Link &link, EntryIndex index, Outcome outcome,
                          TimePoint now);
    void end_critical(EntryIndex index, StorageCounter why, std::uint8_t reason);

    // refused bundles (releaser_refused.cpp)
    void park_refused(EntryIndex index);
    void place_refused(TimePoint now);
    void place_refused(EntryIndex index, std::uint64_t bundle, TimePoint now);
    [[nodiscard]] bool takes_refused(std::uint64_t bundle, const routing::NextHop &way,
                                     TimePoint now);
    void list_again(EntryIndex index, std::uint64_t bundle, TimePoint now);
    [[nodiscard]] bool queue_refused(LinkId id, Link &link, TimePoint now);
    void release_refused(Link &link);
    void note_refusal(EntryIndex index, NodeNumber by, TimePoint now);

    void avoid_held_back();
    void reopen(Link &link);

    StorageContext &context_;
    Custodian &custodian_;
    ReleaseLimits limits_;
    ForwardedBefore forwarded_before_;
    bool reports_wanted_;
    std::map<LinkId, Link> links_;
    std::map<NodeNumber, TimePoint> held_back_;  ///< neighbours without room, until when
    std::vector<std::uint64_t> aside_;  ///< handles of bundles that are, or were, too large
    LinkId last_served_ = kNoLink;
    Ring<Deletion> reports_;  ///< of which the head is wanted
    Deletion reported_;       ///< whose head is being read
    Fetch reported_parts_;    ///< its reads that have come back
    std::uint64_t sequence_ = 0;
    std::size_t reading_ = 0;  ///< requests at the disk
    std::size_t lent_ = 0;     ///< batches at egress
    bool report_reading_ = false;
};

}  // namespace farlink::storage
