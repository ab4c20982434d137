// SPDX-License-Identifier: Apache-2.0
// The requests about stored bundles, read from JSON, and what storage answers, written as JSON.
// Plain functions on values, any thread.
// The number that names a bundle is text: it does not fit into a JSON number that all programs
// read.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common/base/result.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::app {

/// `destination`, `bundles`, `after`, `limit` and `force` of a request, as far as they are there;
/// `limit` is `most` at most. An error is the reply to it.
[[nodiscard]] Result<bus::StoreRequest, nlohmann::ordered_json> store_request_of(
    const nlohmann::ordered_json &request, std::uint32_t usual, std::uint32_t most);

/// `bundle`, `stripe`, `offset` and `limit`, likewise; of `storage decode` the bundle alone.
[[nodiscard]] Result<bus::BundlePieceRequest, nlohmann::ordered_json> piece_request_of(
    const nlohmann::ordered_json &request);
/// The answer to it.
[[nodiscard]] nlohmann::ordered_json piece_json(const bus::BundlePieceRequest &request,
                                                const bus::BundlePiece &piece);

/// `storage verify`, `storage compact`, and `... show` and `... cancel` of either, with
/// `rateBytesPerSec`, likewise.
[[nodiscard]] Result<bus::StoreTaskRequest, nlohmann::ordered_json> task_request_of(
    const nlohmann::ordered_json &request);
/// The answer to it; `config` names the disks.
[[nodiscard]] nlohmann::ordered_json task_json(const bus::StoreTaskRequest &request,
                                               const bus::StoreTaskReply &reply,
                                               const config::StorageConfig &config);

/// As a number, or as text where not all programs would read the same number.
[[nodiscard]] nlohmann::ordered_json exact_json(std::uint64_t number);

/// `config` names the disks.
[[nodiscard]] nlohmann::ordered_json stored_json(const bus::StoredBundle &bundle,
                                                 const config::StorageConfig &config);

}  // namespace farlink::app
