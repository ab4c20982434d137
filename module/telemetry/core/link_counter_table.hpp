// SPDX-License-Identifier: Apache-2.0
// Every link with its kind, state and counters.
// Owned by TelemetryCore; one thread.
// A link may have several hosts: egress counts what it sends by a session that ingress hosts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/bus/messages.hpp"
#include "common/telemetry/counter_table.hpp"
#include "common/telemetry/link_counters.hpp"

namespace farlink::telemetry {

/// The values of one entry, including those of earlier processes of its module that died.
struct LinkTally {
    std::vector<std::uint64_t> latest;
    std::vector<std::uint64_t> before;  ///< gauges as 0

    [[nodiscard]] std::uint64_t value(std::size_t at) const {
        return (at < latest.size() ? latest[at] : 0) + (at < before.size() ? before[at] : 0);
    }
    [[nodiscard]] std::vector<std::uint64_t> values() const;
};

struct KnownLink {
    /// The counters of one module: of the link under the empty name, and of each neighbour.
    using Host = std::map<std::string, LinkTally>;

    std::map<bus::AgentId, Host> hosts;
    std::map<bus::AgentId, bus::LinkInfo> infos;
    std::uint64_t revision = 0;  ///< LinkCounterTable::revision() when it changed last

    /// The report of a host that has it connected, otherwise of any host; null: no report yet.
    [[nodiscard]] const bus::LinkInfo *info() const;
    /// Sum over its hosts.
    [[nodiscard]] std::uint64_t value(LinkCounter counter) const;
    /// Of a family that is counted for each neighbour: the sum over hosts and neighbours.
    [[nodiscard]] std::uint64_t value(LinkCounter family, std::size_t member) const;
};

class LinkCounterTable {
public:
    void handle(bus::LinkReport report);
    void handle(bus::LinkInfo info);
    /// As TelemetryCore::handle_death(); the links that it hosted are not connected.
    void handle_death(bus::AgentId module);

    [[nodiscard]] const std::map<LinkId, KnownLink> &links() const { return links_; }
    /// null: the link does not exist, or was removed.
    [[nodiscard]] const KnownLink *find(LinkId link) const;
    /// Grows with every change and removal of a link.
    [[nodiscard]] std::uint64_t revision() const { return revision_; }

private:
    void touch(KnownLink &link) { link.revision = ++revision_; }

    std::map<LinkId, KnownLink> links_;
    std::uint64_t revision_ = 0;
};

}  // namespace farlink::telemetry
