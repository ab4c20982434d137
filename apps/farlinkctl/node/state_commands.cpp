// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/state_commands.hpp"

#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <string_view>
#include <utility>

#include "apps/farlinkctl/node/alarms_print.hpp"
#include "apps/farlinkctl/node/control_print.hpp"
#include "apps/farlinkctl/node/events_print.hpp"
#include "apps/farlinkctl/node/state_client.hpp"
#include "apps/farlinkctl/node/state_tables.hpp"
#include "apps/farlinkctl/shared/exit_code.hpp"
#include "apps/farlinkctl/shared/failed.hpp"
#include "apps/farlinkctl/shared/figures.hpp"
#include "apps/shared/control/control_client.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

void print_json(const Json &reply) {
    std::puts(reply.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
}

/// Requests a path and prints the reply: as JSON with --json, otherwise by `print`.
template <class Print>
int show(const StateOptions &options, const StateClient &node, const std::string &path,
         const Print &print) {
    const auto reply = node.show(path);
    if (!reply) return failed(reply.error());
    if (options.json)
        print_json(*reply);
    else
        print(*reply);
    return kExitClean;
}

void print_age(const Json &reply) {
    const std::string line = old_figures_line(reply);
    if (!line.empty()) std::puts(line.c_str());
}

int show_links(const StateOptions &options, const StateClient &node) {
    auto reply = node.show("/api/v1/links");
    if (!reply) return failed(reply.error());
    const auto history = node.show("/api/v1/history?seconds=1");
    if (!history) return failed(history.error());
    add_rates((*reply)["links"], *history);
    if (options.json) {
        print_json(*reply);
        return kExitClean;
    }
    print_age(*reply);
    print_rows(links_table((*reply)["links"]));
    return kExitClean;
}

void print_storage_state(const Json &reply) {
    print_age(reply);
    const Json storage = reply.value("storage", Json::object());
    const Json pending = reply.value("pending", Json::array());
    std::puts(storage_line(storage).c_str());
    print_rows(disks_table(storage));
    if (pending.empty()) return;
    std::puts("");
    print_rows(pending_table(pending));
    const auto all = storage.value("destinations", std::uint64_t{0});
    if (all > pending.size()) std::puts(further_destinations(all - pending.size()).c_str());
}

int show_custody(const StateOptions &options, const StateClient &node) {
    const auto custody = node.show("/api/v1/custody");
    if (!custody) return failed(custody.error());
    if (options.json) {
        print_json(*custody);
        return kExitClean;
    }
    print_rows(custody_counters(custody->value("counters", Json::object())));
    const auto table = custody_table(custody->value("pending", Json::array()));
    if (table.size() == 1) return kExitClean;
    std::puts("");
    print_rows(table);
    return kExitClean;
}

bool speaks_utf8() {
    std::setlocale(LC_CTYPE, "");
    return std::string_view(::nl_langinfo(CODESET)) == "UTF-8";
}

void print_rates(const Json &reply) {
    // Width of the other columns.
    constexpr std::size_t kOthers = 45;
    constexpr std::size_t kLeast = 10;
    winsize window{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0;
    const std::size_t columns = known ? window.ws_col : 80;
    if (reply.contains("step"))
        std::printf("points of %s s since %s; in and out in bit/s, stored in bundles\n",
                    text(reply, "step").c_str(), text(reply, "from").c_str());
    else
        std::printf("%s points, one per second, up to %s; in and out in bit/s, stored in bundles\n",
                    text(reply, "points").c_str(), text(reply, "end").c_str());
    print_rows(history_table(reply, columns > kOthers + kLeast ? columns - kOthers : kLeast,
                             speaks_utf8()));
}

std::string history_path(const StateOptions &options) {
    const bool period = !options.from.empty() || !options.to.empty() || options.step_s > 0;
    return path_with("/api/v1/history",
                     {{"seconds", period ? "" : std::to_string(options.seconds)},
                      {"from", options.from},
                      {"to", options.to},
                      {"step", options.step_s == 0 ? "" : std::to_string(options.step_s)},
                      {"series", options.series},
                      {"format", options.csv ? "csv" : ""}});
}

void print_body(const Json &reply) {
    if (reply.contains("text")) {
        std::fputs(reply["text"].get<std::string>().c_str(), stdout);
        return;
    }
    Json body = reply;
    body.erase("ok");
    std::puts(body.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

int steer_log(const StateOptions &options, const std::string &socket) {
    Json request{{"command", "log level"}};
    if (!options.level.empty()) request["logger"] = options.name;
    if (!options.name.empty())
        request["level"] = options.level.empty() ? options.name : options.level;
    const auto reply = ask_node(socket, request);
    if (!reply) return failed(reply.error());
    const bool good = reply->at("ok") == true;
    if (options.json) {
        print_json(*reply);
    } else if (good) {
        std::vector<Row> rows{{"logger", "level"}};
        const Json levels = reply->value("levels", Json::object());
        for (const auto &[logger, level] : levels.items())
            rows.push_back({logger, level.is_string() ? level.get<std::string>() : "-"});
        print_rows(rows);
    } else {
        print_refusal(*reply);
    }
    return good ? kExitClean : kExitFailed;
}

}  // namespace

int look_at_node(const StateOptions &options) {
    const auto socket = socket_of(options.node);
    if (!socket) return failed(socket.error());
    const StateClient node(*socket);
    switch (options.verb) {
        case StateVerb::kLinks:
            return show_links(options, node);
        case StateVerb::kStorage:
            return show(options, node, "/api/v1/storage", print_storage_state);
        case StateVerb::kEndpoints:
            return show(options, node, "/api/v1/endpoints", [](const Json &reply) {
                print_rows(endpoints_table(reply.value("endpoints", Json::array())));
            });
        case StateVerb::kCustody:
            return show_custody(options, node);
        case StateVerb::kAlarms:
            return print_alarms(options, node);
        case StateVerb::kEvents:
            return print_events(options, node);
        case StateVerb::kHistory:
            return show(options, node, history_path(options),
                        options.csv ? print_body : print_rates);
        case StateVerb::kConfig:
            return show(options, node, "/api/v1/config", print_body);
        case StateVerb::kMetrics:
            return show(options, node, "/metrics", print_body);
        case StateVerb::kShow:
            return show(options, node, options.path, print_body);
        case StateVerb::kTop:
            return show(options, node, "/api/v1/state", print_body);
        case StateVerb::kLogLevel:
            return steer_log(options, *socket);
        case StateVerb::kNone:
            break;
    }
    return kExitBadUsage;
}

}  // namespace farlink::ctl
