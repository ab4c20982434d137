// SPDX-License-Identifier: Apache-2.0
// Replies to an operator as JSON: links, routes, and what went wrong.
// Plain functions on values, any thread.
// docs/formats/control.md lists the fields.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common/bus/messages.hpp"
#include "common/config/fields/config_error.hpp"

namespace farlink::app {

[[nodiscard]] nlohmann::ordered_json link_json(const bus::LinkEntry &entry);
[[nodiscard]] nlohmann::ordered_json links_json(const bus::LinkSnapshot &snapshot);
/// The links that are not the same before and after.
[[nodiscard]] nlohmann::ordered_json link_differences(const bus::LinkSnapshot &before,
                                                      const bus::LinkSnapshot &after);
[[nodiscard]] nlohmann::ordered_json routes_json(const bus::RouteUpdate &update);
[[nodiscard]] nlohmann::ordered_json route_differences(const bus::RoutesPreview &preview);

/// Why something has not been done, for programs.
enum class Refusal : std::uint8_t {
    kMalformed = 0,    ///< "malformed": the request is not what the command takes
    kInvalid = 1,      ///< "invalid": it is, and what it says cannot be
    kNotFound = 2,     ///< "notFound": it names something that there is not
    kConflict = 3,     ///< "conflict": not in the state that the node is in
    kUnavailable = 4,  ///< "unavailable": the node cannot do it now
};
/// The error of a reply that waited for a module in vain.
inline constexpr const char *kNoAnswer = "the modules of the node do not answer";
[[nodiscard]] nlohmann::ordered_json error_reply(Refusal why, const std::string &error);
/// With every reason; `error` sums up.
[[nodiscard]] nlohmann::ordered_json error_reply(
    const config::ConfigErrors &errors,
    const std::string &error = "the plan is refused, nothing has changed");

}  // namespace farlink::app
