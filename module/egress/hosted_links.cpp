// SPDX-License-Identifier: Apache-2.0
#include "module/egress/hosted_links.hpp"

#include <algorithm>

#include "cla/factory/link_factory.hpp"
#include "common/config/fields/link_url.hpp"
#include "common/config/link/link_from_json.hpp"
#include "common/config/node/link_placement.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::egress {

std::vector<config::OutductConfig> outducts_of(const config::NodeConfig &config,
                                               std::size_t instance) {
    const config::LinkPlacement placement(config);
    std::vector<config::OutductConfig> own;
    for (const config::OutductConfig &outduct : config.outducts)
        if (placement.instance_of(outduct.id) == instance) own.push_back(outduct);
    return own;
}

HostedLinks::HostedLinks(const config::NodeConfig &config, std::size_t instance,
                         const cla::LinkResources &resources, EgressCore &core,
                         LinkReports &reports, std::function<void(bus::Outgoing)> send)
    : config_(config),
      instance_(instance),
      resources_(resources),
      core_(core),
      reports_(reports),
      send_(std::move(send)) {
    for (const config::OutductConfig &outduct : outducts_of(config, instance)) make(outduct);
}

void HostedLinks::make(const config::OutductConfig &config) {
    HostedLink &link = links_[config.id];
    link.outduct = cla::make_outduct(resources_, config, entropy_seed());
    link.relayed = nullptr;
    link.neighbour = config.next_hop;
    link.name = config.url.scheme + "://" + config::authority_of(config.url);
    link.state = cla::LinkState::kClosed;
}

void HostedLinks::add(const config::OutductConfig &config) {
    make(config);
    core_.add_link(config.id, config.next_hop, traits_of(config));
    send_({bus::AgentId::kScheduler, false,
           bus::LinkStatus{.link = config.id,
                           .neighbour = config.next_hop,
                           .cuts_to_contact = config.fragment && config.fragment_to_contact}});
    reports_.publish_state(config.id, links_.at(config.id));
}

std::string HostedLinks::change(const bus::LinkChange &change) {
    const HostedLink *link = find(change.link);
    const std::string name = "outduct " + std::to_string(change.link.value());
    if (link != nullptr && link->relayed != nullptr)
        return name + " is a session that the neighbour has opened";
    const bool there = link != nullptr && (!link->leaving || link->successor);
    if (there && change.verb == bus::LinkVerb::kAdd) return name + " already exists";
    if (!there && change.verb != bus::LinkVerb::kAdd) return "there is no " + name;
    std::optional<config::OutductConfig> successor;
    if (change.verb != bus::LinkVerb::kRemove) {
        auto config = config::outduct_from_json(as_text(change.config),
                                                {config_.node, config_.buffer_bytes, {}});
        if (!config) return config.error().to_string();
        if (auto fault = cla::check_link(*config)) return std::move(*fault);
        config->id = change.link;
        successor = std::move(*config);
    }
    changed_.insert(change.link);
    replace(change.link, std::move(successor));
    return {};
}

void HostedLinks::restore() {
    const std::vector<config::OutductConfig> configured = outducts_of(config_, instance_);
    for (const LinkId link : std::exchange(changed_, {})) {
        const auto before = std::ranges::find(configured, link, &config::OutductConfig::id);
        replace(link, before == configured.end() ? std::nullopt : std::optional(*before));
    }
}

void HostedLinks::replace(LinkId id, std::optional<config::OutductConfig> successor) {
    HostedLink *link = find(id);
    if (link != nullptr) {
        link->successor = std::move(successor);
        leave(id, *link);
    } else if (successor) {
        add(*successor);
    }
}

void HostedLinks::leave(LinkId id, HostedLink &link) {
    if (std::exchange(link.leaving, true)) return;
    core_.remove_link(id);
    // The scheduler gets the end of the old link before the new one.
    while (auto outgoing = core_.poll_message()) send_(std::move(*outgoing));
    if (link.state == cla::LinkState::kClosed) remove(id);
}

void HostedLinks::handle_closed(LinkId id) {
    if (const HostedLink *link = find(id); link != nullptr && link->leaving) remove(id);
}

// The link has closed, and its bundles are back with their owners. This may be one of its reports,
// so it is destroyed later.
void HostedLinks::remove(LinkId id) {
    const auto found = links_.find(id);
    const std::optional<config::OutductConfig> successor = std::move(found->second.successor);
    removed_.push_back(std::move(found->second.outduct));
    links_.erase(found);
    if (successor) return add(*successor);
    core_.links().forget_counts(id);
    reports_.publish_removed(id);
}

/// No outduct to the neighbour forbids it: what joins no fragments does not do so in a session that
/// it has opened either.
bool HostedLinks::may_cut_for(NodeNumber neighbour) const {
    const auto forbids = [neighbour](const config::OutductConfig &outduct) {
        return outduct.next_hop == neighbour && !outduct.fragment;
    };
    const auto forbids_now = [neighbour](const EgressLink &link) {
        return link.neighbour == neighbour && !link.removed && !link.fragment;
    };
    return std::ranges::none_of(config_.outducts, forbids) &&
           std::ranges::none_of(core_.links().all(), forbids_now);
}

/// An outduct to the neighbour requires it. Outducts of other instances are as configured.
bool HostedLinks::cuts_to_contact_of(NodeNumber neighbour) const {
    const auto elsewhere = [&](const config::OutductConfig &outduct) {
        return outduct.next_hop == neighbour && outduct.fragment_to_contact &&
               core_.links().find(outduct.id) == nullptr;
    };
    const auto here = [neighbour](const EgressLink &link) {
        return link.neighbour == neighbour && !link.removed && link.fragment_to_contact;
    };
    return std::ranges::any_of(config_.outducts, elsewhere) ||
           std::ranges::any_of(core_.links().all(), here);
}

RelayedOutduct &HostedLinks::relayed(const bus::SessionChange &change, SlabPool &pool,
                                     BatchPool &batches) {
    const OutductTraits traits{.node_id = as_text(change.node_id),
                               .needs_answers = true,
                               .fragment = may_cut_for(change.neighbour),
                               .fragment_to_contact = cuts_to_contact_of(change.neighbour)};
    HostedLink &link = links_[change.link];
    if (link.outduct == nullptr) {
        auto relayed = std::make_unique<RelayedOutduct>(
            change.link, resources_.host, pool, batches, [this](bus::Message message) {
                send_({bus::AgentId::kIngress, false, std::move(message)});
            });
        link.relayed = relayed.get();
        link.outduct = std::move(relayed);
        // Opened by the neighbour, or of an outduct that leaves by the port of an LTP induct.
        link.name = "a session at an induct of this node";
        link.neighbour = change.neighbour;
        core_.add_link(change.link, change.neighbour, traits);
    }
    FARLINK_INVARIANT(link.relayed != nullptr);
    if (std::exchange(link.neighbour, change.neighbour) != change.neighbour) {
        // A restarted ingress has given the number to another neighbour.
        core_.remove_link(change.link);
        core_.add_link(change.link, change.neighbour, traits);
    }
    return *link.relayed;
}

HostedLink *HostedLinks::find(LinkId id) {
    const auto found = links_.find(id);
    return found == links_.end() ? nullptr : &found->second;
}

bool HostedLinks::all_closed() const {
    return std::ranges::all_of(
        links_, [](const auto &link) { return link.second.state == cla::LinkState::kClosed; });
}

}  // namespace farlink::egress
