// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/ion/link_assembly.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/bp/eid/eid.hpp"
#include "common/config/fields/config_error.hpp"
#include "common/config/fields/link_url.hpp"
#include "common/config_import/ion/contact_import.hpp"
#include "common/config_import/ion/ltp_engine.hpp"

namespace farlink::config {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint16_t kBundlePort = 4556;
/// Neighbours of the dtn scheme get numbers from here on.
constexpr std::uint64_t kFirstMadeUpNode = 4'000'000'000;

/// farlink's name of a convergence layer of ION.
std::optional<std::string> scheme_of(std::string_view protocol) {
    if (protocol == "tcp") return "tcpclv3";
    if (protocol == "stcp" || protocol == "udp" || protocol == "ltp") return std::string(protocol);
    return std::nullopt;
}

std::string no_layer(std::string_view protocol) {
    return "farlink has no convergence layer like " + in_quotes(protocol) +
           "; it has tcp, stcp, udp and ltp of ION's";
}

class LinkAssembly {
public:
    LinkAssembly(NodeDraft &draft, ContactPlan &plan, CommandVerdicts &verdicts)
        : draft_(draft),
          plan_(plan),
          verdicts_(verdicts),
          self_(draft.node.value_or(0)),
          engine_(draft, verdicts) {}

    ImportedLinks run() {
        for (const SeatDraft &seat : draft_.seats) made_.inducts.push_back(engine_.induct(seat));
        for (const InductDraft &induct : draft_.inducts) add_induct(induct);
        for (const PlanDraft &plan : draft_.plans)
            if (plan.node) add_plan(plan);
        for (const PlanDraft &plan : draft_.plans)
            if (!plan.node) add_plan(plan);
        for (const PlanDraft &plan : draft_.plans)
            if (plan.gateway) add_gateway(plan);
        for (const OutductDraft &duct : draft_.outducts)
            if (!duct.used) verdicts_.noted(duct.command, "no plan uses it");
        engine_.report_unused();
        add_lasting_contacts();
        return std::move(made_);
    }

private:
    struct Made {
        std::uint64_t node = 0;
        std::uint64_t rate_bytes = 0;
        CommandIndex command = 0;
    };

    void add_induct(const InductDraft &induct) {
        const auto scheme = scheme_of(induct.protocol);
        if (!scheme) return verdicts_.refused(induct.command, no_layer(induct.protocol));
        if (*scheme == "ltp") {
            if (draft_.seats.empty())
                return verdicts_.refused(induct.command,
                                         "no command of ltpadmin gives its address: `s 'udplsi "
                                         "host:port'`");
            return verdicts_.mapped(induct.command,
                                    "at " + verdicts_.place_of(draft_.seats.front().command));
        }
        const auto local = host_port_of(induct.name, kBundlePort);
        if (!local)
            return verdicts_.refused(induct.command,
                                     "found " + in_quotes(induct.name) + "; expected host:port");
        const std::string url = url_of(*scheme, *local);
        made_.inducts.push_back({{"url", url}});
        verdicts_.mapped(induct.command, url);
    }

    static std::string url_of(const std::string &scheme, const HostPort &at) {
        return to_string(LinkUrl{scheme, at.host, at.port, {}});
    }

    // ---- plans

    void add_plan(const PlanDraft &plan) {
        if (plan.gateway) {
            for (const PlanDuct &duct : plan.ducts)
                verdicts_.noted(duct.command, "the gateway of the plan comes first");
            return;
        }
        if (plan.node == self_) return skip_own(plan);
        if (plan.ducts.empty())
            return verdicts_.noted(plan.command, "no outduct is attached: nothing is sent");
        if (plan.ducts.size() > 1) {
            for (const PlanDuct &duct : plan.ducts)
                verdicts_.refused(duct.command, "a neighbour has one outduct: keep one of " +
                                                    std::to_string(plan.ducts.size()));
            return;
        }
        add_way(plan, plan.ducts.front());
    }

