// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/request/endpoint_rights.hpp"

#include <algorithm>
#include <utility>

namespace farlink::telemetry {
namespace {

bool any_matches(const std::vector<bp::EidPattern> &patterns, const bp::EidView &endpoint) {
    return std::ranges::any_of(
        patterns, [&](const bp::EidPattern &pattern) { return pattern.matches(endpoint); });
}

/// The first text that is no pattern; empty: there is none.
std::string read_patterns(const std::vector<std::string> &texts, std::vector<bp::EidPattern> &to) {
    for (const std::string &text : texts) {
        auto pattern = bp::EidPattern::parse(text);
        if (!pattern) return text.empty() ? std::string("an empty text") : text;
        to.push_back(std::move(*pattern));
    }
    return {};
}

}  // namespace

Result<EndpointRights, std::string> EndpointRights::parse(const Texts &texts) {
    EndpointRights rights;
    for (const auto &[list, to] :
         {std::pair{&texts.receive, &rights.receive_}, std::pair{&texts.send_as, &rights.send_as_},
          std::pair{&texts.send_to, &rights.send_to_}})
        if (const std::string wrong = read_patterns(*list, *to); !wrong.empty()) return fail(wrong);
    return rights;
}

EndpointRights EndpointRights::all() {
    return std::move(parse({{"*:**"}, {}, {}}).value());
}

bool EndpointRights::may_receive(const bp::EidView &endpoint) const {
    return any_matches(receive_, endpoint);
}

bool EndpointRights::may_send_as(const bp::EidView &source) const {
    return any_matches(send_as_, source) || any_matches(receive_, source);
}

bool EndpointRights::may_send_to(const bp::EidView &destination) const {
    return send_to_.empty() || any_matches(send_to_, destination);
}

}  // namespace farlink::telemetry
