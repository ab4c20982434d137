// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/control_options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>

#include "apps/farlinkctl/node/link_options.hpp"
#include "apps/farlinkctl/shared/file_options.hpp"
#include "apps/farlinkctl/shared/number_options.hpp"
#include "apps/shared/options/tool_options.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/plan/contact_fields.hpp"

namespace farlink::ctl {
namespace {

constexpr const char *kContactNumber = "the number of a contact";
constexpr const char *kNodeNumber = "the number of a node";

/// Adds a command of the node; `name` is its name in a request.
CLI::App *add(CLI::App &group, ControlOptions &options, const char *word, const char *name,
              const char *help) {
    CLI::App *const made = group.add_subcommand(word, help);
    add_node_choice(*made, options.node);
    made->add_flag("--json", options.json, "print the node's reply as one line of JSON");
    made->callback([&options, name] { options.command = name; });
    return made;
}

void add_dry_run(CLI::App &command, ControlOptions &options) {
    command.add_flag("--dry-run", options.dry_run,
                     "print which links and routes would change, without changing them");
}

void add_contact_fields(CLI::App &command, ControlOptions &options) {
    const auto from_now =
        moment("seconds from now or a time in UTC such as 2026-01-02T03:04:05Z; seconds",
               config::kLatestSecond);
    command.add_option("--source", options.source, "node that sends")
        ->transform(whole_number(kNodeNumber, 1));
    command.add_option("--dest", options.destination, "node that receives")
        ->transform(whole_number(kNodeNumber, 1));
    command
        .add_option("--start", options.start,
                    "start: seconds from now, or UTC: 2026-01-02T03:04:05Z")
        ->transform(from_now);
    command.add_option("--end", options.end, "end, in the same format")->transform(from_now);
    command
        .add_option("--rate", options.rate_bits_per_s, "bits per second: 500k, 1G; 0: unlimited")
        ->transform(amount("bits per second (0: unlimited)", 0, config::kHighestRateBitsPerSecond));
    command.add_option("--owlt", options.owlt_s, "one-way light time in seconds")
        ->transform(seconds_from_0("seconds of one-way light time", config::kMaxOwltSeconds));
    command
        .add_option("--repeat", options.repeat_s,
                    "seconds after which the contact begins again; 0: once")
        ->transform(seconds_from_0("seconds between repeats", config::kLongestRepeatSeconds));
    command
        .add_option("--until", options.until, "latest end of a repeat, in the format of --start")
        ->transform(from_now);
}

void add_plan(CLI::App &plan, ControlOptions &options) {
    add(plan, options, "current", "plan show", "print the contact plan of a running node");
    CLI::App *const replace =
        add(plan, options, "replace", "plan replace", "replace the contact plan of a running node");
    replace->add_option("file", options.file, "contact plan, as JSON or ION's commands")
        ->type_name(kFile)
        ->required();
    add_dry_run(*replace, options);
    CLI::App *const more =
        add(plan, options, "add", "plan add", "add contacts to the plan of a running node");
    auto *what = more->add_option_group("contacts", "contacts to add");
    what->add_option("--file", options.file,
                     "contact plan with the contacts, as JSON or ION's commands")
        ->type_name(kFile);
    what->add_option("--contact", options.contacts,
                     "number of one contact, which the other options describe")
        ->transform(whole_number(kContactNumber, 0))
        ->expected(1);
    what->require_option(1);
    add_contact_fields(*more, options);
    add_dry_run(*more, options);
    CLI::App *const change = add(plan, options, "change", "plan change",
                                 "change a contact in the plan of a running node");
    change->add_option("contact", options.contacts, "number of the contact")
        ->transform(whole_number(kContactNumber, 0))
        ->required()
        ->expected(1);
    add_contact_fields(*change, options);
    add_dry_run(*change, options);
    CLI::App *const remove = add(plan, options, "remove", "plan remove",
                                 "remove contacts from the plan of a running node");
    remove->add_option("contact", options.contacts, "numbers of the contacts")
        ->transform(whole_number(kContactNumber, 0))
        ->required();
    add_dry_run(*remove, options);
    CLI::App *const back = add(plan, options, "rollback", "plan rollback",
                               "restore an earlier version of the plan of a running node");
    back->add_option("version", options.version, "a version that `plan history` lists")
        ->transform(whole_number("the number of a version", 1))
        ->required();
    add_dry_run(*back, options);
    add(plan, options, "history", "plan history",
        "print the changes of the plan: time, user, command");
}

/// An endpoint of either scheme, the null endpoint included.
std::string check_any_endpoint(const std::string &text) {
    return endpoint_of(text) || is_dtn_endpoint(text)
               ? ""
               : "expected a node, such as 20, or an endpoint, such as ipn:20.1 or "
                 "dtn://mars/inbox; found " +
                     text;
}

/// `explain` shares the options of `routes` that select the node.
void add_routes(CLI::App &app, ControlOptions &options) {
    CLI::App *const routes = add(app, options, "routes", "routes",
                                 "print the rules of routing: policies, routes of the plan, "
                                 "static routes, the default gateway");
    CLI::App *const explain = routes->add_subcommand(
        "explain", "print the route candidates of a bundle in order, and why each is used or not");
    explain->fallthrough();
    explain
        ->add_option("source", options.from,
                     "source of the bundle: 10, ipn:10.1, dtn://mars/inbox, or dtn:none")
        ->required()
        ->check(check_any_endpoint);
    explain->add_option("destination", options.to, "destination: 20, ipn:20.1, or dtn://mars/inbox")
        ->required()
        ->check(check_any_endpoint);
    explain->add_option("--bundle-size", options.size_bytes, "size in bytes: 400k, 5M")
        ->transform(amount("bytes", 1));
    explain->add_option("--priority", options.priority, "bulk, normal or expedited")
        ->check(CLI::IsMember({"bulk", "normal", "expedited"}));
    explain->add_option("--lifetime", options.lifetime_s, "remaining lifetime in seconds")
        ->transform(whole_number("seconds", 0));
    explain->add_option("--sender", options.sender, "neighbour that sent the bundle")
        ->transform(whole_number(kNodeNumber, 1));
    explain->add_flag("--critical", options.critical, "the bundle is critical (BPv6)");
    routes->callback(
        [&options, explain] { options.command = explain->parsed() ? "routes explain" : "routes"; });
}

void add_bundle(CLI::App &group, ControlOptions &options) {
    CLI::App *const find =
        add(group, options, "find", "bundle find",
            "print where a bundle is stored, or when, by which link and why it left");
    find->add_option("id", options.bundle_id,
                     "id of the bundle, SOURCE/TIME/SEQUENCE[/OFFSET+LENGTH], or a source alone")
        ->required();
    find->add_option("--limit", options.limit,
                     "maximum number of records to print, up to 1000 (default: 100)")
        ->transform(amount("records", 1));
}

}  // namespace

CLI::App *add_command_of_node(CLI::App &group, ControlOptions &options, const char *word,
                              const char *name, const char *help) {
    return add(group, options, word, name, help);
}

bool is_dtn_endpoint(const std::string &text) {
    const auto eid = bp::Eid::parse(text);
    return eid && eid->view().scheme != bp::EidScheme::kIpn;
}

std::optional<EndpointNumbers> endpoint_of(const std::string &text) {
    std::uint64_t node = 0;
    const char *const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, node);
    if (read.ec == std::errc{} && read.ptr == end && node != 0) return EndpointNumbers{node, 0};
    const auto eid = bp::Eid::parse(text);
    if (!eid || eid->view().scheme != bp::EidScheme::kIpn) return std::nullopt;
    return EndpointNumbers{eid->view().node, eid->view().service};
}

void add_control_commands(CLI::App &app, ControlOptions &options) {
    add(app, options, "status", "status",
        "print modules, contact plan and links of a running node");
    add_routes(app, options);
    add(command_group(app, "clock", "the clock of a running node"), options, "confirm",
        "clock confirm",
        "confirm that the clock is correct; bundles that have expired by it are deleted");
    add(app, options, "drain", "drain",
        "accept no new bundles from neighbours and applications; stored bundles are still sent");
    add(app, options, "resume", "resume", "accept new bundles again");
    add_link_commands(command_group(app, "link", "a link of a running node"), options);
    add_ping_command(app, options);
    add_storage_commands(app, options.storage);
    add_bundle(command_group(app, "bundle", "location or outcome of a bundle"), options);
    add_plan(command_group(app, "plan", "contact plans"), options);
}

}  // namespace farlink::ctl
