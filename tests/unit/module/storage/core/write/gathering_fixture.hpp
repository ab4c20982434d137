// SPDX-License-Identifier: Apache-2.0
// Fragments for a store that joins them.
// Included by tests of gathering; each has its own.
// One thread.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "common/bp/fragment.hpp"
#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink::test::gathering {

using storage::StorageCounter;

inline constexpr NodeNumber kThisNode{10};

inline RigOptions joining() {
    RigOptions options;
    options.custody.node = kThisNode;
    options.routing.reassemble = {"ipn:20.*"};
    return options;
}

/// Bundle `sequence` with so much payload; to this node or to node 20.
inline Bytes bundle_of(std::uint64_t sequence, std::uint64_t payload_bytes, NodeNumber to) {
    BundleSpec spec = bundle_numbered(sequence);
    spec.payload_bytes = payload_bytes;
    spec.destination_node = to.value();
    spec.lifetime_ms = 60'000;
    return encode(spec);
}

/// Its fragments before and from each of these places in the payload.
inline std::vector<Bytes> cut_at(Bytes bundle, const std::vector<std::uint64_t> &places) {
    std::vector<Bytes> fragments;
    std::uint64_t done = 0;
    for (const std::uint64_t place : places) {
        auto parts = bp::fragment(bundle, place - done);
        done = place;
        fragments.push_back(std::move(parts->first));
        bundle = std::move(parts->second);
    }
    fragments.push_back(std::move(bundle));
    return fragments;
}

class GatheringTest : public ::testing::Test {
protected:
    SimDirectory directory_;
    Rig rig_{directory_, joining()};

    void store_all(const std::vector<Bytes> &fragments) {
        for (const Bytes &fragment : fragments)
            EXPECT_EQ(rig_.store_octets(fragment), Outcome::kStored);
    }
    void open_link20() {
        rig_.routes_to_both();
        rig_.link_up(kLink20, kNode20);
        rig_.run_for(kRigMoment);
    }
    [[nodiscard]] std::uint64_t incomplete() const {
        return rig_.count(StorageCounter::kSetsIncomplete);
    }
};

}  // namespace farlink::test::gathering
