// SPDX-License-Identifier: Apache-2.0
// `farlinkctl storage`: what a running node keeps, asked and told; with `--dir` the files of one
// that is off. Plain functions; one thread. docs/formats/control.md describes requests and replies
// of a running node.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "apps/farlinkctl/node/control_options.hpp"
#include "common/base/result.hpp"

namespace farlink::ctl {

/// The whole command; its exit code.
[[nodiscard]] int run_storage(const StorageOptions &options);
/// The request, as the node wants it.
[[nodiscard]] nlohmann::ordered_json storage_request_of(const ControlOptions &options);
/// Asks until all is deleted: the node answers what takes it long with a part. The sum of the
/// replies, or the one that is not ok; or why there is none.
[[nodiscard]] Result<nlohmann::ordered_json, std::string> delete_all(
    const std::string &socket, nlohmann::ordered_json request);
/// The reply to `storage delete`, or what became of files.
void print_deletion(const nlohmann::ordered_json &reply);
/// Likewise of `hold`, `release` and `holds`.
void print_holds(const nlohmann::ordered_json &reply);
/// Of a command that has gone well.
void print_storage(const std::string &command, const nlohmann::ordered_json &reply);

}  // namespace farlink::ctl
