// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/io/link_resolver.hpp"

#include <gtest/gtest.h>

#include "tests/support/link_bench.hpp"

namespace farlink::cla::ltp {
namespace {

struct LtpLinkResolver : testing::Test {
    ~LtpLinkResolver() override { resolver->close(); }

    test::LinkBench bench;
    int calls = 0;
    std::size_t addresses = 0;
    std::shared_ptr<LinkResolver> resolver =
        std::make_shared<LinkResolver>(bench.io, [this](const LinkResolver::Found &found) {
            ++calls;
            addresses = found.size();
        });
    config::LinkUrl url{"ltp", "127.0.0.1", 1113, {}};
};

TEST_F(LtpLinkResolver, AnAddressIsFoundOnce) {
    resolver->resolve(url);
    ASSERT_TRUE(bench.run_until([&] { return calls == 1; }));
    EXPECT_EQ(addresses, 1U);
}

TEST_F(LtpLinkResolver, CloseSilencesALookUp) {
    resolver->resolve(url);
    resolver->close();
    const std::weak_ptr<LinkResolver> body = resolver;
    ASSERT_TRUE(bench.run_until([&] { return body.use_count() == 1; }));
    EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace farlink::cla::ltp
