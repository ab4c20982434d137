// SPDX-License-Identifier: Apache-2.0
#include "common/config/node/threads_fields.hpp"

#include <string>
#include <utility>

namespace farlink::config {
namespace {

/// Above the number of processors of any machine.
constexpr std::uint64_t kLastProcessor = 65'535;

template <std::size_t kModule>
Field<ThreadsConfig> processor_field() {
    return {{.key = kModuleNames[kModule],
             .kind = FieldKind::kInteger,
             .maximum = kLastProcessor,
             .computed_default = "the system's choice",
             .help = "Number of the processor, from 0, on which this module's thread runs."},
            [](ThreadsConfig &to, const Value &value) {
                to.processors[kModule] = value.number<std::uint32_t>();
            }};
}

template <std::size_t... Modules>
std::vector<Field<ThreadsConfig>> processor_fields(std::index_sequence<Modules...>) {
    return {processor_field<Modules>()...};
}

std::string instances_there(const NodeConfig &config) {
    return "1 to " + std::to_string(config.threads.instances) + ", the number in threads.instances";
}

template <class Links>
void check_links(const NodeConfig &config, const char *list, const Links &links,
                 std::vector<ConfigError> &errors) {
    for (std::size_t at = 0; at < links.size(); ++at) {
        const std::uint32_t instance = links[at].instance;
        if (instance <= config.threads.instances) continue;
        errors.push_back({std::string(list) + "[" + std::to_string(at) + "].instance",
                          "found " + std::to_string(instance),
                          instances_there(config),
                          {}});
    }
}

}  // namespace

const Table<ThreadsConfig> &processors_table() {
    static const Table<ThreadsConfig> table{
        "threads.processors",
        "The processor on which each module's thread runs. Two modules that exchange bundles "
        "should use processors that share a cache; a processor that is shared with other load is "
        "worse than the system's choice.",
        processor_fields(std::make_index_sequence<kModuleNames.size()>())};
    return table;
}

const Table<ThreadsConfig> &threads_table() {
    static const Table<ThreadsConfig> table{
        "threads",
        "Number of threads of the data path. [processes.md](processes.md) describes when more are "
        "useful.",
        {
            {{.key = "instances",
              .kind = FieldKind::kInteger,
              .minimum = 1,
              .maximum = kMostInstances,
              .fallback = std::uint64_t{1},
              .help = "Number of instances of ingress, and of egress, each with a thread of its "
                      "own. They share the links; one storage serves all."},
             &ThreadsConfig::instances},
            {{.key = "processors",
              .kind = FieldKind::kObject,
              .section = &processors_table().info(),
              .help = "The processors on which the modules run."},
             [](ThreadsConfig &to, const Value &value) {
                 to.processors = processors_table().build(value.as<Object>()).processors;
             }},
        }};
    return table;
}

void check_threads(const NodeConfig &config, std::vector<ConfigError> &errors) {
    check_links(config, "inductsConfig", config.inducts, errors);
    check_links(config, "outductsConfig", config.outducts, errors);
    for (std::size_t at = 0; at < kModuleNames.size(); ++at) {
        const std::string_view name = kModuleNames[at];
        const std::uint32_t needed =
            name.back() >= '2' && name.back() <= '9' ? name.back() - '0' : 1;
        const bool absent = name == "applications" && !config.applications.wanted();
        if (!config.threads.processors[at] || (needed <= config.threads.instances && !absent))
            continue;
        errors.push_back({"threads.processors." + std::string(name),
                          "found a module that does not exist",
                          "an instance within threads.instances",
                          {}});
    }
}

}  // namespace farlink::config
