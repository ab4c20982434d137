// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/header_checks.hpp"

#include <algorithm>

#include "common/config/operations/api_fields.hpp"
#include "module/telemetry/api/request/problem.hpp"

namespace farlink::telemetry {
namespace {

constexpr std::string_view kTokenProtocol = "farlink.token.";

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char &letter : lower)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return lower;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

/// The name or address in a Host field, without port and brackets (RFC 9110 section 7.2).
std::string_view host_name(std::string_view host) {
    if (host.starts_with('[')) {
        const std::size_t end = host.find(']');
        const bool closed =
            end != std::string_view::npos && (end + 1 == host.size() || host[end + 1] == ':');
        return closed ? host.substr(1, end - 1) : std::string_view();
    }
    return host.substr(0, host.find(':'));
}

/// Calls `take` with each member of a list separated by commas, until it returns true.
template <class Take>
bool any_member(std::string_view list, const Take &take) {
    for (;;) {
        const std::size_t comma = list.find(',');
        if (take(trimmed(list.substr(0, comma)))) return true;
        if (comma == std::string_view::npos) return false;
        list.remove_prefix(comma + 1);
    }
}

}  // namespace

HeaderChecks::HeaderChecks(const config::ApiConfig &config)
    : secure_(!config.tls.certificate_file.empty()) {
    if (const auto listen = config::parse_listen(config.listen)) {
        loopback_ = config::is_loopback_address(listen->address);
        address_ = listen->address;
    }
    for (const std::string &host : config.allowed_hosts) hosts_.push_back(lower_case(host));
}

bool HeaderChecks::host_allowed(std::string_view host) const {
    const std::string name = lower_case(host_name(host));
    return !name.empty() &&
           (name == "localhost" || name == address_ || config::is_loopback_address(name) ||
            std::ranges::find(hosts_, name) != hosts_.end());
}

std::optional<Answer> HeaderChecks::refusal(const Call &call) const {
    if (!host_allowed(call.host))
        return problem(421,
                       "the host name in `Host` is not a name of this server; add it to "
                       "`allowedHosts` in the configuration");
    if (call.origin.empty()) return std::nullopt;
    const std::string own = (secure_ ? "https://" : "http://") + lower_case(call.host);
    if (lower_case(call.origin) != own)
        return problem(403, "the request came from a web page of another origin");
    return std::nullopt;
}

std::string_view HeaderChecks::bearer(std::string_view authorization) {
    constexpr std::string_view kScheme = "bearer ";
    if (lower_case(authorization.substr(0, kScheme.size())) != kScheme) return {};
    return trimmed(authorization.substr(kScheme.size()));
}

std::string_view HeaderChecks::offered_token(std::string_view protocols) {
    std::string_view token;
    any_member(protocols, [&](std::string_view protocol) {
        if (!protocol.starts_with(kTokenProtocol)) return false;
        token = protocol.substr(kTokenProtocol.size());
        return true;
    });
    return token;
}

bool HeaderChecks::offers_protocol(std::string_view protocols) {
    return any_member(protocols, [](std::string_view protocol) { return protocol == kProtocol; });
}

}  // namespace farlink::telemetry
