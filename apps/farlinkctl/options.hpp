// SPDX-License-Identifier: Apache-2.0
// The command line of `farlinkctl`.
// Made once in main().
// A value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/farlinkctl/cert/tokens_make.hpp"
#include "apps/farlinkctl/node/control_options.hpp"
#include "apps/farlinkctl/node/state_options.hpp"
#include "apps/farlinkctl/plan/plan_options.hpp"

namespace farlink::ctl {

/// Exit codes, as those of `farlink`.
inline constexpr int kExitClean = 0;
inline constexpr int kExitFailed = 1;  ///< a file could not be read or written
inline constexpr int kExitBadUsage = 2;

enum class Command : std::uint8_t {
    kCertMake,
    kCertShow,
    kStorage,  ///< of a running node, or its files
    kKeysMake,
    kTokensMake,
    kPlan,
    kControl,  ///< of a running node
    kState,    ///< what a running node knows, and logs
    kCompletion,
};

/// `cert make`
struct CertMakeOptions {
    std::string directory;
    std::vector<std::string> nodes;
    std::vector<std::string> dns_names;
    std::vector<std::string> addresses;
    int days = 365;
    bool force = false;
};

struct Options {
    Command command = Command::kCertShow;
    CertMakeOptions make;
    std::vector<std::string> show;  ///< `cert show`: files
    std::string keys_directory;     ///< `keys make`
    TokensMakeOptions token;        ///< `tokens make`
    PlanOptions plan;
    ControlOptions control;
    StateOptions state;
    std::string completion;  ///< `completion bash`: the script
};

/// Reads the arguments; an exit code when there is nothing to run (help, version, bad usage).
[[nodiscard]] std::optional<int> read_options(int argc, char **argv, Options &options);

}  // namespace farlink::ctl
