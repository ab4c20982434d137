// SPDX-License-Identifier: Apache-2.0
#include "module/control/link_commands.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/plan/contact_fields.hpp"
#include "module/control/core/replies.hpp"

namespace farlink::app {
namespace {

using Json = LinkCommands::Json;

constexpr const char *kStillOpen =
    "the module does not answer; what was asked may still happen: look at the links again";
constexpr const char *kNotReady = "the module of the link is not ready; try again";
constexpr const char *kRefused = "the link is refused, nothing has changed";
/// A link that was added, changed or removed is so for the node that runs.
constexpr const char *kLasts = "untilTheNodeEnds";

/// The number of a link; empty: there is none.
std::optional<LinkId> number_of(const Json &request) {
    const auto number = request.find("link");
    if (number == request.end() || !number->is_number_unsigned()) return std::nullopt;
    const auto value = number->get<std::uint64_t>();
    return value < kNoLink.value() ? LinkId{static_cast<std::uint32_t>(value)} : kNoLink;
}

Json no_number() {
    return error_reply(Refusal::kMalformed,
                       "`link` is missing: the number of a link, as `status` lists them");
}

Json no_link(LinkId link, const char *kind) {
    return error_reply(Refusal::kNotFound, "no link " + std::to_string(link.value()) + kind +
                                               "; `status` lists those that there are");
}

/// The configuration as text, and as JSON again when it is an object.
Result<std::string, Json> config_of(const Json &request) {
    const auto config = request.find("config");
    if (config != request.end() && config->is_object()) return config->dump();
    return fail(error_reply(Refusal::kMalformed,
                            "`config` is missing: the link as an object, like an entry of "
                            "inductsConfig or outductsConfig in the configuration file"));
}

/// A number of the request; nothing where the plan's is to hold; or what is wrong.
Result<std::optional<double>, Json> given(const Json &request, const char *key, std::uint64_t most,
                                          const char *expected) {
    const auto value = request.find(key);
    if (value == request.end() || value->is_null()) return std::nullopt;
    if (value->is_number() && value->get<double>() >= 0 &&
        value->get<double>() <= static_cast<double>(most))
        return value->get<double>();
    return fail(error_reply(Refusal::kInvalid, '`' + std::string(key) + "`: expected " + expected +
                                                   ", from 0 to " + std::to_string(most) +
                                                   ", or null for what the contact plan says"));
}

Json done(const BookedLink &link) {
    return {{"ok", true}, {"link", link.to_json()}, {"lasts", kLasts}};
}

const char *in_words(bus::LinkVerb verb) {
    switch (verb) {
        case bus::LinkVerb::kAdd:
            return "added";
        case bus::LinkVerb::kChange:
            return "changed";
        case bus::LinkVerb::kRemove:
            return "removed";
    }
    return "";
}

}  // namespace

LinkCommands::LinkCommands(boost::asio::io_context &io, const config::NodeConfig &config,
                           PendingRequests &requests, Duration patience)
    : io_(io), requests_(requests), overrides_(config), placement_(config), patience_(patience) {}

// ---- what the scheduler does
// ---------------------------------------------------------------------

void LinkCommands::enable(const Json &request, const Caller &caller, const Answer &answer) {
    const auto link = number_of(request);
    if (!link) return answer(no_number());
    const bool enabled = request["command"] == "link up";
    order(bus::LinkAdmin{*link, enabled}, answer, enabled ? "is taken up" : "is taken down",
          caller);
}

void LinkCommands::set(const Json &request, const Caller &caller, const Answer &answer) {
    const auto link = number_of(request);
    if (!link) return answer(no_number());
    const auto rate = given(request, "rateBitsPerSec", config::kHighestRateBitsPerSecond,
                            "bits per second, 0 for unlimited");
    if (!rate) return answer(rate.error());
    if (*rate && !request["rateBitsPerSec"].is_number_unsigned())
        return answer(error_reply(Refusal::kInvalid,
                                  "`rateBitsPerSec`: expected a whole number of bits per second"));
    const auto owlt =
        given(request, "owlt", config::kMaxOwltSeconds, "seconds of light time one way");
    if (!owlt) return answer(owlt.error());
    bus::LinkOverride override{.link = *link,
                               .rate_given = rate->has_value(),
                               .rate = {},
                               .owlt_given = owlt->has_value(),
                               .owlt = {}};
    if (*rate) override.rate = BitRate{request["rateBitsPerSec"].get<std::uint64_t>()};
    if (*owlt)
        override.owlt = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(**owlt));
    std::string what = *rate || *owlt ? "is given" : "is given back to the plan";
    if (*rate) what += " a rate of " + std::to_string(override.rate.value()) + " bit/s";
    if (*rate && *owlt) what += " and";
    if (*owlt) what += " a light time of " + request["owlt"].dump() + " s";
    order(override, answer, what, caller);
}

