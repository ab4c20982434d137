// SPDX-License-Identifier: Apache-2.0
// What went wrong, as RFC 9457 has it: a problem document that says what to change.
// Plain functions on values; any thread.
// `errors` lists every reason where there are several.
#pragma once

#include <string>
#include <string_view>

#include "module/telemetry/api/call.hpp"
#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {

[[nodiscard]] Answer problem(unsigned status, std::string_view detail, const Json &errors = Json());
/// Of a reply of the control socket that is not ok.
[[nodiscard]] Answer problem_of(const Json &reply);
/// The words of RFC 9110 for a status.
[[nodiscard]] std::string_view phrase(unsigned status);
/// Whether a Content-Type is that of JSON (RFC 8259 section 11).
[[nodiscard]] bool is_json(std::string_view type);
[[nodiscard]] Answer json_answer(const Json &body, unsigned status = 200);

}  // namespace farlink::telemetry
