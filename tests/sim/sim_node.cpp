// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/sim_node.hpp"

#include <algorithm>
#include <map>

#include "common/bus/event_filter.hpp"
#include "module/egress/core/egress_core.hpp"
#include "module/ingress/core/ingress_core.hpp"
#include "module/router/core/router_core.hpp"
#include "module/scheduler/core/scheduler_core.hpp"
#include "module/storage/core/storage_core.hpp"
#include "tests/sim/sim_bus.hpp"

namespace farlink::sim {
namespace {

using bus::AgentId;

constexpr std::uint32_t kSlabBytes = 64 * 1024;
/// Limit of messages at one time; more show that two modules send to each other in a loop.
constexpr std::uint64_t kMostDeliveries = 10'000'000;

template <class Outduct>
std::vector<Outduct> outduct_entries(const config::NodeConfig &config) {
    std::vector<Outduct> entries;
    for (const config::OutductConfig &outduct : config.outducts)
        entries.push_back({outduct.id, outduct.next_hop});
    return entries;
}

storage::LogOptions log_options(const NodeOptions &options) {
    storage::LogOptions log;
    log.node = options.number;
    log.segment_bytes = 4 * 1024 * 1024;
    store_be(log.fresh_key.data(), options.seed);
    return log;
}

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

/// The parts that exist from start() to kill(). Batches are lent from top to bottom, so members are
/// declared in that order: the borrowers are destroyed first.
struct SimNode::Running {
    Running(SimNode &node, std::uint64_t epoch)
        : pool(kSlabBytes, node.options_.buffer_bytes),
          storage(node.config_.storage, false, node.wall_clock(),
                  storage::release_limits(node.config_),
                  {node.options_.takes_custody ? node.config_.node : NodeNumber{},
                   node.config_.custody}),
          ingress(node.config_, pool, node.wall_clock(), epoch << 40),
          router({node.config_.node, outduct_entries<router::OutductEntry>(node.config_), epoch,
                  node.wall_clock()}),
          scheduler({node.config_.node, outduct_entries<scheduler::OutductEntry>(node.config_),
                     node.options_.plan, epoch, node.wall_clock()}),
          disk(node.directory_, log_options(node.options_), node.options_.disk_speed),
          egress(node.config_.node, node.config_.outducts, node.wall_clock()),
          messages(node.random_, node.options_.event_loss_ppm) {
        subscribe(AgentId::kIngress, {AgentId::kScheduler, AgentId::kRouter});
        subscribe(AgentId::kEgress, {AgentId::kScheduler});
        subscribe(AgentId::kStorage, {AgentId::kScheduler, AgentId::kRouter});
        subscribe(AgentId::kRouter, {AgentId::kScheduler});
    }
    void subscribe(AgentId subscriber, const std::vector<AgentId> &publishers) {
        for (const AgentId publisher : publishers) messages.subscribe(subscriber, publisher);
        filters.emplace(subscriber, bus::EventFilter(publishers));
    }
    void ask_for_snapshots(AgentId subscriber) {
        const auto filter = filters.find(subscriber);
        if (filter == filters.end()) return;
        while (const auto publisher = filter->second.take_request())
            messages.send(subscriber,
                          {*publisher, false, bus::SnapshotRequest{*publisher, subscriber}});
    }