// The link is looked for first, and told as it is then.
template <class Order>
void LinkCommands::order(const Order &order, const Answer &answer, const std::string &what,
                         const Caller &caller) {
    requests_.ask_links([=, this](const auto &links) {
        if (!links) return answer(error_reply(Refusal::kUnavailable, kNoAnswer));
        const LinkId link = order.link;
        if (std::ranges::find(links->links, link, &bus::LinkEntry::link) == links->links.end())
            return answer(no_link(link, " to a neighbour"));
        log_.info("link {} {} by {}", link.value(), what, caller.name);
        requests_.send(bus::AgentId::kScheduler, order);
        requests_.ask_links([=](const auto &after) {
            if (!after) return answer(error_reply(Refusal::kUnavailable, kNoAnswer));
            const auto now = std::ranges::find(after->links, link, &bus::LinkEntry::link);
            if (now == after->links.end())
                return answer(error_reply(Refusal::kNotFound, "the link has gone meanwhile"));
            answer({{"ok", true}, {"link", link_json(*now)}});
        });
    });
}

// ---- links that come and go
// ----------------------------------------------------------------------

void LinkCommands::add(const Json &request, const Caller &caller, const Answer &answer) {
    const auto direction = request.find("direction");
    if (direction == request.end() || (*direction != "induct" && *direction != "outduct"))
        return answer(
            error_reply(Refusal::kMalformed, "`direction` is neither \"induct\" nor \"outduct\""));
    const bool outduct = *direction == "outduct";
    LinkId number = kNoLink;
    if (const auto wanted = request.find("link"); wanted != request.end() && !wanted->is_null()) {
        if (!wanted->is_number_unsigned())
            return answer(error_reply(Refusal::kMalformed,
                                      "`link`: expected the number that the link is to have, or "
                                      "nothing for a free one"));
        number = *number_of(request);
        const std::string why = overrides_.not_free(number, outduct);
        if (!why.empty()) return answer(error_reply(Refusal::kConflict, why));
        if (busy(number, answer)) return;
    }
    const auto config = config_of(request);
    if (!config) return answer(config.error());
    auto link = overrides_.read(*config, outduct, number, coming());
    if (!link) return answer(error_reply(link.error(), kRefused));
    if (const std::string why = overrides_.goes_over(*link); !why.empty())
        return answer(error_reply(Refusal::kConflict, why));
    begin(bus::LinkVerb::kAdd, std::move(*link), caller, answer);
}

void LinkCommands::change(const Json &request, const Caller &caller, const Answer &answer) {
    const BookedLink *known = find(request, answer);
    if (known == nullptr) return;
    const auto config = config_of(request);
    if (!config) return answer(config.error());
    auto link = overrides_.read(*config, known->outduct(), known->id, coming());
    if (!link) return answer(error_reply(link.error(), kRefused));
    if (link->carrier != known->carrier)
        return answer(error_reply(Refusal::kConflict,
                                  "an outduct with `ltpSenderBoundPort` cannot go over to another "
                                  "port; remove it, and add it anew"));
    begin(bus::LinkVerb::kChange, std::move(*link), caller, answer);
}

void LinkCommands::remove(const Json &request, const Caller &caller, const Answer &answer) {
    const BookedLink *known = find(request, answer);
    if (known == nullptr) return;
    if (const auto carried = overrides_.carried_by(known->id); !carried.empty())
        return answer(
            error_reply(Refusal::kConflict, "link " + std::to_string(carried.front().value()) +
                                                " leaves by its port; remove that first"));
    begin(bus::LinkVerb::kRemove, *known, caller, answer);
}

const BookedLink *LinkCommands::find(const Json &request, const Answer &answer) const {
    const auto number = number_of(request);
    if (!number) {
        answer(no_number());
        return nullptr;
    }
    const BookedLink *known = overrides_.find(*number);
    if (known == nullptr) {
        const bool opened = number->value() >= config::kFirstOpenedLink && *number != kNoLink;
        answer(opened ? error_reply(Refusal::kConflict,
                                    "link " + std::to_string(number->value()) +
                                        " is a session that the neighbour has opened; `link down` "
                                        "keeps bundles off it")
                      : no_link(*number, ""));
        return nullptr;
    }
    return busy(*number, answer) ? nullptr : known;
}

bool LinkCommands::busy(LinkId link, const Answer &answer) const {
    if (!pending_.contains(link)) return false;
    answer(error_reply(Refusal::kConflict, "link " + std::to_string(link.value()) +
                                               " is being changed already; try again"));
    return true;
}

std::vector<const BookedLink *> LinkCommands::coming() const {
    std::vector<const BookedLink *> links;
    for (const auto &[id, pending] : pending_)
        if (pending.verb != bus::LinkVerb::kRemove) links.push_back(&pending.link);
    return links;
}

