// SPDX-License-Identifier: Apache-2.0
#include "common/bp/flow.hpp"

#include <gtest/gtest.h>

#include <unordered_set>

namespace farlink::bp::flow_test {
namespace {

// Whoever invents endpoints must not fill the memory of ingress and storage.
TEST(Flow, ThereAreNoMoreThanAMillion) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << kFlowBits;
    for (std::uint64_t node = 1; node <= 100'000; ++node)
        ASSERT_LT(flow_key(ipn_eid(node, 1), Priority::kNormal), kMost);
}

TEST(Flow, FewShareOne) {
    std::unordered_set<std::uint64_t> seen;
    constexpr std::size_t kNodes = 1000;
    for (std::uint64_t node = 1; node <= kNodes; ++node)
        for (std::size_t priority = 0; priority < kPriorityCount; ++priority)
            seen.insert(flow_key(ipn_eid(node, 1), static_cast<Priority>(priority)));
    // 3,000 of a million: four or five pairs meet by chance.
    EXPECT_GE(seen.size(), 3 * kNodes - 20);
}

}  // namespace
}  // namespace farlink::bp::flow_test
