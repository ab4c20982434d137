// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/unproved_sessions.hpp"

#include <algorithm>
#include <string_view>

#include "cla/api/node_id.hpp"

namespace farlink::ingress {
namespace {

constexpr std::size_t kMostShown = 64;
/// Behind the places of proved neighbours.
constexpr std::size_t kFirstPlace = std::size_t{1} << 24;
/// Of a node id as a peer announces it.
constexpr std::size_t kLongestName = 100;

/// 0: it claims none, or a name that is no number.
NodeNumber claimed_node(const cla::PeerIdentity &peer) {
    const auto id = cla::read_node_id(peer.node_id);
    const bool numbered = id && id->node.view().scheme == bp::EidScheme::kIpn;
    return numbered ? id->node.view().node_number() : NodeNumber{};
}

/// The dtn name that it claims as node id; empty: none.
std::string claimed_name(const cla::PeerIdentity &peer) {
    const auto id = cla::read_node_id(peer.node_id);
    const bool named = id && id->node.view().scheme == bp::EidScheme::kDtn;
    return named ? peer.node_id.substr(0, kLongestName) : std::string();
}

/// What the convergence layer has besides an address: certificates of TLS, or keys of LTP, which
/// authenticate a neighbour that is listed. Others have nothing.
std::string_view other_proof(std::string_view scheme) {
    if (scheme == "tcpclv4") return ", or use TLS with a certificate that proves the node id";
    if (scheme == "ltp") return "; `ltpAuthenticationKeyFile` in this entry authenticates the node";
    return {};
}

constexpr std::string_view kOneWay =
    ": its bundles are accepted, but no bundles are sent on its session";

/// The entry of `neighbours` that makes the node accept the peer as `number`.
std::string entry_text(const std::string &number, const cla::PeerIdentity &peer,
                       const std::string &more, const config::InductConfig &induct) {
    return "add {\"nodeId\": " + number + ", \"address\": \"" + peer.address + '"' + more +
           "} to `neighbours` of induct " + std::to_string(induct.id.value());
}

/// Any host can make the claim: the advice is for an operator who knows the peer.
std::string claim_text(const std::string &claimed, const cla::PeerIdentity &peer) {
    return "a peer at " + peer.address + " claims to be " + claimed +
           ", but its node id is not proved" + std::string(kOneWay) + "; if this peer is " +
           claimed + ", ";
}

/// A node with a name is a neighbour by an entry only, whatever proves the name.
std::string advice_for_name(const cla::PeerIdentity &peer, const config::InductConfig &induct) {
    const std::string name = peer.node_id.substr(0, kLongestName);
    const std::string what = peer.proved ? name + " is connected from " + peer.address +
                                               ", but no node number is configured for it" +
                                               std::string(kOneWay) + "; to send bundles to it, "
                                         : claim_text(name, peer);
    return what + entry_text("NUMBER", peer, R"(, "peerNodeId": ")" + name + '"', induct) +
           "; NUMBER is the node number that routes and contact plans use for it";
}

/// "a peer at 198.51.100.1 claims to be node 7, but its node id is not proved: ...; if this peer is
/// node 7, add {...} to `neighbours` of induct 0".
std::string advice_for(const cla::PeerIdentity &peer, const config::InductConfig &induct,
                       NodeNumber own) {
    if (peer.node_id.empty())
        return "a peer at " + peer.address + " announces no node id" + std::string(kOneWay);
    const NodeNumber node = claimed_node(peer);
    if (node == NodeNumber{}) return advice_for_name(peer, induct);
    const std::string number = std::to_string(node.value());
    if (node == own)
        return "a peer at " + peer.address + " has the node number of this node, " + number +
               std::string(kOneWay) + "; change the node number of one of the two";
    return claim_text("node " + number, peer) + entry_text(number, peer, {}, induct) +
           std::string(other_proof(induct.url.scheme));
}

}  // namespace

void UnprovedSessions::open(UpstreamId session, const config::InductConfig &induct,
                            const cla::PeerIdentity &peer, NodeNumber own) {
    if (shown_.size() >= kMostShown) return;
    std::size_t place = kFirstPlace;
    const auto taken = [&](const auto &entry) {
        return entry.second.link == placement_.opened(instance_, place);
    };
    while (std::ranges::any_of(shown_, taken)) ++place;
    shown_[session] = {placement_.opened(instance_, place), claimed_node(peer), claimed_name(peer),
                       induct.url.scheme + "://" + peer.address, advice_for(peer, induct, own)};
}

std::optional<bus::LinkInfo> UnprovedSessions::close(UpstreamId session) {
    auto gone = info(session);
    if (!gone) return std::nullopt;
    gone->connected = false;
    gone->removed = true;
    shown_.erase(session);
    return gone;
}

std::optional<bus::LinkInfo> UnprovedSessions::info(UpstreamId session) const {
    const auto found = shown_.find(session);
    if (found == shown_.end()) return std::nullopt;
    const Shown &shown = found->second;
    return bus::LinkInfo{.module = bus::instance_at(bus::AgentId::kIngress, instance_),
                         .kind = bus::LinkKind::kSession,
                         .connected = true,
                         .link = shown.link,
                         .neighbour = shown.claims,
                         .url = {shown.url.begin(), shown.url.end()},
                         .reason = {shown.advice.begin(), shown.advice.end()},
                         .claimed_name = {shown.name.begin(), shown.name.end()}};
}

const std::string *UnprovedSessions::advice(UpstreamId session) const {
    const auto found = shown_.find(session);
    return found == shown_.end() ? nullptr : &found->second.advice;
}

LinkId UnprovedSessions::link(UpstreamId session) const {
    const auto found = shown_.find(session);
    return found == shown_.end() ? kNoLink : found->second.link;
}

}  // namespace farlink::ingress
