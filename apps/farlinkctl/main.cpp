// SPDX-License-Identifier: Apache-2.0
// `farlinkctl`: the operator's helper beside a node.
#include <cstdio>

#include "apps/farlinkctl/cert/cert_make.hpp"
#include "apps/farlinkctl/cert/cert_show.hpp"
#include "apps/farlinkctl/cert/keys_make.hpp"
#include "apps/farlinkctl/node/control_commands.hpp"
#include "apps/farlinkctl/node/state_commands.hpp"
#include "apps/farlinkctl/options.hpp"
#include "apps/farlinkctl/plan/plan_commands.hpp"
#include "apps/farlinkctl/store/storage_commands.hpp"

namespace farlink::ctl {
namespace {

int run(const Options &options) {
    switch (options.command) {
        case Command::kCertMake:
            return make_certificates(options.make);
        case Command::kCertShow:
            return show_certificates(options.show);
        case Command::kStorage:
            return run_storage(options.control.storage);
        case Command::kKeysMake:
            return make_keys(options.keys_directory);
        case Command::kTokensMake:
            return make_token(options.token);
        case Command::kPlan:
            return run_plan(options.plan);
        case Command::kControl:
            return command_node(options.control);
        case Command::kState:
            return look_at_node(options.state);
        case Command::kCompletion:
            std::fputs(options.completion.c_str(), stdout);
            return kExitClean;
    }
    return kExitBadUsage;
}

/// A file that is not whole must not look as if it were.
bool written() {
    const bool good = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (!good)
        std::fputs("farlinkctl: what it prints cannot be written as a whole: is the disk full?\n",
                   stderr);
    return good;
}

}  // namespace
}  // namespace farlink::ctl

int main(int argc, char **argv) {
    using namespace farlink::ctl;
    Options options;
    if (const auto code = read_options(argc, argv, options)) return *code;
    const int code = run(options);
    return written() ? code : kExitFailed;
}
