// SPDX-License-Identifier: Apache-2.0
#include "common/routing/name_book.hpp"

#include <gtest/gtest.h>

namespace farlink::routing::name_book_test {
namespace {

bp::EidView dtn(std::string_view name) {
    return {bp::EidScheme::kDtn, 0, 0, name};
}

class NameBookTest : public testing::Test {
protected:
    void add(std::string_view pattern, std::uint64_t node) {
        const auto parsed = bp::EidPattern::parse(pattern);
        ASSERT_TRUE(parsed) << pattern;
        book_.add(*parsed, NodeNumber{node});
    }
    [[nodiscard]] std::uint64_t node_of(std::string_view name) const {
        return book_.find(dtn(name)).value();
    }

    NameBook book_;
};

TEST_F(NameBookTest, AnEmptyBookHasNoNodes) {
    EXPECT_TRUE(book_.empty());
    EXPECT_FALSE(book_.depends_on_name());
    EXPECT_EQ(node_of("//mars/a"), 0U);
}

TEST_F(NameBookTest, TheNarrowerEntryApplies) {
    add("dtn://mars/**", 1);
    add("dtn://mars/rover", 2);
    EXPECT_FALSE(book_.empty());
    EXPECT_TRUE(book_.depends_on_name());
    EXPECT_EQ(node_of("//mars/rover"), 2U);
    EXPECT_EQ(node_of("//mars/other"), 1U);
    EXPECT_EQ(node_of("//moon/rover"), 0U);
    EXPECT_EQ(book_.find_endpoint(dtn("//mars/other")), NodeNumber{});
}

TEST_F(NameBookTest, TheFirstOfEqualEntriesApplies) {
    add("dtn://mars/rover", 1);
    add("dtn://mars/rover", 2);
    EXPECT_EQ(node_of("//mars/rover"), 1U);
}

}  // namespace
}  // namespace farlink::routing::name_book_test