void LinkCommands::begin(bus::LinkVerb verb, BookedLink link, const Caller &caller,
                         const Answer &answer) {
    // What it is told before it says that it is ready, it may have heard or not.
    if (!ready_.contains(module_of(link)))
        return answer(error_reply(Refusal::kUnavailable, kNotReady));
    log_.info("link {} is to be {}, by {}", link.id.value(), in_words(verb), caller.name);
    bus::LinkChange change{verb, link.id, link.outduct(), {}};
    if (verb != bus::LinkVerb::kRemove) change.config.assign(link.json.begin(), link.json.end());
    send(std::move(change), std::move(link), answer, false);
}

void LinkCommands::send(bus::LinkChange change, BookedLink link, const Answer &answer, bool again) {
    const LinkId id = change.link;
    const bool by_egress = change.outduct && link.carrier == kNoLink;
    const auto to = by_egress ? bus::AgentId::kEgress : bus::AgentId::kIngress;
    Pending &pending = pending_
                           .emplace(id, Pending{change.verb, std::move(link), answer, again,
                                                boost::asio::steady_timer(io_, patience_)})
                           .first->second;
    pending.patience.async_wait([this, id](const boost::system::error_code &error) {
        if (!error) give_up(id);
    });
    requests_.send(to, std::move(change));
}

// The answer may come yet, and then it counts.
void LinkCommands::give_up(LinkId link) {
    const auto found = pending_.find(link);
    if (found == pending_.end()) return;
    if (const Answer answer = std::exchange(found->second.answer, nullptr))
        answer(error_reply(Refusal::kUnavailable, kStillOpen));
}

void LinkCommands::handle(const bus::LinkChangeResult &result) {
    const auto found = pending_.extract(result.link);
    if (found.empty()) return;
    Pending pending = std::move(found.mapped());
    const std::string_view error = as_text(result.error);
    if (!error.empty()) {
        log_.error("link {} is not {}: {}", result.link.value(), in_words(pending.verb), error);
        // A module that has begun anew has what the file says.
        if (pending.again) overrides_.restore(result.link);
        if (pending.answer) pending.answer(error_reply(Refusal::kConflict, std::string(error)));
        return;
    }
    log_.info("link {} is {}", result.link.value(), in_words(pending.verb));
    if (pending.verb == bus::LinkVerb::kRemove) {
        overrides_.remove(result.link);
    } else {
        pending.link.port = result.port;
        overrides_.put(pending.link);
    }
    if (pending.answer) pending.answer(done(pending.link));
}

// ---- modules that die and come back
// --------------------------------------------------------------

bus::AgentId LinkCommands::module_of(const BookedLink &link) const {
    // What leaves by the port of an LTP induct belongs to that.
    const bool by_egress = link.outduct() && link.carrier == kNoLink;
    const auto role = by_egress ? bus::AgentId::kEgress : bus::AgentId::kIngress;
    return bus::instance_at(role, placement_.instance_of(link.id));
}

void LinkCommands::handle_ready(bus::AgentId module) {
    handle_lost(module);  // it has begun anew
    ready_.insert(module);
    for (bus::LinkChange &change : overrides_.differences(module)) {
        log_.info("link {} is {} as it was", change.link.value(), in_words(change.verb));
        BookedLink link{.id = change.link, .config = {}, .json = {}, .port = 0};
        if (const BookedLink *known = overrides_.configured(change.link); known != nullptr)
            link = *known;
        if (const BookedLink *known = overrides_.find(change.link); known != nullptr) link = *known;
        send(std::move(change), std::move(link), nullptr, true);
    }
}

void LinkCommands::handle_lost(bus::AgentId module) {
    ready_.erase(module);
    std::vector<Answer> waiting;
    for (auto at = pending_.begin(); at != pending_.end();) {
        if (module_of(at->second.link) != module) {
            ++at;
            continue;
        }
        if (at->second.answer) waiting.push_back(std::move(at->second.answer));
        at = pending_.erase(at);
    }
    for (const Answer &answer : waiting)
        answer(error_reply(Refusal::kUnavailable, "the module of the link has died; try again"));
}

void LinkCommands::handle_ports(const std::vector<std::uint16_t> &ports) {
    for (std::uint32_t at = 0; at < ports.size(); ++at)
        if (ports[at] != 0) overrides_.set_port(LinkId{at}, ports[at]);
}

Json LinkCommands::carried() const {
    Json list = Json::array();
    for (const auto &[id, link] : overrides_.links())
        if (link.carrier != kNoLink) list.push_back(link.to_json());
    return list;
}

Json LinkCommands::inducts() const {
    Json list = Json::array();
    for (const auto &[id, link] : overrides_.links())
        if (!link.outduct()) list.push_back(link.to_json());
    return list;
}

}  // namespace farlink::app
