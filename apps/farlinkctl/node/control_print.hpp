// SPDX-License-Identifier: Apache-2.0
// A node's replies as tables.
// Plain functions; one thread.
// A member that a reply lacks is printed as "-".
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace farlink::ctl {

/// Prints the reply to a `command` that succeeded.
void print_reply(const std::string &command, const nlohmann::ordered_json &reply);
/// Prints the reasons of a command that failed, to standard error.
void print_refusal(const nlohmann::ordered_json &reply);
/// Those reasons, each once.
[[nodiscard]] std::string refusal_text(const nlohmann::ordered_json &reply);
/// "alarms: 2 critical, 1 warning: farlinkctl alarms", of the reply to `status`; empty: none is
/// active.
[[nodiscard]] std::string alarm_counts_line(const nlohmann::ordered_json &reply);
/// The outcome of a plan change: what it changes at links and routes.
[[nodiscard]] std::string plan_change_text(const nlohmann::ordered_json &reply);

}  // namespace farlink::ctl
