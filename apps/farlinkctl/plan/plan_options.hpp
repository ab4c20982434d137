// SPDX-License-Identifier: Apache-2.0
// The command line of `farlinkctl plan`.
// Made once in main() as a part of Options.
// A value.
#pragma once

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace farlink::ctl {

enum class PlanVerb : std::uint8_t { kCheck, kShow, kTimeline, kConvert };

/// `plan ...`
struct PlanOptions {
    PlanVerb verb = PlanVerb::kCheck;
    std::string file;
    std::string config;      ///< of a node that uses the plan; may be empty
    std::string at;          ///< `show`: a moment in text form; empty: now, or the start
    std::string from;        ///< `timeline`: a moment; empty: the first contact
    std::string to;          ///< `timeline`; empty: the end of the last contact
    std::uint64_t node = 0;  ///< `show`, `timeline`: contacts of this node only; 0: of all
    std::string out;         ///< `timeline`, `convert`: file; empty: standard output
    std::string form;        ///< `convert`: "json" or "ion"
    bool json = false;
};

/// Adds `plan` and its commands; returns `plan`.
CLI::App *add_plan(CLI::App &app, PlanOptions &options);

}  // namespace farlink::ctl
