// SPDX-License-Identifier: Apache-2.0
#include "common/config/operations/alarms_fields.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace farlink::config {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::string_view kDefaultPort = "80";

template <class Member>
Field<AlarmsConfig> number_field(FieldInfo info, std::uint64_t usual, std::uint64_t most,
                                 Member member) {
    info.kind = FieldKind::kInteger;
    info.minimum = 0;
    info.maximum = most;
    info.fallback = usual;
    return {std::move(info), member};
}

/// A port of 1 to 65535 in digits.
bool is_port(std::string_view digits) {
    std::uint32_t port = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), port);
    return error == std::errc() && end == digits.end() && port > 0 && port <= 65'535;
}

/// Texts that would end the request line or a field of an HTTP request.
bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char letter) { return letter > ' ' && letter <= '~'; });
}

}  // namespace

const Table<AlarmsConfig> &alarms_table() {
    static const Table<AlarmsConfig> table{
        "alarms",
        "When the node raises alarms, and what it calls then. [operations.md](operations.md) "
        "describes each alarm.",
        {
            number_field({.key = "planEndsWithinHours",
                          .unit = "hours",
                          .help = "`plan-ends-soon`: the last contact of this node ends within "
                                  "this time. 0: never raised."},
                         24, 8760, &AlarmsConfig::plan_hours),
            number_field({.key = "diskFullWithinHours",
                          .unit = "hours",
                          .help = "`disk-full-soon`: a disk is full within this time if it fills "
                                  "as in the last ten minutes. 0: never raised."},
                         24, 8760, &AlarmsConfig::disk_hours),
            number_field({.key = "certificateEndsWithinDays",
                          .unit = "days",
                          .help = "`certificate-ends-soon`: a certificate of a link or of the API "
                                  "ends within this time. 0: never raised."},
                         30, 3650, &AlarmsConfig::certificate_days),
            number_field(
                {.key = "linkMissesContactAfterSeconds",
                 .unit = "seconds",
                 .help = "`link-misses-contact`: a contact is open and the link has not "
                         "been connected for this time; `no-acknowledgements`: bundles were "
                         "sent by an LTP link, and none was acknowledged for this time. "
                         "0: neither is raised."},
                30, 86'400, &AlarmsConfig::missed_seconds),
            number_field(
                {.key = "neighbourRefusesAfterSeconds",
                 .unit = "seconds",
                 .help = "`neighbour-refuses`: a neighbour has refused bundles and accepted "
                         "none for this time. 0: never raised."},
                30, 86'400, &AlarmsConfig::refused_seconds),
            {{.key = "ignore",
              .kind = FieldKind::kTexts,
              .help = "Names of alarms that are not raised, for example `clock-not-synchronised` "
                      "where no time service exists."},
             &AlarmsConfig::ignored},
            {{.key = "webhook",
              .kind = FieldKind::kText,
              .computed_default = "none",
              .help = "`http://host[:port]/path`: receives a POST request with the alarm as JSON "
                      "when an alarm is raised and when it ends. For `https` use `command`."},
             &AlarmsConfig::webhook},
            {{.key = "command",
              .kind = FieldKind::kText,
              .computed_default = "none",
              .help = "Program that is started when an alarm is raised and when it ends, with the "
                      "alarm as JSON on standard input. Relative to the folder of the "
                      "configuration file."},
             &AlarmsConfig::command},
        }};
    return table;
}

std::optional<WebhookTarget> parse_webhook(std::string_view url) {
    if (!url.starts_with(kHttp) || !is_plain(url)) return std::nullopt;
    url.remove_prefix(kHttp.size());
    const std::size_t slash = std::min(url.find_first_of("/?"), url.size());
    std::string_view authority = url.substr(0, slash);
    const std::string_view rest = url.substr(slash);
    if (authority.contains('@') || rest.contains('#')) return std::nullopt;
    const std::size_t colon = authority.rfind(':');
    const bool has_port = colon != std::string_view::npos && !authority.ends_with(']');
    const std::string_view port = has_port ? authority.substr(colon + 1) : kDefaultPort;
    if (has_port) authority = authority.substr(0, colon);
    const bool bracketed = authority.starts_with('[') && authority.ends_with(']');
    if (bracketed) authority = authority.substr(1, authority.size() - 2);
    if (authority.empty() || !is_port(port) || (!bracketed && authority.contains(':')))
        return std::nullopt;
    const std::string target = rest.starts_with('/') ? std::string(rest) : '/' + std::string(rest);
    return WebhookTarget{std::string(authority), std::string(port), target};
}

void check_alarms(const AlarmsConfig &alarms, std::vector<ConfigError> &errors) {
    for (std::size_t at = 0; at < alarms.ignored.size(); ++at) {
        const std::string &name = alarms.ignored[at];
        if (std::ranges::find(kAlarmNames, name) != kAlarmNames.end()) continue;
        errors.push_back({"alarms.ignore[" + std::to_string(at) + ']',
                          "found " + in_quotes(name),
                          alternatives(kAlarmNames, false),
                          {}});
    }
    if (!alarms.webhook.empty() && !parse_webhook(alarms.webhook))
        errors.push_back({"alarms.webhook", "found " + in_quotes(alarms.webhook),
                          "http://host[:port]/path", "for https use `command` with curl"});
}

}  // namespace farlink::config
