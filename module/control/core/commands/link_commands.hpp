// SPDX-License-Identifier: Apache-2.0
// Commands about links: take them down and up, set their rate and one-way light time, add, change
// and remove them.
// Owned by Commands; the control agent's thread only.
// docs/formats/control.md describes requests and replies.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "module/control/core/caller.hpp"
#include "module/control/core/commands/long_reply.hpp"
#include "module/control/core/control_log.hpp"
#include "module/control/core/link_overrides.hpp"
#include "module/control/core/pending_requests.hpp"

namespace farlink::control {

class LinkCommands {
public:
    using Json = nlohmann::ordered_json;

    /// The first three are borrowed. `patience`: how long a module may take to reply.
    LinkCommands(const config::NodeConfig &config, PendingRequests &requests, const ControlLog &log,
                 Duration patience = PendingRequests::kPatience);

    /// `link up` and `link down`.
    void enable(const Json &request, const Caller &caller, const Answer &answer,
                const WallClock &now);
    /// `link set`.
    void set(const Json &request, const Caller &caller, const Answer &answer, const WallClock &now);
    /// `link add`, `link change` and `link remove`.
    void add(const Json &request, const Caller &caller, const Answer &answer, const WallClock &now);
    void change(const Json &request, const Caller &caller, const Answer &answer,
                const WallClock &now);
    void remove(const Json &request, const Caller &caller, const Answer &answer,
                const WallClock &now);

    void handle(const bus::LinkChangeResult &result);
    /// The ports on which the inducts listen, by their place in the configuration; 0: not known.
    void handle_ports(const std::vector<std::uint16_t> &ports);
    /// A module that starts has the links of the configuration; it gets the differences.
    void handle_ready(bus::AgentId module, const WallClock &now);
    void handle_lost(bus::AgentId module);

    /// For `status`, which has the other links from the scheduler.
    [[nodiscard]] Json inducts() const;
    [[nodiscard]] Json carried() const;

    [[nodiscard]] TimePoint next_timeout() const;
    /// The operator gets an error; a result that comes later still counts.
    void handle_timeout(TimePoint now);

private:
    /// A change without a result.
    struct Pending {
        bus::RequestId id{};
        bus::LinkVerb verb = bus::LinkVerb::kAdd;
        BookedLink link;  ///< of one that is removed: as it is
        Answer answer;    ///< empty: it has been called, or no operator asked
        bool again;       ///< repeats a change of an earlier run of the module
        TimePoint until;
    };

    template <class Order>
    void order(const Order &order, const Answer &answer, const std::string &what,
               const Caller &caller, const WallClock &now);
    void begin(bus::LinkVerb verb, BookedLink link, const Caller &caller, const Answer &answer,
               const WallClock &now);
    void send(bus::LinkChange change, BookedLink link, const Answer &answer, bool again,
              const WallClock &now);
    [[nodiscard]] bool busy(LinkId link, const Answer &answer) const;
    [[nodiscard]] const BookedLink *find(const Json &request, const Answer &answer) const;
    [[nodiscard]] std::vector<const BookedLink *> coming() const;
    [[nodiscard]] bus::AgentId module_of(const BookedLink &link) const;

    PendingRequests &requests_;
    const ControlLog &log_;
    LinkOverrides overrides_;
    const config::LinkPlacement placement_;
    const Duration patience_;
    std::set<bus::AgentId> ready_;
    std::map<LinkId, Pending> pending_;
};

}  // namespace farlink::control
