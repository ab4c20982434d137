// SPDX-License-Identifier: Apache-2.0
#include "common/bp/eid/eid.hpp"

#include <gtest/gtest.h>

namespace farlink::bp::eid_test {
namespace {

TEST(Eid, PrintsWhatItReads) {
    for (const char *uri : {"ipn:10.1", "ipn:977000.100.1", "ipn:!.7", "ipn:10.0", "ipn:0.3",
                            "ipn:4294967294.65535", "dtn:none", "dtn://node/", "dtn://node/a/b"}) {
        const auto eid = Eid::parse(uri);
        ASSERT_TRUE(eid) << uri;
        EXPECT_EQ(eid->to_string(), uri);
    }
}

TEST(Eid, KnowsOneEndpointByAllItsNames) {
    EXPECT_EQ(*Eid::parse("ipn:0.20.2"), *Eid::parse("ipn:20.2"));
    EXPECT_EQ(*Eid::parse("ipn:1.2.3"), Eid((std::uint64_t{1} << 32) | 2, 3));
    EXPECT_EQ(*Eid::parse("IPN:1.1"), *Eid::parse("ipn:1.1"));
    EXPECT_EQ(*Eid::parse("ipn:0.0"), *Eid::parse("dtn:none"));
    EXPECT_TRUE(Eid::parse("ipn:0.0.0")->view().is_null());
    EXPECT_EQ(hash(Eid::parse("ipn:0.20.2")->view()), hash(Eid::parse("ipn:20.2")->view()));
}

TEST(Eid, RefusesWhatIsNotAnEndpoint) {
    for (const char *uri : {"",
                            "ipn",
                            "ipn:",
                            "ipn:1",
                            "ipn:1.",
                            "ipn:.1",
                            "ipn:1.1.1.1",
                            "ipn:-1.1",
                            "ipn:+1.1",
                            "ipn:1.1 ",
                            " ipn:1.1",
                            "ipn:4294967296.1.1",
                            "ipn:1.4294967296.1",
                            "ipn:!.!",
                            "ipn:18446744073709551616.1",
                            "dtn:",
                            "dtn:none/",
                            "dtn:NONE",
                            "dtn:/a/b",
                            "dtn://",
                            "dtn:///b",
                            "dtn://a",
                            "dtn://a/b c",
                            "http://a/b"})
        EXPECT_FALSE(Eid::parse(uri)) << uri;
}

TEST(Eid, HashesDiffer) {
    const EidView eids[] = {{},
                            ipn_eid(1, 2),
                            ipn_eid(2, 1),
                            ipn_eid(1, 0),
                            {EidScheme::kDtn, 0, 0, "//a/"},
                            {EidScheme::kDtn, 0, 0, "//b/"},
                            {EidScheme::kOther, 0, 0, "//a/"}};
    for (const EidView &a : eids)
        for (const EidView &b : eids) EXPECT_EQ(hash(a) == hash(b), a == b);
}

TEST(Eid, PrintsAnotherSchemeFromADictionary) {
    using namespace std::string_view_literals;
    EXPECT_EQ(to_string(EidView{EidScheme::kOther, 0, 0, "foo\0//x"sv}), "foo://x");
}

}  // namespace
}  // namespace farlink::bp::eid_test