    SlabPool pool;
    storage::StorageCore storage;
    ingress::IngressCore ingress;
    router::RouterCore router;
    scheduler::SchedulerCore scheduler;
    farlink::testing::SimDisk disk;
    egress::EgressCore egress;
    SimBus messages;
    std::map<AgentId, bus::EventFilter> filters;
    std::map<UpstreamId, SimLink *> sessions;
    std::vector<UpstreamId> starved;  ///< sessions that were not read because memory was exhausted
    std::size_t at_disk = 0;
    bool storage_ready = false;
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
    config_.outducts.push_back(outduct);
    outducts_.push_back(&link);
}

void SimNode::start() {
    FARLINK_INVARIANT(!running());
    ++life_;
    armed_ = kNever;
    running_ = std::make_unique<Running>(*this, life_);
    running_->storage.set_policies(config_.routing);
    running_->egress.set_added_hop_limit(config_.routing.add_hop_limit);
    const auto recovery = running_->disk.open(
        [this](const RestoredRecord &record) { running_->storage.restore(0, record); });
    FARLINK_INVARIANT(recovery.has_value());
    running_->storage.handle_opened(recovery->key);
    running_->ingress.judge_clock(running_->storage.newest_received());
    running_->egress.judge_clock(running_->storage.newest_received());
    for (const AgentId agent :
         {AgentId::kIngress, AgentId::kEgress, AgentId::kStorage, AgentId::kRouter})
        running_->ask_for_snapshots(agent);
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
    running_->ingress.set_wall_clock(wall_clock());
    running_->egress.set_wall_clock(wall_clock());
    running_->storage.set_wall_clock(wall_clock());
    running_->scheduler.set_wall_clock(wall_clock(), clock_.now());
    running_->router.set_wall_clock(wall_clock(), clock_.now());
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
        serve_disk();
        serve_links();
        collect();
        if (auto delivery = running_->messages.next())
            deliver(delivery->to, std::move(delivery->message));
        else if (next_timeout() <= clock_.now())
            run_timers();
        else
            break;
    }
    running_->acknowledging = false;
    read_starved();
    arm();
}

void SimNode::collect() {
    const auto drain = [this](AgentId agent, auto &core) {
        while (auto outgoing = core.poll_message())
            running_->messages.send(agent, std::move(*outgoing));
    };
    drain(AgentId::kIngress, running_->ingress);
    drain(AgentId::kEgress, running_->egress);
    drain(AgentId::kStorage, running_->storage);
    drain(AgentId::kScheduler, running_->scheduler);
    drain(AgentId::kRouter, running_->router);
}

void SimNode::deliver(AgentId to, bus::Message message) {
    const auto filter = running_->filters.find(to);
    const bool admitted = filter == running_->filters.end() || filter->second.admit(message);
    running_->ask_for_snapshots(to);
    if (!admitted) return;
    const TimePoint now = clock_.now();
    const auto hand_to = [&](auto &core) {
        std::visit(
            [&](auto &data) {
                if constexpr (requires { core.handle(std::move(data), now); })
                    core.handle(std::move(data), now);
            },
            message);
    };
    switch (to) {
        case AgentId::kIngress:
            if (std::holds_alternative<bus::StorageReady>(message)) running_->storage_ready = true;
            return hand_to(running_->ingress);
        case AgentId::kEgress:
            return hand_to(running_->egress);
        case AgentId::kStorage:
            return hand_to(running_->storage);
        case AgentId::kScheduler:
            return hand_to(running_->scheduler);
        case AgentId::kRouter:
            return hand_to(running_->router);
        default:
            return;
    }
}

// ---- links, disk and time

void SimNode::serve_links() {
    while (const auto order = running_->egress.poll_link_order()) {
        SimLink &link = *outducts_[order->link.value()];
        if (order->command == egress::LinkCommand::kOpen)
            link.open();
        else if (order->command == egress::LinkCommand::kClose ||
                 order->command == egress::LinkCommand::kSuspend)
            link.close();
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

void SimNode::serve_disk() {
    const TimePoint now = clock_.now();
    while (DiskRequestPtr done = running_->disk.poll_completion(now)) {
        --running_->at_disk;
        running_->storage.handle(0, std::move(done), now);
    }
    while (DiskRequestPtr request = running_->storage.poll_disk_request(0, now)) {
        ++running_->at_disk;
        running_->disk.submit(std::move(request), now);
    }
}

TimePoint SimNode::next_timeout() const {
    return std::min({running_->ingress.next_timeout(), running_->storage.next_timeout(),
                     running_->egress.next_timeout(), running_->scheduler.next_timeout(),
                     running_->router.next_timeout(), running_->disk.next_timeout()});
}

void SimNode::run_timers() {
    const TimePoint now = clock_.now();
    if (running_->ingress.next_timeout() <= now) running_->ingress.handle_timeout(now);
    if (running_->storage.next_timeout() <= now) running_->storage.handle_timeout(now);
    if (running_->egress.next_timeout() <= now) running_->egress.handle_timeout(now);
    if (running_->scheduler.next_timeout() <= now) running_->scheduler.handle_timeout(now);
    if (running_->router.next_timeout() <= now) running_->router.handle_timeout(now);
}

void SimNode::arm() {
    const TimePoint next = next_timeout();
    if (next == kNever || (armed_ > clock_.now() && armed_ <= next)) return;
    armed_ = next;
    clock_.at(next, [this, life = life_] {
        if (life == life_) acknowledge();
    });
}

void SimNode::on_connected(SimLink &link) {
    running_->egress.handle_connected(id_of(link), ~std::uint64_t{0}, clock_.now());
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
    const bool large = next->size() > kSlabBytes;
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
    for (; next != nullptr && next->size() <= slab->capacity - used; next = link.peek(session)) {
        const Bytes octets = link.take(session);
        std::ranges::copy(octets, slab->data + used);
        received.add(slab, {slab->data + used, octets.size()});
        used += static_cast<std::uint32_t>(octets.size());
    }
    running_->ingress.handle_bundles(session, received, clock_.now());
    return true;
}

void SimNode::read_starved() {
    if (running_->starved.empty() ||
        running_->pool.pinned_bytes() + kSlabBytes > running_->pool.limit_bytes())
        return;
    for (const UpstreamId session : std::exchange(running_->starved, {}))
        if (const auto found = running_->sessions.find(session); found != running_->sessions.end())
            found->second->wake(session);
}

void SimNode::on_session_closed(SimLink &, UpstreamId session) {
    if (!running()) return;
    running_->sessions.erase(session);
    running_->ingress.handle_upstream_closed(session);
    acknowledge();
}

// ---- getters for tests

bool SimNode::quiet() const {
    return running_->messages.empty() && running_->at_disk == 0 && running_->ingress.idle() &&
           running_->storage.idle();
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
