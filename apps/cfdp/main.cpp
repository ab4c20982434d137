// SPDX-License-Identifier: Apache-2.0
// farlink-cfdp: commands a CFDP entity on this machine.
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/cfdp/control_line.hpp"
#include "apps/options/tool_options.hpp"
#include "common/files/names.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cfdp_command {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kExitOk = 0;
constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;
constexpr int kExitNoDaemon = 3;
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
    double timeout_s = 0;
    std::string id;
};

std::string default_socket() {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): before any other thread
    const char *const given = ::getenv("FARLINK_CFDP");
    return given != nullptr && *given != '\0' ? given : "/run/farlink/cfdp.sock";
}

int complain(const std::string &what, int code) {
    std::cerr << "farlink-cfdp: " << what << '\n';
    return code;
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

class Commands {
public:
    explicit Commands(const Arguments &arguments) : arguments_(arguments) {}

    int put() {
        Json request{{"command", "put"},
                     {"source", arguments_.source},
                     {"destination", arguments_.name.empty()
                                         ? std::string(files::last_part_of(arguments_.source))
                                         : arguments_.name},
                     {"entity", arguments_.entity}};
        if (arguments_.service_class != 0) request["class"] = arguments_.service_class;
        if (arguments_.closure) request["closure"] = true;
        if (!arguments_.checksum.empty()) request["checksum"] = arguments_.checksum;
        if (!ask(request)) return code_;
        if (!arguments_.wait) {
            if (!arguments_.json) std::cout << reply_.value("id", "") << '\n';
            return show_json();
        }
        return wait_for(reply_.value("id", ""));
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
                      << " transactions under way\n"
                      << reply_["counters"].dump(2) << '\n';
        return kExitOk;
    }
    int change(const char *command) {
        if (!ask({{"command", command}, {"id", arguments_.id}})) return code_;
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
        code_ = complain(reply_.is_object() ? reply_.value("error", "") : "no reply in JSON",
                         kExitFailed);
        return false;
    }
    int show_json() const {
        if (arguments_.json) std::cout << reply_ << '\n';
        return kExitOk;
    }
    int wait_for(const std::string &id) {
        const TimePoint begun = monotonic_now();
        const auto longest = milliseconds(static_cast<std::int64_t>(arguments_.timeout_s * 1000));
        for (;;) {
            if (!ask({{"command", "status"}, {"id", id}})) return code_;
            const Json &transaction = reply_["transaction"];
            if (transaction.value("ended", false)) {
                if (arguments_.json)
                    std::cout << transaction << '\n';
                else
                    print(transaction);
                return transaction.value("complete", false) ? kExitOk : kExitFailed;
            }
            if (arguments_.timeout_s > 0 && monotonic_now() - begun > longest)
                return complain(id + " has not ended in time", kExitFailed);
            ::poll(nullptr, 0, kStepMs);
        }
    }

    const Arguments &arguments_;
    Json reply_;
    int code_ = kExitOk;
};

void declare_put(CLI::App &put, Arguments &arguments) {
    put.add_option("source", arguments.source, "file beneath the root of the entity")->required();
    put.add_option("entity", arguments.entity, "entity that it goes to")->required();
    put.add_option("name", arguments.name, "its name there (default: the last part of the source)");
    put.add_option("--class", arguments.service_class, "1 without, 2 with acknowledgements")
        ->check(CLI::Range(1, 2));
    put.add_flag("--closure", arguments.closure, "class 1: the receiver reports its end");
    put.add_option("--checksum", arguments.checksum, "modular, proximity1, crc32c, crc32 or null")
        ->check(CLI::IsMember({"modular", "proximity1", "crc32c", "crc32", "null"}));
    put.add_flag("--wait", arguments.wait, "wait for the end of the transaction");
    put.add_option("--timeout", arguments.timeout_s, "seconds to wait at most; 0: no limit")
        ->check(CLI::Range(0.0, kLongestWait))
        ->capture_default_str();
}

int run(CLI::App &app, Arguments &arguments, int argc, char **argv) {
    CLI::App *const put = app.add_subcommand("put", "send a file");
    declare_put(*put, arguments);
    CLI::App *const list = app.add_subcommand("ls", "list transactions");
    CLI::App *const status = app.add_subcommand("status", "show the entity, or one transaction");
    status->add_option("id", arguments.id, "source entity and number, as 10/5");
    const std::pair<const char *, const char *> changes[] = {
        {"cancel", "end a transaction at both ends"},
        {"suspend", "stop a transaction and its timers"},
        {"resume", "let it go on"}};
    for (const auto &[name, help] : changes)
        app.add_subcommand(name, help)
            ->add_option("id", arguments.id, "source entity and number, as 10/5")
            ->required();
    app.require_subcommand(1);
    parse_words(app, argc, argv);
    Commands commands(arguments);
    if (put->parsed()) return commands.put();
    if (list->parsed()) return commands.list();
    if (status->parsed()) return commands.status();
    for (const auto &[name, help] : changes)
        if (app.got_subcommand(name)) return commands.change(name);
    return kExitUsage;
}

}  // namespace
}  // namespace farlink::cfdp_command

int main(int argc, char **argv) {
    using namespace farlink::cfdp_command;
    Arguments arguments;
    arguments.socket = default_socket();
    CLI::App app{"Commands a CFDP entity, farlink-cfdpd, on this machine"};
    farlink::add_version(app);
    app.add_option("--socket", arguments.socket,
                   "control socket of the entity (default: FARLINK_CFDP, or "
                   "/run/farlink/cfdp.sock)");
    app.add_flag("--json", arguments.json, "print replies as JSON");
    app.footer(
        "Exit codes: 0 done, 1 refused, or the transaction has not ended well, 2 bad usage, 3 no "
        "farlink-cfdpd.");
    ::signal(SIGPIPE, SIG_IGN);  // NOLINT(concurrency-mt-unsafe): before any other thread
    try {
        return run(app, arguments, argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? kExitOk : kExitUsage;
    }
}
