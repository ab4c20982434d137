// SPDX-License-Identifier: Apache-2.0
// The message of a WebSocket client: the number of updates a second.
// A plain function; any thread.
// Any other message closes its connection.
#pragma once

#include <optional>
#include <string_view>

namespace farlink::telemetry {

inline constexpr unsigned kMostUpdatesPerSecond = 10;
inline constexpr std::size_t kMostClientMessageBytes = 1024;

/// `{"rate":10}`, from 1 to 10.
[[nodiscard]] std::optional<unsigned> parse_client_message(std::string_view text);

}  // namespace farlink::telemetry
