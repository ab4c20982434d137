// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/sim_bus.hpp"

#include <iterator>

#include "common/bus/wire/wire.hpp"

namespace farlink::sim {

void SimBus::send(bus::AgentId from, bus::Outgoing outgoing) {
    if (!outgoing.publish) return queue({from, outgoing.to}, std::move(outgoing.message));
    const bus::EncodedMessage encoded = bus::encode(outgoing.message);
    for (const bus::AgentId subscriber : subscribers_[from]) {
        if (random_.below(1'000'000) < event_loss_ppm_) {
            ++events_lost_;
            continue;
        }
        auto event = bus::decode_event(encoded.header);
        FARLINK_INVARIANT(event.has_value());
        queue({from, subscriber, true}, std::move(*event));
    }
}

void SimBus::queue(const Route &route, bus::Message message) {
    queues_[route].push_back(std::move(message));
    ++waiting_;
}

std::optional<SimBus::Delivery> SimBus::next() {
    if (queues_.empty()) return std::nullopt;
    const auto chosen =
        std::next(queues_.begin(), static_cast<std::ptrdiff_t>(random_.below(queues_.size())));
    Delivery delivery{chosen->first.to, std::move(chosen->second.front())};
    chosen->second.pop_front();
    if (chosen->second.empty()) queues_.erase(chosen);
    --waiting_;
    return delivery;
}

}  // namespace farlink::sim
