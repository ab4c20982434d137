// SPDX-License-Identifier: Apache-2.0
#include "common/config/node/bus_fields.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "common/base/siphash.hpp"
#include "common/config/fields/ip_address.hpp"

namespace farlink::config {
namespace {

constexpr std::string_view kIpc = "ipc://";
constexpr std::string_view kTcp = "tcp://";
/// Of a Unix-domain socket's path, without the zero at its end.
constexpr std::size_t kLongestSocketPath = 107;
/// The value of both keys that disables encryption.
constexpr std::string_view kNoKeys = "none";
constexpr std::size_t kKeyLength = 40;
constexpr std::string_view kKeyCharacters =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

constexpr std::string_view kAddressHelp =
    "Address of this module for processes other than its own: `ipc:///path` (a socket that only "
    "this user may open) or `tcp://address:port` (an IP address; IPv6 in brackets). `inproc`: all "
    "modules run in one process.";

template <std::size_t kModule>
Field<BusConfig> address_field() {
    return {
        {.key = kModuleNames[kModule],
         .kind = FieldKind::kText,
         .computed_default = "`inproc`",
         .help = kAddressHelp},
        [](BusConfig &to, const Value &value) { to.addresses[kModule] = value.as<std::string>(); }};
}

/// Of `tcp://address:port`; empty if it is invalid.
std::optional<HostPort> host_and_port(std::string_view text) {
    const auto found = read_ip_and_port(text);
    return found && found->port != 0 ? found : std::nullopt;
}

bool is_loopback(std::string_view host) {
    return address_matches("127.0.0.0/8", host) || address_matches("::1", host);
}

/// The allowed forms, if the address is invalid.
std::string_view fault_of(std::string_view address) {
    if (address == kInproc) return {};
    if (address.starts_with(kIpc)) {
        const std::string_view path = address.substr(kIpc.size());
        if (!path.starts_with('/')) return "an absolute path: ipc:///path";
        if (path.size() > kLongestSocketPath) return "a path of at most 107 characters";
        return {};
    }
    if (address.starts_with(kTcp))
        return host_and_port(address.substr(kTcp.size()))
                   ? std::string_view()
                   : "tcp://address:port with an IP address (IPv6 in brackets)";
    return "inproc, ipc:///path or tcp://address:port";
}

bool is_key(std::string_view text) {
    return text.size() == kKeyLength && text.find_first_not_of(kKeyCharacters) == text.npos;
}

/// Without keys, any process that reaches such an address can act as a module, on loopback any user
/// of the machine. Therefore both keys are required, or `none` as both of them.
void check_keys(const BusConfig &bus, std::vector<ConfigError> &errors) {
    if (bus.public_key.empty() != bus.secret_key_file.empty())
        errors.push_back({bus.public_key.empty() ? "bus.publicKey" : "bus.secretKeyFile",
                          "missing",
                          "publicKey and secretKeyFile together",
                          {}});
    const bool none = bus.public_key == kNoKeys && bus.secret_key_file == kNoKeys;
    if (!none && !bus.public_key.empty() && !is_key(bus.public_key))
        errors.push_back({"bus.publicKey",
                          "found " + in_quotes(bus.public_key),
                          "the text in the file bus.public that `farlinkctl keys make` writes",
                          {}});
    if (!none && !bus.public_key.empty()) return;
    for (std::size_t i = 0; i < bus.addresses.size(); ++i) {
        const std::string &address = bus.addresses[i];
        if (!address.starts_with(kTcp)) continue;
        const auto found = host_and_port(std::string_view(address).substr(kTcp.size()));
        if (!found) continue;
        const bool loopback = is_loopback(found->host);
        if (loopback && none) continue;
        errors.push_back(
            {member_path("bus", kModuleNames[i]),
             "found " + in_quotes(address) +
                 (loopback ? ", which every user of this machine can reach, without keys"
                           : ", which is not loopback, without keys"),
             loopback ? "publicKey and secretKeyFile, or \"none\" as both of them"
                      : "publicKey and secretKeyFile",
             "`farlinkctl keys make FOLDER` makes them"});
    }
}

/// Keys that may differ between processes.
constexpr std::array<std::string_view, 8> kMayDiffer{
    "$schema",       "logLevel",    "bufferBytes", "contactPlanFile",
    "controlSocket", "stateFolder", "api",         "history"};

}  // namespace

const Table<BusConfig> &bus_table() {
    static const Table<BusConfig> table{
        "bus",
        "Addresses of the modules, for a node of several processes (`--modules`); each module then "
        "requires one. See [processes.md](processes.md).",
        {
            address_field<0>(),
            address_field<1>(),
            address_field<2>(),
            address_field<3>(),
            address_field<4>(),
            address_field<5>(),
            {{.key = kModuleNames[6],
              .kind = FieldKind::kText,
              .computed_default = "`inproc`",
              .help = "Address of the supervisor, which runs in the process with the scheduler, in "
                      "the forms of a module's address."},
             [](BusConfig &to, const Value &value) { to.addresses[6] = value.as<std::string>(); }},
            address_field<7>(),
            address_field<8>(),
            address_field<9>(),
            address_field<10>(),
            address_field<11>(),
            address_field<12>(),
            address_field<13>(),
            {{.key = "publicKey",
              .kind = FieldKind::kText,
              .help =
                  "CURVE key of the node's bus: `tcp` connections are encrypted, and only "
                  "processes with the secret key are accepted. Required if an address is `tcp`. If "
                  "all `tcp` addresses are loopback, `none` here and in `secretKeyFile` disables "
                  "the check; every user of the machine can then act as a module of the node."},
             &BusConfig::public_key},
            {{.key = "secretKeyFile",
              .kind = FieldKind::kText,
              .help = "File with the secret key of `publicKey`, with mode 0600, or `none`."},
             &BusConfig::secret_key_file},
        }};
    return table;
}

void check_bus(const BusConfig &bus, std::vector<ConfigError> &errors) {
    for (std::size_t i = 0; i < bus.addresses.size(); ++i) {
        const std::string &address = bus.addresses[i];
        const std::string path = member_path("bus", kModuleNames[i]);
        if (address.empty()) continue;
        if (const std::string_view expected = fault_of(address); !expected.empty())
            errors.push_back({path, "found " + in_quotes(address), std::string(expected), {}});
        const auto *earlier = std::find(bus.addresses.begin(), bus.addresses.begin() + i, address);
        if (address != kInproc && earlier != bus.addresses.begin() + i)
            errors.push_back({path,
                              "found the address of " +
                                  std::string(kModuleNames[static_cast<std::size_t>(
                                      std::distance(bus.addresses.begin(), earlier))]) +
                                  " again",
                              "another address",
                              {}});
    }
    check_keys(bus, errors);
}

void drop_refused_keys(BusConfig &bus) {
    if (bus.public_key != kNoKeys) return;
    bus.public_key.clear();
    bus.secret_key_file.clear();
}

std::vector<ConfigPart> parts_to_agree_on(std::string_view json) {
    std::vector<ConfigPart> parts;
    // Not the ordered kind: the order of keys has no meaning.
    nlohmann::json document = nlohmann::json::parse(json, nullptr, false);
    if (!document.is_object()) return parts;
    if (const auto bus = document.find("bus"); bus != document.end() && bus->is_object())
        bus->erase("secretKeyFile");
    for (const auto &[key, value] : document.items()) {
        if (std::ranges::find(kMayDiffer, key) != kMayDiffer.end()) continue;
        const std::string text = value.dump();
        parts.push_back({key, siphash128(SipKey{}, as_bytes(text)).low});
    }
    return parts;
}

}  // namespace farlink::config
