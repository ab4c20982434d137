// SPDX-License-Identifier: Apache-2.0
#include "cla/io/name_resolver.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "tests/support/link_bench.hpp"

namespace farlink::cla::name_resolver_test {
namespace {

class NameResolverTest : public testing::Test {
protected:
    void resolve(const std::string &host) {
        const config::LinkUrl url{"udp", host, 4556, {}};
        resolver->resolve(url, [this, url](const auto &entries, const auto &error) {
            ++calls;
            found = entries.size();
            words = unusable_words(entries, url, error);
            if (when_found) when_found();
        });
    }

    test::LinkBench bench;
    std::optional<NameResolver> resolver{bench.io};
    int calls = 0;
    std::size_t found = 0;
    std::string words;
    std::function<void()> when_found;
};

TEST_F(NameResolverTest, FindsTheAddressesOfAName) {
    resolve("localhost");
    ASSERT_TRUE(bench.run_until([&] { return calls == 1; }));
    EXPECT_GT(found, 0U);
}

TEST_F(NameResolverTest, FindsNothingForANameThatDoesNotExist) {
    resolve("no-such-host.invalid");
    ASSERT_TRUE(bench.run_until([&] { return calls == 1; }));
    EXPECT_EQ(found, 0U);
    EXPECT_TRUE(words.starts_with("cannot look up no-such-host.invalid: ")) << words;
}

TEST_F(NameResolverTest, ALaterLookUpReplacesAnEarlierOne) {
    resolve("no-such-host.invalid");
    resolve("127.0.0.1");
    ASSERT_TRUE(bench.run_until([&] { return calls == 1; }));
    EXPECT_EQ(found, 1U);
    bench.run_idle();
    EXPECT_EQ(calls, 1);
}

TEST_F(NameResolverTest, CancelledOrDestroyedItIsSilent) {
    resolve("127.0.0.1");
    resolver->cancel();
    bench.run_idle();
    resolve("127.0.0.1");
    resolver.reset();
    bench.run_idle();
    EXPECT_EQ(calls, 0);
}

TEST_F(NameResolverTest, AResultMayBeginTheNextLookUp) {
    when_found = [this] {
        if (calls < 3) resolve("127.0.0.1");
    };
    resolve("127.0.0.1");
    ASSERT_TRUE(bench.run_until([&] { return calls == 3; }));
}

}  // namespace
}  // namespace farlink::cla::name_resolver_test
