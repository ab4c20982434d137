// SPDX-License-Identifier: Apache-2.0
// The body of an HTTP request as a request of the control socket.
// A plain function on values; any thread.
// The body is not parsed here: the supervisor refuses text that is no JSON.
#pragma once

#include <string>

#include "common/base/result.hpp"
#include "module/telemetry/api/request/call.hpp"
#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

/// The members of `front` followed by those of the body, which is an object. The supervisor refuses
/// a member that occurs twice, so that a body cannot replace the command. The error is the answer
/// to the client; `expected` describes the body in it.
[[nodiscard]] Result<std::string, Answer> command_of(const Call &call, const Json &front,
                                                     const char *expected);

}  // namespace farlink::telemetry
