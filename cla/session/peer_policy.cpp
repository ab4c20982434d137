// SPDX-License-Identifier: Apache-2.0
#include "cla/session/peer_policy.hpp"

#include "cla/api/node_id.hpp"

namespace farlink::cla {
namespace {

using config::TlsMode;

PeerVerdict refuse(std::string reason) {
    PeerVerdict verdict;
    verdict.reason = std::move(reason);
    return verdict;
}

PeerVerdict accept(bool proved) {
    PeerVerdict verdict;
    verdict.accepted = true;
    verdict.proved = proved;
    return verdict;
}

std::string quoted(const std::string &text) {
    return text.empty() ? "no node id" : '"' + text + '"';
}

std::string all_of(const std::vector<std::string> &names) {
    std::string text;
    for (const std::string &name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

}  // namespace

PeerPolicy::PeerPolicy(const config::OutductConfig &config)
    : expected_(config.peer_node_id),
      host_(config.url.host),
      tls_(config.tls.mode),
      strict_(config.strict) {
    if (expected_.empty() && config.next_hop != NodeNumber{})
        expected_ = bp::Eid(config.next_hop.value(), 0).to_string();
}

PeerPolicy::PeerPolicy(const config::InductConfig &config)
    : tls_(config.tls.mode), strict_(config.strict) {}

PeerVerdict PeerPolicy::judge(const PeerFacts &peer) const {
    PeerVerdict verdict = judge_announcement(peer);
    if (!verdict.accepted || peer.names == nullptr) return verdict;
    return judge_certificate(peer);
}

// Whether the peer announces the node that was meant (RFC 9174 section 4.6).
PeerVerdict PeerPolicy::judge_announcement(const PeerFacts &peer) const {
    // RFC 9174 section 4.6: a peer may announce none.
    if (peer.announced.empty())
        return strict_ && !expected_.empty()
                   ? refuse("the peer announces no node id, and `strict` requires one")
                   : accept(false);
    const auto announced = read_node_id(peer.announced);
    if (!announced || (strict_ && !announced->proper))
        return refuse(quoted(peer.announced) + " is not a valid node id");
    if (expected_.empty()) return accept(false);
    const auto expected = read_node_id(expected_);
    if (expected && expected->node == announced->node) return accept(false);
    const bool other_scheme =
        expected && expected->node.view().scheme != announced->node.view().scheme;
    // Without proof the announced id is weak anyway; a certificate proves the id that was meant.
    if (other_scheme && !strict_ && peer.names == nullptr) {
        PeerVerdict verdict = accept(false);
        verdict.deviation = ProtocolDeviation::kOtherNodeIdScheme;
        return verdict;
    }
    return refuse("the peer announces " + quoted(peer.announced) + "; expected " +
                  quoted(expected_));
}

// Whether the peer proves the node id that it announces (RFC 9174 section 4.4.4).
PeerVerdict PeerPolicy::judge_certificate(const PeerFacts &peer) const {
    // A neighbour that announces no id must still be the one that was meant.
    const std::string &claimed = peer.announced.empty() ? expected_ : peer.announced;
    if (claimed.empty()) return accept(false);
    switch (prove_node_id(*peer.names, claimed)) {
        case Proof::kProved:
            return accept(true);
        case Proof::kMismatch:
            return refuse("the peer's certificate is for " + all_of(peer.names->node_ids) +
                          " and not for " + quoted(claimed));
        case Proof::kAbsent:
            break;
    }
    if (tls_ != TlsMode::kRequired) return accept(false);
    if (prove_host(*peer.names, host_, peer.address) == Proof::kProved) return accept(false);
    return refuse("the peer's certificate proves neither " + quoted(claimed) +
                  " nor its address; the certificate needs this node id as subject alternative "
                  "name");
}

}  // namespace farlink::cla