    /// ION sends what is for itself by a duct as well.
    void skip_own(const PlanDraft &plan) {
        constexpr const char *kOwn = "the node delivers to itself without a link";
        verdicts_.noted(plan.command, kOwn);
        for (const PlanDuct &duct : plan.ducts) {
            verdicts_.noted(duct.command, duct.command == plan.command ? "" : kOwn);
            if (OutductDraft *const outduct = find_outduct(duct)) {
                verdicts_.noted(outduct->command, kOwn);
                outduct->used = true;
            }
        }
    }

    OutductDraft *find_outduct(const PlanDuct &duct) {
        const auto found = std::ranges::find_if(draft_.outducts, [&](const OutductDraft &each) {
            return each.protocol == duct.protocol && each.name == duct.name;
        });
        return found == draft_.outducts.end() ? nullptr : &*found;
    }

    /// The link to a neighbour by this outduct.
    void add_way(const PlanDraft &plan, const PlanDuct &duct) {
        OutductDraft *const outduct = find_outduct(duct);
        const std::string name = duct.protocol + '/' + duct.name;
        if (outduct == nullptr)
            return verdicts_.refused(duct.command, "no `a outduct` adds " + in_quotes(name));
        outduct->used = true;
        const std::string key = name + ',' + duct.destination;
        if (const auto taken = outduct_nodes_.find(key); taken != outduct_nodes_.end())
            return add_behind(plan, taken->second);
        const auto link = link_of(plan, duct, *outduct);
        if (!link) return;
        const std::uint64_t node = (*link)["nextHopNodeId"].get<std::uint64_t>();
        if (made_.neighbours.contains(node))
            return verdicts_.refused(plan.command,
                                     "node " + std::to_string(node) + " has an outduct already");
        outduct_nodes_[key] = node;
        made_.neighbours[node] = made_.outducts.size();
        const std::string place = item_path("outductsConfig", made_.outducts.size());
        made_.outducts.push_back(*link);
        verdicts_.mapped(plan.command, place);
        if (duct.command != plan.command) verdicts_.mapped(duct.command, place);
        verdicts_.mapped(outduct->command, place);
        links_.push_back({node, plan.rate_bytes, plan.command});
        name_neighbour(plan, node);
    }

    /// A second node by an outduct: it lies behind the first one.
    void add_behind(const PlanDraft &plan, std::uint64_t neighbour) {
        if (plan.node) {
            made_.static_routes.push_back(
                {{"destinationNodeId", *plan.node}, {"nextHopNodeId", neighbour}});
            verdicts_.changed(plan.command, "a static route by neighbour " +
                                                std::to_string(neighbour) +
                                                ", whose outduct this is");
        } else {
            name_neighbour(plan, neighbour);
            verdicts_.mapped(plan.command, "an endpoint of node " + std::to_string(neighbour));
        }
        for (const PlanDuct &duct : plan.ducts) verdicts_.mapped(duct.command);
    }

    /// The number of the neighbour: its own, that of its LTP engine, or one that is made up.
    std::uint64_t number_of(const PlanDraft &plan, const PlanDuct &duct) {
        if (plan.node) return *plan.node;
        if (duct.protocol == "ltp")
            if (const auto engine = node_number_of(duct.name)) return *engine;
        const std::uint64_t made_up = kFirstMadeUpNode + made_up_++;
        verdicts_.changed(plan.command, "number " + std::to_string(made_up) +
                                            " is assigned to it; a contact plan uses this number");
        return made_up;
    }

    void name_neighbour(const PlanDraft &plan, std::uint64_t node) {
        if (plan.node) return;
        made_.dtn_neighbours[plan.name] = node;
        Json entry = Json::object();
        entry["nodeId"] = node;
        entry["endpoints"] = Json::array({"dtn://" + plan.name + "/**"});
        made_.node_endpoints.push_back(std::move(entry));
    }

