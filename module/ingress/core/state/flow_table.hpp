// SPDX-License-Identifier: Apache-2.0
// The flows (destination and priority) that have bundles in storage and may not be cut through yet.
// Owned by IngressContext; one thread.
// A flow goes back to cut-through only when storage reports that its last stored bundle was sent
// and that it has seen every bundle from ingress: so its order is kept. It is forgotten then.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/bp/flow_pages.hpp"
#include "common/bus/messages.hpp"

namespace farlink::ingress {

class FlowTable {
public:
    /// Of the instance of ingress with this number.
    explicit FlowTable(std::size_t instance = 0) : instance_(instance) {}

    /// True while bundles of this flow are in storage or in flight to it.
    [[nodiscard]] bool backlogged(std::uint64_t flow) const {
        if (backlogged_ == 0) return false;
        const Flow *const found = flows_.find(flow);
        return found != nullptr && found->waits();
    }
    /// A bundle of the flow leaves for storage.
    void sent(std::uint64_t flow) {
        change(flow, [](Flow &state) {
            ++state.sent;
            ++state.on_the_way;
        });
    }
    /// The outcome of one bundle of the flow came back from storage.
    void answered(std::uint64_t flow, bool kept) {
        change(flow, [kept](Flow &state) {
            --state.on_the_way;
            if (kept) state.kept = state.confirmed = 1;
        });
    }
    /// Storage did not keep a bundle and ingress holds it: younger ones stay behind it.
    void hold(std::uint64_t flow) {
        change(flow, [](Flow &state) { ++state.on_the_way; });
    }
    void let_go(std::uint64_t flow) {
        change(flow, [](Flow &state) { --state.on_the_way; });
    }
    void handle(const bus::Backlog &backlog) {
        change(backlog.flow, [&](Flow &state) {
            // After a restart of either side a report may count what was sent before it.
            const auto taken = static_cast<std::uint32_t>(backlog.taken[instance_]);
            state.sent -= std::min(state.sent, taken);
            if (backlog.waiting > 0)
                state.kept = state.confirmed = 1;
            else if (state.sent == 0)
                state.kept = 0;
        });
    }
    /// Storage has restarted: it counts bundles from 0 again, and now reports the flows it has.
    void count_anew() {
        flows_.for_each([](std::uint64_t, Flow &state) {
            state.sent = 0;
            state.confirmed = 0;
        });
    }
    /// Storage has reported all flows that it has bundles of.
    void drop_unconfirmed() {
        flows_.for_each([this](std::uint64_t key, const Flow &state) {
            if (state.kept != 0 && state.confirmed == 0)
                change(key, [](Flow &flow) { flow.kept = 0; });
        });
    }
    /// For once a second: forgets flows without bundles. Returns octets of memory.
    [[nodiscard]] std::size_t free_empty() {
        return flows_.free_empty(
            [](const Flow &state) { return state.sent == 0 && !state.waits(); });
    }
    [[nodiscard]] std::size_t backlogged_flows() const { return backlogged_; }

private:
    struct Flow {
        std::uint32_t sent = 0;             ///< bundles that storage has not reported as taken
        std::uint32_t on_the_way : 30 = 0;  ///< not answered yet, or held by ingress
        std::uint32_t kept : 1 = 0;         ///< storage holds some
        std::uint32_t confirmed : 1 = 0;    ///< storage has reported it since it started
        [[nodiscard]] bool waits() const { return kept != 0 || on_the_way > 0; }
    };
    static_assert(sizeof(Flow) == 8);

    template <class Change>
    void change(std::uint64_t flow, Change &&apply) {
        Flow &state = flows_[flow];
        const bool before = state.waits();
        apply(state);
        if (before && !state.waits()) --backlogged_;
        if (!before && state.waits()) ++backlogged_;
    }

    std::size_t instance_;
    FlowPages<Flow> flows_;
    std::size_t backlogged_ = 0;
};

}  // namespace farlink::ingress
