// SPDX-License-Identifier: Apache-2.0
// What an operator does to links: takes them down and up, says their rate and light time, adds,
// changes and removes them.
// Owned by Commands; the supervisor's thread only.
// docs/formats/control.md describes requests and replies.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "common/runtime/log/log.hpp"
#include "module/control/core/caller.hpp"
#include "module/control/core/link_overrides.hpp"
#include "module/control/pending_requests.hpp"

namespace farlink::app {

class LinkCommands {
public:
    using Json = nlohmann::ordered_json;
    using Answer = std::function<void(const Json &)>;

    /// The first three are borrowed. `patience`: how long a module may take to answer.
    LinkCommands(boost::asio::io_context &io, const config::NodeConfig &config,
                 PendingRequests &requests, Duration patience = seconds(5));

    /// `link up` and `link down`.
    void enable(const Json &request, const Caller &caller, const Answer &answer);
    /// `link set`.
    void set(const Json &request, const Caller &caller, const Answer &answer);
    /// `link add`, `link change` and `link remove`.
    void add(const Json &request, const Caller &caller, const Answer &answer);
    void change(const Json &request, const Caller &caller, const Answer &answer);
    void remove(const Json &request, const Caller &caller, const Answer &answer);

    void handle(const bus::LinkChangeResult &result);
    /// Where the inducts listen, by their place in the configuration; 0: not known.
    void handle_ports(const std::vector<std::uint16_t> &ports);
    /// A module that has begun anew has the links of the configuration, and is told what is
    /// different by now.
    void handle_ready(bus::AgentId module);
    void handle_lost(bus::AgentId module);

    /// For `status`, which has the other links from the scheduler.
    [[nodiscard]] Json inducts() const;
    [[nodiscard]] Json carried() const;

private:
    /// A change that a module has been told of and has not answered.
    struct Pending {
        bus::LinkVerb verb = bus::LinkVerb::kAdd;
        BookedLink link;  ///< of one that is removed: as it is
        Answer answer;    ///< empty: nobody waits for it, or no longer
        bool again;       ///< it was told before, to the module that has died
        boost::asio::steady_timer patience;
    };

    template <class Order>
    void order(const Order &order, const Answer &answer, const std::string &what,
               const Caller &caller);
    void begin(bus::LinkVerb verb, BookedLink link, const Caller &caller, const Answer &answer);
    void send(bus::LinkChange change, BookedLink link, const Answer &answer, bool again);
    void give_up(LinkId link);
    [[nodiscard]] bool busy(LinkId link, const Answer &answer) const;
    [[nodiscard]] const BookedLink *find(const Json &request, const Answer &answer) const;
    [[nodiscard]] std::vector<const BookedLink *> coming() const;
    [[nodiscard]] bus::AgentId module_of(const BookedLink &link) const;

    boost::asio::io_context &io_;
    PendingRequests &requests_;
    LinkOverrides overrides_;
    const config::LinkPlacement placement_;
    const Duration patience_;
    std::set<bus::AgentId> ready_;
    std::map<LinkId, Pending> pending_;
    Logger log_{"control"};
};

}  // namespace farlink::app
