// SPDX-License-Identifier: Apache-2.0
#include "cla/api/link.hpp"

#include <gtest/gtest.h>

#include <set>

#include "common/telemetry/ingress_counters.hpp"

namespace farlink::cla::link_test {
namespace {

TEST(LinkFault, EachHasANameOfItsOwnAndRoomInTheCounters) {
    std::set<std::string_view> names;
    std::size_t faults = 0;
    while (to_string(static_cast<LinkFault>(faults)) != "unknown")
        names.insert(to_string(static_cast<LinkFault>(faults++)));
    EXPECT_EQ(names.size(), faults);
    EXPECT_GE(faults, 7U);
    EXPECT_LE(faults, telemetry::kLinkFaultReasons);
}

}  // namespace
}  // namespace farlink::cla::link_test
