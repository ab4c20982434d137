// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/shared/command_first.hpp"

#include <CLI/CLI.hpp>

namespace farlink::ctl {
namespace {

bool has_value_behind(const std::string &word) {
    return word == "--config" || word == "--socket" || word == "--dir";
}

bool is_leading_option(const std::string &word) {
    return has_value_behind(word) || word == "--json" || word.starts_with("--config=") ||
           word.starts_with("--socket=") || word.starts_with("--dir=");
}

/// Null: `app` has no such command.
const CLI::App *command_of(const CLI::App &app, const std::string &word) {
    const auto found = app.get_subcommands(
        [&word](const CLI::App *each) { return !word.empty() && each->get_name() == word; });
    return found.empty() ? nullptr : found.front();
}

}  // namespace

void add_leading_options(CLI::App &app, LeadingOptions &options) {
    add_node_choice(app, options.node);
    app.add_flag("--json", options.json, "print JSON, where the command supports it");
}

std::vector<std::string> command_first(const CLI::App &app, const std::vector<std::string> &words) {
    std::vector<std::string> ordered;
    std::vector<std::string> options;
    const CLI::App *command = &app;
    auto next = words.begin();
    for (; next != words.end(); ++next) {
        if (is_leading_option(*next)) {
            options.push_back(*next);
            if (has_value_behind(*next) && next + 1 != words.end()) options.push_back(*++next);
        } else if (const CLI::App *const below = command_of(*command, *next)) {
            command = below;
            ordered.push_back(*next);
        } else {
            break;
        }
    }
    ordered.insert(ordered.end(), options.begin(), options.end());
    ordered.insert(ordered.end(), next, words.end());
    return ordered;
}

}  // namespace farlink::ctl
