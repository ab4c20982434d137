// SPDX-License-Identifier: Apache-2.0
// Commands about links: take them down and up, set their rate and one-way light time, add, change
// and remove them.
// Owned by Commands; the control agent's thread only.
// docs/formats/control.md describes requests and replies.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
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

    /// The link of a request as it is, for the audit; null: there is none.
    [[nodiscard]] Json as_audited(const Json &request) const;

    void handle(const bus::LinkChangeResult &result);
    /// The ports on which the inducts listen, by their place in the configuration; 0: not known.
    void handle_ports(const std::vector<std::uint16_t> &ports);
    /// A module that starts has the links of the configuration; it gets the differences.
    void handle_ready(bus::AgentId module, const WallClock &now);
    void handle_lost(bus::AgentId module);

    // ---- for a reload, which changes several links
    [[nodiscard]] const LinkOverrides &links() const { return overrides_; }
    /// No change is without a result.
    [[nodiscard]] bool idle() const { return pending_.empty(); }
    /// Refuses changes by commands meanwhile.
    void freeze(bool frozen) { frozen_ = frozen; }
    /// Has the module carry it out; one that does not run gets it when it starts. `answer` is
    /// called once, with the error or `ok`.
    void apply(bus::LinkVerb verb, BookedLink link, const Answer &answer, const WallClock &now);
    /// The configuration file has these links as commands have left them.
    void note_as_filed(LinkId link) { overrides_.set_by_command(link, false); }

    /// Repeats `link set` and `link down` for links that a reload has replaced, once the scheduler
    /// has the new ones.
    void handle_second(const WallClock &now);
    /// A revert undoes them.
    void forget_orders() { orders_.clear(); }
    /// Without the checks of `link up` and `link down`.
    void order_admin(const bus::LinkEntry &link, bool enabled);

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
        bool of_reload = false;
    };

    /// `link set` and `link down` that are in force.
    struct Orders {
        std::optional<bus::LinkOverride> override{};
        bool down = false;
        std::size_t repeats = 0;  ///< left, of a link that has been replaced
    };
    void report(const bus::LinkOverride & /*order*/, const bus::LinkEntry & /*link*/) {}
    void report(const bus::LinkAdmin &order, const bus::LinkEntry &link);
    void note(const bus::LinkOverride &order);
    void note(const bus::LinkAdmin &order);
    void repeat(const bus::LinkSnapshot &links);

    template <class Order>
    void order(const Order &order, const Answer &answer, const std::string &what,
               const Caller &caller, const WallClock &now);
    void begin(bus::LinkVerb verb, BookedLink link, const Caller &caller, const Answer &answer,
               const WallClock &now);
    void send(bus::LinkChange change, BookedLink link, const Answer &answer, bool again,
              const WallClock &now);
    void record(bus::LinkVerb verb, const BookedLink &link);
    /// Sends telemetry the configuration of the link in force.
    void publish(LinkId link, bool outduct);
    void publish_all();
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
    bool frozen_ = false;
    std::map<LinkId, Pending> pending_;
    std::map<LinkId, Orders> orders_;
};

}  // namespace farlink::control
