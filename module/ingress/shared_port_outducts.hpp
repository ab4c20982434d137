// SPDX-License-Identifier: Apache-2.0
// Outducts that leave by the port of an LTP induct, of the configuration file or added while the
// node runs: the induct gets them as neighbours to which it sends first.
// Owned by HostedInducts; the ingress agent's thread only.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "common/bus/messages.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "module/ingress/hosted_induct.hpp"

namespace farlink::ingress {

class SharedPortOutducts {
public:
    using Inducts = std::map<LinkId, HostedInductPtr>;

    SharedPortOutducts(const config::NodeConfig &config, const Inducts &inducts)
        : config_(config), inducts_(inducts) {}

    /// Adds, changes or removes one. The result is what is wrong with the change; empty: done.
    [[nodiscard]] std::string change(const bus::LinkChange &change);
    /// The inducts have been opened with the outducts of the configuration file.
    void note_configured();
    /// Removes those of `changed` that are outducts; returns their links.
    [[nodiscard]] std::vector<LinkId> remove_changed(const std::set<LinkId> &changed);
    /// Adds those of the configuration file that are missing; a reopened induct has them already.
    /// `here`: whether a link belongs to this instance.
    void restore_configured(const std::function<bool(LinkId)> &here, Logger &log);
    /// The induct was removed, and its outducts with it.
    void handle_induct_removed(LinkId induct);
    /// Adds the outducts of this induct to its changed configuration.
    void add_to(config::InductConfig &config) const;

private:
    struct SharedPort {
        LinkId induct = kNoLink;
        config::NeighbourAddress neighbour;
    };

    [[nodiscard]] std::string add(LinkId link, const config::OutductConfig &outduct);
    [[nodiscard]] bool remove(LinkId link);
    [[nodiscard]] static bool set_neighbours(HostedInduct &hosted, const SharedPort *without,
                                             const SharedPort *more);

    const config::NodeConfig &config_;
    const Inducts &inducts_;
    std::map<LinkId, SharedPort> outducts_;
};

}  // namespace farlink::ingress
