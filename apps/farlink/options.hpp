// SPDX-License-Identifier: Apache-2.0
// The command line of `farlink`.
// Made once in main().
// A value.
#pragma once

#include <optional>
#include <string>

#include "apps/shared/import/hdtn_files.hpp"
#include "common/runtime/log/log_format.hpp"

namespace farlink::app {

/// Exit codes; docs/guide/processes.md lists them.
inline constexpr int kExitClean = 0;
inline constexpr int kExitFailed = 1;  ///< could not start, or the ledger did not balance
inline constexpr int kExitBadConfiguration = 2;
/// Another process of the node is of another version, or has another configuration.
inline constexpr int kExitMismatch = 3;

struct Options {
    std::string config_file;
    HdtnRequest hdtn{};           ///< `--hdtn-config-file`: instead of `--config`
    std::string start_config;     ///< the file as it was when the node started; empty: as it is now
    std::string config_text;      ///< of either
    std::string modules = "all";  ///< `--modules`: those that this process runs
    bool isolate = false;         ///< `--isolate`: each of them in a process of its own
    std::string bus_folder{};     ///< folder of the sockets of such processes, instead of `bus`
    int parent = 0;               ///< the process that has started this one; 0: none
    bool check_only = false;      ///< `--check`: report errors of the configuration, then end
    LogFormat log_format = LogFormat::kText;  ///< `--log-format`
    /// `--log-level`: "info,ltp=debug"; empty: as the configuration has it.
    std::string log_levels{};
    bool print_counters = false;  ///< `--counters`: a line of JSON a second on standard output
};

/// Reads the arguments; an exit code for help, version or bad usage.
[[nodiscard]] std::optional<int> read_options(int argc, char **argv, Options &options);

}  // namespace farlink::app
