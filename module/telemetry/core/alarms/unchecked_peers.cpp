// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/core/alarms/unchecked_peers.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace farlink::telemetry {
namespace {

constexpr const char *kCheckTls = "set `ca` instead of `tlsInsecure`, then reload or restart";
constexpr const char *kNameNeighbours =
    "list each neighbour with its `nodeId` and `address`, then reload";

/// A prefix without bits that count: 0.0.0.0/0, ::/0.
bool is_every_address(std::string_view pattern) {
    return pattern.ends_with("/0");
}

UncheckedFacts of_tls(const config::LinkOptions &link) {
    if (link.tls.mode == config::TlsMode::kNone || !link.tls.insecure) return {};
    return {link.id, "the certificate of the peer is not checked (tlsInsecure)", kCheckTls};
}

UncheckedFacts of_induct(const config::InductConfig &induct) {
    const auto everyone = std::ranges::find_if(
        induct.neighbours,
        [](const config::NeighbourAddress &each) { return is_every_address(each.address); });
    if (everyone == induct.neighbours.end()) return of_tls(induct);
    return {induct.id, "`neighbours` contains " + everyone->address, kNameNeighbours};
}

}  // namespace

UncheckedPeers::UncheckedPeers(const config::NodeConfig &config) {
    for (const config::InductConfig &induct : config.inducts) set_link(induct);
    for (const config::OutductConfig &outduct : config.outducts) set_link(outduct);
    configured_ = unchecked_;
}

void UncheckedPeers::note(Facts &facts, LinkId link, UncheckedFacts found) {
    facts.erase(link);
    if (!found.reason.empty()) facts.emplace(link, std::move(found));
}

void UncheckedPeers::set_link(const config::InductConfig &induct) {
    note(unchecked_, induct.id, of_induct(induct));
}

void UncheckedPeers::set_link(const config::OutductConfig &outduct) {
    note(unchecked_, outduct.id, of_tls(outduct));
}

void UncheckedPeers::restore_link(LinkId link) {
    unchecked_.erase(link);
    if (const auto known = configured_.find(link); known != configured_.end())
        unchecked_.insert(*known);
}

std::vector<UncheckedFacts> UncheckedPeers::list() const {
    std::vector<UncheckedFacts> all;
    for (const auto &[link, facts] : unchecked_) all.push_back(facts);
    return all;
}

}  // namespace farlink::telemetry
