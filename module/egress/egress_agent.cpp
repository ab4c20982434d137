// SPDX-License-Identifier: Apache-2.0
#include "module/egress/egress_agent.hpp"

#include <algorithm>

#include "cla/host/link_factory.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::egress {
namespace {

/// Outducts that only write need no slabs; this is room for layers that also read.
constexpr std::uint32_t kSlabBytes = 256 * 1024;
constexpr std::size_t kBundlesPerPoll = 128;

}  // namespace

EgressAgent::EgressAgent(const config::NodeConfig &config, bus::BusContext &context)
    : config_(config),
      log_("egress"),
      pool_(kSlabBytes, config.buffer_bytes),
      buffer_(pool_),
      loop_(context, bus::AgentId::kEgress, {bus::AgentId::kScheduler},
            {[this](bus::Message message) { handle(std::move(message)); }, [this] { settle(); },
             [] {}, [this] { on_second(); }}),
      core_(config.node, config.outducts, read_wall_clock()),
      states_(config.outducts.size(), cla::LinkState::kClosed),
      tx_(kBundlesPerPoll) {
    const cla::LinkResources resources{loop_.io(), buffer_, *this, next_upstream_};
    for (const config::OutductConfig &outduct : config.outducts)
        outducts_.push_back(cla::make_outduct(resources, outduct, entropy_seed()));
}

EgressAgent::~EgressAgent() = default;

void EgressAgent::run() {
    loop_.send(bus::AgentId::kSupervisor, bus::ModuleReady{bus::AgentId::kEgress});
    loop_.run();
}

std::size_t EgressAgent::index_of(LinkId link) const {
    return link.value() - config_.outducts.front().id.value();
}

void EgressAgent::handle(bus::Message message) {
    const TimePoint now = monotonic_now();
    std::visit(
        [&](auto &data) {
            using Data = std::decay_t<decltype(data)>;
            if constexpr (std::is_same_v<Data, bus::Stop>)
                handle_stop(data);
            else if constexpr (requires { core_.handle(std::move(data), now); })
                core_.handle(std::move(data), now);
        },
        message);
}

void EgressAgent::on_state(LinkId link, cla::LinkState state, cla::LinkFault fault) {
    const TimePoint now = monotonic_now();
    const config::OutductConfig &config = config_.outducts[index_of(link)];
    const cla::LinkState before = std::exchange(states_[index_of(link)], state);
    if (state == cla::LinkState::kConnected) {
        log_.info("link {} to node {}: connected to {}:{}", link.value(), config.next_hop.value(),
                  config.url.host, config.url.port);
        core_.handle_connected(link, now);
    } else if (state != cla::LinkState::kClosing) {
        if (fault != cla::LinkFault::kNone)
            core_.counters().increment(EgressCounter::kLinkFault, static_cast<std::size_t>(fault));
        if (before == cla::LinkState::kConnected || before == cla::LinkState::kClosing)
            log_.info("link {} to node {}: disconnected ({})", link.value(),
                      config.next_hop.value(), cla::to_string(fault));
        core_.handle_disconnected(link, now);
    }
    settle_when_outside();
}

void EgressAgent::on_transmitted(LinkId link, std::uint64_t token) {
    core_.handle_transmitted(link, token, monotonic_now());
    settle_when_outside();
}

void EgressAgent::on_writable(LinkId) {
    settle_when_outside();
}

// A link may report from inside a call that settle() made to it; then settle() goes round again.
void EgressAgent::settle_when_outside() {
    if (settling_)
        unsettled_ = true;
    else
        settle();
}

void EgressAgent::settle() {
    settling_ = true;
    do {
        unsettled_ = false;
        while (const auto order = core_.poll_link_order()) {
            cla::Outduct &outduct = *outducts_[index_of(order->link)];
            if (order->command == LinkCommand::kOpen)
                outduct.open();
            else
                outduct.close();
        }
        for (std::size_t i = 0; i < outducts_.size(); ++i) transmit(i);
        while (auto outgoing = core_.poll_message()) loop_.send(std::move(*outgoing));
    } while (unsettled_);
    settling_ = false;
    if (stopping_ && std::ranges::all_of(states_, [](cla::LinkState state) {
            return state == cla::LinkState::kClosed;
        })) {
        report_counters();
        loop_.stop();
    }
}

void EgressAgent::transmit(std::size_t index) {
    cla::Outduct &outduct = *outducts_[index];
    const LinkId link = config_.outducts[index].id;
    while (const std::uint64_t credit = outduct.transmit_credit()) {
        const std::size_t count = core_.poll_transmit(link, tx_, credit, monotonic_now());
        if (count == 0) break;
        outduct.transmit({tx_.data(), count});
        if (outduct.transmit_credit() > 0) continue;
        core_.counters().increment(EgressCounter::kQueueFull);
        outduct.flush();
    }
    outduct.flush();
}

void EgressAgent::on_second() {
    core_.set_wall_clock(read_wall_clock());
    report_counters();
}

// First the links close, so that what they have not begun goes back and to disk; the loop ends with
// a second message, when nobody is left who waits for an answer.
void EgressAgent::handle_stop(const bus::Stop &stop) {
    core_.drain();
    stopping_ = !stop.drain;
}

void EgressAgent::report_counters() {
    const auto values = core_.counters().values();
    loop_.send(
        bus::AgentId::kTelemetry,
        bus::CounterReport{bus::AgentId::kEgress, ++reports_, {values.begin(), values.end()}});
}

}  // namespace farlink::egress
