// SPDX-License-Identifier: Apache-2.0
// Replies to an operator as JSON: links, routes, errors.
// Plain functions on values, any thread.
// docs/formats/control.md lists the fields.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common/bus/messages.hpp"
#include "common/config/fields/config_error.hpp"

namespace farlink::control {

[[nodiscard]] nlohmann::ordered_json link_json(const bus::LinkEntry &entry);
[[nodiscard]] nlohmann::ordered_json links_json(const bus::LinkSnapshot &snapshot);
/// The links that differ.
[[nodiscard]] nlohmann::ordered_json link_differences(const bus::LinkSnapshot &before,
                                                      const bus::LinkSnapshot &after);
[[nodiscard]] nlohmann::ordered_json routes_json(const bus::RouteUpdate &update);
[[nodiscard]] nlohmann::ordered_json route_differences(const bus::RoutesPreview &preview);

/// The `reason` of an error, for programs.
enum class Refusal : std::uint8_t {
    kMalformed = 0,    ///< "malformed": wrong keys or types
    kInvalid = 1,      ///< "invalid": a value is not allowed
    kNotFound = 2,     ///< "notFound": the named link, node or bundle does not exist
    kConflict = 3,     ///< "conflict": not in the present state of the node
    kUnavailable = 4,  ///< "unavailable": not now; try again
};
/// The errors when a module did not reply in time.
inline constexpr const char *kNoScheduler =
    "the scheduler does not reply: its process hangs or is stopped; see the log of the process";
inline constexpr const char *kNoRouter =
    "the router does not reply; `status` lists the states of the modules";
[[nodiscard]] nlohmann::ordered_json error_reply(Refusal why, const std::string &error);
/// With one entry for each of `errors`; `error` is the summary.
[[nodiscard]] nlohmann::ordered_json error_reply(
    const config::ConfigErrors &errors,
    const std::string &error = "plan refused; nothing has changed");

}  // namespace farlink::control
