// SPDX-License-Identifier: Apache-2.0
#include "cla/host/link_factory.hpp"

#include <gtest/gtest.h>

#include "tests/support/link_bench.hpp"

namespace farlink::cla {
namespace {

TEST(LinkFactory, MakesLinksByTheSchemeOfTheirUrl) {
    test::LinkBench bench;
    config::InductConfig in;
    in.url = {"stcp", "127.0.0.1", 0, {}};
    in.max_sessions = 1;
    const auto induct = make_induct(bench.resources(), in);
    ASSERT_NE(induct, nullptr);
    EXPECT_TRUE(induct->open());
    config::OutductConfig out;
    out.url = {"stcp", "127.0.0.1", induct->port(), {}};
    out.reconnect_min = out.reconnect_max = milliseconds(1);
    const auto outduct = make_outduct(bench.resources(), out, 1);
    ASSERT_NE(outduct, nullptr);
    outduct->open();
    EXPECT_TRUE(bench.run_until([&] { return outduct->transmit_credit() > 0; }));
}

using LinkFactoryDeathTest = testing::Test;

TEST(LinkFactoryDeathTest, KnowsNoOtherSchemes) {
    test::LinkBench bench;
    config::InductConfig in;
    in.url.scheme = "pigeon";
    EXPECT_DEATH((void)make_induct(bench.resources(), in), "broken invariant");
}

}  // namespace
}  // namespace farlink::cla
