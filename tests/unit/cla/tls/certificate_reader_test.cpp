// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/certificate_reader.hpp"

#if FARLINK_TLS

#include <gtest/gtest.h>
#include <openssl/x509.h>

#include "tests/support/tls_files.hpp"

namespace farlink::cla::certificate_reader_test {
namespace {

using Names = std::vector<std::string>;
using test::TlsFiles;

class CertificateReader : public testing::Test {
protected:
    void read(const certificates::NodeSpec &spec) {
        made_.emplace(files_.authority().issue(spec));
        names_ = read_names(made_->certificate());
        misuse_ = find_misuse(made_->certificate());
    }
    TlsFiles files_;
    std::optional<certificates::Credential> made_;
    CertificateNames names_;
    std::optional<std::string_view> misuse_;
};

TEST_F(CertificateReader, FindsNamesOfEveryKind) {
    auto spec = TlsFiles::node("ipn:10.0");
    spec.names.node_ids.push_back("dtn://gate/");
    spec.names.dns_names = {"gate.example", "gate2.example"};
    spec.names.addresses = {"192.0.2.1", "2001:db8::1"};
    read(spec);
    EXPECT_EQ(names_.node_ids, (Names{"ipn:10.0", "dtn://gate/"}));
    EXPECT_EQ(names_.dns_names, (Names{"gate.example", "gate2.example"}));
    EXPECT_EQ(names_.addresses, (Names{"192.0.2.1", "2001:db8::1"}));
    EXPECT_EQ(misuse_, std::nullopt);
}

TEST_F(CertificateReader, TakesTheOlderFormOfANodeId) {
    auto spec = TlsFiles::node("ipn:10.0");
    spec.names.node_ids.clear();
    spec.uris = {"ipn:10.0", "http://gate.example/"};
    read(spec);
    EXPECT_EQ(names_.node_ids, Names{"ipn:10.0"});
    spec.names.node_ids = {"ipn:10.0"};
    read(spec);
    EXPECT_EQ(names_.node_ids, Names{"ipn:10.0"}) << "both forms name one node";
}

TEST_F(CertificateReader, LeavesOutWhatIsNoNodeId) {
    auto spec = TlsFiles::node("ipn:10.7");
    spec.names.node_ids.insert(spec.names.node_ids.end(), {"dtn:none", "ipn:0.0", "mailto:x"});
    read(spec);
    EXPECT_EQ(names_.node_ids, Names{});
}

TEST_F(CertificateReader, DoesNotStopAtANul) {
    auto spec = TlsFiles::node(std::string("ipn:10.0\0.evil", 14));
    spec.common_name.clear();
    spec.names.dns_names = {std::string("gate.example\0.evil", 18)};
    read(spec);
    EXPECT_EQ(names_.node_ids, Names{});
    EXPECT_EQ(names_.dns_names, Names{});
}

TEST_F(CertificateReader, ReadsACertificateWithoutNames) {
    auto spec = TlsFiles::node("ipn:10.0");
    spec.names.node_ids.clear();
    read(spec);
    EXPECT_EQ(names_.node_ids, Names{});
}

// RFC 9174 section 4.4.2: when there is an extended key usage, bundle security is in it.
TEST_F(CertificateReader, JudgesTheExtendedKeyUsage) {
    auto spec = TlsFiles::node("ipn:10.0");
    const std::string any = "2.5.29.37.0";
    const std::string server = "1.3.6.1.5.5.7.3.1";
    for (const auto &purposes :
         {Names{}, Names{kBundleSecurityOid}, Names{any}, Names{server, any}}) {
        spec.purposes = purposes;
        read(spec);
        EXPECT_EQ(misuse_, std::nullopt);
    }
    spec.purposes = {server};
    read(spec);
    EXPECT_EQ(misuse_, "its extended key usage has no id-kp-bundleSecurity");
}

TEST_F(CertificateReader, JudgesTheKeyUsage) {
    EXPECT_EQ(find_misuse(files_.authority().certificate()),
              "its key usage has no digitalSignature");
}

TEST_F(CertificateReader, RefusesOldVersions) {
    read(TlsFiles::node("ipn:10.0"));
    X509_set_version(&made_->certificate(), X509_VERSION_1);
    EXPECT_EQ(find_misuse(made_->certificate()), "it is not an X.509 certificate of version 3");
}

}  // namespace
}  // namespace farlink::cla::certificate_reader_test

#endif  // FARLINK_TLS
