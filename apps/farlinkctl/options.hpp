// SPDX-License-Identifier: Apache-2.0
// The command line of `farlinkctl`.
// Made once in main().
// A value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/farlinkctl/cert/cert_options.hpp"
#include "apps/farlinkctl/import/import_command.hpp"
#include "apps/farlinkctl/node/control_options.hpp"
#include "apps/farlinkctl/node/state_options.hpp"
#include "apps/farlinkctl/plan/plan_options.hpp"
#include "apps/farlinkctl/security/security_options.hpp"
#include "apps/farlinkctl/watch/watch_command.hpp"

namespace farlink::ctl {

enum class Command : std::uint8_t {
    kCert,     ///< certificates, keys, tokens
    kStorage,  ///< of a running node, or its files
    kPlan,
    kControl,   ///< a command to a running node
    kState,     ///< state and logs of a running node
    kImport,    ///< files of another router
    kWatch,     ///< bundles as they end
    kSecurity,  ///< keys and rules of BPSec
    kCompletion,
};

struct Options {
    Command command = Command::kCert;
    CertOptions cert;
    PlanOptions plan;
    ControlOptions control;
    StateOptions state;
    ImportOptions imports;
    WatchOptions watch;
    SecurityOptions security;
    std::string completion;  ///< `completion bash`: the script
};

/// Reads the arguments; an exit code when there is nothing to run (help, version, bad usage).
[[nodiscard]] std::optional<int> read_options(int argc, char **argv, Options &options);

}  // namespace farlink::ctl
