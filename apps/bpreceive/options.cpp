// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceive/options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "apps/shared/messages/shared_options.hpp"
#include "apps/shared/options/tool_options.hpp"

namespace farlink::bpreceive {

void declare(CLI::App &app, Arguments &arguments) {
    messages::declare_endpoint(app, arguments.node);
    app.add_flag("--lines", arguments.lines, "write a newline after each payload");
    app.add_option(
        "--folder", arguments.folder,
        "write each payload to a file in this folder; the bundle id is the name of the file");
    app.add_option("--exec", arguments.command,
                   "run this command by /bin/sh for each bundle, one after the other, with the "
                   "payload on its standard input, and FARLINK_SOURCE, FARLINK_DESTINATION, "
                   "FARLINK_ID, FARLINK_REPORT_TO (empty: none), FARLINK_REPEATED and "
                   "FARLINK_STATUS_REPORT (0 or 1) in its environment; exit code 0 accepts the "
                   "bundle, any other ends bpreceive, and the node delivers the bundle again");
    app.add_option("--count", arguments.count, "end after this number of bundles")
        ->transform(amount("bundles", 1));
    messages::declare_silence_timeout(app, arguments.timeout_s);
    messages::declare_node(app, arguments.node);
    messages::declare_progress(app, arguments.progress);
    app.add_flag("--json", arguments.json,
                 "print a line of JSON for each bundle and a summary; the line has the payload in "
                 "base64 unless --folder or --exec is given");
}

std::string complete(Arguments &arguments) {
    if (std::string error = messages::wrong_endpoint(arguments.node.endpoint); !error.empty())
        return "endpoint: " + error;
    const bool elsewhere = !arguments.folder.empty() || !arguments.command.empty();
    if (!arguments.folder.empty() && !arguments.command.empty())
        return "--folder cannot be used with --exec";
    if (arguments.lines && (elsewhere || arguments.json))
        return "--lines can be used only for payloads on standard output";
    std::uint32_t &window = arguments.node.window;
    // What a command has not seen yet is better given to another receiver.
    if (!arguments.command.empty()) window = 1;
    if (arguments.count > 0)
        window = static_cast<std::uint32_t>(std::min<std::uint64_t>(window, arguments.count));
    return {};
}

}  // namespace farlink::bpreceive
