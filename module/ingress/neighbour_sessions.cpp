// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/neighbour_sessions.hpp"

#include <algorithm>

#include "cla/api/node_id.hpp"
#include "common/config/fields/ip_address.hpp"
#include "common/config/fields/link_url.hpp"

namespace farlink::ingress {
namespace {

constexpr std::size_t kBundlesAtOnce = 128;

Outcome outcome_of(cla::Refusal refusal) {
    switch (refusal) {
        case cla::Refusal::kCompleted:
            return Outcome::kSent;
        case cla::Refusal::kUnknown:
        case cla::Refusal::kNoResources:
        case cla::Refusal::kSessionTerminating:
            return Outcome::kNoSpace;
        case cla::Refusal::kTooLarge:
            return Outcome::kTooLarge;
        case cla::Refusal::kNotAcceptable:
        case cla::Refusal::kExtensionFailure:
            return Outcome::kIoError;
        case cla::Refusal::kRetransmit:
            return Outcome::kRefused;
        case cla::Refusal::kUnacknowledged:
            return Outcome::kUnacknowledged;
        case cla::Refusal::kNotSent:
            break;
    }
    return Outcome::kNotSent;
}

/// A neighbour may end its sessions as it likes.
std::string reason_of(cla::LinkFault fault, std::string_view detail) {
    if (fault == cla::LinkFault::kNone || fault == cla::LinkFault::kPeerClosed ||
        fault == cla::LinkFault::kPeerTerminated)
        return {};
    return cla::in_words(fault, detail);
}

}  // namespace

// ---- identity of peers

// A claim without proof counts from an address that the configuration lists for the node: as a
// neighbour of the induct, or as the address of the node's own outduct. For a neighbour whose node
// id is no number, `peerNodeId` names it.
std::optional<NodeNumber> NeighbourSessions::node_of(const config::InductConfig &config,
                                                     const cla::PeerIdentity &peer) const {
    const auto id = cla::read_node_id(peer.node_id);
    if (!id) return std::nullopt;
    // This node sends to it first.
    for (const config::NeighbourAddress &entry : config.neighbours)
        if (const auto url = config::parse_link_url(entry.address);
            url && entry.peer_node_id == peer.node_id && url->host == peer.address)
            return entry.node;
    for (const config::NeighbourAddress &entry : config.neighbours) {
        const auto expected = cla::read_node_id(entry.peer_node_id);
        if (expected && expected->node == id->node &&
            (peer.proved || config::address_matches(entry.address, peer.address)))
            return entry.node;
    }
    if (id->node.view().scheme != bp::EidScheme::kIpn) return std::nullopt;
    const NodeNumber node = id->node.view().node_number();
    if (node == config_.node || node == NodeNumber{0}) return std::nullopt;
    const auto listed = [&](const config::NeighbourAddress &entry) {
        return (entry.node == NodeNumber{0} || entry.node == node) && entry.peer_node_id.empty() &&
               config::address_matches(entry.address, peer.address);
    };
    const auto leads_there = [&](const config::OutductConfig &outduct) {
        return outduct.next_hop == node && config::address_matches(outduct.url.host, peer.address);
    };
    if (peer.proved || std::ranges::any_of(config.neighbours, listed) ||
        std::ranges::any_of(config_.outducts, leads_there))
        return node;
    return std::nullopt;
}

bool NeighbourSessions::knows(const config::InductConfig &config,
                              const cla::PeerIdentity &peer) const {
    const auto listed = [&](const config::NeighbourAddress &entry) {
        return config::address_matches(entry.address, peer.address);
    };
    const auto leads_there = [&](const config::OutductConfig &outduct) {
        return config::address_matches(outduct.url.host, peer.address);
    };
    return peer.proved || std::ranges::any_of(config.neighbours, listed) ||
           std::ranges::any_of(config_.outducts, leads_there);
}

void NeighbourSessions::handle_peer(cla::Induct &induct, const config::InductConfig &config,
                                    UpstreamId session, const cla::PeerIdentity &peer) {
    const auto node = node_of(config, peer);
    if (!node) {
        unproved_.open(session, config, peer, config_.node);
        if (auto info = unproved_.info(session)) infos_.push_back(std::move(*info));
        return;
    }
    Link &link = link_to(*node);
    node_of_session_[session] = *node;
    Claim claim{session, &induct, &config.node_id, config.url.scheme + "://" + peer.address};
    if (link.session == kNoUpstream)
        take_over(link, claim);
    else
        link.others.push_back(std::move(claim));
}

std::optional<NeighbourSessions::Carried> NeighbourSessions::carried_by(UpstreamId session) const {
    const auto node = node_of_session_.find(session);
    if (node == node_of_session_.end()) return std::nullopt;
    const Link &link = links_.at(node->second);
    if (link.session != session) return std::nullopt;
    return Carried{link.id, link.node};
}

NeighbourSessions::Link &NeighbourSessions::link_to(NodeNumber node) {
    Link &link = links_[node];
    if (link.id == kNoLink) {
        link.id = placement_.opened(instance_, links_.size() - 1);
        link.node = node;
        node_of_link_[link.id] = node;
        link.tally = &tallies_.entry(link.id);
    }
    return link;
}

NeighbourSessions::Link *NeighbourSessions::find(LinkId link) {
    const auto node = node_of_link_.find(link);
    return node == node_of_link_.end() ? nullptr : &links_[node->second];
}

void NeighbourSessions::take_over(Link &link, const Claim &claim) {
    link.out = claim.induct->attach(claim.session, link.id);
    if (link.out == nullptr) return;
    link.session = claim.session;
    const auto own_id = bp::Eid::parse(*claim.node_id);
    link.editor.emplace(own_id ? own_id->view()
                               : bp::EidView{bp::EidScheme::kIpn, config_.node.value(), 0, {}});
    link.paced = link.lost = false;
    if (link.pace.link != kNoLink) set_pace(link);
    if (!link.contact) link.out->suspend();
    link.node_id.assign(claim.node_id->begin(), claim.node_id->end());
    link.url = claim.url;
    link.reason.clear();
    publish_state(link);
    announce(link);
}

void NeighbourSessions::announce(const Link &link) {
    send_(bus::SessionChange{.link = link.id,
                             .neighbour = link.node,
                             .open = true,
                             .node_id = link.node_id,
                             .max_bundle_bytes = link.out->max_bundle_bytes()});
}

void NeighbourSessions::handle_state(LinkId id, bool connected, cla::LinkFault fault) {
    Link *link = find(id);
    if (link == nullptr || link->out == nullptr || link->lost == !connected) return;
    link->lost = !connected;
    link->paced = link->in_pieces = false;
    link->reason = connected ? "" : reason_of(fault, {});
    publish_state(*link);
    link->contact = true;  // as egress thinks of one that is there again
    link->out->open();
    if (connected) return announce(*link);
    // What the session has begun has come back by now.
    announce_end(*link, fault);
}

// Batches go back first.
void NeighbourSessions::announce_end(Link &link, cla::LinkFault fault) {
    while (!link.given.empty()) give_back(link.given.pop_front());
    send_(bus::SessionChange{.link = link.id,
                             .neighbour = link.node,
                             .open = false,
                             .node_id = {},
                             .fault = static_cast<std::uint8_t>(fault)});
}

void NeighbourSessions::announce_all() {
    for (const auto &[node, link] : links_)
        if (link.session != kNoUpstream && !link.lost) announce(link);
}

void NeighbourSessions::handle_egress_lost() {
    for (auto &[node, link] : links_) give_back_unbegun(link);
}

void NeighbourSessions::set_pace(const Link &link) {
    if (link.pace.owlt_known) link.out->set_owlt(link.pace.owlt);
    link.out->set_rate(link.pace.rate);
}

void NeighbourSessions::handle(const bus::LinkPace &pace) {
    Link *link = find(pace.link);
    if (link == nullptr) return;
    link->pace = pace;
    if (link->out != nullptr) set_pace(*link);
}

void NeighbourSessions::handle_closed(UpstreamId session, cla::LinkFault fault,
                                      std::string_view detail) {
    if (auto info = unproved_.close(session)) infos_.push_back(std::move(*info));
    const auto found = node_of_session_.find(session);
    if (found == node_of_session_.end()) return;
    Link &link = links_[found->second];
    node_of_session_.erase(found);
    std::erase_if(link.others, [&](const Claim &claim) { return claim.session == session; });
    if (link.session != session) return;
    end(link, fault, detail);
    while (link.session == kNoUpstream && !link.others.empty()) {
        const Claim next = link.others.front();
        link.others.erase(link.others.begin());
        take_over(link, next);
    }
}

void NeighbourSessions::end(Link &link, cla::LinkFault fault, std::string_view detail) {
    link.session = kNoUpstream;
    link.out = nullptr;
    link.in_pieces = false;
    link.contact = true;  // as egress thinks of a new session
    link.next_token = 0;
    link.reason = reason_of(fault, detail);
    publish_state(link);
    announce_end(link, fault);
}

// ---- what leaves

void NeighbourSessions::handle(bus::TransmitBatch message) {
    Link *link = find(message.batch->link);
    if (link == nullptr || link->out == nullptr || link->lost)
        return give_back(std::move(message.batch));
    if (message.batch->bundles.empty()) {
        if (link->in_pieces) link->out->break_off();
        return give_back(std::move(message.batch));
    }
    if (message.batch->piece.present()) {
        if (!link->out->takes_pieces()) {
            message.batch->uniform = Outcome::kTooLarge;
            return give_back(std::move(message.batch));
        }
        link->in_pieces = !message.batch->piece.last();
    }
    const std::uint64_t first = link->next_token;
    link->next_token += message.batch->bundles.size();
    link->paced = false;
    link->given.push_back({std::move(message.batch), first, 0, false});
    feed(*link);
}

bool NeighbourSessions::take(BatchPtr &batch, DtnTime today, TimePoint now) {
    Link *link = find(batch->link);
    if (link == nullptr || link->out == nullptr || !link->editor || link->paced ||
        link->in_pieces || !link->given.empty() || batch->bundles.size() != 1 ||
        link->out->transmit_credit() == 0)
        return false;
    const BatchedBundle &bundle = batch->bundles.front();
    const bp::BundleHead head{batch->slices[bundle.first_slice].first(bundle.head_end),
                              bundle.primary_end, bundle.version};
    if (bundle.expiry <= today) return false;  // egress says so and counts it
    if (link->own_head.size() < link->editor->bound(head))
        link->own_head.resize(link->editor->bound(head));
    const auto residence = std::chrono::duration_cast<milliseconds>(now - bundle.received).count();
    const auto size = link->editor->render(
        head, static_cast<std::uint64_t>(std::max<std::int64_t>(residence, 0)), link->own_head);
    if (!size || !leaves_whole(*link, *size + bundle.size - bundle.head_end)) return false;
    link->own_head_size = *size;
    link->given.push_back({std::move(batch), link->next_token++, 0, true});
    feed(*link);
    return true;
}

bool NeighbourSessions::leaves_whole(const Link &link, std::uint64_t size) const {
    return size <= link.out->max_bundle_bytes() &&
           (fragment_above_ == 0 || size <= fragment_above_);
}

void NeighbourSessions::handle(const bus::SessionChange &change) {
    Link *link = find(change.link);
    if (link == nullptr) return;
    link->contact = change.open;
    if (link->out != nullptr) change.open ? link->out->open() : link->out->suspend();
    if (change.open) return;
    link->in_pieces = false;  // no further ones come
    give_back_unbegun(*link);
}

// The last one that has begun stays, and with it what is behind it in the same batch.
void NeighbourSessions::give_back_unbegun(Link &link) {
    while (!link.given.empty() && link.given.back().begun == 0) {
        Given unsent = link.given.pop_back();
        link.next_token = unsent.first_token;
        give_back(std::move(unsent));
    }
}

void NeighbourSessions::feed(Link &link) {
    if (std::exchange(link.feeding, true)) {
        link.again = true;
        return;
    }
    do {
        link.again = false;
        while (link.out != nullptr) {
            const std::uint64_t credit = link.out->transmit_credit();
            const std::size_t count = credit == 0 ? 0 : render(link, credit);
            if (count == 0) break;
            link.out->transmit({tx_.data(), count});
        }
        if (link.out != nullptr) link.out->flush();
    } while (link.again);
    link.feeding = false;
}

// The next bundle of the batch. What egress has rendered begins with its head as a slice of its
// own; all slices stay until the batch goes back.
TxBundle NeighbourSessions::bundle_of(const Link &link, const Given &given) {
    const BatchedBundle &bundle = given.batch->bundles[given.begun];
    const auto slices = given.batch->slices_of(bundle);
    TxBundle tx;
    tx.token = given.first_token + given.begun;
    tx.continues = !given.own && bundle.flow == kContinuesFlow;
    if (given.own) {
        tx.head = ByteView(link.own_head).first(link.own_head_size);
        tx.body = slices.front().subspan(bundle.head_end);
        tx.rest = slices.subspan(1);
        tx.size = link.own_head_size + bundle.size - bundle.head_end;
        return tx;
    }
    tx.size = bundle.size;
    tx.left = given.batch->piece.left;
    tx.is_further_piece = !given.batch->piece.first();
    const std::size_t stable = tx.is_further_piece ? 0 : 1;
    if (!tx.is_further_piece) tx.head = slices[0];
    if (slices.size() > stable) tx.body = slices[stable];
    if (slices.size() > stable + 1) tx.rest = slices.subspan(stable + 1);
    return tx;
}

std::size_t NeighbourSessions::render(Link &link, std::uint64_t credit) {
    tx_.clear();
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < link.given.size(); ++i) {
        Given &given = link.given[i];
        for (; given.begun < given.batch->bundles.size(); ++given.begun) {
            if (tx_.size() == kBundlesAtOnce || (!tx_.empty() && bytes >= credit))
                return tx_.size();
            tx_.push_back(bundle_of(link, given));
            bytes += tx_.back().size;
        }
    }
    return tx_.size();
}

