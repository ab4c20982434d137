// SPDX-License-Identifier: Apache-2.0
// The links of one instance of egress: outducts, which the operator adds, changes and removes while
// the node runs, and sessions that ingress hosts.
// Owned by the egress agent; its thread only.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cla/io/resources.hpp"
#include "common/bus/messages.hpp"
#include "module/egress/core/egress_core.hpp"
#include "module/egress/hosted_link.hpp"
#include "module/egress/link_reports.hpp"

namespace farlink::egress {

/// The configured outducts of one instance of egress.
[[nodiscard]] std::vector<config::OutductConfig> outducts_of(const config::NodeConfig &config,
                                                             std::size_t instance);

class HostedLinks {
public:
    /// Makes the configured outducts. `send` takes messages to other modules.
    HostedLinks(const config::NodeConfig &config, std::size_t instance,
                const cla::LinkResources &resources, EgressCore &core, LinkReports &reports,
                std::function<void(bus::Outgoing)> send);

    // ---- outducts that come and go
    /// Carries out an operator's change of an outduct; one that takes the place of another comes
    /// when that has closed. The result is what is wrong with the change; empty: done.
    [[nodiscard]] std::string change(const bus::LinkChange &change);
    /// Undoes all changes: the supervisor has restarted, and sends those again that are in effect.
    void restore();
    /// The link has closed: if it was removed, it goes, and its successor comes.
    void handle_closed(LinkId id);
    /// Destroys removed outducts; call it outside of reports of links.
    void delete_removed() { removed_.clear(); }

    // ---- sessions that ingress hosts
    /// The link of such a session; made at its first use.
    [[nodiscard]] RelayedOutduct &relayed(const bus::SessionChange &change, SlabPool &pool,
                                          BatchPool &batches);

    // ---- look-ups
    [[nodiscard]] HostedLink *find(LinkId id);
    [[nodiscard]] bool all_closed() const;
    template <class Each>
    void for_each(Each &&each) {
        for (auto &[id, link] : links_) each(id, link);
    }

private:
    void make(const config::OutductConfig &config);
    void add(const config::OutductConfig &config);
    void replace(LinkId id, std::optional<config::OutductConfig> successor);
    void leave(LinkId id, HostedLink &link);
    void remove(LinkId id);
    [[nodiscard]] bool may_cut_for(NodeNumber neighbour) const;
    [[nodiscard]] bool cuts_to_contact_of(NodeNumber neighbour) const;

    const config::NodeConfig &config_;
    const std::size_t instance_;
    const cla::LinkResources resources_;
    EgressCore &core_;
    LinkReports &reports_;
    std::function<void(bus::Outgoing)> send_;
    std::unordered_map<LinkId, HostedLink> links_;
    std::set<LinkId> changed_;  ///< outducts that differ from the configuration
    /// Removed outducts, until delete_removed().
    std::vector<std::unique_ptr<cla::Outduct>> removed_;
};

}  // namespace farlink::egress
