// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/control_print.hpp"

#include <algorithm>
#include <cstdio>

#include "apps/farlinkctl/bundle/bundle_print.hpp"
#include "apps/farlinkctl/node/config_options.hpp"
#include "apps/farlinkctl/node/route_print.hpp"
#include "apps/farlinkctl/shared/reply_table.hpp"
#include "apps/farlinkctl/store_files/storage_reply.hpp"
#include "common/config/fields/config_error.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

/// A rate that the operator has set is marked by "*".
std::string rate(const Json &object) {
    const std::string bits = text(object, "rateBitsPerSec");
    return (bits == "0" ? "unlimited" : bits) + (is_true(object, "overridden") ? " *" : "");
}

/// The state of a link; the first reason that keeps it from use.
std::string state_of(const Json &link) {
    if (is_true(link, "up"))
        return is_true(link, "neighbourDepleted") ? "up, neighbour full" : "up";
    if (!is_true(link, "enabled")) return "down by operator";
    if (!is_true(link, "planned")) return "no contact";
    return "not connected";
}

void print_links(const Json &links) {
    std::vector<Row> rows{{"link", "neighbour", "state", "connected", "bit/s", "owlt s",
                           "contact ends", "next contact"}};
    for (const Json &link : links)
        rows.push_back({text(link, "link"), text(link, "neighbour"), state_of(link),
                        text(link, "connected"), rate(link), text(link, "owlt"), text(link, "ends"),
                        text(link, "nextContact")});
    print_rows(rows);
    for (const Json &link : links) {
        if (link.contains("reason"))
            std::printf("link %s to node %s: %s\n", text(link, "link").c_str(),
                        text(link, "neighbour").c_str(), cell(link, "reason").c_str());
        if (link.contains("silent"))
            std::printf("link %s: %s; its state may be out of date: farlinkctl alarms\n",
                        text(link, "link").c_str(), text(link, "silent").c_str());
    }
}

void print_inducts(const Json &inducts) {
    if (inducts.empty()) return;
    std::vector<Row> rows{{"induct", "listening at"}};
    for (const Json &induct : inducts) rows.push_back({text(induct, "link"), text(induct, "url")});
    print_rows(rows);
}

/// Outducts without a port of their own; the links that they make have numbers of sessions.
void print_carried(const Json &outducts) {
    if (outducts.empty()) return;
    std::vector<Row> rows{{"outduct", "neighbour", "by port of induct", "address"}};
    for (const Json &outduct : outducts)
        rows.push_back({text(outduct, "link"), text(outduct, "neighbour"), text(outduct, "carrier"),
                        text(outduct, "url")});
    print_rows(rows);
}

/// A link that was added, changed or removed.
void print_booked(const std::string &command, const Json &reply) {
    const Json link = reply.value("link", Json::object());
    const std::string done = command == "link add"      ? "added"
                             : command == "link change" ? "changed"
                                                        : "removed";
    const std::string neighbour = text(link, "neighbour");
    std::printf("%s %s %s: %s%s\n", text(link, "direction").c_str(), text(link, "link").c_str(),
                done.c_str(), text(link, "url").c_str(),
                neighbour == "-" ? "" : (" to node " + neighbour).c_str());
    std::puts("in effect until the node ends; `farlinkctl config save` makes the change permanent");
}

void print_plan_line(const Json &plan) {
    if (!is_true(plan, "configured")) {
        std::puts("no contact plan: all links have permanent contacts");
        return;
    }
    std::printf("contact plan: version %s, %s, %s\n", text(plan, "version").c_str(),
                counted_text(plan, "contacts", "contact").c_str(),
                is_true(plan, "changedByCommand") ? "changed by command" : "as configured");
}

/// The modules that are not ready, with their states.
std::string module_words(const Json &modules) {
    std::string words;
    for (const auto &[name, state] : modules.items())
        if (state != "ready")
            words += (words.empty() ? "" : ", ") + name + " is " + state.get<std::string>();
    return words.empty() ? "all ready" : words;
}

void print_drained() {
    std::puts("drained: new bundles are not accepted until `resume`");
}

void print_status(const Json &reply) {
    std::printf("node %s, up for %s s, time %s\n", text(reply, "node").c_str(),
                text(reply, "uptimeSeconds").c_str(), text(reply, "time").c_str());
    std::printf("modules: %s\n", module_words(reply.value("modules", Json::object())).c_str());
    const std::string alarms = alarm_counts_line(reply);
    if (const std::string why = reply.value("degraded", std::string()); !why.empty())
        // The state outlasts the alarm that names its remedy, and an alarm can be ignored.
        std::printf("degraded: %s%s\n", why.c_str(),
                    alarms.empty() ? "" : "; see the remedy: farlinkctl alarms");
    if (!alarms.empty()) std::puts(alarms.c_str());
    if (is_true(reply, "drained")) print_drained();
    print_plan_line(reply.value("plan", Json::object()));
    print_links(reply.value("links", Json::array()));
    print_inducts(reply.value("inducts", Json::array()));
    print_carried(reply.value("carriedOutducts", Json::array()));
}

