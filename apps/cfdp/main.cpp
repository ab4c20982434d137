// SPDX-License-Identifier: Apache-2.0
// farlink-cfdp: commands a CFDP entity on this machine.
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/cfdp/control_line.hpp"
#include "apps/cfdp/exit_code.hpp"
#include "apps/cfdp/put_folder.hpp"
#include "apps/shared/options/complain.hpp"
#include "apps/shared/options/tool_options.hpp"
#include "common/files/names.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cfdp_command {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kStepMs = 100;
constexpr double kLongestWait = 1e8;

struct Arguments {
    std::string socket;
    bool json = false;
    std::string source;
    std::uint64_t entity = 0;
    std::string name;
    std::uint64_t service_class = 0;
    bool closure = false;
    std::string checksum;
    bool wait = false;
    bool recursive = false;
    double timeout_s = 0;
    std::string id;
    std::vector<std::string> messages;
    std::vector<std::string> requests;
    std::string folder;
    std::optional<std::uint64_t> at;
};

std::string default_socket() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): before any other thread
    const char *const given = ::getenv("FARLINK_CFDP");
    return given != nullptr && *given != '\0' ? given : "/run/farlink/cfdp.sock";
}

void print(const Json &transaction) {
    const bool out = transaction.value("direction", "") == "out";
    std::cout << transaction.value("id", "") << (out ? " to " : " from ")
              << transaction.value("entity", std::uint64_t{0}) << " class "
              << transaction.value("class", 0) << ", "
              << transaction.value("progressBytes", std::uint64_t{0}) << " of "
              << transaction.value("fileBytes", std::uint64_t{0}) << " bytes, "
              << transaction.value("state", "") << ", " << transaction.value("condition", "")
              << ": " << files::printable(transaction.value("source", "")) << " as "
              << files::printable(transaction.value("file", transaction.value("destination", "")))
              << '\n';
}

/// Of "rename=old=new".
Json request_of(const std::string &text) {
    const std::size_t first = text.find('=');
    if (first == std::string::npos) return {{"action", text}};
    const std::size_t second = text.find('=', first + 1);
    Json request{{"action", text.substr(0, first)},
                 {"first", text.substr(first + 1, second - first - 1)}};
    if (second != std::string::npos) request["second"] = text.substr(second + 1);
    return request;
}

/// A listing or a report that has come.
void print_file(const std::string &path) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) std::cout << files::printable(line) << '\n';
}

class Commands {
public:
    explicit Commands(const Arguments &arguments) : arguments_(arguments) {}

