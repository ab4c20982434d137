// SPDX-License-Identifier: Apache-2.0
// The requests of `farlinkctl storage` to a running node.
// Plain functions; one thread.
// docs/formats/control.md describes requests and replies.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "apps/farlinkctl/store_files/storage_options.hpp"
#include "common/base/result.hpp"

namespace farlink::ctl {

/// The request of `command`, such as "storage list".
[[nodiscard]] nlohmann::ordered_json storage_request_of(const std::string &command,
                                                        const StorageOptions &storage);
/// Repeats a `storage delete` request until the node reports no further bundles, since one reply
/// covers a limited number. Returns the sum of the replies, or the first that is not ok; an error
/// when the node does not reply.
[[nodiscard]] Result<nlohmann::ordered_json, std::string> delete_all(
    const std::string &socket, nlohmann::ordered_json request);

}  // namespace farlink::ctl
