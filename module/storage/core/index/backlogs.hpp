// SPDX-License-Identifier: Apache-2.0
// Reports to ingress when nothing of a flow is left in storage, so that cut-through may resume.
// Where several instances of ingress share a flow, it also reports when there is something. Owned
// by StorageCore; one thread. `taken` counts from one report to the next, so that a flow without
// bundles is forgotten once that is reported. It takes 8 octets, with several instances 20, and
// there are no more than bp::flow_key() makes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "common/bp/flow_pages.hpp"
#include "common/bus/messages.hpp"

namespace farlink::storage {

class Backlogs {
public:
    /// There are several instances of ingress.
    void share() { shared_ = true; }

    /// An instance of ingress handed over a bundle of the flow.
    void take(std::uint64_t flow, std::size_t instance) {
        if (instance == 0) return void(++flows_[flow].taken);
        if (others_ == nullptr) others_ = std::make_unique<FlowPages<Taken>>();
        ++(*others_)[flow][instance - 1];
    }
    /// Storage holds one bundle more.
    void add(std::uint64_t flow) {
        Flow &state = flows_[flow];
        if (++state.held == 1 && shared_) note(flow, state);
    }
    /// Storage holds one bundle less.
    void remove(std::uint64_t flow) {
        Flow &state = flows_[flow];
        FARLINK_INVARIANT(state.held > 0);
        --state.held;
        report(flow, state);
    }
    /// A bundle of the flow got its outcome without being held: ingress may wait for that.
    void set_outcome(std::uint64_t flow) { report(flow, flows_[flow]); }

    /// An instance of ingress begins anew, and counts from 0 what it hands over.
    void count_anew(std::size_t instance) {
        if (instance == 0)
            return flows_.for_each([](std::uint64_t, Flow &state) { state.taken = 0; });
        if (others_ == nullptr) return;
        others_->for_each([instance](std::uint64_t, Taken &taken) { taken[instance - 1] = 0; });
    }
    /// What waits in each flow, for an ingress that has just begun. All instances get it.
    [[nodiscard]] std::vector<bus::Backlog> report_held() {
        std::vector<bus::Backlog> backlogs;
        flows_.for_each([&](std::uint64_t flow, Flow &state) {
            if (state.held > 0) backlogs.push_back(report_of(flow, state));
        });
        return backlogs;
    }
    /// The next flow that has run empty, or that has not been so for long.
    [[nodiscard]] std::optional<bus::Backlog> poll() {
        while (!due_.empty()) {
            const std::uint64_t flow = due_.back();
            due_.pop_back();
            if (due_.empty() && due_.capacity() > kManyDue) due_ = std::vector<std::uint64_t>();
            Flow &state = flows_[flow];
            state.due = 0;
            if (state.held == 0 || shared_) return report_of(flow, state);
        }
        return std::nullopt;
    }
    /// For once a second: forgets flows. Returns octets of memory.
    [[nodiscard]] std::size_t free_empty() {
        std::size_t freed = flows_.free_empty([](const Flow &state) {
            return state.taken == 0 && state.held == 0 && state.due == 0;
        });
        if (others_ != nullptr)
            freed += others_->free_empty([](const Taken &taken) { return taken == Taken{}; });
        return freed;
    }

private:
    static constexpr std::size_t kManyDue = 4096;

    struct Flow {
        /// From the first instance of ingress, since the last report.
        std::uint32_t taken = 0;
        std::uint32_t held : 31 = 0;  ///< now
        std::uint32_t due : 1 = 0;    ///< in due_
    };
    /// From the others.
    using Taken = std::array<std::uint32_t, kMostInstances - 1>;

    [[nodiscard]] bus::Backlog report_of(std::uint64_t flow, Flow &state) {
        bus::Backlog backlog;
        backlog.flow = flow;
        backlog.waiting = state.held;
        backlog.taken[0] = std::exchange(state.taken, 0);
        if (others_ == nullptr || others_->find(flow) == nullptr) return backlog;
        std::ranges::copy(std::exchange((*others_)[flow], {}), backlog.taken.begin() + 1);
        return backlog;
    }
    void report(std::uint64_t flow, Flow &state) {
        if (state.held == 0) note(flow, state);
    }
    void note(std::uint64_t flow, Flow &state) {
        if (state.due != 0) return;
        state.due = 1;
        due_.push_back(flow);
    }

    FlowPages<Flow> flows_;
    std::unique_ptr<FlowPages<Taken>> others_;  ///< null: there is one instance
    std::vector<std::uint64_t> due_;
    bool shared_ = false;
};

}  // namespace farlink::storage
