// SPDX-License-Identifier: Apache-2.0
// The command line of the commands to a running node.
// Filled by read_options().
// A value.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/farlinkctl/shared/node_choice.hpp"
#include "apps/farlinkctl/store_files/storage_options.hpp"
#include "apps/shared/control/ping_run.hpp"

namespace farlink::ctl {

/// The numbers of an endpoint that is given as "20" or "ipn:20.1".
struct EndpointNumbers {
    std::uint64_t node = 0;
    std::uint64_t service = 0;
};
[[nodiscard]] std::optional<EndpointNumbers> endpoint_of(const std::string &text);
/// "dtn://mars/inbox", or the null endpoint
[[nodiscard]] bool is_dtn_endpoint(const std::string &text);

/// `reload`, `config diff|revert|save`, `clock`,
/// `status`, `drain`, `resume`, `link`, `ping`, `routes [explain]`, `storage ...`, `bundle
/// find`, `plan
/// current|replace|add|change|remove|rollback|history`
struct ControlOptions {
    std::string command;  ///< its name in a request: "link down"
    NodeChoice node;
    bool json = false;
    std::uint64_t link = 0;
    std::string direction;                  ///< `link add`: induct or outduct
    std::string link_text;                  ///< `link add`, `link change`: a file, or a URL
    std::optional<std::uint64_t> new_link;  ///< `link add`: its number
    PingArguments ping;
    std::string file;  ///< a contact plan
    bool dry_run = false;
    bool partial = false;                 ///< `reload`
    std::vector<std::uint64_t> contacts;  ///< `plan remove`; one for `plan add` and `plan change`
    std::uint64_t version = 0;            ///< `plan rollback`
    std::optional<std::uint64_t> source;
    std::optional<std::uint64_t> destination;
    std::string start;  ///< seconds from now, or a time in UTC
    std::string end;
    std::optional<std::uint64_t> rate_bits_per_s;
    std::optional<double> owlt_s;
    std::optional<double> repeat_s;
    std::string until;
    std::string from;  ///< `routes explain`: a node, as number or endpoint
    std::string to;
    std::uint64_t size_bytes = 1;
    std::string priority;  ///< empty: as policies assign it
    std::optional<std::uint64_t> lifetime_s;
    std::optional<std::uint64_t> sender;
    bool critical = false;
    std::string bundle_id;      ///< `bundle find`: of a bundle, or a source
    std::uint64_t limit = 100;  ///< `bundle find`
    StorageOptions storage{};
};

/// Adds a command of the node to `group`, with the options that select the node; `name` is its
/// name in a request.
CLI::App *add_command_of_node(CLI::App &group, ControlOptions &options, const char *word,
                              const char *name, const char *help);

/// Adds the commands to `app`. `options.command` is set when one of them was given.
void add_control_commands(CLI::App &app, ControlOptions &options);

}  // namespace farlink::ctl
