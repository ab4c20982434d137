// SPDX-License-Identifier: Apache-2.0
// Requests about stored bundles from JSON, and the replies of storage as JSON.
// Plain functions on values, any thread.
// The number of a bundle is text: not all programs read so large a JSON number exactly.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "common/base/result.hpp"
#include "common/bus/messages.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::control {

/// From the keys `destination`, `bundles`, `after`, `limit` and `force`, all optional. `usual` and
/// `most` are for `limit`. An error is the reply.
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

/// `config` names the disks.
[[nodiscard]] nlohmann::ordered_json stored_json(const bus::StoredBundle &bundle,
                                                 const config::StorageConfig &config);

/// A fragment set.
[[nodiscard]] nlohmann::ordered_json set_json(const bus::StoredSet &set);

}  // namespace farlink::control
