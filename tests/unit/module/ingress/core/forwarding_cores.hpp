// SPDX-License-Identifier: Apache-2.0
// The cores of ingress and egress, joined without a bus: what comes in for node 2 leaves by one
// link.
// Owned by the test, which plays the links; one thread.
// It allocates nothing of its own while bundles pass.
#pragma once

#include "module/egress/core/egress_core.hpp"
#include "module/ingress/core/ingress_core.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::test {

class ForwardingCores {
public:
    static constexpr std::uint32_t kSlab = 256 * 1024;
    static constexpr LinkId kLink{1};

    explicit ForwardingCores(TimePoint start) : now(start), out_(128) {
        bus::RouteUpdate routes;
        routes.routes.push_back({NodeNumber{2}, {{NodeNumber{2}, kLink, 0}}});
        ingress.handle(routes, now);
        bus::LinkUp up;
        up.link = kLink;
        up.neighbour = NodeNumber{2};
        ingress.handle(up, now);
        bus::ContactStart contact;
        contact.link = kLink;
        egress.handle(contact, now);
        egress.handle_connected(kLink, ~std::uint64_t{0}, now);
        while (egress.poll_message()) continue;
    }

    /// Passes messages on; true when there were any.
    bool carry_messages() {
        bool any = false;
        while (auto message = ingress.poll_message()) {
            egress.handle(std::move(std::get<bus::ForwardBatch>(message->message)), now);
            any = true;
        }
        while (auto message = egress.poll_message()) {
            ingress.handle(std::move(std::get<bus::BatchOutcome>(message->message)), now);
            any = true;
        }
        return any;
    }
    /// The next bundles that are to leave; none at the end.
    [[nodiscard]] std::span<const TxBundle> poll_transmit(std::uint64_t credit) {
        return {out_.data(), egress.poll_transmit(kLink, out_, credit, now)};
    }

    TimePoint now;
    config::NodeConfig config = node_config();
    SlabPool pool{kSlab, 64 * 1024 * 1024};
    ReadBuffer buffer{pool};
    ingress::IngressCore ingress{config, pool, kClock, 1};
    egress::EgressCore egress{config.node, config.outducts, kClock};

private:
    static config::NodeConfig node_config() {
        config::NodeConfig config;
        config.node = NodeNumber{10};
        config.inducts.resize(1);
        config.inducts[0].id = LinkId{0};
        config.outducts.resize(1);
        config.outducts[0].id = kLink;
        config.outducts[0].next_hop = NodeNumber{2};
        config.outducts[0].max_in_flight_bytes = 8 * 1024 * 1024;
        config.outducts[0].max_in_flight_bundles = 65536;
        return config;
    }
    std::vector<TxBundle> out_;
};

}  // namespace farlink::test
