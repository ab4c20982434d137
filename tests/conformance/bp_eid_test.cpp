// SPDX-License-Identifier: Apache-2.0
// Endpoint ids against their vectors: CBOR and URI forms, valid and invalid ones.
#include <gtest/gtest.h>

#include "common/bp/eid/eid_cbor.hpp"
#include "tests/support/vectors.hpp"

namespace farlink::bp::bp_eid_test {
namespace {

using test::Json;

TEST(EidConformance, Cases) {
    const Json vectors = test::load_vectors("bpv7_bundles.json");
    ASSERT_FALSE(vectors["eid_cases"].empty());
    for (const Json &item : vectors["eid_cases"]) {
        SCOPED_TRACE(item["id"].get<std::string>());
        const bool ok = item["ok"];
        std::optional<Eid> from_uri;
        if (!item["uri"].is_null()) {
            from_uri = Eid::parse(item["uri"].get<std::string>());
            EXPECT_EQ(from_uri.has_value(), ok) << item["uri"];
        }
        if (item.value("text_only", false)) continue;
        const Bytes octets = test::hex_of(item["hex"]);
        codec::CborReader reader(octets);
        EidView eid;
        const bool read = read_eid(reader, eid) && reader.done();
        ASSERT_EQ(read, ok);
        if (!ok) continue;
        EXPECT_EQ(from_uri->view(), eid);
        EXPECT_EQ(hash(from_uri->view()), hash(eid));
        for (std::size_t size = 0; size < octets.size(); ++size) {
            const Bytes prefix(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size));
            codec::CborReader cut(prefix);
            EXPECT_FALSE(read_eid(cut, eid)) << size;
            EXPECT_EQ(cut.fault(), codec::CborReader::Fault::kTruncated) << size;
        }
    }
}

}  // namespace
}  // namespace farlink::bp::bp_eid_test
