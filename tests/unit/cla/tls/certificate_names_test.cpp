// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/certificate_names.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::certificate_names_test {
namespace {

CertificateNames nodes(std::vector<std::string> ids) {
    return {std::move(ids), {}, {}};
}

TEST(CertificateNames, ProvesTheAnnouncedNodeIdInAnySpelling) {
    const CertificateNames names = nodes({"ipn:10.0", "dtn://gate/"});
    for (const char *const announced :
         {"ipn:10.0", "ipn:10", "ipn:0.10.0", "IPN:10.0", "dtn://gate/", "dtn://gate"})
        EXPECT_EQ(prove_node_id(names, announced), Proof::kProved) << announced;
    EXPECT_EQ(prove_node_id(nodes({"ipn:977000.100.0"}), "ipn:4196183048192100.0"), Proof::kProved);
    EXPECT_EQ(prove_node_id(nodes({"ipn:4196183048192100.0"}), "ipn:977000.100.0"), Proof::kProved);
}

// The service of what is announced is the session's business; the node is what is proved.
TEST(CertificateNames, ProvesTheNodeOfAnAnnouncedEndpoint) {
    EXPECT_EQ(prove_node_id(nodes({"ipn:10.0"}), "ipn:10.7"), Proof::kProved);
}

TEST(CertificateNames, FindsAMismatch) {
    const CertificateNames names = nodes({"ipn:10.0", "dtn://gate/"});
    for (const char *const announced : {"ipn:1.0", "ipn:100.0", "ipn:977000.10.0", "dtn://gat/",
                                        "dtn://GATE/", "dtn:none", "ipn:0.0", "", "nonsense"})
        EXPECT_EQ(prove_node_id(names, announced), Proof::kMismatch) << announced;
}

// RFC 9174 section 4.4.1: an endpoint id that is no node id is ignored.
TEST(CertificateNames, OtherEndpointIdsProveNothing) {
    EXPECT_EQ(prove_node_id(nodes({"ipn:10.7"}), "ipn:10.7"), Proof::kMismatch);
    EXPECT_EQ(prove_node_id(nodes({"dtn://gate/mail"}), "dtn://gate/"), Proof::kMismatch);
}

TEST(CertificateNames, ProvesNothingWithoutANodeId) {
    EXPECT_EQ(prove_node_id({{}, {"gate.example"}, {"192.0.2.1"}}, "ipn:10.0"), Proof::kAbsent);
}

TEST(CertificateNames, ProvesTheHostThatWasConnectedTo) {
    const CertificateNames names{{}, {"gate.example"}, {}};
    EXPECT_EQ(prove_host(names, "gate.example", "192.0.2.1"), Proof::kProved);
    EXPECT_EQ(prove_host(names, "GATE.example.", "192.0.2.1"), Proof::kProved);
    EXPECT_EQ(prove_host(names, "gate2.example", "192.0.2.1"), Proof::kMismatch);
    EXPECT_EQ(prove_host(names, "sub.gate.example", "192.0.2.1"), Proof::kMismatch);
    EXPECT_EQ(prove_host({{}, {"*.example"}, {}}, "gate.example", ""), Proof::kMismatch);
}

TEST(CertificateNames, ADnsNameProvesNothingOnThePassiveSide) {
    EXPECT_EQ(prove_host({{}, {"gate.example"}, {}}, "", "192.0.2.1"), Proof::kAbsent);
    EXPECT_EQ(prove_host({{}, {"192.0.2.1"}, {}}, "192.0.2.1", "192.0.2.1"), Proof::kAbsent);
}

TEST(CertificateNames, ProvesAddressesInAnySpelling) {
    const CertificateNames names{{}, {}, {"192.0.2.1", "2001:db8::1", "fe80::7"}};
    for (const char *const address :
         {"192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1", "2001:DB8:0:0::1", "fe80::7%eth0"})
        EXPECT_EQ(prove_host(names, "", address), Proof::kProved) << address;
    EXPECT_EQ(prove_host(names, "192.0.2.1", "127.0.0.1"), Proof::kProved);
    EXPECT_EQ(prove_host(names, "gate.example", "192.0.2.1"), Proof::kProved);
    EXPECT_EQ(prove_host(names, "gate.example", "192.0.2.2"), Proof::kMismatch);
    EXPECT_EQ(prove_host(names, "", ""), Proof::kMismatch);
}

TEST(CertificateNames, ACertificateWithoutNamesProvesNoHost) {
    EXPECT_EQ(prove_host({}, "gate.example", "192.0.2.1"), Proof::kAbsent);
}

}  // namespace
}  // namespace farlink::cla::certificate_names_test
