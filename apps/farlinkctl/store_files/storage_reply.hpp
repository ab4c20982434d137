// SPDX-License-Identifier: Apache-2.0
// A node's replies to `storage` requests as text; commands on files print the same.
// Plain functions; one thread.
// docs/formats/control.md describes the replies.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace farlink::ctl {

/// The reply to `storage delete`.
void print_deletion(const nlohmann::ordered_json &reply);
/// The reply to `storage hold`, `release` and `holds`.
void print_holds(const nlohmann::ordered_json &reply);
/// The reply to any `storage` command that succeeded.
void print_storage(const std::string &command, const nlohmann::ordered_json &reply);

}  // namespace farlink::ctl
