// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/module_choice.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "common/bus/zmq/zmq_bus_keys.hpp"
#include "common/config/fields/config_error.hpp"

namespace farlink::app {
namespace {

constexpr auto kSupervisorAt = static_cast<std::size_t>(bus::AgentId::kSupervisor);

/// All names that `--modules` takes.
std::vector<std::string_view> module_names() {
    std::vector<std::string_view> names;
    for (const bus::AgentId module : bus::modules_with(kMostInstances, true))
        names.push_back(bus::name_of(module));
    return names;
}

/// The first line of a file that only its owner may read; or the error.
Result<std::string, std::string> read_secret(const std::string &path) {
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return fail(path + ": cannot be read");
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return fail(path + ": other users may read or write the file; expected mode 0600");
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line)) return fail(path + ": cannot be read");
    return line;
}

Result<bus::CurveKeys, std::string> read_keys(const config::BusConfig &config) {
    const auto secret = read_secret(config.secret_key_file);
    if (!secret) return fail("bus.secretKeyFile: " + secret.error());
    auto keys = bus::curve_keys_of(*secret);
    if (!keys)
        return fail("bus.secretKeyFile: " + config.secret_key_file +
                    ": found no key; expected a file made by `farlinkctl keys make`");
    if (keys->public_key != config.public_key)
        return fail("bus.publicKey: does not belong to the secret key in " +
                    config.secret_key_file);
    return *keys;
}

}  // namespace

bool ModuleChoice::has_any(bus::AgentId role) const {
    return std::ranges::any_of(modules(),
                               [&](bus::AgentId module) { return bus::role_of(module) == role; });
}

bool ModuleChoice::all() const {
    return std::ranges::all_of(bus::modules_with(instances_, applications_),
                               [this](bus::AgentId module) { return has(module); });
}

std::set<bus::AgentId> ModuleChoice::modules() const {
    std::set<bus::AgentId> chosen;
    for (const bus::AgentId module : bus::modules_with(instances_, applications_))
        if (has(module)) chosen.insert(module);
    return chosen;
}

Result<void, std::string> ModuleChoice::limit_to(std::size_t instances, bool applications) {
    instances_ = instances;
    applications_ = applications;
    const std::vector<bus::AgentId> there = bus::modules_with(instances, applications);
    for (const bus::AgentId module : bus::modules_with(kMostInstances, true)) {
        if (std::ranges::find(there, module) != there.end() || !has(module)) continue;
        if (!everything && module == bus::AgentId::kApplications)
            return fail(
                std::string("there is no applications; expected `applications` with "
                            "`socket` or `listen` in the configuration"));
        if (!everything)
            return fail("there is no " + std::string(bus::name_of(module)) +
                        "; expected an instance within threads.instances of the configuration");
        here[static_cast<std::size_t>(module)] = false;
    }
    return {};
}

Result<ModuleChoice, std::string> read_modules(std::string_view text) {
    ModuleChoice choice;
    const std::vector<std::string_view> names = module_names();
    if (text == "all") {
        choice.here.fill(true);
        choice.everything = true;
        return choice;
    }
    while (true) {
        const std::size_t comma = std::min(text.find(','), text.size());
        const std::string_view word = text.substr(0, comma);
        const auto named = std::ranges::find(config::kModuleNames, word);
        if (std::ranges::find(names, word) == names.end())
            return fail("no such module: " + config::in_quotes(word) + "; there are " +
                        config::alternatives(names, false) + ", and all");
        choice.here[static_cast<std::size_t>(std::distance(config::kModuleNames.begin(), named))] =
            true;
        if (comma == text.size()) break;
        text.remove_prefix(comma + 1);
    }
    choice.here[kSupervisorAt] = choice.has(bus::AgentId::kScheduler);
    return choice;
}

Result<bus::BusTopology, std::string> topology_of(const config::NodeConfig &config,
                                                  const ModuleChoice &choice) {
    bus::BusTopology topology;
    topology.placement = config::LinkPlacement(config);
    if (choice.all()) return topology;
    std::string errors;
    bool by_tcp = false;
    for (std::size_t i = 0; i < bus::kAgentCount; ++i) {
        const auto module = static_cast<bus::AgentId>(i);
        if (bus::instance_of(module) >= config.threads.instances) continue;
        if (module == bus::AgentId::kApplications && !config.applications.wanted()) continue;
        const std::string &address = config.bus.addresses[i];
        topology.elsewhere[i] = !choice.here[i];
        topology.addresses[i] = address;
        by_tcp |= address.starts_with("tcp://");
        if (address.empty() || address == config::kInproc)
            errors += config::member_path("bus", config::kModuleNames[i]) +
                      ": found inproc; expected ipc:///path or tcp://address:port, since the "
                      "modules run in several processes\n";
    }
    if (by_tcp && !config.bus.secret_key_file.empty()) {
        auto keys = read_keys(config.bus);
        if (keys)
            topology.curve = std::move(*keys);
        else
            errors += keys.error() + '\n';
    }
    if (!errors.empty()) return fail(std::move(errors));
    constexpr std::string_view kVersion = FARLINK_VERSION;
    topology.software.assign(kVersion.begin(), kVersion.end());
    for (const config::ConfigPart &part : config.parts)
        topology.parts.push_back({{part.key.begin(), part.key.end()}, part.hash});
    return topology;
}

}  // namespace farlink::app
