// SPDX-License-Identifier: Apache-2.0
// Paths of the contact plan, of routes and of the node itself, which are commands.
// Plain functions, called by Api; its thread.
// docs/formats/control.md describes the commands.
#pragma once

#include "module/telemetry/api/request/request.hpp"

namespace farlink::telemetry::paths {

[[nodiscard]] Outcome status(const Request &request);
[[nodiscard]] Outcome show_plan(const Request &request);
[[nodiscard]] Outcome plan_history(const Request &request);
[[nodiscard]] Outcome replace_plan(const Request &request);
[[nodiscard]] Outcome change_plan(const Request &request);
[[nodiscard]] Outcome add_contacts(const Request &request);
[[nodiscard]] Outcome remove_contact(const Request &request);
[[nodiscard]] Outcome routes(const Request &request);
[[nodiscard]] Outcome explain(const Request &request);
[[nodiscard]] Outcome drain(const Request &request);
[[nodiscard]] Outcome resume(const Request &request);
[[nodiscard]] Outcome confirm_clock(const Request &request);

}  // namespace farlink::telemetry::paths
