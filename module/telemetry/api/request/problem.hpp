// SPDX-License-Identifier: Apache-2.0
// Problem documents (RFC 9457) for errors.
// Plain functions on values; any thread.
// `errors` lists all reasons.
#pragma once

#include <string>
#include <string_view>

#include "module/telemetry/api/request/call.hpp"
#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

[[nodiscard]] Answer problem(unsigned status, std::string_view detail, const Json &errors = Json());
/// The problem of a reply of the control socket that is not ok.
[[nodiscard]] Answer problem_of(const Json &reply);
/// The reason phrase of a status (RFC 9110).
[[nodiscard]] std::string_view phrase(unsigned status);
/// True for a Content-Type of JSON (RFC 8259 section 11).
[[nodiscard]] bool is_json(std::string_view type);
[[nodiscard]] bool is_plain_text(std::string_view type);
[[nodiscard]] Answer json_answer(const Json &body, unsigned status = 200);

}  // namespace farlink::telemetry
