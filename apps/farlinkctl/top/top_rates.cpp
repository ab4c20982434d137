// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/top/top_rates.hpp"

#include "common/telemetry/ingress_counters.hpp"
#include "common/telemetry/link_counters.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;
using telemetry::counter_info;
using telemetry::IngressCounter;
using telemetry::JsonMembers;
using telemetry::LinkCounter;

// The members of the state document, as the tables of counters name them.
constexpr JsonMembers kReceived = counter_info<IngressCounter::kReceived>().json;
constexpr JsonMembers kReceivedBytes = counter_info<IngressCounter::kReceivedBytes>().json;
constexpr JsonMembers kForwarded = counter_info<IngressCounter::kForwarded>().json;
constexpr JsonMembers kForwardedBytes = counter_info<IngressCounter::kForwardedBytes>().json;
constexpr JsonMembers kLinkReceived = counter_info<LinkCounter::kReceived>().json;
constexpr JsonMembers kLinkReceivedBytes = counter_info<LinkCounter::kReceivedBytes>().json;
constexpr JsonMembers kLinkSent = counter_info<LinkCounter::kSent>().json;
constexpr JsonMembers kLinkSentBytes = counter_info<LinkCounter::kSentBytes>().json;

constexpr double kBitsPerOctet = 8;

std::optional<double> total_of(const Json &object, std::string_view key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number()) return std::nullopt;
    return found->get<double>();
}

/// Growth of a total per second; 0 when the total has been reset.
double growth(const Json &before, const Json &after, std::string_view key, double passed_s) {
    const auto then = total_of(before, key);
    const auto now = total_of(after, key);
    return then && now && *now >= *then ? (*now - *then) / passed_s : 0;
}

const Json &section_of(const Json &state, const char *key) {
    static const Json kNone = Json::object();
    const auto found = state.find(key);
    return found != state.end() && found->is_object() ? *found : kNone;
}

}  // namespace

std::optional<NodeRates> rates_between(const Json &before, const Json &after) {
    const auto then = total_of(section_of(before, "node"), "uptimeSeconds");
    const auto now = total_of(section_of(after, "node"), "uptimeSeconds");
    if (!then || !now || *now <= *then) return std::nullopt;
    const double passed = *now - *then;
    NodeRates rates;
    const Json &was = section_of(before, "flow");
    const Json &is = section_of(after, "flow");
    rates.node = {growth(was, is, kReceived.flow, passed),
                  growth(was, is, kReceivedBytes.flow, passed) * kBitsPerOctet,
                  growth(was, is, kForwarded.flow, passed),
                  growth(was, is, kForwardedBytes.flow, passed) * kBitsPerOctet};
    const Json &links = section_of(before, "links");
    for (const auto &[name, link] : section_of(after, "links").items()) {
        const auto known = links.find(name);
        if (known == links.end() || !total_of(*known, kLinkReceivedBytes.link)) continue;
        rates.links[name] = {growth(*known, link, kLinkReceived.link, passed),
                             growth(*known, link, kLinkReceivedBytes.link, passed) * kBitsPerOctet,
                             growth(*known, link, kLinkSent.link, passed),
                             growth(*known, link, kLinkSentBytes.link, passed) * kBitsPerOctet};
    }
    return rates;
}

}  // namespace farlink::ctl