void print_plan(const Json &reply) {
    print_plan_line(reply.value("plan", Json::object()));
    const Json contacts = reply.value("contacts", Json::array());
    const bool periodic = std::any_of(contacts.begin(), contacts.end(), [](const Json &contact) {
        return contact.contains("repeatSeconds");
    });
    std::vector<Row> rows{{"contact", "source", "dest", "start", "end", "bit/s", "owlt s"}};
    if (periodic) rows.front().insert(rows.front().end(), {"repeat s", "until"});
    for (const Json &contact : contacts) {
        Row row{text(contact, "contact"),   text(contact, "source"),  text(contact, "dest"),
                text(contact, "startTime"), text(contact, "endTime"), rate(contact),
                text(contact, "owlt")};
        if (periodic)
            row.insert(row.end(), {text(contact, "repeatSeconds"), text(contact, "until")});
        rows.push_back(std::move(row));
    }
    print_rows(rows);
}

void print_plan_history(const Json &reply) {
    std::vector<Row> rows{
        {"version", "time", "user", "command", "contacts", "added", "changed", "removed"}};
    for (const Json &change : reply.value("changes", Json::array())) {
        Row row;
        for (const std::string &column : rows.front()) row.push_back(text(change, column.c_str()));
        rows.push_back(std::move(row));
    }
    print_rows(rows);
}

std::string contact_words(const Json &contact) {
    std::string words = is_true(contact, "planned")
                            ? "open until " + text(contact, "ends") + " at " + rate(contact) +
                                  ", one-way light time " + text(contact, "owlt") + " s"
                            : std::string("closed");
    if (text(contact, "nextContact") != "-") words += ", next " + text(contact, "nextContact");
    return words;
}

/// With the arrival by the first of them: it may be all that changes.
std::string candidates_words(const Json &candidates) {
    const std::string hops = next_hops(candidates);
    return candidates.empty() ? hops : hops + ", arrival " + text(candidates[0], "arrival");
}

}  // namespace

std::string alarm_counts_line(const Json &reply) {
    const Json alarms = reply.value("alarms", Json::object());
    std::string counts;
    if (number(alarms, "critical") > 0) counts = text(alarms, "critical") + " critical";
    if (number(alarms, "warning") > 0)
        counts += (counts.empty() ? "" : ", ") + text(alarms, "warning") +
                  (text(alarms, "warning") == "1" ? " warning" : " warnings");
    return counts.empty() ? counts : "alarms: " + counts + ": farlinkctl alarms";
}

std::string plan_change_text(const Json &reply) {
    if (is_true(reply, "nothingChanges"))
        return "nothing changes: version " + text(reply, "version") + ", " +
               counted_text(reply, "contacts", "contact") + '\n';
    std::string lines = is_true(reply, "dryRun")
                            ? std::string("dry run, nothing has changed; the plan would have")
                            : "version " + text(reply, "version");
    lines += ": " + counted_text(reply, "contacts", "contact") + "; " + text(reply, "added") +
             " added, " + text(reply, "changed") + " changed, " + text(reply, "removed") +
             " removed\n";
    for (const Json &link : reply.value("links", Json::array()))
        lines += "link " + text(link, "link") + " to node " + text(link, "neighbour") + ": " +
                 contact_words(link.value("before", Json::object())) + " -> " +
                 contact_words(link.value("after", Json::object())) + '\n';
    for (const Json &route : reply.value("routes", Json::array()))
        lines += "routes to node " + text(route, "destination") + ": " +
                 candidates_words(route.value("before", Json::array())) + " -> " +
                 candidates_words(route.value("after", Json::array())) + '\n';
    for (const Json &warning : reply.value("warnings", Json::array()))
        lines += "warning: " + warning.get<std::string>() + '\n';
    return lines;
}

void print_reply(const std::string &command, const Json &reply) {
    if (command == "status") return print_status(reply);
    if (command == "routes") return print_routes(reply);
    if (command == "routes explain") return print_explanation(reply);
    if (command == "plan show") return print_plan(reply);
    if (command == "plan history") return print_plan_history(reply);
    if (command.starts_with("plan "))
        return void(std::fputs(plan_change_text(reply).c_str(), stdout));
    if (command == "link add" || command == "link change" || command == "link remove")
        return print_booked(command, reply);
    if (command == "bundle find") return print_found(reply);
    if (command.starts_with("storage ")) return print_storage(command, reply);
    if (command.starts_with("link ")) return print_links(Json::array({reply["link"]}));
    if (command == "reload" || command.starts_with("config "))
        return print_config_reply(command, reply);
    if (command == "drain") return print_drained();
    if (command == "resume") return void(std::puts("resumed: new bundles are accepted"));
    std::puts("done");
}

// The summary of a reload ends with the first error.
std::string refusal_text(const Json &reply) {
    const std::string summary = text(reply, "error");
    std::string lines = "farlinkctl: " + summary + '\n';
    for (const Json &error : reply.value("errors", Json::array())) {
        const config::ConfigError words{error.value("path", ""), text(error, "problem"),
                                        error.value("expected", ""), error.value("hint", "")};
        const std::string line = words.to_string();
        if (!summary.ends_with(": " + line)) lines += line + '\n';
    }
    return lines;
}

void print_refusal(const Json &reply) {
    std::fputs(refusal_text(reply).c_str(), stderr);
    print_needs_restart(reply);
}

}  // namespace farlink::ctl
