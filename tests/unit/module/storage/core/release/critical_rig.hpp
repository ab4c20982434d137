// SPDX-License-Identifier: Apache-2.0
// A storage core with two ways to a far node, for critical bundles to take.
// The base of tests; each test has its own, in virtual time.
// What it sends stands in Rig::released.
#pragma once

#include <gtest/gtest.h>

#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test {

using storage::StorageCounter;
using Links = std::vector<LinkId>;

inline constexpr NodeNumber kFar{40};
inline constexpr LinkId kLink50{9};
inline constexpr NodeNumber kNode50{50};
inline constexpr DtnTime kForEver = kDtnNever;

inline BundleSpec critical(std::uint64_t sequence = 1) {
    BundleSpec made = bundle_numbered(sequence);
    made.destination_node = kFar.value();
    made.critical = true;
    return made;
}

inline bus::RouteCandidate by(NodeNumber neighbour, LinkId link, DtnTime leave_by = kForEver) {
    bus::RouteCandidate candidate{neighbour, link, kRigStartMs};
    candidate.leave_by = leave_by;
    return candidate;
}

inline void route_far(Rig &rig, std::vector<bus::RouteCandidate> candidates) {
    bus::RouteUpdate update;
    update.routes.push_back({kFar, std::move(candidates)});
    rig.core().handle(update, rig.now);
    rig.run_for(kRigMoment);
}

inline void route_by_both(Rig &rig) {
    route_far(rig, {by(kNode20, kLink20), by(kNode30, kLink30)});
}

inline Links released_by(const Rig &rig) {
    Links links;
    for (const Released &each : rig.released) links.push_back(each.link);
    std::ranges::sort(links);
    return links;
}

/// What this store has of the ledger: each copy sent is one more bundle.
inline void expect_balance(Rig &rig, std::uint64_t received, std::uint64_t forwarded) {
    const std::uint64_t left = received + rig.count(StorageCounter::kCriticalSent) +
                               rig.count(StorageCounter::kCustodySent) +
                               rig.count(StorageCounter::kRestored);
    const std::uint64_t right =
        forwarded + rig.count(StorageCounter::kStoredNow) +
        rig.count(StorageCounter::kCriticalReleased) + rig.count(StorageCounter::kCustodyReleased) +
        rig.count(StorageCounter::kExpired) + rig.count(StorageCounter::kDeletedUnreadable) +
        rig.count(StorageCounter::kDuplicates);
    EXPECT_EQ(left, right);
}

class Critical : public ::testing::Test {
protected:
    void both_up() {
        rig.link_up(kLink20, kNode20);
        rig.link_up(kLink30, kNode30);
    }
    void store(const BundleSpec &spec) {
        rig.store({spec});
        rig.run_for(kRigMoment);
    }
    SimDirectory directory;
    Rig rig{directory};
};

}  // namespace farlink::test
