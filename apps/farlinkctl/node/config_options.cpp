// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/config_options.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "apps/farlinkctl/shared/reply_table.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

void print_list(std::FILE *to, const Json &list) {
    for (const Json &each : list) {
        const std::string change = each.value("change", "");
        const std::string words = each.value("text", "");
        std::fprintf(to, "  %s%s%s%s\n", text(each, "path").c_str(),
                     change.empty() ? "" : (" " + change).c_str(), words.empty() ? "" : ": ",
                     words.c_str());
    }
}

void print_part(const Json &reply, const char *key, const char *title) {
    const Json list = reply.value(key, Json::array());
    if (list.empty()) return;
    std::printf("%s:\n", title);
    print_list(stdout, list);
}

}  // namespace

void add_config_commands(CLI::App &app, ControlOptions &options) {
    CLI::App *const reload =
        add_command_of_node(app, options, "reload", "reload",
                            "apply the changes of the configuration file to a running node");
    reload->add_flag("--partial", options.partial,
                     "apply the settings that need no restart, even if other settings need one");
    CLI::App &config = *app.get_subcommand("config");
    add_command_of_node(config, options, "diff", "config diff",
                        "print the differences between the running node and its file");
    add_command_of_node(
        config, options, "revert", "config revert",
        "undo the changes made by commands: links, rates, contact plan, log levels");
    add_command_of_node(config, options, "save", "config save",
                        "write links and the log level to the configuration file; the old file is "
                        "kept as FILE.bak");
}

void print_config_reply(const std::string &command, const Json &reply) {
    const bool diff = command == "config diff";
    if (reply.value("unchanged", false))
        std::puts(diff ? "no changes by commands" : "nothing has changed");
    print_part(reply, "changed",
               diff                         ? "changed by commands"
               : command == "config revert" ? "undone"
               : command == "config save"   ? "written"
                                            : "applied");
    print_part(reply, "needsRestart", "not applied, needs a restart");
    print_part(reply, "notSaved", "not written, not a setting of a configuration file");
    if (reply.value("fileChanged", false))
        std::puts("the file has changed since it was read: `farlinkctl reload` applies it");
}

void print_needs_restart(const Json &reply) {
    print_list(stderr, reply.value("needsRestart", Json::array()));
}

}  // namespace farlink::ctl
