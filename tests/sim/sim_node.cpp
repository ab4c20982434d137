// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/sim_node.hpp"

#include <algorithm>
#include <map>

#include "tests/sim/sim_modules.hpp"

namespace farlink::sim {
namespace {

using bus::AgentId;

/// Limit of messages at one time; more show that two modules send to each other in a loop.
constexpr std::uint64_t kMostDeliveries = 10'000'000;

config::NodeConfig node_config(const NodeOptions &options) {
    config::NodeConfig config;
    config.node = options.number;
    config.buffer_bytes = options.buffer_bytes;
    config.max_pause = options.max_pause;
    config.acknowledge_within = options.acknowledge_within;
    config.custody = options.custody;
    config.routing = options.routing;
    config.storage.capacity_bytes = options.storage_bytes;
    config.storage.segment_bytes = 4 * 1024 * 1024;
    config.storage.group_commit_window = milliseconds(5);
    config.storage.overtake = options.overtake_stored;
    return config;
}

}  // namespace

/// The parts that exist from start() to kill().
struct SimNode::Running : SimModules {
    using SimModules::SimModules;

    std::map<UpstreamId, SimLink *> sessions;
    std::map<UpstreamId, std::size_t> pieces_read;  ///< bytes of the bundle that is being read
    std::vector<UpstreamId> starved;  ///< sessions that were not read because memory was exhausted
    bool acknowledging = false;
};

SimNode::SimNode(SimClock &clock, const NodeOptions &options)
    : clock_(clock), options_(options), random_(options.seed), config_(node_config(options)) {}

SimNode::~SimNode() = default;

void SimNode::add_outduct(NodeNumber neighbour, SimLink &link) {
    config::OutductConfig outduct;
    outduct.id = LinkId{static_cast<std::uint32_t>(outducts_.size())};
    outduct.next_hop = neighbour;
    outduct.max_in_flight_bytes = options_.window_bytes;
    outduct.max_in_flight_bundles = options_.window_bundles;
    outduct.stored_share_percent = options_.stored_share_percent;
    outduct.fragment_to_contact = options_.fragment_to_contact;
    config_.outducts.push_back(outduct);
    outducts_.push_back(&link);
}

void SimNode::start() {
    FARLINK_INVARIANT(!running());
    ++life_;
    armed_ = kNever;
    running_ =
        std::make_unique<Running>(options_, config_, directory_, wall_clock(), life_, random_);
    running_->start();
    acknowledge();
}

void SimNode::kill() {
    FARLINK_INVARIANT(running());
    ++life_;
    const std::unique_ptr<Running> dead = std::move(running_);
    directory_.crash(random_.next());
    for (SimLink *link : outducts_) link->kill_sender();
    for (SimLink *link : inducts_) link->kill_receiver();
}

// ---- the clock

WallClock SimNode::wall_clock() const {
    const auto error_ms = std::chrono::duration_cast<milliseconds>(clock_error_).count();
    return {clock_.now(), clock_.dtn_now() + static_cast<DtnTime>(error_ms)};
}

void SimNode::set_clock_error(Duration error) {
    clock_error_ = error;
    if (!running()) return;
    running_->set_wall_clock(wall_clock(), clock_.now());
    acknowledge();
}

void SimNode::confirm_clock() {
    for (const AgentId module : {AgentId::kIngress, AgentId::kStorage, AgentId::kEgress})
        running_->messages.send(AgentId::kSupervisor, {module, false, bus::ClockConfirm{}});
    acknowledge();
}

void SimNode::command(AgentId to, bus::Message message) {
    running_->messages.send(AgentId::kSupervisor, {to, false, std::move(message)});
    acknowledge();
}

LinkId SimNode::id_of(const SimLink &link) const {
    const auto found = std::ranges::find(outducts_, &link);
    return LinkId{static_cast<std::uint32_t>(found - outducts_.begin())};
}

// ---- the bus

void SimNode::acknowledge() {
    // A link may call back while acknowledge() calls it: acknowledge() does not run twice.
    if (running_->acknowledging) return;
    running_->acknowledging = true;
    for (std::uint64_t deliveries = 0;; ++deliveries) {
        FARLINK_INVARIANT(deliveries < kMostDeliveries);
        running_->serve_disk(clock_.now());
        serve_links();
        running_->collect();
        if (auto delivery = running_->messages.next())
            running_->deliver(delivery->to, std::move(delivery->message), clock_.now());
        else if (running_->next_timeout() <= clock_.now())
            running_->run_timers(clock_.now());
        else
            break;
    }
    running_->acknowledging = false;
    read_starved();
    arm();
}

// ---- links and time

void SimNode::serve_links() {
    while (const auto order = running_->egress.poll_link_order()) {
        SimLink &link = *outducts_[order->link.value()];
        if (order->command == egress::LinkCommand::kOpen)
            link.open();
        else if (order->command == egress::LinkCommand::kClose ||
                 order->command == egress::LinkCommand::kSuspend)
            link.close();
        else if (order->command == egress::LinkCommand::kBreakOff)
            link.break_connection();
    }
    while (running_->egress.poll_ready()) {
        // serve_links() checks all links.
    }
    std::array<TxBundle, 64> bundles;
    for (SimLink *link : outducts_) {
        while (const std::uint64_t credit = link->transmit_credit()) {
            const std::size_t count =
                running_->egress.poll_transmit(id_of(*link), bundles, credit, clock_.now());
            if (count == 0) break;
            link->transmit({bundles.data(), count});
        }
    }
    while (const auto run = running_->ingress.upstreams().poll_disposition()) {
        const auto session = running_->sessions.find(run->upstream);
        if (session == running_->sessions.end()) continue;
        SimLink *const link = session->second;
        if (run->disposition == TransferDisposition::kNoResources &&
            options_.on_no_resources == config::NoResources::kDisconnect)
            clock_.after(Duration::zero(), [link] { link->break_connection(); });
        else
            link->acknowledge(run->upstream, run->first, run->count, run->disposition);
    }
    while (const auto order = running_->ingress.upstreams().poll_order()) {
        const auto session = running_->sessions.find(order->upstream);
        if (session != running_->sessions.end())
            session->second->pause(order->upstream, order->paused);
    }
}

void SimNode::arm() {
    const TimePoint next = running_->next_timeout();
    if (next == kNever || (armed_ > clock_.now() && armed_ <= next)) return;
    armed_ = next;
    clock_.at(next, [this, life = life_] {
        if (life == life_) acknowledge();
    });
}

void SimNode::on_connected(SimLink &link) {
    running_->egress.handle_connected(id_of(link), link.max_bundle_bytes(), clock_.now(), true);
    acknowledge();
}

void SimNode::on_disconnected(SimLink &link) {
    running_->egress.handle_disconnected(id_of(link), clock_.now());
    acknowledge();
}

void SimNode::on_transmitted(SimLink &link, std::uint64_t token) {
    running_->egress.handle_transmitted(id_of(link), token, clock_.now());
    acknowledge();
}

void SimNode::on_writable(SimLink &) {
    acknowledge();
}

void SimNode::on_refused(SimLink &link, std::uint64_t token) {
    running_->egress.handle_refused(id_of(link), token, refusal_, clock_.now());
    acknowledge();
}

// ---- receiving

bool SimNode::accepts_connections() const {
    return running() && running_->storage_ready;
}

UpstreamId SimNode::new_session(SimLink &link) {
    if (std::ranges::find(inducts_, &link) == inducts_.end()) inducts_.push_back(&link);
    const UpstreamId session{next_session_++};
    running_->sessions[session] = &link;
    running_->ingress.handle_upstream_opened(session, link.acknowledges());
    if (options_.on_no_resources == config::NoResources::kPause)
        running_->ingress.upstreams().defer_when_full(session);
    running_->ingress.upstreams().set_neighbour(session, link.sending_node());
    return session;
}

void SimNode::on_readable(SimLink &link, UpstreamId session) {
    while (read_some(link, session)) acknowledge();
    acknowledge();
}

/// One read: what fits in a slab, or one bundle that is larger. False when nothing was read.
bool SimNode::read_some(SimLink &link, UpstreamId session) {
    const Bytes *next = link.peek(session);
    if (next == nullptr || link.paused(session)) return false;
    if (next->size() > options_.spool_above) return read_piece(link, session, *next);
    const bool large = next->size() > SimModules::kSlabBytes;
    const SlabRef slab =
        large ? running_->pool.acquire_sized(static_cast<std::uint32_t>(next->size()))
              : running_->pool.acquire();
    if (!slab) {
        running_->starved.push_back(session);
        return false;
    }
    ReceivedBundles received;
    received.first_transfer = link.next_transfer(session);
    std::uint32_t used = 0;
    for (; next != nullptr && next->size() <= slab->capacity - used &&
           next->size() <= options_.spool_above;
         next = link.peek(session)) {
        const Bytes octets = link.take(session);
        std::ranges::copy(octets, slab->data + used);
        received.add(slab, {slab->data + used, octets.size()});
        used += static_cast<std::uint32_t>(octets.size());
    }
    running_->ingress.handle_bundles(session, received, clock_.now());
    return true;
}

/// One read: the next piece of a bundle that is not to be in memory as a whole.
bool SimNode::read_piece(SimLink &link, UpstreamId session, const Bytes &octets) {
    std::size_t &done = running_->pieces_read[session];
    const std::size_t size = std::min<std::size_t>(
        octets.size() - done, done == 0 ? options_.spool_above : options_.spool_above / 4);
    const SlabRef slab = running_->pool.acquire_sized(static_cast<std::uint32_t>(size));
    if (!slab) {
        running_->starved.push_back(session);
        return false;
    }
    std::ranges::copy(ByteView(octets).subspan(done, size), slab->data);
    ReceivedBundles received;
    received.first_transfer = link.next_transfer(session);
    received.add(slab, {slab->data, size});
    received.bundles.back().is_further = done > 0;
    done += size;
    received.bundles.back().more = done < octets.size();
    received.has_pieces = true;
    if (done == octets.size()) {
        done = 0;
        (void)link.take(session);
    }
    running_->ingress.handle_bundles(session, received, clock_.now());
    return true;
}

void SimNode::read_starved() {
    if (running_->starved.empty() ||
        running_->pool.pinned_bytes() + SimModules::kSlabBytes > running_->pool.limit_bytes())
        return;
    for (const UpstreamId session : std::exchange(running_->starved, {}))
        if (const auto found = running_->sessions.find(session); found != running_->sessions.end())
            found->second->wake(session);
}

void SimNode::on_session_closed(SimLink &, UpstreamId session) {
    if (!running()) return;
    running_->sessions.erase(session);
    running_->pieces_read.erase(session);
    running_->ingress.handle_upstream_closed(session, clock_.now());
    acknowledge();
}

// ---- getters for tests

bool SimNode::quiet() const {
    return running_->idle();
}

telemetry::Ledger SimNode::ledger() const {
    return telemetry::Ledger::from(running_->ingress.counters().values(),
                                   running_->egress.counters().values(),
                                   running_->storage.figures().counters().values());
}

std::uint64_t SimNode::stored_total() const {
    return running_->storage.figures().counters().value(telemetry::StorageCounter::kStoredTotal);
}

std::uint64_t SimNode::held() const {
    return running_->storage.figures().held();
}

std::uint64_t SimNode::value(telemetry::IngressCounter counter) const {
    return running_->ingress.counters().value(counter);
}
std::uint64_t SimNode::value(telemetry::EgressCounter counter) const {
    return running_->egress.counters().value(counter);
}
std::uint64_t SimNode::value(telemetry::StorageCounter counter) const {
    return running_->storage.figures().counters().value(counter);
}

std::uint64_t SimNode::events_lost() const {
    return running_->messages.events_lost();
}

}  // namespace farlink::sim
