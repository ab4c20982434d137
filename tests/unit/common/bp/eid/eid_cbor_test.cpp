// SPDX-License-Identifier: Apache-2.0
#include "common/bp/eid/eid_cbor.hpp"

#include <gtest/gtest.h>

#include "tests/support/hex.hpp"

namespace farlink::bp::eid_cbor_test {
namespace {

bool read_hex(const char *hex, EidView &eid, Bytes &octets) {
    octets = test::from_hex(hex);
    codec::CborReader reader(octets);
    return read_eid(reader, eid) && reader.done();
}

TEST(EidCbor, WritesWhatItReads) {
    for (const char *uri : {"ipn:10.1", "ipn:1.2.3", "ipn:!.7", "dtn:none", "dtn://node/in"}) {
        const Eid eid = *Eid::parse(uri);
        Bytes octets(eid_bound(eid.view()));
        octets.resize(
            static_cast<std::size_t>(write_eid(octets.data(), eid.view()) - octets.data()));
        codec::CborReader reader(octets);
        EidView read;
        EXPECT_TRUE(read_eid(reader, read) && reader.done()) << uri;
        EXPECT_EQ(read, eid.view());
    }
}

TEST(EidCbor, ReadsUnusualForms) {
    EidView eid;
    Bytes octets;
    // Three elements; indefinite-length arrays inside and outside; longer than shortest numbers.
    for (const char *hex : {"82028300140a", "82029f140aff", "82029f00140aff", "9f0282140aff",
                            "9f029f140affff", "8218028214180a", "82028219001419000a"}) {
        EXPECT_TRUE(read_hex(hex, eid, octets)) << hex;
        EXPECT_EQ(to_string(eid), "ipn:20.10") << hex;
    }
    EXPECT_TRUE(read_hex("8201646e6f6e65", eid, octets));
    EXPECT_TRUE(eid.is_null());
}

TEST(EidCbor, RefusesWhatIsNotAnEndpoint) {
    EidView eid;
    Bytes octets;
    for (const char *hex :
         {"8102", "8302820101", "820300", "82028101", "820284000000ff", "82020a", "820101",
          "8201622f2f", "8201662f2f61202f62", "82014361", "82028201", "9f028201", "820283ffffffff",
          "8202831b0000000100000000010100", "a0", ""})
        EXPECT_FALSE(read_hex(hex, eid, octets)) << hex;
}

}  // namespace
}  // namespace farlink::bp::eid_cbor_test