void NeighbourSessions::handle_transmitted(LinkId id, std::uint64_t token) {
    Link *link = find(id);
    if (link == nullptr) return;
    while (!link->given.empty()) {
        Given &front = link->given.front();
        Batch &batch = *front.batch;
        for (std::size_t place = batch.done; place < batch.bundles.size(); ++place) {
            if (front.first_token + place >= token) return;
            if (batch.bundles[place].outcome == Outcome::kPending)
                batch.bundles[place].outcome = Outcome::kSent;
            ++batch.done;
        }
        give_back(link->given.pop_front());
    }
}

void NeighbourSessions::handle_refused(LinkId id, std::uint64_t token, cla::Refusal refusal) {
    Link *link = find(id);
    if (link == nullptr) return;
    for (std::size_t i = 0; i < link->given.size(); ++i) {
        Given &given = link->given[i];
        if (token < given.first_token || token - given.first_token >= given.begun) continue;
        given.batch->bundles[token - given.first_token].outcome = outcome_of(refusal);
        link->paced = true;
        return;
    }
}

void NeighbourSessions::handle_writable(LinkId id) {
    if (Link *link = find(id); link != nullptr) feed(*link);
}

void NeighbourSessions::give_back(Given given) {
    if (given.own)
        take_back_own(std::move(given.batch));
    else
        give_back(std::move(given.batch));
}

