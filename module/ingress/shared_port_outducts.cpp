// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/shared_port_outducts.hpp"

#include <algorithm>
#include <utility>

#include "cla/factory/link_factory.hpp"
#include "common/config/link/link_from_json.hpp"
#include "common/config/link/links_together.hpp"

namespace farlink::ingress {
namespace {

constexpr std::string_view kNotRemoved = "the induct cannot remove the neighbour";

}  // namespace

std::string SharedPortOutducts::change(const bus::LinkChange &change) {
    const bool there = outducts_.contains(change.link);
    const std::string name = "outduct " + std::to_string(change.link.value());
    if (there && change.verb == bus::LinkVerb::kAdd) return name + " already exists";
    if (!there && change.verb != bus::LinkVerb::kAdd) return "there is no " + name;
    if (change.verb == bus::LinkVerb::kRemove)
        return std::string(remove(change.link) ? std::string_view{} : kNotRemoved);
    auto config =
        config::outduct_from_json(as_text(change.config), {config_.node, config_.buffer_bytes, {}});
    if (!config) return config.error().to_string();
    if (auto fault = cla::check_link(*config)) return std::move(*fault);
    if (!there) return add(change.link, *config);
    const SharedPort before = outducts_.at(change.link);
    if (!remove(change.link)) return std::string(kNotRemoved);
    std::string error = add(change.link, *config);
    if (!error.empty() && set_neighbours(*inducts_.at(before.induct), nullptr, &before))
        outducts_[change.link] = before;
    return error;
}

std::string SharedPortOutducts::add(LinkId link, const config::OutductConfig &outduct) {
    for (const auto &[id, hosted] : inducts_) {
        config::InductConfig listening = hosted->config;
        listening.url.port = hosted->induct->port();
        if (!config::leaves_by(outduct, listening)) continue;
        SharedPort fresh{id, config::as_neighbour(outduct)};
        if (!set_neighbours(*hosted, nullptr, &fresh)) {
            const std::string why = hosted->induct->failure();
            return "the LTP induct with this port rejected the outduct" +
                   (why.empty() ? "; see the log" : ": " + why);
        }
        outducts_[link] = std::move(fresh);
        return {};
    }
    return "no LTP induct has the port " + std::to_string(outduct.ltp.sender_bound_port);
}

bool SharedPortOutducts::remove(LinkId link) {
    const SharedPort removed = outducts_.at(link);
    const auto hosted = inducts_.find(removed.induct);
    if (hosted != inducts_.end() && !set_neighbours(*hosted->second, &removed, nullptr))
        return false;
    outducts_.erase(link);
    return true;
}

void SharedPortOutducts::note_configured() {
    for (const config::OutductConfig &outduct : config_.spans)
        for (const auto &[id, hosted] : inducts_)
            if (config::leaves_by(outduct, hosted->config))
                outducts_[outduct.id] = {id, config::as_neighbour(outduct)};
}

std::vector<LinkId> SharedPortOutducts::remove_changed(const std::set<LinkId> &changed) {
    std::vector<LinkId> removed;
    for (const LinkId link : changed) {
        if (!outducts_.contains(link)) continue;
        removed.push_back(link);
        if (!remove(link)) outducts_.erase(link);
    }
    return removed;
}

void SharedPortOutducts::restore_configured(const std::function<bool(LinkId)> &here, Logger &log) {
    for (const config::OutductConfig &outduct : config_.spans) {
        if (outducts_.contains(outduct.id)) continue;
        const config::NeighbourAddress neighbour = config::as_neighbour(outduct);
        const auto is_neighbour = [&](const config::NeighbourAddress &entry) {
            return entry.node == neighbour.node && entry.address == neighbour.address;
        };
        const auto found = std::ranges::find_if(inducts_, [&](const auto &each) {
            return std::ranges::any_of(each.second->config.neighbours, is_neighbour);
        });
        if (found != inducts_.end()) {
            outducts_[outduct.id] = {found->first, neighbour};
        } else if (here(outduct.id)) {
            if (const std::string error = add(outduct.id, outduct); !error.empty())
                log.error("link {}: cannot restore the configured outduct: {}", outduct.id.value(),
                          error);
        }
    }
}

void SharedPortOutducts::handle_induct_removed(LinkId induct) {
    std::erase_if(outducts_, [&](const auto &entry) { return entry.second.induct == induct; });
}

// They come before the induct's own neighbours, as in a configuration file.
bool SharedPortOutducts::set_neighbours(HostedInduct &hosted, const SharedPort *without,
                                        const SharedPort *more) {
    config::InductConfig config = hosted.config;
    if (without != nullptr) {
        const auto gone = std::ranges::find_if(config.neighbours, [&](const auto &entry) {
            return entry.node == without->neighbour.node &&
                   entry.address == without->neighbour.address;
        });
        if (gone != config.neighbours.end()) config.neighbours.erase(gone);
    }
    if (more != nullptr) config.neighbours.insert(config.neighbours.begin(), more->neighbour);
    // A neighbour may answer at once, and is then looked up in hosted.config.
    std::swap(hosted.config, config);
    if (hosted.induct->set_neighbours(hosted.config)) return true;
    std::swap(hosted.config, config);
    return false;
}

void SharedPortOutducts::add_to(config::InductConfig &config) const {
    for (const auto &[link, shared] : outducts_)
        if (shared.induct == config.id)
            config.neighbours.insert(config.neighbours.begin(), shared.neighbour);
}

}  // namespace farlink::ingress
