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

/// As a number, or as text where not all programs would read the same number.
[[nodiscard]] nlohmann::ordered_json exact_json(std::uint64_t number);

/// `config` names the disks.
[[nodiscard]] nlohmann::ordered_json stored_json(const bus::StoredBundle &bundle,
                                                 const config::StorageConfig &config);

}  // namespace farlink::app