void NeighbourSessions::give_back(BatchPtr batch) {
    for (BatchedBundle &bundle : batch->bundles)
        if (bundle.outcome == Outcome::kPending) bundle.outcome = Outcome::kNotSent;
    batch->done = static_cast<std::uint32_t>(batch->bundles.size());
    send_(bus::BatchOutcome{std::move(batch)});
}

// The core gets only sent or not sent for ingress's own bundle: a refused one takes another route,
// or the one by egress, which counts refusals.
void NeighbourSessions::take_back_own(BatchPtr batch) {
    const bool sent = batch->bundles.front().outcome == Outcome::kSent;
    batch->uniform = sent ? Outcome::kSent : Outcome::kNotSent;
    batch->done = 1;
    if (sent) {
        counters_.increment(telemetry::IngressCounter::kForwarded);
        counters_.add(telemetry::IngressCounter::kForwardedBytes, batch->bytes);
        telemetry::LinkCounters &counts = tallies_.change(*find(batch->link)->tally);
        counts.increment(telemetry::LinkCounter::kSent);
        counts.add(telemetry::LinkCounter::kSentBytes, batch->bytes);
    }
    take_back_(std::move(batch));
}

// ---- telemetry

void NeighbourSessions::count_received(UpstreamId session, std::uint64_t bundles,
                                       std::uint64_t bytes) {
    const auto node = node_of_session_.find(session);
    if (node == node_of_session_.end()) return;
    const Link &link = links_.at(node->second);
    if (link.session != session) return;
    telemetry::LinkCounters &counts = tallies_.change(*link.tally);
    counts.add(telemetry::LinkCounter::kReceived, bundles);
    counts.add(telemetry::LinkCounter::kReceivedBytes, bytes);
}

void NeighbourSessions::publish_state(const Link &link) {
    infos_.push_back({.module = bus::instance_at(bus::AgentId::kIngress, instance_),
                      .kind = bus::LinkKind::kSession,
                      .connected = link.session != kNoUpstream && !link.lost,
                      .link = link.id,
                      .neighbour = link.node,
                      .url = {link.url.begin(), link.url.end()},
                      .reason = {link.reason.begin(), link.reason.end()}});
}

void NeighbourSessions::publish_all_again() {
    for (const auto &[node, link] : links_) publish_state(link);
    unproved_.for_each([this](UpstreamId session) {
        if (auto info = unproved_.info(session)) infos_.push_back(std::move(*info));
    });
}

std::optional<bus::LinkInfo> NeighbourSessions::poll_info() {
    if (infos_.empty()) return std::nullopt;
    return infos_.pop_front();
}

}  // namespace farlink::ingress
