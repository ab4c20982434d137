// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/program.hpp"

#include <signal.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "apps/bptrace/ask_nodes.hpp"
#include "apps/bptrace/options.hpp"
#include "apps/bptrace/probe.hpp"
#include "apps/shared/options/tool_options.hpp"

int farlink::bptrace::run_program(int argc, char **argv) {
    using namespace farlink::bptrace;
    Arguments arguments;
    CLI::App app{
        "Prints the route of a probe bundle hop by hop, or what became of a bundle at each node"};
    farlink::add_version(app);
    declare(app, arguments);
    app.footer(
        "Exit codes: 0 the bundle was delivered, 1 it was not delivered, or its outcome is "
        "unknown, 2 bad usage.");
    ::signal(SIGPIPE, SIG_IGN);  // NOLINT(concurrency-mt-unsafe): before any other thread
    try {
        farlink::parse_words(app, argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? kExitDelivered : kExitUsage;
    }
    const int code = is_about_bundle(arguments.what) ? ask_nodes(arguments) : run_probe(arguments);
    if (std::cout.flush() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
    std::fputs("bptrace: output is incomplete: write failed; check for a full disk\n", stderr);
    return kExitNotDelivered;
}
