// SPDX-License-Identifier: Apache-2.0
#include "common/config/link/link_checks.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_folder.hpp"

namespace farlink::config::link_checks_test {
namespace {

/// A folder with the files of TLS in it; what is in them does not matter here.
class LinkChecks : public testing::Test {
protected:
    LinkChecks() {
        std::filesystem::create_directory(folder_ / "folder.pem");
        for (const char *name : {"ca.pem", "cert.pem", "key.pem"}) folder_.write(name, "PEM\n");
        context_.node = NodeNumber{10};
        context_.folder = folder_.path().string();
    }

    template <class Link>
    [[nodiscard]] std::vector<std::string> errors_of(const Link &link) const {
        std::vector<ConfigError> errors;
        check_link(link, context_, "link", errors);
        std::vector<std::string> lines;
        for (const ConfigError &error : errors) lines.push_back(error.to_string());
        return lines;
    }
    [[nodiscard]] std::vector<std::string> errors_of_tls(const TlsConfig &tls) const {
        InductConfig induct;
        induct.tls = tls;
        return errors_of(induct);
    }

    static OutductConfig outduct() {
        OutductConfig link;
        link.url = {"tcpclv4", "relay", 4556, {}};
        link.next_hop = NodeNumber{2};
        return link;
    }

    using Lines = std::vector<std::string>;
    test::TempFolder folder_;
    LinkContext context_;
};

TEST_F(LinkChecks, SmallMemoryLimitsWhatTheKernelHoldsWithoutAcknowledgements) {
    const auto filled = [&](std::string scheme, std::uint64_t buffer_bytes, bool given = false) {
        InductConfig link;
        link.url.scheme = std::move(scheme);
        if (given) link.given_keys = {"socketBufferBytes"};
        context_.buffer_bytes = buffer_bytes;
        fill_link_defaults(link, context_);
        return link.socket_buffer_bytes;
    };
    constexpr std::uint64_t kMiB = 1 << 20;
    for (const char *scheme : {"stcp", "mtcp"}) {
        EXPECT_EQ(filled(scheme, kMiB), 64 * 1024U);
        EXPECT_EQ(filled(scheme, 16 * kMiB), 256 * 1024U);
        EXPECT_EQ(filled(scheme, 128 * kMiB), 0U) << "the kernel's choice";
        EXPECT_EQ(filled(scheme, kMiB, true), 0U) << "as configured";
    }
    EXPECT_EQ(filled("tcpclv4", kMiB), 0U) << "its senders keep what is not acknowledged";
}

TEST_F(LinkChecks, LtpAuthenticationIsWholeOrAbsent) {
    const auto errors = [&](const LtpAuthenticationConfig &key) {
        OutductConfig link = outduct();
        link.url.scheme = "ltp";
        link.ltp.authentication = key;
        return errors_of(link);
    };
    using enum LtpCiphersuite;
    EXPECT_EQ(errors({}), Lines{});
    EXPECT_EQ(errors({true, kHmacSha256, "key.pem", "0aFF"}), Lines{});
    EXPECT_EQ(errors({true, kNull, "", ""}), Lines{});
    EXPECT_EQ(errors({true, kHmacSha1_80, "", ""}),
              Lines{"link.ltpAuthenticationKeyFile: missing; expected the file of the key that "
                    "both ends have"});
    EXPECT_EQ(errors({true, kNull, "key.pem", ""}).size(), 1U) << "its key is public";
    EXPECT_EQ(errors({false, kHmacSha256, "", "24"}).size(), 1U) << "a name without a key";
    EXPECT_EQ(errors({true, kHmacSha256, "key.pem", "x"}).size(), 1U);
    EXPECT_EQ(errors({true, kHmacSha256, "key.pem", "123"}).size(), 1U);
    EXPECT_EQ(errors({true, kHmacSha256, "key.pem", std::string(64, '0')}), Lines{});
    EXPECT_EQ(errors({true, kHmacSha256, "key.pem", std::string(66, '0')}).size(), 1U);
    const Lines absent = errors({true, kHmacSha256, "absent", ""});
    ASSERT_EQ(absent.size(), 1U);
    EXPECT_TRUE(absent[0].starts_with("link.ltpAuthenticationKeyFile: found")) << absent[0];
    EXPECT_TRUE(absent[0].ends_with("expected a file with a key in hexadecimal digits"));
}

TEST_F(LinkChecks, LtpNumbersHaveOneOfTwoSizes) {
    OutductConfig link = outduct();
    link.url.scheme = "ltp";
    for (const std::uint32_t bits : {32U, 64U}) {
        link.ltp.random_number_bits = bits;
        EXPECT_EQ(errors_of(link), Lines{});
    }
    for (const std::uint32_t bits : {33U, 48U, 63U}) {
        link.ltp.random_number_bits = bits;
        EXPECT_EQ(errors_of(link), Lines{"link.ltpRandomNumberSizeBits: found " +
                                         std::to_string(bits) + "; expected 32 or 64 (bits)"});
    }
}

TEST_F(LinkChecks, OnlyLtpAuthenticatesItsNeighboursSo) {
    InductConfig induct;
    induct.url = {"ltp", "0.0.0.0", 1113, {}};
    induct.neighbours = {
        {NodeNumber{7}, "10.0.0.7", "", {true, LtpCiphersuite::kHmacSha256, "key.pem", ""}}};
    EXPECT_EQ(errors_of(induct), Lines{});
    induct.url.scheme = "tcpclv4";
    EXPECT_EQ(errors_of(induct),
              Lines{"link.neighbours[0].ltpAuthentication: found, but tcpclv4 has none; expected "
                    "an induct with an ltp:// url"});
    induct.url.scheme = "ltp";
    fill_link_defaults(induct, context_);
    EXPECT_EQ(induct.neighbours[0].ltp_authentication.key_file, folder_ / "key.pem");
}

constexpr std::string_view kUseless =
    ": found, but \"tls\" is \"none\": the link is not protected; expected \"tls\": \"required\" "
    "or \"optional\" as well";

TEST_F(LinkChecks, TlsMayBeWholeOrAbsent) {
    EXPECT_EQ(errors_of_tls({}), Lines{});
    for (const TlsMode mode : {TlsMode::kOptional, TlsMode::kRequired}) {
        EXPECT_EQ(errors_of_tls({mode, "ca.pem", "", "cert.pem", "key.pem", false}), Lines{});
        EXPECT_EQ(errors_of_tls({mode, "", "", "cert.pem", "key.pem", true}), Lines{});
        OutductConfig link = outduct();
        link.tls = {mode, "ca.pem", "", "", "", false};
        EXPECT_EQ(errors_of(link), Lines{}) << "not every peer asks who connects";
        link.tls = {mode, folder_ / "ca.pem", "", "cert.pem", "key.pem", false};
        EXPECT_EQ(errors_of(link), Lines{});
    }
}

TEST_F(LinkChecks, FilesWithoutTlsWouldPretendProtection) {
    EXPECT_EQ(
        errors_of_tls({TlsMode::kNone, "ca.pem", "", "cert.pem", "key.pem", true}),
        (Lines{"link.ca" + std::string(kUseless), "link.cert" + std::string(kUseless),
               "link.key" + std::string(kUseless), "link.tlsInsecure" + std::string(kUseless)}));
}

TEST_F(LinkChecks, ChainNeedsAnAuthority) {
    TlsConfig tls{TlsMode::kRequired, "ca.pem", "", "cert.pem", "key.pem", false, true};
    EXPECT_EQ(errors_of_tls(tls), Lines{});
    tls = {TlsMode::kRequired, "", "", "cert.pem", "key.pem", true, true};
    EXPECT_EQ(errors_of_tls(tls), Lines{"link.tlsVerify: found \"chain\", which tlsInsecure makes "
                                        "useless; expected only one of the two"});
    tls = {};
    tls.chain_only = true;
    EXPECT_EQ(errors_of_tls(tls), Lines{"link.tlsVerify" + std::string(kUseless)});
}

TEST_F(LinkChecks, RevocationListsAreThoseOfAuthorities) {
    EXPECT_EQ(errors_of_tls({TlsMode::kRequired, "ca.pem", "ca.pem", "cert.pem", "key.pem", false}),
              Lines{});
    EXPECT_EQ(errors_of_tls({TlsMode::kRequired, "", "ca.pem", "cert.pem", "key.pem", true}),
              Lines{"link.crl: found \"ca.pem\", but no \"ca\"; expected \"ca\" as well: the lists "
                    "are those of its authorities"});
    EXPECT_EQ(errors_of_tls({TlsMode::kNone, "", "crl.pem", "", "", false}),
              Lines{"link.crl" + std::string(kUseless)});
}

TEST_F(LinkChecks, WithoutAuthoritiesTlsProvesNothing) {
    const std::string missing =
        "link.ca: missing; expected the file of the authorities that the peer's certificate must "
        "come from; without it, \"tlsInsecure\": true accepts any peer";
    EXPECT_EQ(errors_of_tls({TlsMode::kRequired, "", "", "cert.pem", "key.pem", false}),
              Lines{missing});
    OutductConfig link = outduct();
    link.tls.mode = TlsMode::kOptional;
    EXPECT_EQ(errors_of(link), Lines{missing});
    link.tls = {TlsMode::kRequired, "ca.pem", "", "", "", true};
    EXPECT_EQ(errors_of(link), Lines{"link.ca: found \"ca.pem\", which tlsInsecure makes useless; "
                                     "expected only one of the two"});
}

TEST_F(LinkChecks, CertificateAndKeyComeTogether) {
    EXPECT_EQ(errors_of_tls({TlsMode::kRequired, "ca.pem", "", "", "", false}),
              (Lines{"link.cert: missing; expected the file of this node's certificate; an induct "
                     "cannot offer TLS without",
                     "link.key: missing; expected the file of this node's private key; an induct "
                     "cannot offer TLS without"}));
    OutductConfig link = outduct();
    link.tls = {TlsMode::kRequired, "ca.pem", "", "cert.pem", "", false};
    EXPECT_EQ(errors_of(link), Lines{"link.key: missing; expected the file of this node's private "
                                     "key; it belongs to \"cert\""});
    link.tls = {TlsMode::kRequired, "ca.pem", "", "", "key.pem", false};
    EXPECT_EQ(errors_of(link), Lines{"link.cert: missing; expected the file of this node's "
                                     "certificate; it belongs to \"key\""});
}

TEST_F(LinkChecks, FilesExist) {
    const std::string lost = std::string(80, 'x') + ".pem";
    EXPECT_EQ(errors_of_tls({TlsMode::kRequired, lost, "", "folder.pem", "/nonexistent/k", false}),
              (Lines{"link.ca: found \"" + (folder_ / lost) +
                         "\", which does not exist; expected a PEM file",
                     "link.cert: found \"" + (folder_ / "folder.pem") +
                         "\", which is a folder; expected a PEM file",
                     "link.key: found \"/nonexistent/k\", which does not exist; expected a PEM "
                     "file"}));
}

TEST_F(LinkChecks, NodeIdsAreEndpointIds) {
    OutductConfig link = outduct();
    for (const std::string_view good : {"ipn:2.0", "ipn:2.7", "dtn://relay/"}) {
        link.node_id = link.peer_node_id = good;
        EXPECT_EQ(errors_of(link), Lines{}) << good;
    }
    for (const std::string bad : {"2", "ipn:2", "dtn:none", "ipn:0.0", "http://relay/"}) {
        link.node_id = link.peer_node_id = bad;
        const std::string found =
            ": found \"" + bad +
            "\"; expected an endpoint id such as \"ipn:10.0\" or \"dtn://name/\"";
        EXPECT_EQ(errors_of(link), (Lines{"link.nodeId" + found, "link.peerNodeId" + found}));
    }
    link.node_id = "ipn:10.0";
    link.peer_node_id = "ipn:3.0";
    EXPECT_EQ(errors_of(link), Lines{"link.peerNodeId: found \"ipn:3.0\", which is not "
                                     "nextHopNodeId; expected an endpoint id of node 2"});
}

TEST_F(LinkChecks, ALinkLeavesFromAnAddress) {
    OutductConfig link = outduct();
    for (const std::string_view good : {"10.0.0.1", "::1", "fe80::1%eth0"}) {
        link.bind_address = good;
        EXPECT_EQ(errors_of(link), Lines{}) << good;
    }
    for (const std::string bad : {"eth0", "10.0.0.0/8", "10.0.0.1:80"}) {
        link.bind_address = bad;
        EXPECT_EQ(errors_of(link), Lines{"link.bindAddress: found \"" + bad +
                                         "\"; expected an IP address of this machine"});
    }
}

TEST_F(LinkChecks, BothEndsAreOfOneKind) {
    OutductConfig link = outduct();
    link.bind_address = "::1";
    link.url.host = "10.0.0.2";
    EXPECT_EQ(errors_of(link), Lines{"link.bindAddress: found \"::1\", from which 10.0.0.2 "
                                     "cannot be reached; expected an IPv4 address"});
    std::swap(link.bind_address, link.url.host);
    EXPECT_EQ(errors_of(link), Lines{"link.bindAddress: found \"10.0.0.2\", from which ::1 "
                                     "cannot be reached; expected an IPv6 address"});
}

TEST_F(LinkChecks, WhatWasWrongAlreadyIsPassedOver) {
    context_.buffer_bytes = 0;
    OutductConfig link;
    link.max_bundle_size_bytes = 1ULL << 40;
    EXPECT_EQ(errors_of(link), Lines{});
}

TEST_F(LinkChecks, DefaultsFollowFromTheNode) {
    OutductConfig link = outduct();
    link.tls = {TlsMode::kRequired, "ca.pem", "crl.pem", "", "/k", false};
    fill_link_defaults(link, context_);
    EXPECT_EQ(link.node_id, "ipn:10.0");
    EXPECT_EQ(link.peer_node_id, "ipn:2.0");
    EXPECT_EQ(link.max_bundle_size_bytes, 32U << 20);
    EXPECT_EQ(link.tls.ca_file, folder_ / "ca.pem");
    EXPECT_EQ(link.tls.crl_file, folder_ / "crl.pem");
    EXPECT_EQ(link.tls.certificate_file, "");
    EXPECT_EQ(link.tls.key_file, "/k");
    InductConfig named;
    named.node_id = "dtn://gate/";
    fill_link_defaults(named, {});
    EXPECT_EQ(named.node_id, "dtn://gate/");
}

}  // namespace
}  // namespace farlink::config::link_checks_test
