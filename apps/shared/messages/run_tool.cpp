// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/messages/run_tool.hpp"

#include <signal.h>

#include <new>

#include "apps/shared/messages/node_connection.hpp"
#include "apps/shared/options/complain.hpp"
#include "apps/shared/options/tool_options.hpp"

namespace farlink::messages {

int run_tool(CLI::App &app, int argc, char **argv, const char *no_memory,
             const std::function<int()> &run) {
    ::signal(SIGPIPE, SIG_IGN);  // NOLINT(concurrency-mt-unsafe): before any other thread
    try {
        parse_words(app, argc, argv);
        return run();
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? kExitOk : kExitUsage;
    } catch (const std::bad_alloc &) {
        return complain(no_memory, kExitFailed);
    }
}

}  // namespace farlink::messages
