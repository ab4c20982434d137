// SPDX-License-Identifier: Apache-2.0
// Telemetry thinks here: it keeps what the modules have said last of themselves, of their links and
// of their process, and draws the ledger from it.
// Owned by the telemetry agent; one thread.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/bus/messages.hpp"
#include "common/telemetry/counter_table.hpp"
#include "common/telemetry/ledger.hpp"
#include "module/telemetry/core/link_counter_table.hpp"

namespace farlink::telemetry {

class TelemetryCore {
public:
    /// `labels` name the families whose members only other parts of the program know; what they
    /// refer to outlives this.
    explicit TelemetryCore(std::span<const FamilyLabels> labels = {});

    void handle(bus::CounterReport report);
    void handle(bus::LinkReport report) { links_.handle(std::move(report)); }
    void handle(bus::LinkInfo info) { links_.handle(std::move(info)); }
    void handle(bus::StorageReport report);
    void handle(const bus::HistogramReport &report);
    void handle(const bus::ProcessReport &report);
    /// The module has died in its process: what it has counted stays counted, and the one after it
    /// begins at 0. What it held is in no ledger any more.
    void handle_death(bus::AgentId module);

    // ---- what is known; references hold until the next handle()
    [[nodiscard]] const LinkCounterTable &links() const { return links_; }
    /// All counters of a module, its instances together, in the order of its table; empty: it has
    /// none, or has not spoken.
    [[nodiscard]] std::vector<std::uint64_t> values(bus::AgentId role) const;
    /// One of them, or one of a family.
    template <class Id>
    [[nodiscard]] std::uint64_t value(bus::AgentId role, Id counter, std::size_t member = 0) const {
        const std::size_t at = static_cast<std::size_t>(counter) + member;
        std::uint64_t sum = 0;
        for (std::size_t id = 0; id < modules_.size(); ++id) {
            if (bus::role_of(static_cast<bus::AgentId>(id)) != role) continue;
            const Module &from = modules_[id];
            sum += at < from.latest.values.size() ? from.latest.values[at] : 0;
            sum += at < from.before.size() ? from.before[at] : 0;
        }
        return sum;
    }
    /// The names that go with them; null: it has none.
    [[nodiscard]] const std::vector<NamedCounter> *names_of(bus::AgentId id) const;
    [[nodiscard]] const std::vector<NamedCounter> &link_names() const { return link_names_; }
    /// How the members of families are called.
    [[nodiscard]] const std::vector<FamilyLabels> &families() const { return families_; }
    /// Nothing while storage has not spoken.
    [[nodiscard]] const std::optional<bus::StorageReport> &storage() const { return storage_; }
    using HistogramKey = std::pair<bus::AgentId, bus::LatencyKind>;
    [[nodiscard]] const std::map<HistogramKey, bus::HistogramReport> &histograms() const {
        return histograms_;
    }
    /// Those of a module that runs in a process of another module are left out.
    [[nodiscard]] std::vector<bus::ProcessReport> processes() const;
    /// Their sum; without resident octets nothing is known yet.
    [[nodiscard]] bus::ProcessReport all_processes() const;
    /// Grows with every report that says something new, links' apart
    /// (LinkCounterTable::revision()).
    [[nodiscard]] std::uint64_t revision() const { return revision_; }
    /// Modules that have died with what they held.
    [[nodiscard]] std::uint64_t deaths() const { return deaths_; }

    [[nodiscard]] Ledger ledger() const;
    /// All counters with a value above 0 and all gauges, as one JSON object on one line; the
    /// counters of links in a list `links` and those of single neighbours in a list `neighbours`.
    [[nodiscard]] std::string to_json_line() const;

private:
    struct Module {
        bus::CounterReport latest;
        std::vector<std::uint64_t> before;  ///< counters of those that have died, gauges as 0
    };

    [[nodiscard]] Module &module(bus::AgentId id) { return modules_[static_cast<std::size_t>(id)]; }
    /// Of one instance.
    void add_values(bus::AgentId id, std::vector<std::uint64_t> &sum) const;

    std::vector<FamilyLabels> families_;
    std::vector<NamedCounter> ingress_names_;
    std::vector<NamedCounter> egress_names_;
    std::vector<NamedCounter> storage_names_;
    std::array<Module, bus::kAgentCount> modules_;
    std::uint64_t deaths_ = 0;
    bool began_late_ = false;
    std::vector<NamedCounter> link_names_;
    LinkCounterTable links_;
    std::optional<bus::StorageReport> storage_;
    std::map<HistogramKey, bus::HistogramReport> histograms_;
    std::map<bus::AgentId, bus::ProcessReport> processes_;
    std::uint64_t revision_ = 0;
};

}  // namespace farlink::telemetry
