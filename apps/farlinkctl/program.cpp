// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/program.hpp"

#include <cstdio>

#include "apps/farlinkctl/cert/cert_command.hpp"
#include "apps/farlinkctl/import/import_command.hpp"
#include "apps/farlinkctl/node/control_commands.hpp"
#include "apps/farlinkctl/node/state_commands.hpp"
#include "apps/farlinkctl/options.hpp"
#include "apps/farlinkctl/plan/plan_commands.hpp"
#include "apps/farlinkctl/security/security_command.hpp"
#include "apps/farlinkctl/shared/exit_code.hpp"
#include "apps/farlinkctl/store_files/store_command.hpp"
#include "apps/farlinkctl/store_node/storage_commands.hpp"
#include "apps/farlinkctl/top/top.hpp"
#include "apps/farlinkctl/watch/watch_command.hpp"

namespace farlink::ctl {
namespace {

int run_storage(const StorageOptions &options) {
    return options.directory.empty() ? run_on_node(options) : run_on_files(options);
}

int run_state(const StateOptions &options) {
    const bool draws = options.verb == StateVerb::kTop && !options.json;
    return draws ? run_top(options) : look_at_node(options);
}

int run(const Options &options) {
    switch (options.command) {
        case Command::kCert:
            return run_cert(options.cert);
        case Command::kStorage:
            return run_storage(options.control.storage);
        case Command::kPlan:
            return run_plan(options.plan);
        case Command::kControl:
            return command_node(options.control);
        case Command::kState:
            return run_state(options.state);
        case Command::kImport:
            return run_import(options.imports);
        case Command::kWatch:
            return run_watch(options.watch);
        case Command::kSecurity:
            return run_security(options.security);
        case Command::kCompletion:
            std::fputs(options.completion.c_str(), stdout);
            return kExitClean;
    }
    return kExitBadUsage;
}

/// Reports incomplete output, so that a truncated file is not taken for a whole one.
bool written() {
    const bool good = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (!good)
        std::fputs("farlinkctl: output is incomplete: write failed; check for a full disk\n",
                   stderr);
    return good;
}

}  // namespace
}  // namespace farlink::ctl

int farlink::ctl::run_program(int argc, char **argv) {
    using namespace farlink::ctl;
    Options options;
    if (const auto code = read_options(argc, argv, options)) return *code;
    const int code = run(options);
    return written() ? code : kExitFailed;
}
