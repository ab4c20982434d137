// SPDX-License-Identifier: Apache-2.0
// Reads bundles back when their link is up, lends them to egress, and applies the outcomes.
// Owned by StorageCore; one thread.
// Each of its parts has one task: ReadScheduler decides what is read, FetchRequests has it read,
// Lender lends it, CriticalReleaser and RefusedReleaser see to the bundles that go ahead of all
// flows, Remover and DeletionReporter delete. Here are the inputs that concern several of them.
#pragma once

#include "module/storage/core/release/lender.hpp"
#include "module/storage/core/release/read_scheduler.hpp"

namespace farlink::storage {

class Releaser {
public:
    /// `reports`: deletions are reported where a bundle requests it.
    Releaser(StorageContext &context, Custodian &custodian, const ReleaseLimits &limits,
             bool reports);
    Releaser(const Releaser &) = delete;
    Releaser &operator=(const Releaser &) = delete;

    void handle_link(LinkId link, const LinkFacts &facts);
    void handle_snapshot(const bus::LinkSnapshot &snapshot);
    /// The links of this carrier are down until they are reported again.
    void take_down(std::size_t carrier);
    /// Endpoints of applications of this node have come, gone, or have another state.
    void handle_endpoints(const bus::EndpointsChange &change, NodeNumber node);
    void handle_applications_lost(NodeNumber node);
    void handle_routes(const bus::RouteUpdate &update);
    /// Other policies, static routes and default gateway.
    void change_policies(const config::RoutingConfig &config);
    void want_reports(bool reports) { reporter_.want_reports(reports); }
    /// The neighbour has no room: nothing goes there before `until`, and bundles with another route
    /// take that.
    void hold_back(NodeNumber neighbour, TimePoint until);
    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);

    /// The next read for a disk; empty when nothing may be read from it now. Reads for other disks
    /// may have been queued then: see StorageCore::poll_disk_request(). `more`: not only what is
    /// queued already.
    [[nodiscard]] DiskRequestPtr poll_read(DiskIndex disk, bool more, TimePoint now);
    void handle_read_done(DiskIndex disk, DiskRequestPtr request, TimePoint now);

    [[nodiscard]] Lender &lender() { return lender_; }
    [[nodiscard]] Remover &remover() { return remover_; }
    [[nodiscard]] ReadyFlows &flows() { return flows_; }

    /// Nothing is lent to egress or being read.
    [[nodiscard]] bool idle() const { return requests_.idle() && lender_.idle(); }

private:
    /// Bundles whose pause is over, in one turn.
    static constexpr std::size_t kRestedAtOnce = 512;

    void look_at_routes();
    void end_rests();
    void release(LinkId id, ReleaseLink &link);
    void reopen(ReleaseLink &link);
    void note_limit(ReleaseLink &link, const LinkFacts &facts);
    void avoid_held_back();

    StorageContext &context_;
    ReleaseLinks links_;
    FetchRequests requests_;
    ReadyFlows flows_;
    DeletionReporter reporter_;
    CriticalReleaser critical_;
    Remover remover_;
    RefusedReleaser refused_;
    ReadScheduler scheduler_;
    Lender lender_;
};

}  // namespace farlink::storage
