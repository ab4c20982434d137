// SPDX-License-Identifier: Apache-2.0
// The body of an HTTP request as a command of the node, in the words of the control socket.
// A plain function on values; any thread.
// Nobody reads the body here: the supervisor refuses what is no JSON.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "module/telemetry/api/call.hpp"
#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

/// The body, an object, with what is said beside it put in front. A key that stands twice is
/// refused by the supervisor, so that a body cannot say another command. An error is the answer;
/// `expected` is what it tells to send.
[[nodiscard]] Result<std::string, Answer> command_of(const Call &call, const Json &front,
                                                     const char *expected);

}  // namespace farlink::telemetry
