// SPDX-License-Identifier: Apache-2.0
// `farlinkctl plan check`, `show`, `timeline` and `convert`: a contact plan as a file.
// Plain functions, called once; each returns the exit code.
// They read the file only; no running node is involved.
#pragma once

#include "apps/farlinkctl/plan/plan_options.hpp"

namespace farlink::ctl {

/// The command that `options.verb` names.
[[nodiscard]] int run_plan(const PlanOptions &options);

[[nodiscard]] int check_plan_file(const PlanOptions &options);
[[nodiscard]] int show_plan(const PlanOptions &options);
[[nodiscard]] int draw_plan(const PlanOptions &options);
[[nodiscard]] int convert_plan(const PlanOptions &options);

}  // namespace farlink::ctl
