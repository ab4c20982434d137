// SPDX-License-Identifier: Apache-2.0
// A node's replies as tables for people.
// Plain functions; one thread.
// What a reply does not have is printed as "-".
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace farlink::ctl {

/// Prints the reply to `command`, which has gone well.
void print_reply(const std::string &command, const nlohmann::ordered_json &reply);
/// Why it has not, on stderr.
void print_refusal(const nlohmann::ordered_json &reply);

}  // namespace farlink::ctl
