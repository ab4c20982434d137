// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/plan/plan_options.hpp"

#include <CLI/CLI.hpp>

#include "apps/farlinkctl/shared/file_options.hpp"
#include "apps/farlinkctl/shared/number_options.hpp"

namespace farlink::ctl {
namespace {

constexpr const char *kConfigHelp =
    "configuration of a node that uses the plan; its `nodeEndpoints` number dtn names";

}  // namespace

CLI::App *add_plan(CLI::App &app, PlanOptions &options) {
    CLI::App *const plan = app.add_subcommand("plan", "check, show and convert a contact plan");
    plan->require_subcommand(1);
    const auto add = [&](const char *name, PlanVerb verb, const char *help) {
        CLI::App *const made = plan->add_subcommand(name, help);
        made->callback([&options, verb] { options.verb = verb; });
        made->add_option("file", options.file, "contact plan: JSON or ION's commands")
            ->type_name(kFile)
            ->required();
        made->add_option("--config", options.config, kConfigHelp)->type_name(kFile);
        return made;
    };
    const auto add_node = [&options](CLI::App &command) {
        command.add_option("--node", options.node, "only contacts from and to this node")
            ->transform(whole_number("the number of a node", 1));
    };
    const auto add_out = [&options](CLI::App &command) {
        command.add_option("-o,--out", options.out, "file to write; standard output if not given")
            ->type_name(kFile);
    };
    CLI::App *const check = add("check", PlanVerb::kCheck, "print errors and warnings");
    check->add_flag("--json", options.json, "print one JSON object per line");
    CLI::App *const show =
        add("show", PlanVerb::kShow, "print the open contacts and the next ones");
    show->add_option("--at", options.at,
                     "time to show: seconds from the start, or 2026-01-02T03:04:05Z, or now");
    add_node(*show);
    show->add_flag("--json", options.json, "print one JSON object per line");
    CLI::App *const timeline = add("timeline", PlanVerb::kTimeline,
                                   "draw an SVG picture with a row for each pair of nodes");
    timeline->add_option("--from", options.from,
                         "start of the picture, in the format of --at of `show`");
    timeline->add_option("--to", options.to, "end of the picture, in the same format");
    add_node(*timeline);
    add_out(*timeline);
    CLI::App *const convert =
        add("convert", PlanVerb::kConvert, "convert a contact plan to another format");
    convert->add_option("--to", options.form, "format to write")
        ->required()
        ->check(CLI::IsMember({"json", "ion"}));
    add_out(*convert);
    return plan;
}

}  // namespace farlink::ctl
