// SPDX-License-Identifier: Apache-2.0
// Which way a bundle takes: by its source, destination, priority and size, and by what came before.
#include "common/buffer/hop_limit_request.hpp"
#include "common/buffer/rest_request.hpp"
#include "module/ingress/core/ingress_core.hpp"

namespace farlink::ingress {
namespace {

constexpr std::uint8_t kBpv7 = 7;
/// What a link that the configuration does not list may have in hand.
constexpr std::uint64_t kLaterWindowBytes = 8ULL * 1024 * 1024;
constexpr std::uint64_t kLaterWindowBundles = 64 * 1024;

}  // namespace

// A session that does not say whose it is (UDP, a TCP connection of anybody) brings bundles that
// name the node before (RFC 9171 section 4.4.1). Only a neighbour counts: to no other could it go
// back, and what a bundle claims must not make ever more flows.
NodeNumber IngressCore::sender_of(const bp::BundleView &view, const Arrival &arrival) {
    if (arrival.sender != NodeNumber{} || view.previous_node == NodeNumber{}) return arrival.sender;
    if (claimed_.node != view.previous_node)
        claimed_ = {view.previous_node, forwarding_.leads_to(view.previous_node)};
    return claimed_.is_neighbour ? claimed_.node : NodeNumber{};
}

// It goes its way all the same, to a link or to storage: plans change.
void IngressCore::note_fit(NodeNumber destination, std::uint64_t size) {
    const std::uint64_t limit = forwarding_.max_bundle_bytes(destination);
    if (size <= limit) return;
    counters_.increment(IngressCounter::kFitsNoContact);
    exceeds_contacts_ = ExceedsContacts{destination, size, limit};
}

// BPv7 has no priority on the wire.
Priority IngressCore::priority_of(const bp::BundleView &view,
                                  const routing::Destination &destination) const {
    if (view.version != kBpv7) return view.priority;
    return forwarding_.priority_of(view.source.node_number(), destination);
}

bool IngressCore::is_critical(const bp::BundleView &view, const routing::Destination &destination,
                              Priority priority) const {
    // Nobody would recognise its copies, which would go every way again.
    if (view.source.is_null()) return false;
    if (view.version != kBpv7) return view.critical;
    return forwarding_.is_critical(view.source.node_number(), destination, priority);
}

// A bundle that nobody has given a limit must not go round for ever where routes make a circle.
bool IngressCore::gets_hop_limit(const bp::BundleView &view, const Arrival &arrival,
                                 bool fallback) const {
    if (arrival.again != nullptr) return (arrival.again->requests & kRequestHopLimit) != 0;
    return fallback && config_.routing.add_hop_limit > 0 && view.version == kBpv7 &&
           !view.has_hop_count;
}

// It has been here, and nobody knew better than to pass it on by a static route or the default
// gateway: it goes round in a circle. Storage lets it wait, longer each time.
bool IngressCore::comes_again(const bp::BundleView &view, const Arrival &arrival, bool fallback) {
    if (arrival.again != nullptr) return (arrival.again->requests & kRequestRest) != 0;
    if (!fallback) return false;
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
    // Those without a source have no identity; those that are alike all the same are few.
    const std::uint64_t rest =
        view.source.is_null() ? (bp::hash(view.destination) ^ view.payload_length) * kOdd : 0;
    return passes_.note(view.identity() ^ rest);
}

// The first way that is wide enough for the bundle and brings it there in time. When it is closed,
// or leads elsewhere by now, the bundle waits in storage, since the router knows better when to
// give it up; so it does when no way is good for it.
std::size_t IngressCore::lane_for(const routing::BundleFacts &bundle, std::uint64_t flow,
                                  bool &fallback, TimePoint now) {
    const auto open_queue = [this](const routing::NextHop &hop) {
        const OutputQueue *queue = queue_of(hop.link);
        return queue != nullptr && queue->up && queue->neighbour == hop.neighbour ? queue : nullptr;
    };
    const routing::Decision decision =
        forwarding_.decide(bundle, clock_.dtn_at(now), [&](const routing::NextHop &hop) {
            const OutputQueue *queue = open_queue(hop);
            return queue == nullptr || bundle.size_bytes <= queue->max_bundle_bytes;
        });
    fallback = decision.fallback;
    if (flows_.backlogged(flow) && !config_.storage.overtake) return kStorageQueue;
    const OutputQueue *queue = decision.fits ? open_queue(decision.hop) : nullptr;
    return queue == nullptr ? kStorageQueue : static_cast<std::size_t>(queue - queues_.data());
}

OutputQueue *IngressCore::queue_of(LinkId link) {
    const std::size_t outducts = config_.outducts.size();
    if (outducts > 0) {
        const std::uint32_t index = link.value() - config_.outducts.front().id.value();
        if (index < outducts) return &queues_[1 + index];
    }
    const auto found = later_lanes_.find(link);
    return found == later_lanes_.end() ? nullptr : &queues_[found->second];
}

// A link that was added, or that a neighbour has opened, is first heard of when it is up.
OutputQueue &IngressCore::add_queue(LinkId link, NodeNumber neighbour) {
    later_lanes_[link] = queues_.size();
    OutputQueue &queue = queues_.emplace_back();
    queue.link = link;
    queue.neighbour = neighbour;
    queue.max_bytes = kLaterWindowBytes;
    queue.max_bundles = kLaterWindowBundles;
    return queue;
}

void IngressCore::set_window(LinkId link, NodeNumber neighbour, std::uint64_t bytes,
                             std::uint64_t bundles) {
    OutputQueue *queue = queue_of(link);
    if (queue == nullptr) queue = &add_queue(link, neighbour);
    if (bytes > 0) queue->max_bytes = bytes;
    if (bundles > 0) queue->max_bundles = bundles;
}

}  // namespace farlink::ingress
