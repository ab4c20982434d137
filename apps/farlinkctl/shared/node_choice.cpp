// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/shared/node_choice.hpp"

#include <CLI/CLI.hpp>

#include "apps/farlinkctl/shared/file_options.hpp"
#include "apps/shared/control/control_client.hpp"
#include "apps/shared/control/local_node.hpp"

namespace farlink::ctl {

CLI::App *add_node_choice(CLI::App &command, NodeChoice &choice) {
    auto *where = command.add_option_group(
        "node", "selection of the node; default: the node on this machine");
    where
        ->add_option("--config", choice.config,
                     "configuration of the node, with the path of its control socket")
        ->type_name(kFile);
    where->add_option("--socket", choice.socket, "control socket of the node")->type_name(kFile);
    where->require_option(0, 1);
    return where;
}

Result<std::string, std::string> socket_of(const NodeChoice &choice) {
    if (!choice.socket.empty()) return choice.socket;
    return choice.config.empty() ? noted_local_socket() : socket_of(choice.config);
}

CLI::App &command_group(CLI::App &app, const char *word, const char *help) {
    const auto known =
        app.get_subcommands([word](CLI::App *each) { return each->get_name() == word; });
    CLI::App *const made = known.empty() ? app.add_subcommand(word, help) : known.front();
    made->require_subcommand(1);
    return *made;
}

}  // namespace farlink::ctl
