// SPDX-License-Identifier: Apache-2.0
#include "cfdp/config/entity_config.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "cfdp/disk/disk_filestore.hpp"
#include "common/config/fields/field_table.hpp"
#include "common/config/fields/ip_address.hpp"
#include "common/config/fields/section_checker.hpp"
#include "common/config/fields/text_file.hpp"

namespace farlink::cfdp {
namespace {

using config::Field;
using config::FieldInfo;
using config::FieldKind;
using config::Table;

constexpr std::uint64_t kLongestSeconds = 10ULL * 365 * 24 * 3600;

struct NamedAlgorithm {
    std::string_view name;
    Algorithm algorithm;
};
constexpr NamedAlgorithm kNamedAlgorithms[] = {{"modular", Algorithm::kModular},
                                               {"proximity1", Algorithm::kProximity1},
                                               {"crc32c", Algorithm::kCrc32c},
                                               {"crc32", Algorithm::kCrc32},
                                               {"null", Algorithm::kNull}};

struct NamedCondition {
    std::string_view name;
    ConditionCode code;
};
constexpr NamedCondition kNamedConditions[] = {
    {"positiveAckLimit", ConditionCode::kPositiveAckLimit},
    {"keepAliveLimit", ConditionCode::kKeepAliveLimit},
    {"filestoreRejection", ConditionCode::kFilestoreRejection},
    {"checksumFailure", ConditionCode::kChecksumFailure},
    {"sizeError", ConditionCode::kSizeError},
    {"nakLimit", ConditionCode::kNakLimit},
    {"inactivity", ConditionCode::kInactivity},
    {"checkLimit", ConditionCode::kCheckLimit},
    {"unsupportedChecksum", ConditionCode::kUnsupportedChecksum},
};

constexpr std::array<std::string_view, kPermissions> kPermissionNames{
    "create",       "delete", "rename", "append", "replace", "createFolder",
    "removeFolder", "get",    "proxy",  "list",   "report",  "suspend"};

template <class... Path>
Field<RemoteConfig> seconds_field(std::string_view key, std::string_view usual,
                                  std::string_view help, Path... path) {
    return {FieldInfo{.key = key,
                      .kind = FieldKind::kSeconds,
                      .unit = "seconds",
                      .maximum = kLongestSeconds,
                      .computed_default = usual,
                      .help = help},
            path...};
}

template <class... Path>
Field<RemoteConfig> count_field(std::string_view key, std::uint64_t least, std::uint64_t most,
                                std::uint64_t usual, std::string_view help, Path... path) {
    return {FieldInfo{.key = key,
                      .kind = FieldKind::kInteger,
                      .minimum = least,
                      .maximum = most,
                      .fallback = usual,
                      .help = help},
            path...};
}

std::vector<Field<RemoteConfig>> remote_place_fields() {
    return {
        {{.key = "entityId",
          .kind = FieldKind::kInteger,
          .required = true,
          .help = "Its entity id; for bundles its node number."},
         &RemoteConfig::entity},
        {{.key = "udp",
          .kind = FieldKind::kText,
          .help = "`address:port`; without this key PDUs travel in bundles."},
         &RemoteConfig::udp},
        {{.key = "endpoint",
          .kind = FieldKind::kText,
          .computed_default = "`ipn:<entityId>.<service>`",
          .help = "Where its bundles come from and go to."},
         &RemoteConfig::endpoint},
        count_field("rateBitsPerSecond", 1'000, 1'000'000'000'000, 100'000'000,
                    "Rate limit of UDP.", &RemoteConfig::rate_bits_per_second),
        count_field("bundleBytes", 0, 1'000'000, 0,
                    "PDUs that leave together share a bundle up to this size; 0: one PDU a bundle.",
                    &RemoteConfig::bundle_bytes),
        {{.key = "mayPut",
          .kind = FieldKind::kBoolean,
          .fallback = true,
          .help = "It may put files into the inbox."},
         &RemoteConfig::settings,
         &RemoteSettings::may_put},
        {{.key = "folder",
          .kind = FieldKind::kText,
          .computed_default = "`inbox`",
          .help = "Folder beneath the root for its files and for what it may do."},
         &RemoteConfig::folder},
        {{.key = "may",
          .kind = FieldKind::kTexts,
          .help = "What it may do in that folder beside putting files."},
         &RemoteConfig::may},
        count_field("largestFileBytes", 0, std::uint64_t{1} << 60, std::uint64_t{1} << 60,
                    "Largest file that it may put.", &RemoteConfig::settings,
                    &RemoteSettings::largest_file),
    };
}

std::vector<Field<RemoteConfig>> remote_sending_fields() {
    return {
        count_field("class", 1, 2, 2, "Class of what is sent, unless a request has another.",
                    &RemoteConfig::service_class),
        {{.key = "closure",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .help = "Class 1: the receiver sends Finished."},
         &RemoteConfig::settings,
         &RemoteSettings::closure},
        {{.key = "crc",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .help = "A CRC ends each PDU that is sent."},
         &RemoteConfig::settings,
         &RemoteSettings::crc},
        {{.key = "checksum",
          .kind = FieldKind::kChoice,
          .fallback = std::string_view("crc32c"),
          .choices = {"modular", "proximity1", "crc32c", "crc32", "null"},
          .help = "Checksum of files that are sent."},
         &RemoteConfig::checksum},
        count_field("segmentBytes", 1, 65'000, 1'024, "Octets of file data in a PDU.",
                    &RemoteConfig::settings, &RemoteSettings::segment_bytes),
        count_field("pduBytes", 64, 65'000, 1'400, "Size limit of a NAK.", &RemoteConfig::settings,
                    &RemoteSettings::pdu_bytes),
        count_field("mostSending", 1, 10'000, 10'000,
                    "Maximum number of files that are sent at a time; further ones wait.",
                    &RemoteConfig::settings, &RemoteSettings::most_sending),
    };
}

std::vector<Field<RemoteConfig>> remote_timer_fields() {
    using R = RemoteConfig;
    using S = RemoteSettings;
    return {
        {{.key = "nakMode",
          .kind = FieldKind::kChoice,
          .fallback = std::string_view("deferred"),
          .choices = {"deferred", "immediate"},
          .help = "When missing octets are requested: after EOF, or when the gap is found."},
         &R::nak_mode},
        seconds_field("ackTimeoutSeconds", "10", "Time until EOF and Finished are sent again.",
                      &R::settings, &S::ack_timeout),
        count_field("ackLimit", 0, 1'000'000, 5, "Repeats of EOF and of Finished.", &R::settings,
                    &S::ack_limit),
        seconds_field("nakTimeoutSeconds", "10",
                      "Time without new octets until NAKs are sent again.", &R::settings,
                      &S::nak_timeout),
        count_field("nakLimit", 1, 1'000'000, 5, "How often NAKs may bring nothing.", &R::settings,
                    &S::nak_limit),
        seconds_field("inactivityTimeoutSeconds", "300",
                      "Time without any PDU until the inactivity fault.", &R::settings,
                      &S::inactivity_timeout),
        seconds_field("checkTimeoutSeconds", "10", "Class 1: time between two checks after EOF.",
                      &R::settings, &S::check_timeout),
        count_field("checkLimit", 1, 1'000'000, 5, "Class 1: number of checks.", &R::settings,
                    &S::check_limit),
        seconds_field("keepAliveSeconds", "0", "Time between two Keep Alives; 0: none.",
                      &R::settings, &S::keep_alive_interval),
        count_field("keepAliveDiscrepancyBytes", 0, std::uint64_t{1} << 60, 0,
                    "Octets that the receiver may be behind; 0: any number.", &R::settings,
                    &S::keep_alive_discrepancy),
        {{.key = "suspendAt",
          .kind = FieldKind::kTexts,
          .help = "Faults that suspend a transaction; others cancel it."},
         &R::suspend_at},
        {{.key = "ignore", .kind = FieldKind::kTexts, .help = "Faults that are ignored."},
         &R::ignore},
        {{.key = "abandonAt",
          .kind = FieldKind::kTexts,
          .help = "Faults that end a transaction without a message to the other entity."},
         &R::abandon_at},
    };
}

const Table<RemoteConfig> &remote_table() {
    static const Table<RemoteConfig> table = [] {
        auto fields = remote_place_fields();
        config::append_fields(fields, remote_sending_fields());
        config::append_fields(fields, remote_timer_fields());
        return Table<RemoteConfig>{"remotes[]", "An entity that files go to or come from.",
                                   std::move(fields)};
    }();
    return table;
}

std::vector<Field<EntityConfig>> entity_place_fields() {
    return {
        {{.key = "entityId",
          .kind = FieldKind::kInteger,
          .required = true,
          .help = "Id of this entity; with bundles, the node number."},
         &EntityConfig::entity},
        {{.key = "root",
          .kind = FieldKind::kText,
          .required = true,
          .help = "Folder beneath which files are read and written."},
         &EntityConfig::root},
        {{.key = "inbox",
          .kind = FieldKind::kText,
          .fallback = std::string_view("inbox"),
          .help = "Folder beneath the root for what arrives."},
         &EntityConfig::inbox},
        {{.key = "controlSocket",
          .kind = FieldKind::kText,
          .required = true,
          .help = "Unix socket for `farlink-cfdp`."},
         &EntityConfig::control_socket},
        {{.key = "udpPort",
          .kind = FieldKind::kInteger,
          .maximum = 65'535,
          .help = "UDP port for PDUs; 0: any free one."},
         [](EntityConfig &entity, const config::Value &value) {
             entity.udp_port = value.number<std::uint64_t>();
             entity.udp = true;
         }},
        {{.key = "udpAddress",
          .kind = FieldKind::kText,
          .fallback = std::string_view("127.0.0.1"),
          .help = "Address of the UDP port."},
         &EntityConfig::udp_address},
    };
}

std::vector<Field<EntityConfig>> entity_service_fields() {
    return {
        {{.key = "node",
          .kind = FieldKind::kText,
          .help = "Unix socket of the node for applications."},
         &EntityConfig::node},
        {{.key = "service",
          .kind = FieldKind::kInteger,
          .maximum = 0xffffffff,
          .fallback = std::uint64_t{64},
          .help = "Service of the node for bundles with PDUs."},
         &EntityConfig::service},
        {{.key = "lifetimeSeconds",
          .kind = FieldKind::kInteger,
          .unit = "seconds",
          .minimum = 1,
          .maximum = kLongestSeconds,
          .fallback = std::uint64_t{7 * 24 * 3600},
          .help = "Lifetime of bundles."},
         &EntityConfig::lifetime_seconds},
        {{.key = "mostReceiving",
          .kind = FieldKind::kInteger,
          .minimum = 1,
          .maximum = 1'000'000,
          .fallback = std::uint64_t{4'000},
          .help =
              "Maximum number of files that arrive at a time; PDUs of further files are dropped."},
         &EntityConfig::most_receiving},
        {{.key = "remotes",
          .kind = FieldKind::kList,
          .required = true,
          .section = &remote_table().info(),
          .help = "The entities with which this one exchanges files."},
         [](EntityConfig &entity, const config::Value &value) {
             entity.remotes = remote_table().build_all(value.as<config::List>());
         }},
    };
}

const Table<EntityConfig> &entity_table() {
    static const Table<EntityConfig> table = [] {
        auto fields = entity_place_fields();
        config::append_fields(fields, entity_service_fields());
        return Table<EntityConfig>{"entity.json", "A CFDP entity.", std::move(fields)};
    }();
    return table;
}

constexpr std::string_view kNoFolderName = " is not the name of a folder beneath `root`";

bool is_ip_address(std::string_view text) {
    return config::is_ipv4_address(text) || config::is_ipv6_address(text);
}

class RemoteReview {
public:
    RemoteReview(const EntityConfig &entity, std::vector<config::ConfigError> &errors)
        : entity_(entity), errors_(errors) {}

    void complete(RemoteConfig &remote, std::size_t index) {
        path_ = config::item_path("remotes", index);
        remote.settings.entity = remote.entity;
        remote.settings.acknowledged = remote.service_class == 2;
        remote.settings.checksum = algorithm_named(remote.checksum).value_or(Algorithm::kCrc32c);
        remote.settings.nak_mode =
            remote.nak_mode == "immediate" ? NakMode::kImmediate : NakMode::kDeferred;
        allow(remote);
        handle_faults(remote, remote.suspend_at, FaultHandler::kSuspend, "suspendAt");
        handle_faults(remote, remote.ignore, FaultHandler::kIgnore, "ignore");
        handle_faults(remote, remote.abandon_at, FaultHandler::kAbandon, "abandonAt");
        if (!seen_.insert(remote.entity).second) report("entityId", "is there twice");
        if (remote.entity == entity_.entity) report("entityId", "is that of this entity");
        if (remote.udp.empty() && entity_.node.empty())
            report("udp", "missing, and there is no `node` for bundles");
        if (!remote.udp.empty()) check_udp(remote.udp);
        if (!remote.folder.empty() && !is_plain_name(remote.folder))
            report("folder", config::in_quotes(remote.folder) + std::string(kNoFolderName));
        if (remote.endpoint.empty())
            remote.endpoint =
                "ipn:" + std::to_string(remote.entity) + '.' + std::to_string(entity_.service);
    }

private:
    void check_udp(const std::string &address) {
        if (!entity_.udp) report("udp", "needs `udpPort` of this entity");
        if (!read_udp_address(address))
            report("udp",
                   "found " + config::in_quotes(address) +
                       "; expected address:port, as \"192.0.2.1:4000\" or \"[2001:db8::1]:4000\"");
        if (!addresses_.insert(address).second) report("udp", "is there twice");
    }
    void allow(RemoteConfig &remote) {
        for (const std::string &name : remote.may) {
            const auto *const found = std::ranges::find(kPermissionNames, name);
            if (found == kPermissionNames.end())
                report("may", "there is no permission " + config::in_quotes(name));
            else
                remote.settings.may.allow(
                    static_cast<Permission>(found - kPermissionNames.begin()));
        }
    }
    void handle_faults(RemoteConfig &remote, const std::vector<std::string> &names,
                       FaultHandler handler, std::string_view key) {
        for (const std::string &name : names) {
            const auto *const found =
                std::ranges::find(kNamedConditions, name, &NamedCondition::name);
            if (found == std::end(kNamedConditions))
                report(key, "there is no fault " + config::in_quotes(name));
            else
                remote.settings.handlers[static_cast<std::size_t>(found->code)] = handler;
        }
    }
    void report(std::string_view key, std::string problem) {
        errors_.push_back({config::member_path(path_, key), std::move(problem), "", ""});
    }

    const EntityConfig &entity_;
    std::vector<config::ConfigError> &errors_;
    std::set<EntityId> seen_;
    std::set<std::string> addresses_;
    std::string path_;
};

}  // namespace

std::optional<UdpAddress> read_udp_address(std::string_view text) {
    const auto found = config::read_ip_and_port(text);
    if (!found || found->port == 0) return std::nullopt;
    return UdpAddress{std::string(found->host), found->port};
}

std::optional<Algorithm> algorithm_named(std::string_view name) {
    const auto *const found = std::ranges::find(kNamedAlgorithms, name, &NamedAlgorithm::name);
    if (found == std::end(kNamedAlgorithms)) return std::nullopt;
    return found->algorithm;
}

std::string_view name_of(Algorithm algorithm) {
    const auto *const found =
        std::ranges::find(kNamedAlgorithms, algorithm, &NamedAlgorithm::algorithm);
    return found == std::end(kNamedAlgorithms) ? "unknown" : found->name;
}

Result<EntityConfig, config::ConfigErrors> parse_entity_config(std::string_view json,
                                                               const std::string &source) {
    config::ConfigErrors errors{source, {}};
    const auto object = config::check_document(entity_table().info(), json, errors.errors);
    if (!object || !errors.empty()) return fail(std::move(errors));
    EntityConfig entity = entity_table().build(*object);
    RemoteReview review(entity, errors.errors);
    for (std::size_t i = 0; i < entity.remotes.size(); ++i) review.complete(entity.remotes[i], i);
    if (!is_ip_address(entity.udp_address))
        errors.add({"udpAddress",
                    "found " + config::in_quotes(entity.udp_address) + "; expected an IP address",
                    "", ""});
    if (!is_plain_name(entity.inbox))
        errors.add({"inbox", config::in_quotes(entity.inbox) + std::string(kNoFolderName), "", ""});
    if (!entity.udp && entity.node.empty())
        errors.add({"", "has neither `udpPort` nor `node`", "", ""});
    if (!errors.empty()) return fail(std::move(errors));
    return entity;
}

Result<EntityConfig, config::ConfigErrors> load_entity_config(const std::string &path) {
    const auto text = config::read_text_file(path);
    if (!text) {
        config::ConfigErrors errors{path, {}};
        errors.add(text.error());
        return fail(std::move(errors));
    }
    return parse_entity_config(*text, path);
}

}  // namespace farlink::cfdp
