// SPDX-License-Identifier: Apache-2.0
// What telemetry knows of every link: what it is, how it stands, and what has been counted of it.
// Owned by TelemetryCore; one thread.
// A link may have several hosts: egress counts what leaves by a session that ingress carries.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/bus/messages.hpp"
#include "common/telemetry/counter_table.hpp"
#include "common/telemetry/link_counters.hpp"

namespace farlink::telemetry {

/// The values of one entry, with those of the processes of its module that have died.
struct LinkTally {
    std::vector<std::uint64_t> latest;
    std::vector<std::uint64_t> before;  ///< gauges as 0

    [[nodiscard]] std::uint64_t value(std::size_t at) const {
        return (at < latest.size() ? latest[at] : 0) + (at < before.size() ? before[at] : 0);
    }
    [[nodiscard]] std::vector<std::uint64_t> values() const;
};

struct KnownLink {
    /// What a module says of it: of the link as a whole under the empty name, and of each
    /// neighbour.
    using Host = std::map<std::string, LinkTally>;

    std::map<bus::AgentId, Host> hosts;
    std::map<bus::AgentId, bus::LinkInfo> infos;
    std::uint64_t revision = 0;  ///< LinkCounterTable::revision() when it changed last

    /// What is known of it: a host that has it connected comes first; null: nothing yet.
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
    /// null: there is no such link, or it is removed.
    [[nodiscard]] const KnownLink *find(LinkId link) const;
    /// Grows with every change of a link; of one that is removed, too.
    [[nodiscard]] std::uint64_t revision() const { return revision_; }

private:
    void touch(KnownLink &link) { link.revision = ++revision_; }

    std::map<LinkId, KnownLink> links_;
    std::uint64_t revision_ = 0;
};

}  // namespace farlink::telemetry
