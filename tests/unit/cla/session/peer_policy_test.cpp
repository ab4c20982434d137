// SPDX-License-Identifier: Apache-2.0
#include "cla/session/peer_policy.hpp"

#include <gtest/gtest.h>

namespace farlink::cla::peer_policy_test {
namespace {

using config::TlsMode;

enum class Verdict { kRefused, kAccepted, kProved, kDeparture };
using enum Verdict;

void PrintTo(Verdict verdict, std::ostream *out) {
    constexpr std::array kWords{"refused", "accepted", "proved", "accepted as a departure"};
    *out << kWords.at(static_cast<std::size_t>(verdict));
}

Verdict verdict_of(const PeerVerdict &verdict) {
    EXPECT_EQ(verdict.accepted, verdict.reason.empty());
    if (!verdict.accepted) return kRefused;
    if (verdict.deviation) {
        EXPECT_EQ(verdict.deviation, ProtocolDeviation::kOtherNodeIdScheme);
        EXPECT_FALSE(verdict.proved);
        return kDeparture;
    }
    return verdict.proved ? kProved : kAccepted;
}

/// The verified certificates of the tables; none: no TLS, or `tlsInsecure`.
const CertificateNames *const kNoCertificate = nullptr;
const CertificateNames kNode10{{"ipn:10.0"}, {}, {}};
const CertificateNames kNode11{{"ipn:11.0"}, {}, {}};
const CertificateNames kNode11AndHost{{"ipn:11.0"}, {"gate.example"}, {"192.0.2.1"}};
const CertificateNames kGate{{"dtn://gate/"}, {}, {}};
const CertificateNames kHost{{}, {"gate.example"}, {}};
const CertificateNames kAddress{{}, {}, {"192.0.2.1"}};
const CertificateNames kOtherHost{{}, {"else.example"}, {"192.0.2.9"}};
const CertificateNames kNoNames{};

struct Row {
    const char *what;
    const char *announced;
    const CertificateNames *names;
    Verdict none, required, strict;  ///< with tls none (or optional), required, required + strict
};

/// Of links of either kind.
const std::vector<Row> kLinkRows{
    {"with a service", "ipn:10.7", kNoCertificate, kAccepted, kAccepted, kRefused},
    {"nonsense", "who knows", kNoCertificate, kRefused, kRefused, kRefused},
    {"proved", "ipn:10.0", &kNode10, kProved, kProved, kProved},
    {"the certificate of another node", "ipn:10.0", &kNode11, kRefused, kRefused, kRefused},
    {"a certificate of the address", "ipn:10.0", &kAddress, kAccepted, kAccepted, kAccepted},
    {"a certificate of another host", "ipn:10.0", &kOtherHost, kAccepted, kRefused, kRefused},
};

const std::vector<Row> kOutductRows{
    {"the neighbour that was meant", "ipn:10.0", kNoCertificate, kAccepted, kAccepted, kAccepted},
    {"in another spelling", "ipn:0.10.0", kNoCertificate, kAccepted, kAccepted, kAccepted},
    {"another node", "ipn:11.0", kNoCertificate, kRefused, kRefused, kRefused},
    {"of another scheme", "dtn://gate/", kNoCertificate, kDeparture, kDeparture, kRefused},
    {"without a name", "", kNoCertificate, kAccepted, kAccepted, kRefused},
    {"the null endpoint", "dtn:none", kNoCertificate, kRefused, kRefused, kRefused},
    {"proved in another spelling", "ipn:10", &kNode10, kProved, kProved, kProved},
    {"of another node on this host", "ipn:10.0", &kNode11AndHost, kRefused, kRefused, kRefused},
    {"another node, proved", "ipn:11.0", &kNode11, kRefused, kRefused, kRefused},
    {"another scheme, proved", "dtn://gate/", &kGate, kRefused, kRefused, kRefused},
    {"without a name, but proved", "", &kNode10, kProved, kProved, kRefused},
    {"without a name, another node's", "", &kNode11, kRefused, kRefused, kRefused},
    {"a certificate of the host", "ipn:10.0", &kHost, kAccepted, kAccepted, kAccepted},
    {"a certificate without names", "ipn:10.0", &kNoNames, kAccepted, kRefused, kRefused},
};

const std::vector<Row> kInductRows{
    {"any node", "ipn:10.0", kNoCertificate, kAccepted, kAccepted, kAccepted},
    {"of any scheme", "dtn://gate/", kNoCertificate, kAccepted, kAccepted, kAccepted},
    {"without a name", "", kNoCertificate, kAccepted, kAccepted, kAccepted},
    {"proved, of any scheme", "dtn://gate/", &kGate, kProved, kProved, kProved},
    {"claims nothing", "", &kNode10, kAccepted, kAccepted, kAccepted},
    {"a DNS name tells nothing here", "ipn:10.0", &kHost, kAccepted, kRefused, kRefused},
};

template <class Config>
void expect_rows(const std::vector<Row> &rows, Config config) {
    for (const Row &row : rows) {
        const PeerFacts peer{row.announced, "192.0.2.1", row.names};
        for (const TlsMode mode : {TlsMode::kNone, TlsMode::kOptional}) {
            config.tls.mode = mode;
            config.strict = false;
            EXPECT_EQ(verdict_of(PeerPolicy(config).judge(peer)), row.none) << row.what;
        }
        config.tls.mode = TlsMode::kRequired;
        EXPECT_EQ(verdict_of(PeerPolicy(config).judge(peer)), row.required) << row.what;
        config.strict = true;
        EXPECT_EQ(verdict_of(PeerPolicy(config).judge(peer)), row.strict)
            << row.what << " (strict)";
    }
}

config::OutductConfig to_node_10() {
    config::OutductConfig config;
    config.next_hop = NodeNumber{10};
    config.url.host = "gate.example";
    return config;
}

TEST(PeerPolicy, OfOutducts) {
    expect_rows(kLinkRows, to_node_10());
    expect_rows(kOutductRows, to_node_10());
}

TEST(PeerPolicy, OfInducts) {
    expect_rows(kLinkRows, config::InductConfig{});
    expect_rows(kInductRows, config::InductConfig{});
}

TEST(PeerPolicy, TakesTheConfiguredNodeId) {
    config::OutductConfig config = to_node_10();
    config.peer_node_id = "dtn://gate/";
    config.tls.mode = TlsMode::kRequired;
    const PeerPolicy policy(config);
    EXPECT_EQ(verdict_of(policy.judge({"dtn://gate", "", &kGate})), kProved);
    EXPECT_EQ(verdict_of(policy.judge({"dtn://else/", "", nullptr})), kRefused);
    EXPECT_EQ(verdict_of(policy.judge({"ipn:10.0", "", &kNode10})), kRefused);
}

TEST(PeerPolicy, KnowsNodesWithAllocators) {
    config::OutductConfig config;
    config.next_hop = NodeNumber{977000ULL << 32 | 100};
    EXPECT_EQ(verdict_of(PeerPolicy(config).judge({"ipn:977000.100.0", "", nullptr})), kAccepted);
    EXPECT_EQ(verdict_of(PeerPolicy(config).judge({"ipn:100.0", "", nullptr})), kRefused);
}

TEST(PeerPolicy, SaysWhy) {
    const PeerPolicy policy(to_node_10());
    EXPECT_EQ(policy.judge({"ipn:11.0", "", nullptr}).reason,
              R"(the peer announces "ipn:11.0"; expected "ipn:10.0")");
    EXPECT_EQ(policy.judge({"ipn:10.0", "", &kNode11}).reason,
              R"(the peer's certificate is for ipn:11.0 and not for "ipn:10.0")");
    config::InductConfig induct;
    induct.tls.mode = TlsMode::kRequired;
    EXPECT_EQ(PeerPolicy(induct).judge({"ipn:46.0", "192.0.2.1", &kNoNames}).reason,
              R"(the peer's certificate proves neither "ipn:46.0" nor its address; )"
              "the certificate needs this node id as subject alternative name");
}

}  // namespace
}  // namespace farlink::cla::peer_policy_test
