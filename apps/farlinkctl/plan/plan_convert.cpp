// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "apps/farlinkctl/plan/plan_commands.hpp"
#include "apps/farlinkctl/plan/plan_text.hpp"
#include "apps/farlinkctl/shared/exit_code.hpp"
#include "common/plan/write_plan.hpp"

namespace farlink::ctl {

int convert_plan(const PlanOptions &options) {
    auto plan = open_plan(options);
    if (!plan) return kExitFailed;
    std::fputs(plan->notes.to_string().c_str(), stderr);
    if (options.form == "json") return put_text(options.out, config::write_json_plan(*plan));
    config::IonText written = config::write_ion_plan(*plan);
    written.losses.source = options.file;
    std::fputs(written.losses.to_string().c_str(), stderr);
    return put_text(options.out, written.text);
}

}  // namespace farlink::ctl
