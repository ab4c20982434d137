// SPDX-License-Identifier: Apache-2.0
// The messages of a WebSocket by which an application sends and receives: a head in JSON, and a
// payload (docs/formats/messages.md).
// Plain functions on values; any thread.
// A binary message is the length of the head in four octets, the head, and the payload.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "module/telemetry/api/request/target.hpp"
#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

inline constexpr std::size_t kMostFrameHeadBytes = 4096;
inline constexpr std::size_t kMostFrameBytes = 1024 * 1024 + kMostFrameHeadBytes;

/// A bundle to send.
struct SendFrame {
    Json ref;                  ///< of the client, for the answer; a text or a number
    Target target;             ///< its parameters, as those of a POST
    std::string key;           ///< `idempotencyKey`
    std::string_view payload;  ///< borrows the message
};
/// A received bundle is accepted.
struct AcceptFrame {
    std::uint64_t number = 0;
};
using ClientFrame = std::variant<SendFrame, AcceptFrame>;

/// Nothing for a message that is not valid. `source` is used where the head names none.
[[nodiscard]] std::optional<ClientFrame> parse_frame(std::string_view message, bool binary,
                                                     const std::string &source);
[[nodiscard]] std::string binary_frame(const Json &head, std::string_view payload);

}  // namespace farlink::telemetry