    int put() {
        Json request{{"command", "put"},
                     {"source", arguments_.source},
                     {"destination", destination()},
                     {"entity", arguments_.entity}};
        add_options(request);
        if (arguments_.recursive)
            return put_folder({.socket = arguments_.socket,
                               .source = arguments_.source,
                               .destination = destination(),
                               .request = request,
                               .wait = arguments_.wait,
                               .timeout_s = arguments_.timeout_s,
                               .json = arguments_.json});
        if (!ask(request)) return code_;
        if (!arguments_.wait) {
            if (!arguments_.json) std::cout << reply_.value("id", "") << '\n';
            return show_json();
        }
        return wait_for(reply_.value("id", ""));
    }
    void add_options(Json &request) const {
        if (!arguments_.messages.empty()) request["messages"] = arguments_.messages;
        for (const std::string &each : arguments_.requests)
            request["requests"].push_back(request_of(each));
        if (arguments_.service_class != 0) request["class"] = arguments_.service_class;
        if (arguments_.closure) request["closure"] = true;
        if (!arguments_.checksum.empty()) request["checksum"] = arguments_.checksum;
    }
    int get() {
        Json request{{"command", "get"},
                     {"source", arguments_.source},
                     {"destination", destination()},
                     {"entity", arguments_.entity}};
        if (arguments_.service_class != 0) request["class"] = arguments_.service_class;
        if (!ask(request)) return code_;
        if (arguments_.wait) return wait_for_operation(reply_.value("id", ""));
        if (!arguments_.json) std::cout << reply_.value("id", "") << '\n';
        return show_json();
    }
    int list_folder() {
        return operate({{"command", "list"},
                        {"entity", arguments_.entity},
                        {"folder", arguments_.folder},
                        {"destination", "listing.txt"}});
    }
    int report() {
        return operate({{"command", "report"},
                        {"entity", arguments_.entity},
                        {"id", arguments_.id},
                        {"destination", "report.txt"}});
    }
    int list() {
        if (!ask({{"command", "ls"}})) return code_;
        if (arguments_.json) return show_json();
        for (const Json &each : reply_["transactions"]) print(each);
        return kExitOk;
    }
    int status() {
        Json request{{"command", "status"}};
        if (!arguments_.id.empty()) request["id"] = arguments_.id;
        if (!ask(request)) return code_;
        if (arguments_.json) return show_json();
        if (reply_.contains("transaction"))
            print(reply_["transaction"]);
        else
            std::cout << "entity " << reply_["entity"] << ", " << reply_["underWay"]
                      << " transactions in progress\n"
                      << reply_["counters"].dump(2) << '\n';
        return kExitOk;
    }
    int change(const char *command) {
        Json request{{"command", command}, {"id", arguments_.id}};
        if (arguments_.at) {
            request["at"] = *arguments_.at;
            return operate(request);
        }
        if (!ask(request)) return code_;
        return show_json();
    }

private:
    bool ask(const Json &request) {
        auto line = ControlLine::connect(arguments_.socket);
        if (!line) {
            code_ = complain(line.error(), kExitNoDaemon);
            return false;
        }
        const auto reply = line->ask(request.dump(-1, ' ', false, Json::error_handler_t::replace));
        if (!reply) {
            code_ = complain(reply.error(), kExitFailed);
            return false;
        }
        reply_ = Json::parse(*reply, nullptr, false);
        if (reply_.is_object() && reply_.value("ok", false)) return true;
        if (arguments_.json) std::cout << *reply << '\n';
        code_ = complain(
            reply_.is_object() ? reply_.value("error", "") : "the reply is not a JSON object",
            kExitFailed);
        return false;
    }
    int show_json() const {
        if (arguments_.json) std::cout << reply_ << '\n';
        return kExitOk;
    }
    [[nodiscard]] std::string destination() const {
        return arguments_.name.empty() ? std::string(files::last_part_of(arguments_.source))
                                       : arguments_.name;
    }
    int wait_for(const std::string &id) {
        if (!wait_until_ended("status", "transaction", id)) return code_;
        const Json &transaction = reply_["transaction"];
        if (arguments_.json)
            std::cout << transaction << '\n';
        else
            print(transaction);
        return transaction.value("complete", false) ? kExitOk : kExitFailed;
    }
    /// Something at another entity, and what has come of it.
    int operate(const Json &request) {
        return ask(request) ? wait_for_operation(reply_.value("id", "")) : code_;
    }
    int wait_for_operation(const std::string &id) {
        if (!wait_until_ended("operation", "operation", id)) return code_;
        const Json &operation = reply_["operation"];
        const bool done = operation.value("done", false);
        if (arguments_.json) {
            std::cout << operation << '\n';
        } else if (!done) {
            complain("the entity refused the request, or the transaction failed: " +
                         operation.value("condition", "") + ' ' + operation.value("state", ""),
                     kExitFailed);
        } else {
            show_result(operation);
        }
        return done ? kExitOk : kExitFailed;
    }
    static void show_result(const Json &operation) {
        const std::string kind = operation.value("kind", "");
        if (kind == "ls" || kind == "report")
            print_file(operation.value("path", ""));
        else if (kind == "get")
            std::cout << files::printable(operation.value("file", "")) << '\n';
        else
            std::cout << operation.value("state", "") << '\n';
    }
    /// False: not in time, and code_ is set.
    bool wait_until_ended(const char *command, const char *key, const std::string &id) {
        const TimePoint begun = monotonic_now();
        const auto longest = milliseconds(static_cast<std::int64_t>(arguments_.timeout_s * 1000));
        for (;;) {
            if (!ask({{"command", command}, {"id", id}})) return false;
            if (reply_[key].value("ended", false)) return true;
            if (arguments_.timeout_s > 0 && monotonic_now() - begun > longest) {
                code_ =
                    complain(id + " did not end within the time limit (--timeout)", kExitFailed);
                return false;
            }
            ::poll(nullptr, 0, kStepMs);
        }
    }

    const Arguments &arguments_;
    Json reply_;
    int code_ = kExitOk;
};

void declare_timeout(CLI::App &command, Arguments &arguments) {
    command.add_option("--timeout", arguments.timeout_s, "maximum wait in seconds; 0: no limit")
        ->check(CLI::Range(0.0, kLongestWait))
        ->capture_default_str();
}

void declare_options(CLI::App &command, Arguments &arguments) {
    command
        .add_option("--message", arguments.messages,
                    "message to the user at the destination; repeatable")
        ->allow_extra_args(false);
    command
        .add_option("--then", arguments.requests,
                    "filestore request that the destination carries out when the file is complete; "
                    "repeatable, in this order: create=NAME, delete=NAME, rename=OLD=NEW, "
                    "append=FILE=MORE, replace=FILE=WITH, createFolder=NAME, removeFolder=NAME, "
                    "denyFile=NAME, denyFolder=NAME")
        ->allow_extra_args(false);
    command.add_flag("--wait", arguments.wait, "wait for the end of the transaction");
    command
        .add_option("--class", arguments.service_class,
                    "class of the transaction: 1 without, 2 with acknowledgements")
        ->check(CLI::Range(1, 2));
    command.add_flag("--closure", arguments.closure,
                     "class 1: request that the receiver reports the outcome");
    declare_timeout(command, arguments);
}

