// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/link_overrides.hpp"

#include <algorithm>
#include <list>
#include <type_traits>
#include <utility>

#include "common/config/fields/link_url.hpp"
#include "common/config/link/link_from_json.hpp"
#include "common/config/link/links_together.hpp"

namespace farlink::control {
namespace {

using config::ConfigError;
using config::ConfigErrors;

/// The key of the link in a request.
constexpr const char *kPath = "config";

std::string named(LinkId link) {
    return "link " + std::to_string(link.value());
}

/// The induct with the port on which it listens.
config::InductConfig listening(const BookedLink &link) {
    config::InductConfig induct = std::get<config::InductConfig>(link.config);
    if (link.port != 0) induct.url.port = link.port;
    return induct;
}

/// Errors with their path in the request, under `config`.
ConfigErrors moved(ConfigErrors errors) {
    for (ConfigError &error : errors.errors)
        error.path = error.path.empty() ? kPath : config::member_path(kPath, error.path);
    return errors;
}

}  // namespace

const config::LinkOptions &BookedLink::options() const {
    return std::visit([](const auto &link) -> const config::LinkOptions & { return link; }, config);
}

nlohmann::ordered_json BookedLink::to_json() const {
    const config::LinkUrl &url = options().url;
    const bool known = !outduct() && port != 0;
    nlohmann::ordered_json shown{{"link", id.value()},
                                 {"direction", outduct() ? "outduct" : "induct"},
                                 {"url", config::to_string(config::LinkUrl{
                                             url.scheme, url.host, known ? port : url.port, {}})},
                                 {"configured", !by_command}};
    if (outduct()) shown["neighbour"] = std::get<config::OutductConfig>(config).next_hop.value();
    if (carrier != kNoLink) shown["carrier"] = carrier.value();
    return shown;
}

LinkOverrides::LinkOverrides(const config::NodeConfig &config)
    : config_(config), placement_(config) {
    for (const config::InductConfig &induct : config.inducts)
        configured_[induct.id] = {induct.id, induct, {}, 0};
    for (const config::OutductConfig &outduct : config.outducts)
        configured_[outduct.id] = {outduct.id, outduct, {}, 0};
    links_ = configured_;
    for (const config::OutductConfig &span : config.spans) {
        BookedLink link{.id = span.id, .config = span, .json = {}, .port = 0};
        link.carrier = carrier_of(span);
        links_[span.id] = std::move(link);
    }
    take_out_spans();
    configured_ = links_;
    for (const auto &[id, link] : links_) used_.insert(id);
}

const BookedLink *LinkOverrides::find(LinkId link) const {
    const auto found = links_.find(link);
    return found == links_.end() ? nullptr : &found->second;
}

std::string LinkOverrides::not_free(LinkId number, bool outduct) const {
    const std::string name = named(number);
    if (number.value() >= config::kFirstOpenedLink)
        return "numbers from " + std::to_string(config::kFirstOpenedLink) +
               " on are reserved for sessions opened by neighbours; leave `link` out for a free "
               "number";
    if (find(number) != nullptr) return name + " already exists; change it with `link change`";
    const auto before = configured_.find(number);
    if (before == configured_.end() || before->second.outduct() == outduct) return {};
    return name + (outduct ? " is an induct" : " is an outduct") +
           " in the configuration file; it can be added only as such";
}

LinkId LinkOverrides::free_number(std::uint32_t instance) const {
    auto number = static_cast<std::uint32_t>(configured_.size());
    while (used_.contains(LinkId{number}) ||
           (instance != 0 && placement_.instance_of(LinkId{number}) != instance - 1))
        ++number;
    return LinkId{number};
}

void LinkOverrides::check_instance(const config::LinkOptions &options, LinkId number,
                                   std::vector<ConfigError> &errors) const {
    if (options.instance == 0) return;
    const std::string found = "found " + std::to_string(options.instance);
    if (options.instance > placement_.instances())
        errors.push_back(
            {"instance",
             found,
             "1 to " + std::to_string(placement_.instances()) + ", the number in threads.instances",
             {}});
    else if (number != kNoLink && placement_.instance_of(number) != options.instance - 1)
        errors.push_back({"instance", found,
                          std::to_string(placement_.instance_of(number) + 1) +
                              ", to which the number " + std::to_string(number.value()) +
                              " belongs",
                          "leave it out, or add the link without a number"});
}

Result<BookedLink, ConfigErrors> LinkOverrides::read(
    const std::string &json, bool outduct, LinkId number,
    const std::vector<const BookedLink *> &coming) {
    const config::LinkContext context{config_.node, config_.buffer_bytes, {}};
    config::OtherLinks others;
    others.may_share = outduct;
    others.node = config_.node;
    std::list<config::InductConfig> inducts;  // with the ports on which they listen
    const auto add = [&](const BookedLink &link) {
        if (link.outduct())
            return others.outducts.push_back(
                {named(link.id), &std::get<config::OutductConfig>(link.config)});
        inducts.push_back(listening(link));
        others.inducts.push_back({named(link.id), &inducts.back()});
    };
    for (const auto &[id, link] : links_)
        if (id != number && std::ranges::find(coming, id, &BookedLink::id) == coming.end())
            add(link);
    for (const BookedLink *link : coming)
        if (link->id != number) add(*link);

    BookedLink link{.id = number, .config = {}, .json = json, .port = 0};
    ConfigErrors errors;
    const auto take = [&](auto read) {
        if (!read) {
            errors = std::move(read.error());
            return;
        }
        check_among(*read, others, "", errors.errors);
        std::uint32_t instance = read->instance;
        if constexpr (std::is_same_v<decltype(*read), config::OutductConfig &>) {
            // One module has both ends of the port.
            link.carrier = carrier_of(*read);
            if (link.carrier != kNoLink && placement_.instances() > 1)
                read->instance = instance =
                    static_cast<std::uint32_t>(placement_.instance_of(link.carrier)) + 1;
        }
        check_instance(*read, number, errors.errors);
        if (number == kNoLink && errors.empty()) link.id = free_number(instance);
        read->id = link.id;
        link.config = std::move(*read);
    };
    if (outduct)
        take(config::outduct_from_json(json, context));
    else
        take(config::induct_from_json(json, context));
    if (!errors.empty()) return fail(moved(std::move(errors)));
    used_.insert(link.id);
    return link;
}

LinkId LinkOverrides::carrier_of(const config::OutductConfig &outduct) const {
    for (const auto &[id, link] : links_)
        if (!link.outduct() && config::leaves_by(outduct, listening(link))) return id;
    return kNoLink;
}

std::vector<LinkId> LinkOverrides::carried_by(LinkId induct) const {
    std::vector<LinkId> carried;
    for (const auto &[id, link] : links_)
        if (link.carrier == induct && induct != kNoLink) carried.push_back(id);
    return carried;
}

void LinkOverrides::put(BookedLink link) {
    links_[link.id] = std::move(link);
}

/// They are neighbours of their inducts there, and links by themselves here.
void LinkOverrides::take_out_spans() {
    for (const config::OutductConfig &span : config_.spans) {
        const config::NeighbourAddress neighbour = config::as_neighbour(span);
        auto &induct = std::get<config::InductConfig>(links_.at(links_.at(span.id).carrier).config);
        const auto found = std::ranges::find_if(induct.neighbours, [&](const auto &entry) {
            return entry.node == neighbour.node && entry.address == neighbour.address;
        });
        if (found != induct.neighbours.end()) induct.neighbours.erase(found);
    }
}

const BookedLink *LinkOverrides::configured(LinkId link) const {
    const auto found = configured_.find(link);
    return found == configured_.end() ? nullptr : &found->second;
}

std::string LinkOverrides::goes_over(const BookedLink &link) const {
    const BookedLink *before = configured(link.id);
    if (before == nullptr || (before->carrier == kNoLink) == (link.carrier == kNoLink)) return {};
    return named(link.id) +
           (link.carrier == kNoLink ? " uses the port of an induct" : " uses its own port") +
           " in the configuration file; it can be added only as such";
}

void LinkOverrides::restore(LinkId link) {
    remove(link);
    if (const auto before = configured_.find(link); before != configured_.end())
        links_[link] = before->second;
}

void LinkOverrides::set_port(LinkId link, std::uint16_t port) {
    if (const auto found = links_.find(link); found != links_.end() && !found->second.outduct())
        found->second.port = port;
}

std::vector<bus::LinkChange> LinkOverrides::differences(bus::AgentId module) const {
    return differences_of([&](const BookedLink &link) {
        const bool by_egress = link.outduct() && link.carrier == kNoLink;
        return (by_egress ? bus::is_egress(module) : bus::is_ingress(module)) &&
               placement_.instance_of(link.id) == bus::instance_of(module);
    });
}

std::vector<bus::LinkChange> LinkOverrides::differences() const {
    return differences_of([](const BookedLink &) { return true; });
}

template <class Chosen>
std::vector<bus::LinkChange> LinkOverrides::differences_of(const Chosen &is_its_own) const {
    std::vector<bus::LinkChange> changes;
    // What is gone makes room for what has come. What leaves by the port of an induct goes before
    // that and comes behind it, whatever their numbers.
    for (const bool carried : {true, false})
        for (const auto &[id, link] : configured_)
            if (!links_.contains(id) && is_its_own(link) && (link.carrier != kNoLink) == carried)
                changes.push_back({bus::LinkVerb::kRemove, id, link.outduct(), {}});
    for (const bool carried : {false, true})
        for (const auto &[id, link] : links_) {
            if (link.json.empty() || !is_its_own(link) || (link.carrier != kNoLink) != carried)
                continue;
            const bus::LinkVerb verb =
                configured_.contains(id) ? bus::LinkVerb::kChange : bus::LinkVerb::kAdd;
            changes.push_back({verb, id, link.outduct(), {link.json.begin(), link.json.end()}});
        }
    return changes;
}

}  // namespace farlink::control
