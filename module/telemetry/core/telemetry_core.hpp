// SPDX-License-Identifier: Apache-2.0
// Telemetry thinks here: it keeps the last counters of every module and draws the ledger from them.
// Owned by the telemetry agent.
// One thread.
#pragma once

#include <array>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "common/bus/messages.hpp"
#include "common/telemetry/counter_table.hpp"
#include "common/telemetry/ledger.hpp"

namespace farlink::telemetry {

class TelemetryCore {
public:
    /// `labels` name the families whose members only other parts of the program know; what they
    /// refer to outlives this.
    explicit TelemetryCore(std::span<const FamilyLabels> labels = {});

    void handle(bus::CounterReport report);
    void handle(bus::LinkReport report);
    /// The module has died in its process: what it has counted stays counted, and the one after it
    /// begins at 0. What it held is in no ledger any more.
    void handle_death(bus::AgentId module);

    [[nodiscard]] Ledger ledger() const;
    /// All counters with a value above 0 and all gauges, as one JSON object on one line; the
    /// counters of single neighbours in a list `neighbours`.
    [[nodiscard]] std::string to_json_line() const;

    /// Of a link, or of a neighbour at it; empty: the link as a whole.
    using LinkKey = std::tuple<bus::AgentId, LinkId, std::string>;
    using LinkValues = std::map<LinkKey, std::vector<std::uint64_t>>;
    [[nodiscard]] const LinkValues &link_values() const { return links_; }
    /// The link is removed, and what it has counted with it.
    void forget(bus::AgentId module, LinkId link);
    /// Counters of a module, those of processes that have died included.
    [[nodiscard]] std::vector<std::uint64_t> values(bus::AgentId id) const;
    /// How the members of families are called.
    [[nodiscard]] const std::vector<FamilyLabels> &families() const { return families_; }

private:
    struct Module {
        bus::CounterReport latest;
        std::vector<std::uint64_t> before;  ///< counters of those that have died, gauges as 0
    };

    [[nodiscard]] Module &module(bus::AgentId id) { return modules_[static_cast<std::size_t>(id)]; }
    [[nodiscard]] const std::vector<NamedCounter> *names_of(bus::AgentId id) const;

    void append_neighbours(std::string &line) const;

    std::vector<FamilyLabels> families_;
    std::vector<NamedCounter> ingress_names_;
    std::vector<NamedCounter> egress_names_;
    std::vector<NamedCounter> storage_names_;
    std::array<Module, bus::kAgentCount> modules_;
    std::uint64_t deaths_ = 0;
    std::vector<NamedCounter> link_names_;
    LinkValues links_;
};

}  // namespace farlink::telemetry
