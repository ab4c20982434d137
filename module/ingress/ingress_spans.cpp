// SPDX-License-Identifier: Apache-2.0
// Outducts that leave by the port of an LTP induct: neighbours of that induct, to which it sends
// first. Those of the configuration file, and those that come and go while the node runs.
#include <algorithm>

#include "cla/factory/link_factory.hpp"
#include "common/config/link/link_from_json.hpp"
#include "common/config/link/links_together.hpp"
#include "module/ingress/ingress_agent.hpp"

namespace farlink::ingress {

// What is wrong with it; empty: it has been done.
std::string IngressAgent::change_span(const bus::LinkChange &change) {
    if (!opened_ || stopping_) return "the node is starting or stopping";
    const bool there = spans_.contains(change.link);
    const std::string name = "outduct " + std::to_string(change.link.value());
    if (there && change.verb == bus::LinkVerb::kAdd) return name + " is there already";
    if (!there && change.verb != bus::LinkVerb::kAdd) return "there is no " + name;
    if (change.verb == bus::LinkVerb::kRemove)
        return remove_span(change.link) ? "" : "the induct cannot let go of it";
    auto config =
        config::outduct_from_json(as_text(change.config), {config_.node, config_.buffer_bytes, {}});
    if (!config) return config.error().to_string();
    if (auto fault = cla::check_link(*config)) return std::move(*fault);
    if (!there) return add_span(change.link, *config);
    const Span before = spans_.at(change.link);
    if (!remove_span(change.link)) return "the induct cannot let go of it";
    std::string error = add_span(change.link, *config);
    if (!error.empty() && set_spans(*inducts_.at(before.induct), nullptr, &before))
        spans_[change.link] = before;
    return error;
}

std::string IngressAgent::add_span(LinkId link, const config::OutductConfig &outduct) {
    for (const auto &[id, hosted] : inducts_) {
        config::InductConfig listening = hosted->config;
        listening.url.port = hosted->induct->port();
        if (!config::leaves_by(outduct, listening)) continue;
        Span span{id, config::as_neighbour(outduct)};
        if (!set_spans(*hosted, nullptr, &span)) return "the induct does not take it; see the log";
        spans_[link] = std::move(span);
        return {};
    }
    return "no LTP induct has the port " + std::to_string(outduct.ltp.sender_bound_port);
}

bool IngressAgent::remove_span(LinkId link) {
    const Span span = spans_.at(link);
    const auto hosted = inducts_.find(span.induct);
    if (hosted != inducts_.end() && !set_spans(*hosted->second, &span, nullptr)) return false;
    spans_.erase(link);
    return true;
}

// The inducts have been opened with them.
void IngressAgent::note_configured_spans() {
    for (const config::OutductConfig &outduct : config_.spans)
        for (const auto &[id, hosted] : inducts_)
            if (config::leaves_by(outduct, hosted->config))
                spans_[outduct.id] = {id, config::as_neighbour(outduct)};
}

/// Those of the configuration that are not there; an induct that was opened anew has them.
void IngressAgent::restore_spans() {
    for (const config::OutductConfig &outduct : config_.spans) {
        if (spans_.contains(outduct.id)) continue;
        const config::NeighbourAddress neighbour = config::as_neighbour(outduct);
        const auto is_it = [&](const config::NeighbourAddress &entry) {
            return entry.node == neighbour.node && entry.address == neighbour.address;
        };
        const auto has_it = [&](const auto &each) {
            return std::ranges::any_of(each.second->config.neighbours, is_it);
        };
        if (const auto found = std::ranges::find_if(inducts_, has_it); found != inducts_.end())
            spans_[outduct.id] = {found->first, neighbour};
        else if (placement_.instance_of(outduct.id) == bus::instance_of(loop_.self()))
            if (const std::string error = add_span(outduct.id, outduct); !error.empty())
                log_.error("outduct {} is not what the configuration says: {}", outduct.id.value(),
                           error);
    }
}

// What leads there is asked before what only may come from there, as in a configuration file.
bool IngressAgent::set_spans(HostedInduct &hosted, const Span *without, const Span *more) {
    config::InductConfig config = hosted.config;
    if (without != nullptr) {
        const auto gone = std::ranges::find_if(config.neighbours, [&](const auto &entry) {
            return entry.node == without->neighbour.node &&
                   entry.address == without->neighbour.address;
        });
        if (gone != config.neighbours.end()) config.neighbours.erase(gone);
    }
    if (more != nullptr) config.neighbours.insert(config.neighbours.begin(), more->neighbour);
    // A neighbour may answer at once, and is then looked for here.
    std::swap(hosted.config, config);
    if (hosted.induct->set_neighbours(hosted.config)) return true;
    std::swap(hosted.config, config);
    return false;
}

/// An induct that is changed keeps them.
void IngressAgent::take_spans_along(config::InductConfig &config) const {
    for (const auto &[link, span] : spans_)
        if (span.induct == config.id)
            config.neighbours.insert(config.neighbours.begin(), span.neighbour);
}

}  // namespace farlink::ingress
