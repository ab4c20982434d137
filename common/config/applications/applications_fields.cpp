// SPDX-License-Identifier: Apache-2.0
#include "common/config/applications/applications_fields.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "common/bp/eid/eid_pattern.hpp"
#include "common/bp/eid/reserved.hpp"
#include "common/config/applications/own_services.hpp"
#include "common/config/fields/byte_units.hpp"
#include "common/config/operations/api_fields.hpp"

namespace farlink::config {
namespace {

constexpr std::uint64_t kLargestService = 0xffffffffULL;
constexpr std::uint64_t kLongestLifetimeSeconds = 100ULL * 365 * 24 * 3600;
/// Of a Unix-domain socket's path, without the zero at its end.
constexpr std::size_t kLongestSocketName = 107;

const Table<EndpointConfig> &endpoint_table() {
    static const Table<EndpointConfig> table{
        "applications.endpoints[]",
        "An endpoint for which bundles wait while no application receives there.",
        {
            {{.key = "endpoint",
              .kind = FieldKind::kText,
              .required = true,
              .help = "`ipn:<node>.<service>`, `dtn://name/service`, or the number of a service of "
                      "this node."},
             &EndpointConfig::endpoint},
        }};
    return table;
}

std::vector<Field<AccessConfig>> subject_fields() {
    return {
        {{.key = "user",
          .kind = FieldKind::kText,
          .help = "Applications of this user, by name or number, at the Unix socket."},
         &AccessConfig::user},
        {{.key = "group",
          .kind = FieldKind::kText,
          .help = "Applications whose user has this group as primary or supplementary group, by "
                  "name or number, at the Unix socket."},
         &AccessConfig::group},
        {{.key = "loopback",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .help = "`true`: every connection to `listen`. Every user of the machine can open one."},
         &AccessConfig::loopback},
        {{.key = "register",
          .kind = FieldKind::kTexts,
          .help = "Endpoints that they may register: `ipn:10.42`, `ipn:10.*`, `dtn://name/**`."},
         &AccessConfig::receive},
        {{.key = "dynamicServices",
          .kind = FieldKind::kBoolean,
          .fallback = true,
          .help = "They may register services from `firstDynamicService` to "
                  "`lastDynamicService`."},
         &AccessConfig::dynamic},
        {{.key = "sendAs",
          .kind = FieldKind::kTexts,
          .help =
              "Sources that they may use in addition to the endpoint that they have registered."},
         &AccessConfig::send_as},
        {{.key = "sendTo",
          .kind = FieldKind::kTexts,
          .computed_default = "`*:**`: everywhere",
          .help = "Destinations and report-to endpoints that they may use."},
         &AccessConfig::send_to},
    };
}

std::vector<Field<AccessConfig>> access_limit_fields() {
    return {
        {{.key = "payloadBytesPerSecond",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .maximum = kTiB,
          .fallback = std::uint64_t{0},
          .help = "Payload that each connection may send per second; above it the connection "
                  "waits. 0: no limit."},
         &AccessConfig::bytes_per_second},
        {{.key = "adusPerSecond",
          .kind = FieldKind::kInteger,
          .maximum = 1'000'000'000,
          .fallback = std::uint64_t{0},
          .help = "Number of ADUs that each connection may send per second; above it the "
                  "connection waits. 0: no limit."},
         &AccessConfig::adus_per_second},
        {{.key = "largestAduBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .maximum = kTiB,
          .fallback = std::uint64_t{0},
          .help = "Largest ADU that they may send. 0: `largestAduBytes` of the node."},
         &AccessConfig::largest_adu_bytes},
        {{.key = "longestLifetimeSeconds",
          .kind = FieldKind::kInteger,
          .unit = "seconds",
          .maximum = kLongestLifetimeSeconds,
          .fallback = std::uint64_t{0},
          .help = "Longest lifetime that they may request. 0: no limit."},
         &AccessConfig::longest_lifetime_seconds},
        {{.key = "highestPriority",
          .kind = FieldKind::kChoice,
          .fallback = std::string_view("expedited"),
          .choices = {"bulk", "normal", "expedited"},
          .help = "Highest priority that they may request. With `bulk`, ADUs without a priority "
                  "are bulk too."},
         &AccessConfig::highest_priority},
    };
}

const Table<AccessConfig> &access_table() {
    static const Table<AccessConfig> table = [] {
        std::vector<Field<AccessConfig>> fields = subject_fields();
        append_fields(fields, access_limit_fields());
        return Table<AccessConfig>{
            "applications.access[]",
            "Rights of some applications. One of `user`, `group` and `loopback` selects them; "
            "the first entry that matches an application applies.",
            std::move(fields)};
    }();
    return table;
}

std::vector<Field<ApplicationsConfig>> place_fields() {
    return {
        {{.key = "socket",
          .kind = FieldKind::kText,
          .computed_default = "none",
          .help = "Path of the Unix-domain socket at which applications connect, at most 107 "
                  "characters. Relative to the folder of the configuration file."},
         &ApplicationsConfig::socket},
        {{.key = "socketMode",
          .kind = FieldKind::kText,
          .fallback = std::string_view("0660"),
          .help = "Mode of the socket, in octal digits: who may connect at all."},
         &ApplicationsConfig::socket_mode},
        {{.key = "socketGroup",
          .kind = FieldKind::kText,
          .computed_default = "that of the node",
          .help = "Group of the socket, by name or number."},
         &ApplicationsConfig::socket_group},
        {{.key = "listen",
          .kind = FieldKind::kText,
          .computed_default = "none",
          .help = "`address:port` of the loopback interface at which applications connect by TCP. "
                  "Nothing proves who they are: they need an entry in `access` with `loopback`."},
         &ApplicationsConfig::listen},
        {{.key = "endpoints",
          .kind = FieldKind::kList,
          .section = &endpoint_table().info(),
          .help = "Endpoints for which bundles wait while no application receives there."},
         [](ApplicationsConfig &to, const Value &value) {
             to.endpoints = endpoint_table().build_all(value.as<List>());
         }},
        {{.key = "access",
          .kind = FieldKind::kList,
          .computed_default = "the group and the user of the node may register dynamic services, "
                              "and send everywhere",
          .section = &access_table().info(),
          .help = "Rights of the applications."},
         [](ApplicationsConfig &to, const Value &value) {
             to.access = access_table().build_all(value.as<List>());
         }},
    };
}

std::vector<Field<ApplicationsConfig>> service_fields() {
    return {
        {{.key = "firstDynamicService",
          .kind = FieldKind::kInteger,
          .minimum = 1,
          .maximum = kLargestService,
          .fallback = std::uint64_t{1024},
          .help = "First number of the services that applications may choose for themselves. The "
                  "services of the node itself are excepted."},
         &ApplicationsConfig::first_dynamic_service},
        {{.key = "lastDynamicService",
          .kind = FieldKind::kInteger,
          .minimum = 1,
          .maximum = kLargestService,
          .fallback = kLargestService,
          .help = "Last number of the services that applications may choose for themselves."},
         &ApplicationsConfig::last_dynamic_service},
        {{.key = "largestAduBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 1,
          .maximum = kTiB,
          .fallback = 64 * kMiB,
          .help =
              "Largest ADU that an application may send. One for another node that is larger "
              "than `storageConfig.spoolAboveBytes` is written to disk while it arrives; one "
              "for an application of this node is in memory, and at most half of `bufferBytes`."},
         &ApplicationsConfig::largest_adu_bytes},
        {{.key = "lifetimeSeconds",
          .kind = FieldKind::kInteger,
          .unit = "seconds",
          .minimum = 1,
          .maximum = kLongestLifetimeSeconds,
          .fallback = std::uint64_t{86'400},
          .help = "Lifetime of bundles for which the application requests none."},
         &ApplicationsConfig::default_lifetime_seconds},
        {{.key = "acceptWithinSeconds",
          .kind = FieldKind::kInteger,
          .unit = "seconds",
          .maximum = 31'536'000,
          .fallback = std::uint64_t{300},
          .help = "A receiver that does not respond to an ADU for this time is disconnected, and "
                  "its ADUs are delivered again. 0: no limit."},
         &ApplicationsConfig::accept_within_seconds},
        {{.key = "maxConnections",
          .kind = FieldKind::kInteger,
          .minimum = 1,
          .maximum = 100'000,
          .fallback = std::uint64_t{1024},
          .help = "Maximum number of connections of applications; one user has at most half of "
                  "them."},
         &ApplicationsConfig::max_connections},
        {{.key = "maxEndpoints",
          .kind = FieldKind::kInteger,
          .minimum = 1,
          .maximum = 30'000,
          .fallback = std::uint64_t{10'000},
          .help = "Maximum number of dynamic endpoints at the same time; one user may have half "
                  "of them."},
         &ApplicationsConfig::max_endpoints},
    };
}

using Errors = std::vector<ConfigError>;

void check_subject(const AccessConfig &access, const std::string &path, Errors &errors) {
    const int subjects =
        (access.user.empty() ? 0 : 1) + (access.group.empty() ? 0 : 1) + (access.loopback ? 1 : 0);
    if (subjects != 1)
        errors.push_back(
            {path,
             subjects == 0 ? "found none of user, group and loopback" : "found several",
             "one of user, group and loopback",
             {}});
}

void check_patterns(const std::vector<std::string> &patterns, const std::string &path,
                    Errors &errors) {
    for (std::size_t at = 0; at < patterns.size(); ++at)
        if (!bp::EidPattern::parse(patterns[at]))
            errors.push_back({item_path(path, at),
                              "found " + in_quotes(patterns[at]),
                              "an endpoint such as ipn:10.42, ipn:10.* or dtn://name/**",
                              {}});
}

void check_endpoint(const std::string &text, NodeNumber node, std::uint64_t echo_service,
                    const std::string &path, Errors &errors) {
    const auto endpoint = endpoint_of(text, node);
    const auto add = [&](std::string problem) {
        errors.push_back({path,
                          std::move(problem),
                          "an endpoint of this node, such as ipn:" + std::to_string(node.value()) +
                              ".42, or a dtn name",
                          {}});
    };
    if (!endpoint || bp::leads_nowhere(endpoint->view())) return add("found " + in_quotes(text));
    const bp::EidView view = endpoint->view();
    if (view.scheme == bp::EidScheme::kIpn && view.node_number() != node)
        return add("found " + in_quotes(text) + ", which is not of this node");
    if (view.scheme == bp::EidScheme::kIpn && is_own_service(view.service, echo_service))
        add("found " + in_quotes(text) + ", which is used by the node itself");
}

void check_place(const ApplicationsConfig &applications, Errors &errors) {
    if (applications.socket.size() > kLongestSocketName)
        errors.push_back(
            {"applications.socket",
             "found a path of " + std::to_string(applications.socket.size()) + " characters",
             "at most 107",
             {}});
    if (!parse_mode(applications.socket_mode))
        errors.push_back({"applications.socketMode",
                          "found " + in_quotes(applications.socket_mode),
                          "octal digits such as 0660",
                          {}});
    if (applications.listen.empty()) return;
    const auto listen = parse_listen(applications.listen);
    if (!listen || !is_loopback_address(listen->address))
        errors.push_back({"applications.listen",
                          "found " + in_quotes(applications.listen),
                          "127.0.0.1:port or [::1]:port",
                          {}});
}

}  // namespace

const Table<ApplicationsConfig> &applications_table() {
    static const Table<ApplicationsConfig> table = [] {
        std::vector<Field<ApplicationsConfig>> fields = place_fields();
        append_fields(fields, service_fields());
        return Table<ApplicationsConfig>{
            "applications",
            "Where applications connect to send and to receive ADUs (AAP 2.0), and who may do "
            "what. See [applications.md](applications.md).",
            std::move(fields)};
    }();
    return table;
}

void check_applications(const ApplicationsConfig &applications, NodeNumber node,
                        std::uint64_t echo_service, Errors &errors) {
    check_place(applications, errors);
    if (applications.first_dynamic_service > applications.last_dynamic_service)
        errors.push_back({"applications.lastDynamicService",
                          "found " + std::to_string(applications.last_dynamic_service),
                          "at least firstDynamicService",
                          {}});
    for (std::size_t at = 0; at < applications.endpoints.size(); ++at)
        check_endpoint(applications.endpoints[at].endpoint, node, echo_service,
                       item_path("applications.endpoints", at) + ".endpoint", errors);
    for (std::size_t at = 0; at < applications.access.size(); ++at) {
        const AccessConfig &access = applications.access[at];
        const std::string path = item_path("applications.access", at);
        check_subject(access, path, errors);
        check_patterns(access.receive, path + ".register", errors);
        check_patterns(access.send_as, path + ".sendAs", errors);
        check_patterns(access.send_to, path + ".sendTo", errors);
    }
}

std::optional<bp::Eid> endpoint_of(std::string_view text, NodeNumber node) {
    std::uint64_t service = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), service);
    if (error == std::errc() && end == text.end()) return bp::Eid(node.value(), service);
    auto endpoint = bp::Eid::parse(text);
    if (endpoint && bp::is_local_node(endpoint->view()))
        return bp::Eid(node.value(), endpoint->view().service);
    return endpoint;
}

std::optional<std::uint32_t> parse_mode(std::string_view text) {
    constexpr int kOctal = 8;
    std::uint32_t mode = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), mode, kOctal);
    const bool sized = text.size() == 3 || (text.size() == 4 && text.front() == '0');
    if (error != std::errc() || end != text.end() || !sized) return std::nullopt;
    return mode;
}

}  // namespace farlink::config
