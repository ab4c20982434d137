// SPDX-License-Identifier: Apache-2.0
// A bundle as an operator reads it: the primary block, and each other block with its head.
// Plain functions on values; any thread.
// No checksum of a payload is compared: the store has one over the whole bundle.
#pragma once

#include <nlohmann/json.hpp>

#include "common/base/bytes.hpp"

namespace farlink::control {

/// Of the octets that a bundle begins with. `blocksComplete` is false when further blocks may stand
/// behind those octets; where the primary block cannot be read there is only `decodeError`.
[[nodiscard]] nlohmann::ordered_json decoded_json(ByteView octets);

}  // namespace farlink::control
