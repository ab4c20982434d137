// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/top/top_rates.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kBitsPerOctet = 8;

std::optional<double> total_of(const Json &object, const char *key) {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_number()) return std::nullopt;
    return found->get<double>();
}

/// What a total has grown by in a second; 0 when it began anew.
double growth(const Json &before, const Json &after, const char *key, double passed_s) {
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
    rates.node = {growth(was, is, "receivedBundles", passed),
                  growth(was, is, "receivedBytes", passed) * kBitsPerOctet,
                  growth(was, is, "forwardedBundles", passed),
                  growth(was, is, "forwardedBytes", passed) * kBitsPerOctet};
    const Json &links = section_of(before, "links");
    for (const auto &[name, link] : section_of(after, "links").items()) {
        const auto known = links.find(name);
        if (known == links.end() || !total_of(*known, "inBytes")) continue;
        rates.links[name] = {growth(*known, link, "inBundles", passed),
                             growth(*known, link, "inBytes", passed) * kBitsPerOctet,
                             growth(*known, link, "outBundles", passed),
                             growth(*known, link, "outBytes", passed) * kBitsPerOctet};
    }
    return rates;
}

}  // namespace farlink::ctl
