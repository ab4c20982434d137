// SPDX-License-Identifier: Apache-2.0
// The links of egress by number: which of them may have something to send, and what is counted of
// each.
// Owned by EgressCore; one thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>

#include "common/telemetry/link_tallies.hpp"
#include "module/egress/core/egress_link.hpp"

namespace farlink::egress {

using telemetry::LinkCounter;

class LinkTable {
public:
    /// Adds a link, or gives an old one a new neighbour or new traits.
    void add(LinkId id, NodeNumber neighbour, const OutductTraits &traits);
    /// Bundles above this are cut, whatever the link; 0: no such limit.
    void set_fragment_above(std::uint64_t bytes);
    /// The largest bundle that the link takes has changed.
    void set_max_bundle_bytes(EgressLink &link, std::uint64_t bytes);
    /// Null for a link that never was; one that was removed is only marked so.
    [[nodiscard]] EgressLink *find(LinkId id);
    [[nodiscard]] std::deque<EgressLink> &all() { return links_; }
    [[nodiscard]] const std::deque<EgressLink> &all() const { return links_; }

    /// poll_ready() names the link once.
    void mark_ready(EgressLink &link);
    [[nodiscard]] std::optional<LinkId> poll_ready();
    /// Bytes of bundles that wait for the link and were not yet rendered.
    [[nodiscard]] std::uint64_t queued_bytes(LinkId id) const;

    // ---- counters
    [[nodiscard]] telemetry::LinkTallies &tallies() { return tallies_; }
    [[nodiscard]] telemetry::LinkCounters &tally(EgressLink &link) {
        if (link.tally == nullptr) link.tally = &tallies_.entry(link.id);
        return tallies_.change(*link.tally);
    }
    void count_queued(EgressLink &link, const Batch &batch);
    void count_sent(EgressLink &link, std::uint64_t bundles, std::uint64_t bytes);
    /// A neighbour has sent bundles by an outduct.
    void count_received(LinkId id, std::uint64_t bundles, std::uint64_t bytes);
    /// Such bundles were refused.
    void count_refused(LinkId id, std::uint64_t bundles);
    /// The link was removed: its counters go too.
    void forget_counts(LinkId id);

private:
    void update_cut_above(EgressLink &link) const;

    std::uint64_t fragment_above_bytes_ = 0;
    std::deque<EgressLink> links_;  ///< grows only
    std::unordered_map<LinkId, std::size_t> places_;
    Ring<std::size_t> ready_;  ///< places of links
    telemetry::LinkTallies tallies_;
};

}  // namespace farlink::egress
