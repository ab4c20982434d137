// SPDX-License-Identifier: Apache-2.0
// Decides whether the peer of a session is accepted as the node that it announces
// (RFC 9174 sections 4.4.4 to 4.6).
// Owned by a link, one for all its sessions; judging is a pure function. Any thread.
#pragma once

#include <optional>
#include <string>

#include "cla/api/link_fault.hpp"
#include "cla/tls/certificate_names.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::cla {

/// What is known about a peer when it has announced itself.
struct PeerFacts {
    std::string announced;                    ///< node id; empty: it announces none
    std::string address;                      ///< its IP address as text
    const CertificateNames *names = nullptr;  ///< ByteStream::peer_names()
};

struct PeerVerdict {
    bool accepted = false;  ///< false: LinkFault::kIdentityRefused
    bool proved = false;    ///< PeerIdentity::proved: the certificate names the announced node id
    std::optional<ProtocolDeviation> deviation;  ///< tolerated
    std::string reason;                          ///< of a refusal, for the log
};

class PeerPolicy {
public:
    /// The node at the other end must be `peerNodeId`, by default ipn:<nextHopNodeId>.0; any node
    /// when neither is given, as in the link of a tool.
    explicit PeerPolicy(const config::OutductConfig &config);
    /// Any node may come; what counts as proved is only what its certificate names.
    explicit PeerPolicy(const config::InductConfig &config);

    [[nodiscard]] PeerVerdict judge(const PeerFacts &peer) const;

private:
    [[nodiscard]] PeerVerdict judge_announcement(const PeerFacts &peer) const;
    [[nodiscard]] PeerVerdict judge_certificate(const PeerFacts &peer) const;

    std::string expected_;  ///< node id; empty: any
    std::string host_;      ///< that the link connects to; empty on the passive side
    config::TlsMode tls_ = config::TlsMode::kNone;
    bool strict_ = false;
};

}  // namespace farlink::cla
