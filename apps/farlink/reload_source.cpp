// SPDX-License-Identifier: Apache-2.0
#include "apps/farlink/reload_source.hpp"

#include "apps/farlink/file_review.hpp"
#include "cla/factory/link_factory.hpp"
#include "module/control/state/config_file.hpp"

namespace farlink::app {

control::ConfigSource reload_source(const Options &options, const ModuleChoice &choice) {
    control::ConfigSource source = control::source_of(options.config_file, options.config_text);
    // The processes of --isolate are on one machine.
    const bool whole = choice.everything || !options.bus_folder.empty();
    ModuleChoice checked = choice;
    if (const auto all = read_modules("all"); whole && all) checked = *all;
    source.check_files = [checked](const config::NodeConfig &config) {
        return review_files(config, checked);
    };
    source.check_induct = [here = checked.has_any(bus::AgentId::kIngress)](
                              const config::InductConfig &link) -> std::optional<std::string> {
        if (!here) return std::nullopt;
        return cla::check_link(link);
    };
    source.check_outduct = [here = checked.has_any(bus::AgentId::kEgress)](
                               const config::OutductConfig &link) -> std::optional<std::string> {
        if (!here) return std::nullopt;
        return cla::check_link(link);
    };
    return source;
}

}  // namespace farlink::app
