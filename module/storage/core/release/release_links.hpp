// SPDX-License-Identifier: Apache-2.0
// The links that storage releases bundles to, and how much each of them may have in hand.
// Owned by Releaser; one thread.
// A link has two windows: what is lent to it, and what is read or lent. The second is larger by
// what is read ahead. Both follow the rate of the contact, where there is one.
#pragma once

#include <array>
#include <map>
#include <set>
#include <vector>

#include "common/base/endpoint_links.hpp"
#include "common/config/node/node_config.hpp"
#include "module/storage/core/release/answer_time.hpp"
#include "module/storage/core/release/fetch_queue.hpp"
#include "module/storage/core/release/read_ahead.hpp"
#include "module/storage/core/release/spooled_release.hpp"
#include "module/storage/core/state/storage_context.hpp"

namespace farlink::storage {

struct ReleaseLimits {
    std::uint64_t link_bytes = 8 * 1024 * 1024;        ///< lent to one link at a time, at most
    std::uint32_t link_bundles = 8192;                 ///< the same, in bundles
    std::uint64_t read_ahead_bytes = 8 * 1024 * 1024;  ///< the most that is read beyond
    std::uint64_t memory_bytes = 64 * 1024 * 1024;     ///< for bundles read and lent, all links
    std::uint64_t endpoint_bytes = 1024 * 1024;        ///< as link_bytes, for an application
};

/// A link that takes long to acknowledge needs as much in flight from storage as from ingress.
[[nodiscard]] ReleaseLimits release_limits(const config::NodeConfig &config);

/// A link as the scheduler reports it.
struct LinkFacts {
    NodeNumber neighbour;
    bool up = false;
    BitRate rate;  ///< of its contact; 0: not limited
    Duration owlt{};
    std::uint64_t max_bundle_bytes = ~std::uint64_t{0};  ///< larger ones are cut, or wait
    bool fragments = true;                               ///< bundles may be cut for it
};

struct ReleaseLink {
    NodeNumber neighbour;
    bool up = false;
    BitRate rate;
    Duration owlt{};
    bool is_endpoint = false;            ///< it leads to an application of this node
    std::uint64_t max_bundle_bytes = 0;  ///< when it was up last
    bool fragments = false;              ///< the same
    AnswerTime answer_time;
    std::uint64_t bytes = 0;                            ///< being read, read or lent
    std::uint64_t lent_bytes = 0;                       ///< lent
    std::uint32_t bundles = 0;                          ///< being read, read or lent
    std::array<Ring<FlowIndex>, kPriorityCount> ready;  ///< flows with something to send
    Ring<std::uint64_t> critical;      ///< handles of critical bundles, before all others
    Ring<std::uint64_t> refused;       ///< handles of bundles that others have refused, next
    std::set<std::uint64_t> too_late;  ///< keys of flows that this contact is too short for
    std::uint64_t lent_before = 0;     ///< batches up to this number are of earlier contacts
    FetchQueue fetches;
    ReadAhead ahead;
    SpooledRelease spooled;  ///< while it is active nothing else is read for the link

    /// A bundle of `size` octets is going to be read.
    void reserve(std::uint64_t size) {
        bytes += size;
        ++bundles;
    }
    /// A bundle of `size` octets is neither read nor lent any more.
    void release(std::uint64_t size) {
        FARLINK_INVARIANT(bytes >= size && bundles > 0);
        bytes -= size;
        --bundles;
    }
};

class ReleaseLinks {
public:
    using Map = std::map<LinkId, ReleaseLink>;

    ReleaseLinks(const StorageContext &context, const ReleaseLimits &limits)
        : context_(context), limits_(limits) {}

    /// Adds the link, down, if it is new.
    [[nodiscard]] ReleaseLink &operator[](LinkId id) {
        const auto [at, is_new] = links_.try_emplace(id);
        if (is_new) at->second.is_endpoint = is_endpoint_link(id);
        return at->second;
    }
    [[nodiscard]] bool contains(LinkId id) const { return links_.contains(id); }
    [[nodiscard]] Map &all() { return links_; }
    [[nodiscard]] const ReleaseLimits &limits() const { return limits_; }

    /// Bundles may be read for the link.
    [[nodiscard]] bool is_open(const ReleaseLink &link) const {
        return link.up && !held_back_.contains(link.neighbour);
    }
    /// The link is open and leads to that neighbour.
    [[nodiscard]] bool leads_to(LinkId id, NodeNumber neighbour) const;

    /// What may be lent to the link.
    [[nodiscard]] std::uint64_t window_bytes(const ReleaseLink &link) const;
    /// What may be read and lent, for all links, after a read for this one. Endpoints leave half of
    /// it to neighbours.
    [[nodiscard]] std::uint64_t memory_bytes(const ReleaseLink &link) const {
        return link.is_endpoint ? limits_.memory_bytes / 2 : limits_.memory_bytes;
    }
    /// What may be read or lent for the link.
    [[nodiscard]] std::uint64_t most_bytes(const ReleaseLink &link, TimePoint now) const {
        return window_bytes(link) + link.ahead.bytes(limits_.read_ahead_bytes, now);
    }
    [[nodiscard]] bool is_full(const ReleaseLink &link, TimePoint now) const {
        return link.bytes >= most_bytes(link, now) || link.bundles >= limits_.link_bundles;
    }
    /// Room on the link and in memory for a bundle that goes ahead of all flows.
    [[nodiscard]] bool has_room_for(const ReleaseLink &link, EntryIndex index, TimePoint now) const;

    /// Room for the next piece of the bundle in ReleaseLink::spooled.
    [[nodiscard]] bool has_room_for_piece(const ReleaseLink &link) const;

    /// The neighbour has no room: nothing is read for it before `until`.
    void hold_back(NodeNumber neighbour, TimePoint until) { held_back_[neighbour] = until; }
    /// True when the wait for at least one neighbour is over.
    [[nodiscard]] bool end_hold_backs(TimePoint now);
    [[nodiscard]] std::vector<NodeNumber> held_back() const;
    [[nodiscard]] TimePoint next_timeout() const;

private:
    const StorageContext &context_;
    ReleaseLimits limits_;
    Map links_;
    std::map<NodeNumber, TimePoint> held_back_;  ///< neighbours without room, until when
};

}  // namespace farlink::storage
