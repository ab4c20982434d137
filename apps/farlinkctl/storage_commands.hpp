// SPDX-License-Identifier: Apache-2.0
// `storage list|delete|hold|release|holds`: what a running node keeps, asked and told.
// Plain functions; one thread.
// docs/formats/control.md describes requests and replies; `store` is for a node that is off.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "apps/farlinkctl/control_options.hpp"
#include "common/base/result.hpp"

namespace farlink::ctl {

/// The request, as the node wants it.
[[nodiscard]] nlohmann::ordered_json storage_request_of(const ControlOptions &options);
/// Asks until all is deleted: the node answers what takes it long with a part. The sum of the
/// replies, or the one that is not ok; or why there is none.
[[nodiscard]] Result<nlohmann::ordered_json, std::string> delete_all(
    const std::string &socket, nlohmann::ordered_json request);
/// Of a command that has gone well.
void print_storage(const std::string &command, const nlohmann::ordered_json &reply);

}  // namespace farlink::ctl
