// SPDX-License-Identifier: Apache-2.0
// The command line of the state and the log levels of a running node.
// Filled by read_options().
// A value.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <string>

#include "apps/farlinkctl/shared/node_choice.hpp"

namespace farlink::ctl {

enum class StateVerb : std::uint8_t {
    kNone,  ///< none of these was given
    kLinks,
    kStorage,
    kCustody,
    kEndpoints,
    kAlarms,
    kEvents,
    kHistory,
    kConfig,
    kMetrics,
    kShow,
    kTop,  ///< with --json; without, the folder top draws it
    kLogLevel,
};

struct StateOptions {
    StateVerb verb = StateVerb::kNone;
    NodeChoice node;
    bool json = false;
    bool follow = false;          ///< `events`
    std::uint64_t limit = 0;      ///< `events`: number at most; 0: the default
    std::string from;             ///< `events`, `history`: begin of the period; empty: none
    std::string to;               ///< its end
    bool csv = false;             ///< `events`, `history`
    std::uint64_t step_s = 0;     ///< `history`: 0: what suits the period
    std::uint64_t seconds = 300;  ///< `history`
    std::string series;           ///< `history`: names separated by commas; empty: all
    std::string path;             ///< `show`
    double interval_s = 1;        ///< `top`
    std::string name;             ///< `log level`: a level for all, or a logger
    std::string level;            ///< `log level`: of that logger
};

/// Adds the commands to `app`.
void add_state_commands(CLI::App &app, StateOptions &options);

}  // namespace farlink::ctl
