// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/link_commands.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/plan/contact_fields.hpp"
#include "module/control/core/json/replies.hpp"

namespace farlink::control {
namespace {

using Json = LinkCommands::Json;

constexpr const char *kStillOpen =
    " does not reply; the change may still take effect: check the links";
constexpr const char *kNotReady = "the module of the link is not ready; try again";
/// A link that is replaced closes within so many seconds.
constexpr std::size_t kMostRepeats = 60;
constexpr const char *kReloading = "the configuration is being reloaded; try again";
constexpr const char *kRefused = "link refused; nothing has changed";
/// Added, changed and removed links are not written to the configuration.
constexpr const char *kLasts = "untilTheNodeEnds";
constexpr const char *kFollows = "follows the contact plan";

/// The number of the link in a request; empty: there is none.
std::optional<LinkId> link_number_in(const Json &request) {
    const auto number = request.find("link");
    if (number == request.end() || !number->is_number_unsigned()) return std::nullopt;
    const auto value = number->get<std::uint64_t>();
    return value < kNoLink.value() ? LinkId{static_cast<std::uint32_t>(value)} : kNoLink;
}

Json no_number() {
    return error_reply(Refusal::kMalformed,
                       "`link`: expected the number of a link, as `status` lists them");
}

Json no_link(LinkId link, const char *kind) {
    return error_reply(Refusal::kNotFound, "no link " + std::to_string(link.value()) + kind +
                                               "; `status` lists the links");
}

/// The configuration of the link as text.
Result<std::string, Json> config_of(const Json &request) {
    const auto config = request.find("config");
    if (config != request.end() && config->is_object()) return config->dump();
    return fail(error_reply(Refusal::kMalformed,
                            "`config`: expected an object such as an entry of inductsConfig or "
                            "outductsConfig in the configuration file"));
}

/// A number of the request; nothing where the contact plan decides; or the reply to a bad one.
Result<std::optional<double>, Json> given(const Json &request, const char *key, std::uint64_t most,
                                          const char *expected) {
    const auto value = request.find(key);
    if (value == request.end() || value->is_null()) return std::nullopt;
    if (value->is_number() && value->get<double>() >= 0 &&
        value->get<double>() <= static_cast<double>(most))
        return value->get<double>();
    return fail(error_reply(Refusal::kInvalid, '`' + std::string(key) + "`: expected " + expected +
                                                   ", from 0 to " + std::to_string(most) +
                                                   ", or null for the value of the contact plan"));
}

std::string rate_text(BitRate rate) {
    return rate == BitRate{} ? std::string("unlimited") : std::to_string(rate.value()) + " bit/s";
}

/// What is in force already is not logged.
bool is_news(const bus::LinkAdmin &order, const bus::LinkEntry &link) {
    return order.enabled != link.enabled;
}
bool is_news(const bus::LinkOverride & /*order*/, const bus::LinkEntry & /*link*/) {
    return true;
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

LinkCommands::LinkCommands(const config::NodeConfig &config, PendingRequests &requests,
                           const ControlLog &log, Duration patience)
    : requests_(requests), log_(log), overrides_(config), placement_(config), patience_(patience) {}

// ---- orders to the scheduler
// ---------------------------------------------------------------------

void LinkCommands::enable(const Json &request, const Caller &caller, const Answer &answer,
                          const WallClock &now) {
    const auto link = link_number_in(request);
    if (!link) return answer(no_number());
    const bool enabled = request["command"] == "link up";
    order(bus::LinkAdmin{*link, enabled}, answer, enabled ? "enabled again" : "taken down", caller,
          now);
}

void LinkCommands::set(const Json &request, const Caller &caller, const Answer &answer,
                       const WallClock &now) {
    const auto link = link_number_in(request);
    if (!link) return answer(no_number());
    const auto rate = given(request, "rateBitsPerSec", config::kHighestRateBitsPerSecond,
                            "bits per second, 0 for unlimited");
    if (!rate) return answer(rate.error());
    if (*rate && !request["rateBitsPerSec"].is_number_unsigned())
        return answer(error_reply(Refusal::kInvalid,
                                  "`rateBitsPerSec`: expected a whole number of bits per second"));
    const auto owlt =
        given(request, "owlt", config::kMaxOwltSeconds, "seconds of one-way light time");
    if (!owlt) return answer(owlt.error());
    bus::LinkOverride override{.link = *link,
                               .rate_given = rate->has_value(),
                               .rate = {},
                               .owlt_given = owlt->has_value(),
                               .owlt = {}};
    if (*rate) override.rate = BitRate{request["rateBitsPerSec"].get<std::uint64_t>()};
    if (*owlt)
        override.owlt = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(**owlt));
    const std::string rate_words =
        "rate " + (*rate ? "set to " + rate_text(override.rate) : kFollows);
    const std::string owlt_words =
        "one-way light time " + (*owlt ? "set to " + request["owlt"].dump() + " s" : kFollows);
    order(override, answer, rate_words + ", " + owlt_words, caller, now);
}

// The link is looked up first; the reply shows it after the change.
template <class Order>
void LinkCommands::order(const Order &order, const Answer &answer, const std::string &what,
                         const Caller &caller, const WallClock &now) {
    const auto handle_before = [=, this](const auto &links, const WallClock &later) {
        if (!links) return answer(error_reply(Refusal::kUnavailable, kNoScheduler));
        const LinkId link = order.link;
        const auto known = std::ranges::find(links->links, link, &bus::LinkEntry::link);
        if (known == links->links.end()) return answer(no_link(link, " to a neighbour"));
        if (is_news(order, *known))
            log_.info("link " + std::to_string(link.value()) + ": " + what + ", by " + caller.name);
        if (is_news(order, *known)) report(order, *known);
        requests_.send(bus::AgentId::kScheduler, order);
        note(order);
        const auto handle_after = [=](const auto &after, const WallClock &) {
            if (!after) return answer(error_reply(Refusal::kUnavailable, kNoScheduler));
            const auto entry = std::ranges::find(after->links, link, &bus::LinkEntry::link);
            if (entry == after->links.end())
                return answer(
                    error_reply(Refusal::kNotFound, "the link was removed in the meantime"));
            answer({{"ok", true}, {"link", link_json(*entry)}});
        };
        requests_.request_links(handle_after, later);
    };
    requests_.request_links(handle_before, now);
}

// Before the order, so that the event precedes those that follow from it.
void LinkCommands::report(const bus::LinkAdmin &order, const bus::LinkEntry &link) {
    const auto kind = order.enabled ? bus::CommandKind::kLinkUp : bus::CommandKind::kLinkDown;
    requests_.send(bus::AgentId::kTelemetry,
                   bus::CommandReport{kind, link.link, link.neighbour.value()});
}

void LinkCommands::order_admin(const bus::LinkEntry &link, bool enabled) {
    const bus::LinkAdmin order{link.link, enabled};
    report(order, link);
    requests_.send(bus::AgentId::kScheduler, order);
}

void LinkCommands::note(const bus::LinkOverride &order) {
    Orders &orders = orders_[order.link];
    orders.override.reset();
    if (order.rate_given || order.owlt_given) orders.override = order;
}

void LinkCommands::note(const bus::LinkAdmin &order) {
    orders_[order.link].down = !order.enabled;
}

// The old link goes when its sessions have ended.
void LinkCommands::handle_second(const WallClock &now) {
    const auto waits = [](const auto &entry) { return entry.second.repeats > 0; };
    if (std::ranges::none_of(orders_, waits)) return;
    const auto handle = [this](const auto &links, const WallClock &) {
        if (links) repeat(*links);
    };
    requests_.request_links(handle, now);
}

void LinkCommands::repeat(const bus::LinkSnapshot &links) {
    for (auto &[link, orders] : orders_) {
        if (orders.repeats == 0) continue;
        --orders.repeats;
        const auto entry = std::ranges::find(links.links, link, &bus::LinkEntry::link);
        if (entry == links.links.end() || entry->overridden || !entry->enabled) continue;
        if (orders.override) requests_.send(bus::AgentId::kScheduler, *orders.override);
        if (orders.down) order_admin(*entry, false);
        orders.repeats = 0;
    }
}

// ---- links that come and go
// ----------------------------------------------------------------------

void LinkCommands::add(const Json &request, const Caller &caller, const Answer &answer,
                       const WallClock &now) {
    const auto direction = request.find("direction");
    if (direction == request.end() || (*direction != "induct" && *direction != "outduct"))
        return answer(
            error_reply(Refusal::kMalformed, "`direction`: expected \"induct\" or \"outduct\""));
    const bool outduct = *direction == "outduct";
    LinkId number = kNoLink;
    if (const auto wanted = request.find("link"); wanted != request.end() && !wanted->is_null()) {
        if (!wanted->is_number_unsigned())
            return answer(error_reply(
                Refusal::kMalformed,
                "`link`: expected the number of the new link, or no value for a free number"));
        number = *link_number_in(request);
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
    begin(bus::LinkVerb::kAdd, std::move(*link), caller, answer, now);
}

void LinkCommands::change(const Json &request, const Caller &caller, const Answer &answer,
                          const WallClock &now) {
    const BookedLink *known = find(request, answer);
    if (known == nullptr) return;
    const auto config = config_of(request);
    if (!config) return answer(config.error());
    auto link = overrides_.read(*config, known->outduct(), known->id, coming());
    if (!link) return answer(error_reply(link.error(), kRefused));
    if (link->carrier != known->carrier)
        return answer(error_reply(Refusal::kConflict,
                                  "an outduct with `ltpSenderBoundPort` cannot change to another "
                                  "port; remove it, then add it again"));
    begin(bus::LinkVerb::kChange, std::move(*link), caller, answer, now);
}

void LinkCommands::remove(const Json &request, const Caller &caller, const Answer &answer,
                          const WallClock &now) {
    const BookedLink *known = find(request, answer);
    if (known == nullptr) return;
    if (const auto carried = overrides_.carried_by(known->id); !carried.empty())
        return answer(error_reply(Refusal::kConflict,
                                  "link " + std::to_string(carried.front().value()) +
                                      " uses the port of this induct; remove that link first"));
    begin(bus::LinkVerb::kRemove, *known, caller, answer, now);
}

Json LinkCommands::as_audited(const Json &request) const {
    const BookedLink *const known = overrides_.find(link_number_in(request).value_or(kNoLink));
    if (known == nullptr) return {};
    Json link = known->to_json();
    link.erase("link");
    return link;
}

const BookedLink *LinkCommands::find(const Json &request, const Answer &answer) const {
    const auto number = link_number_in(request);
    if (!number) {
        answer(no_number());
        return nullptr;
    }
    const BookedLink *known = overrides_.find(*number);
    if (known == nullptr) {
        const bool opened = number->value() >= config::kFirstOpenedLink && *number != kNoLink;
        answer(opened ? error_reply(Refusal::kConflict,
                                    "link " + std::to_string(number->value()) +
                                        " is a session that the neighbour has opened; use `link "
                                        "down` to stop sending bundles on it")
                      : no_link(*number, ""));
        return nullptr;
    }
    return busy(*number, answer) ? nullptr : known;
}

bool LinkCommands::busy(LinkId link, const Answer &answer) const {
    if (!pending_.contains(link)) return false;
    answer(error_reply(Refusal::kConflict,
                       "link " + std::to_string(link.value()) + " is being changed; try again"));
    return true;
}

std::vector<const BookedLink *> LinkCommands::coming() const {
    std::vector<const BookedLink *> links;
    for (const auto &[id, pending] : pending_)
        if (pending.verb != bus::LinkVerb::kRemove) links.push_back(&pending.link);
    return links;
}

void LinkCommands::begin(bus::LinkVerb verb, BookedLink link, const Caller &caller,
                         const Answer &answer, const WallClock &now) {
    if (frozen_) return answer(error_reply(Refusal::kUnavailable, kReloading));
    if (verb != bus::LinkVerb::kRemove) link.by_command = true;
    // A module that is starting may miss the change.
    if (!ready_.contains(module_of(link)))
        return answer(error_reply(Refusal::kUnavailable, kNotReady));
    log_.info("link " + std::to_string(link.id.value()) + " is being " + in_words(verb) + ", by " +
              caller.name);
    bus::LinkChange change{verb, link.id, link.outduct(), {}};
    if (verb != bus::LinkVerb::kRemove) change.config.assign(link.json.begin(), link.json.end());
    send(std::move(change), std::move(link), answer, false, now);
}

void LinkCommands::apply(bus::LinkVerb verb, BookedLink link, const Answer &answer,
                         const WallClock &now) {
    if (busy(link.id, answer)) return;
    if (!ready_.contains(module_of(link))) {
        record(verb, link);
        return answer({{"ok", true}});
    }
    bus::LinkChange change{verb, link.id, link.outduct(), {}};
    if (verb != bus::LinkVerb::kRemove) change.config.assign(link.json.begin(), link.json.end());
    const LinkId number = link.id;
    send(std::move(change), std::move(link), answer, false, now);
    pending_.at(number).of_reload = true;
}

void LinkCommands::record(bus::LinkVerb verb, const BookedLink &link) {
    if (verb == bus::LinkVerb::kRemove)
        overrides_.remove(link.id);
    else
        overrides_.put(link);
    publish(link.id, link.outduct());
}

// It watches the certificates of the links.
void LinkCommands::publish(LinkId link, bool outduct) {
    const BookedLink *now = overrides_.find(link);
    bus::LinkChange change{bus::LinkVerb::kRemove, link, outduct, {}};
    if (now != nullptr) {
        change.verb = bus::LinkVerb::kChange;
        change.config.assign(now->json.begin(), now->json.end());
    }
    requests_.send(bus::AgentId::kTelemetry, std::move(change));
}

void LinkCommands::send(bus::LinkChange change, BookedLink link, const Answer &answer, bool again,
                        const WallClock &now) {
    const bool by_egress = change.outduct && link.carrier == kNoLink;
    const auto to = by_egress ? bus::AgentId::kEgress : bus::AgentId::kIngress;
    change.id = requests_.next_id();
    pending_.emplace(change.link, Pending{change.id, change.verb, std::move(link), answer, again,
                                          now.at + patience_});
    requests_.send(to, std::move(change));
}

TimePoint LinkCommands::next_timeout() const {
    TimePoint next = kNever;
    for (const auto &[link, pending] : pending_)
        if (pending.answer) next = std::min(next, pending.until);
    return next;
}

void LinkCommands::handle_timeout(TimePoint now) {
    std::vector<std::pair<Answer, std::string>> late;
    for (auto &[link, pending] : pending_)
        if (pending.answer && pending.until <= now)
            late.emplace_back(std::exchange(pending.answer, nullptr),
                              bus::is_egress(module_of(pending.link)) ? "egress" : "ingress");
    for (const auto &[answer, module] : late)
        answer(error_reply(Refusal::kUnavailable, module + kStillOpen));
}

void LinkCommands::handle(const bus::LinkChangeResult &result) {
    const auto known = pending_.find(result.link);
    if (known == pending_.end() || known->second.id != result.id) return;
    const Pending pending = std::move(pending_.extract(known).mapped());
    const std::string name = "link " + std::to_string(result.link.value());
    const std::string error(as_text(result.error));
    if (!error.empty()) {
        log_.error(name + " not " + in_words(pending.verb) + ": " + error);
        // A module that has started again has the links of the configuration.
        if (pending.again) {
            overrides_.restore(result.link);
            publish(result.link, pending.link.outduct());
        }
        if (pending.answer) pending.answer(error_reply(Refusal::kConflict, error));
        return;
    }
    log_.info(name + ' ' + in_words(pending.verb));
    BookedLink link = pending.link;
    if (pending.verb != bus::LinkVerb::kRemove) link.port = result.port;
    const auto orders = orders_.find(result.link);
    if (orders != orders_.end()) {
        if (pending.of_reload && pending.verb == bus::LinkVerb::kChange)
            orders->second.repeats = kMostRepeats;
        else if (!pending.again)
            orders_.erase(orders);
    }
    record(pending.verb, link);
    if (pending.answer) pending.answer(done(link));
}

// ---- modules that are lost and start again
// --------------------------------------------------------

bus::AgentId LinkCommands::module_of(const BookedLink &link) const {
    // An outduct that sends by the port of an LTP induct belongs to the induct's module.
    const bool by_egress = link.outduct() && link.carrier == kNoLink;
    const auto role = by_egress ? bus::AgentId::kEgress : bus::AgentId::kIngress;
    return bus::instance_at(role, placement_.instance_of(link.id));
}

void LinkCommands::publish_all() {
    for (const bus::LinkChange &change : overrides_.differences())
        publish(change.link, change.outduct);
}

void LinkCommands::handle_ready(bus::AgentId module, const WallClock &now) {
    handle_lost(module);  // it has started again
    ready_.insert(module);
    if (module == bus::AgentId::kTelemetry) return publish_all();
    for (bus::LinkChange &change : overrides_.differences(module)) {
        log_.info("link " + std::to_string(change.link.value()) + " is being " +
                  in_words(change.verb) +
                  " again, since its module has restarted or was disconnected");
        BookedLink link{.id = change.link, .config = {}, .json = {}, .port = 0};
        if (const BookedLink *known = overrides_.configured(change.link); known != nullptr)
            link = *known;
        if (const BookedLink *known = overrides_.find(change.link); known != nullptr) link = *known;
        send(std::move(change), std::move(link), nullptr, true, now);
    }
}

void LinkCommands::handle_lost(bus::AgentId module) {
    ready_.erase(module);
    std::vector<Answer> waiting;
    std::vector<Answer> recorded;  // in effect when the module has started
    for (auto at = pending_.begin(); at != pending_.end();) {
        if (module_of(at->second.link) != module) {
            ++at;
            continue;
        }
        if (at->second.of_reload) record(at->second.verb, at->second.link);
        if (at->second.answer)
            (at->second.of_reload ? recorded : waiting).push_back(std::move(at->second.answer));
        at = pending_.erase(at);
    }
    for (const Answer &answer : recorded) answer({{"ok", true}});
    for (const Answer &answer : waiting)
        answer(error_reply(Refusal::kUnavailable, "the module of the link has ended; try again"));
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

}  // namespace farlink::control