CLI::App &declare_put(CLI::App &app, Arguments &arguments) {
    CLI::App &put = *app.add_subcommand("put", "send a file");
    put.add_option("source", arguments.source,
                   "file beneath the root of the entity; with --recursive, a folder")
        ->required();
    put.add_option("entity", arguments.entity, "id of the destination entity")->required();
    put.add_option("name", arguments.name,
                   "name at the destination (default: the last part of the source)");
    put.add_option("--checksum", arguments.checksum,
                   "checksum of the file: modular, proximity1, crc32c, crc32 or null")
        ->check(CLI::IsMember({"modular", "proximity1", "crc32c", "crc32", "null"}));
    put.add_flag("--recursive", arguments.recursive,
                 "send all files of a folder and its folders, each in a transaction of its own");
    declare_options(put, arguments);
    return put;
}

CLI::App &declare_request(CLI::App &app, Arguments &arguments) {
    CLI::App &request =
        *app.add_subcommand("request", "send messages and filestore requests without a file");
    request.add_option("entity", arguments.entity, "id of the destination entity")->required();
    declare_options(request, arguments);
    return request;
}

CLI::App &declare_get(CLI::App &app, Arguments &arguments) {
    CLI::App &get = *app.add_subcommand("get", "request a file from another entity");
    get.add_option("entity", arguments.entity, "id of the entity that has the file")->required();
    get.add_option("source", arguments.source, "name of the file at that entity")->required();
    get.add_option("name", arguments.name,
                   "name of the file here (default: the last part of the source)");
    get.add_option("--class", arguments.service_class,
                   "class of the transaction: 1 without, 2 with acknowledgements")
        ->check(CLI::Range(1, 2));
    get.add_flag("--wait", arguments.wait, "wait for the end of the transaction");
    declare_timeout(get, arguments);
    return get;
}

CLI::App &declare_list(CLI::App &app, Arguments &arguments) {
    CLI::App &list = *app.add_subcommand("ls", "list transactions, or a folder at another entity");
    list.add_option("entity", arguments.entity, "id of the entity whose folder is listed");
    list.add_option("folder", arguments.folder,
                    "folder to list (default: the folder of that entity for this one)");
    declare_timeout(list, arguments);
    return list;
}

CLI::App &declare_report(CLI::App &app, Arguments &arguments) {
    CLI::App &report =
        *app.add_subcommand("report", "show the state of a transaction at another entity");
    report.add_option("entity", arguments.entity, "id of the other entity")->required();
    report
        .add_option("id", arguments.id, "source entity and number of the transaction, such as 10/5")
        ->required();
    declare_timeout(report, arguments);
    return report;
}

struct Change {
    const char *name;
    const char *help;
    bool remote;
};
constexpr Change kChanges[] = {{"cancel", "end a transaction at both ends", false},
                               {"suspend", "suspend a transaction and its timers", true},
                               {"resume", "continue a suspended transaction", true}};

void declare_changes(CLI::App &app, Arguments &arguments) {
    for (const Change &each : kChanges) {
        CLI::App &command = *app.add_subcommand(each.name, each.help);
        command
            .add_option("id", arguments.id,
                        "source entity and number of the transaction, such as 10/5")
            ->required();
        if (!each.remote) continue;
        command.add_option("--at", arguments.at,
                           "id of another entity, at which the transaction is changed");
        declare_timeout(command, arguments);
    }
}

int run(CLI::App &app, Arguments &arguments, int argc, char **argv) {
    const CLI::App &put = declare_put(app, arguments);
    const CLI::App &request = declare_request(app, arguments);
    const CLI::App &get = declare_get(app, arguments);
    const CLI::App &list = declare_list(app, arguments);
    const CLI::App &report = declare_report(app, arguments);
    CLI::App *const status = app.add_subcommand("status", "show the entity, or one transaction");
    status->add_option("id", arguments.id,
                       "source entity and number of the transaction, such as 10/5");
    declare_changes(app, arguments);
    app.require_subcommand(1);
    parse_words(app, argc, argv);
    Commands commands(arguments);
    if (put.parsed() || request.parsed()) return commands.put();
    if (get.parsed()) return commands.get();
    if (list.parsed()) return list.count("entity") > 0 ? commands.list_folder() : commands.list();
    if (report.parsed()) return commands.report();
    if (status->parsed()) return commands.status();
    for (const Change &each : kChanges)
        if (app.got_subcommand(each.name)) return commands.change(each.name);
    return kExitUsage;
}

}  // namespace
}  // namespace farlink::cfdp_command

int main(int argc, char **argv) {
    using namespace farlink::cfdp_command;
    Arguments arguments;
    arguments.socket = default_socket();
    CLI::App app{"Sends commands to a CFDP entity, farlink-cfdpd, on this machine"};
    farlink::add_version(app);
    app.add_option("--socket", arguments.socket,
                   "control socket of the entity (default: FARLINK_CFDP, or "
                   "/run/farlink/cfdp.sock)");
    app.add_flag("--json", arguments.json, "print replies as JSON");
    app.fallthrough();  // both may also follow the command
    app.footer(
        "Exit codes: 0 done, 1 refused, or with --wait the transaction failed, 2 bad usage, 3 "
        "farlink-cfdpd is not running.");
    ::signal(SIGPIPE, SIG_IGN);  // NOLINT(concurrency-mt-unsafe): before any other thread
    try {
        return run(app, arguments, argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? farlink::kExitOk : farlink::kExitUsage;
    }
}