    std::optional<Json> link_of(const PlanDraft &plan, const PlanDuct &duct,
                                const OutductDraft &outduct) {
        const auto scheme = scheme_of(duct.protocol);
        if (!scheme) {
            verdicts_.refused(outduct.command, no_layer(duct.protocol));
            verdicts_.refused(duct.command, no_layer(duct.protocol));
            return std::nullopt;
        }
        std::optional<Json> link;
        if (*scheme == "ltp") {
            link = engine_.outduct(number_of(plan, duct), duct);
        } else {
            const auto remote =
                host_port_of(duct.destination.empty() ? duct.name : duct.destination, kBundlePort);
            if (!remote) {
                verdicts_.refused(
                    duct.command,
                    "found the address " +
                        in_quotes(duct.destination.empty() ? duct.name : duct.destination) +
                        "; expected host:port");
                return std::nullopt;
            }
            link =
                Json{{"url", url_of(*scheme, *remote)}, {"nextHopNodeId", number_of(plan, duct)}};
            if (*scheme == "tcpclv3" && !plan.node)
                (*link)["peerNodeId"] = "dtn://" + plan.name + '/';
            add_rate(plan, *link);
        }
        if (link) limit_bundles(outduct, *link);
        return link;
    }

    /// ION's rate of a plan counts while no contact gives one.
    void add_rate(const PlanDraft &plan, Json &link) {
        if (plan.rate_bytes == 0) return;
        const NodeNumber node{link["nextHopNodeId"].get<std::uint64_t>()};
        if (has_contact(plan_, NodeNumber{self_}, node))
            verdicts_.noted(plan.command, "the rate of a contact applies instead");
        else
            link["rateLimitBitsPerSec"] = plan.rate_bytes * 8;
    }

    void limit_bundles(const OutductDraft &outduct, Json &link) {
        constexpr std::uint64_t kLongest = 4095ULL * 1024 * 1024;
        if (outduct.longest_payload == 0) return;
        if (outduct.longest_payload > kLongest)
            return verdicts_.noted(outduct.command, "a limit above 4095 MiB");
        link["fragmentBundlesLargerThanBytes"] = outduct.longest_payload;
        verdicts_.changed(outduct.command, "the limit is of the whole bundle, not of its payload");
    }

    void add_gateway(const PlanDraft &plan) {
        const auto next = gateway_node(*plan.gateway);
        if (!next) {
            verdicts_.refused(plan.gateway_command, "the gateway " + in_quotes(*plan.gateway) +
                                                        " is not a neighbour with an outduct");
            return;
        }
        if (plan.node == self_) return skip_own(plan);
        Json route;
        if (plan.node)
            route["destinationNodeId"] = *plan.node;
        else
            route["destination"] = "dtn://" + plan.name + "/**";
        route["nextHopNodeId"] = *next;
        made_.static_routes.push_back(std::move(route));
        const std::string text = "a static route by neighbour " + std::to_string(*next);
        verdicts_.mapped(plan.command, text);
        if (plan.gateway_command != plan.command) verdicts_.mapped(plan.gateway_command, text);
    }

    [[nodiscard]] std::optional<std::uint64_t> gateway_node(const std::string &id) const {
        std::optional<std::uint64_t> node = ipn_node_of(id);
        if (const auto name = dtn_name_of(id)) {
            const auto found = made_.dtn_neighbours.find(*name);
            if (found != made_.dtn_neighbours.end()) node = found->second;
        }
        return node && made_.neighbours.contains(*node) ? node : std::nullopt;
    }

    /// With a plan, farlink opens a link in its contacts only; ION sends to other neighbours
    /// always.
    void add_lasting_contacts() {
        if (plan_.contacts.empty()) return;
        const ContactPlan given = plan_;
        for (const Made &link : links_) {
            const NodeNumber from{self_};
            const NodeNumber to{link.node};
            if (has_contact(given, from, to)) continue;
            add_lasting_contact(plan_, from, to, BitRate{link.rate_bytes * 8});
            verdicts_.changed(link.command,
                              "the plan has no contact with it; a contact without end is added");
        }
    }

    NodeDraft &draft_;
    ContactPlan &plan_;
    CommandVerdicts &verdicts_;
    const std::uint64_t self_;
    LtpEngineDraft engine_;
    ImportedLinks made_;
    std::vector<Made> links_;
    std::map<std::string, std::uint64_t> outduct_nodes_;
    std::uint64_t made_up_ = 0;
};

}  // namespace

ImportedLinks assemble_links(NodeDraft &draft, ContactPlan &plan, CommandVerdicts &verdicts) {
    return LinkAssembly(draft, plan, verdicts).run();
}

}  // namespace farlink::config
