// SPDX-License-Identifier: Apache-2.0
// The core of telemetry: keeps the last reports of the modules about themselves, their links and
// processes, and computes the ledger.
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
    /// `labels` are the names of members of families that other modules define; they must outlive
    /// this.
    explicit TelemetryCore(std::span<const FamilyLabels> labels = {});

    void handle(bus::CounterReport report);
    void handle(bus::LinkReport report) { links_.handle(std::move(report)); }
    void handle(bus::LinkInfo info) { links_.handle(std::move(info)); }
    void handle(bus::StorageReport report);
    void handle(const bus::EndpointReport &report);
    void handle(const bus::HistogramReport &report);
    void handle(const bus::ProcessReport &report);
    /// The process of the module has died: its counts are kept, and its successor begins at 0. The
    /// bundles that it held are in no ledger.
    void handle_death(bus::AgentId module);

    // ---- state; references are valid until the next handle()
    [[nodiscard]] const LinkCounterTable &links() const { return links_; }
    /// All counters of a role, summed over its instances, in the order of the table; empty: the
    /// role has none, or has sent no report.
    [[nodiscard]] std::vector<std::uint64_t> values(bus::AgentId role) const;
    /// The same without what was counted before this telemetry started, while the module ran.
    [[nodiscard]] std::vector<std::uint64_t> values_since_start(bus::AgentId role) const;
    /// One counter, or a member of a family.
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
    /// The names of these counters; null: the module has none.
    [[nodiscard]] const std::vector<NamedCounter> *names_of(bus::AgentId id) const;
    [[nodiscard]] const std::vector<NamedCounter> &link_names() const { return link_names_; }
    /// The names of the members of families.
    [[nodiscard]] const std::vector<FamilyLabels> &families() const { return families_; }
    /// Nothing until the first report of storage.
    [[nodiscard]] const std::optional<bus::StorageReport> &storage() const { return storage_; }
    /// Of applications, by link.
    [[nodiscard]] const std::map<LinkId, bus::EndpointReport> &endpoints() const {
        return endpoints_;
    }
    using HistogramKey = std::pair<bus::AgentId, bus::LatencyKind>;
    [[nodiscard]] const std::map<HistogramKey, bus::HistogramReport> &histograms() const {
        return histograms_;
    }
    /// One report a process, also when it runs several modules.
    [[nodiscard]] std::vector<bus::ProcessReport> processes() const;
    /// Their sum; `resident_bytes` is 0 until the first report.
    [[nodiscard]] bus::ProcessReport all_processes() const;
    /// Grows with every report that changes a value; links have LinkCounterTable::revision().
    [[nodiscard]] std::uint64_t revision() const { return revision_; }

    [[nodiscard]] Ledger ledger() const;
    /// All counters with a value above 0 and all gauges, as one JSON object on one line; the
    /// counters of links in a list `links` and those of single neighbours in a list `neighbours`.
    [[nodiscard]] std::string to_json_line() const;

private:
    struct Module {
        bus::CounterReport latest;
        std::vector<std::uint64_t> before;  ///< counts of processes that died, gauges as 0
        std::vector<std::uint64_t> found;   ///< counts in first reports that came late
        bool died = false;                  ///< a process of it sent no final report
    };

    [[nodiscard]] Module &module(bus::AgentId id) { return modules_[static_cast<std::size_t>(id)]; }
    /// Adds the values of one instance.
    void add_values(bus::AgentId id, std::vector<std::uint64_t> &sum) const;

    std::vector<FamilyLabels> families_;
    std::vector<NamedCounter> ingress_names_;
    std::vector<NamedCounter> egress_names_;
    std::vector<NamedCounter> storage_names_;
    std::vector<NamedCounter> applications_names_;
    std::array<Module, bus::kAgentCount> modules_;
    bool began_late_ = false;
    std::vector<NamedCounter> link_names_;
    LinkCounterTable links_;
    std::optional<bus::StorageReport> storage_;
    std::map<LinkId, bus::EndpointReport> endpoints_;
    std::map<HistogramKey, bus::HistogramReport> histograms_;
    std::map<bus::AgentId, bus::ProcessReport> processes_;
    std::uint64_t revision_ = 0;
};

}  // namespace farlink::telemetry
