// SPDX-License-Identifier: Apache-2.0
// The links in the state document: configuration, contact, state and counters of each, as one JSON
// object.
// Owned by LiveState; one thread.
// docs/formats/live-updates.md lists the members.
#pragma once

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "common/bus/messages.hpp"
#include "common/config/node/node_config.hpp"
#include "module/telemetry/core/link_counter_table.hpp"
#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

class LiveLinks {
public:
    /// Writes to `links`, which is borrowed: an object, by the link's number.
    LiveLinks(Json &links, const config::NodeConfig &config);

    void handle(const bus::ContactStart &event);
    void handle(const bus::ContactEnd &event);
    void handle(const bus::LinkUp &event);
    void handle(const bus::LinkDown &event);
    /// The links of the supervisor's `status` (docs/formats/control.md).
    void handle_status(const Json &links);
    /// The ports on which the inducts listen, in their order.
    void handle_ports(const std::vector<std::uint16_t> &ports);
    /// A report of a host of the link has changed.
    void update(LinkId link, const KnownLink &known);
    void remove(LinkId link);
    /// The supervisor has removed the link, which its host may still close; or it exists again.
    void hide(LinkId link);
    void show(LinkId link) { hidden_.erase(link); }
    /// No link is hidden any more; those that were.
    [[nodiscard]] std::set<LinkId> take_hidden() { return std::exchange(hidden_, {}); }

    [[nodiscard]] const Json &json() const { return links_; }

private:
    /// null: the link does not exist, or was removed.
    [[nodiscard]] Json *find(LinkId link);
    /// One that is not listed until list() is called.
    Json &row(LinkId link);
    void list(LinkId link);
    void add(LinkId link, const config::LinkOptions &options, std::string_view direction);
    void count_ltp(Json &row, const KnownLink &known);

    Json &links_;
    Json early_ = Json::object();  ///< of links whose kind and address are not known yet
    std::set<LinkId> hidden_;
    std::size_t inducts_ = 0;
};

}  // namespace farlink::telemetry
