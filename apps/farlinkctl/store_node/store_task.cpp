// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_node/store_task.hpp"

#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/farlinkctl/node/control_print.hpp"
#include "apps/farlinkctl/shared/failed.hpp"
#include "apps/farlinkctl/shared/figures.hpp"
#include "apps/farlinkctl/shared/reply_table.hpp"
#include "apps/farlinkctl/shared/wait_for_reader.hpp"
#include "apps/farlinkctl/store_files/store_print.hpp"
#include "apps/shared/control/control_client.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

constexpr Duration kAskedEach = milliseconds(500);

double number(const Json &task, const char *key) {
    return task.value(key, 0.0);
}

std::string task_octets(const Json &task, const char *key) {
    return octets_text(number(task, key));
}

bool is_running(const Json &task) {
    return text(task, "state") == "running";
}

/// Log files that bundles were lost with before the node started.
Json lost_files_of(const Json &task) {
    return task.value("lostFiles", Json::array());
}

/// How far a verification is, in a line that the next one overwrites.
void print_progress(const Json &task) {
    if (::isatty(STDERR_FILENO) == 0 || !task.contains("bytesInAll")) return;
    const double all = number(task, "bytesInAll");
    constexpr double kHundred = 100;
    const double part = all > 0 ? kHundred * number(task, "bytes") / all : kHundred;
    std::fprintf(stderr, "\r%s of %s read, %.0f %%, %s damaged   ",
                 task_octets(task, "bytes").c_str(), task_octets(task, "bytesInAll").c_str(), part,
                 text(task, "damaged").c_str());
    if (!is_running(task)) std::fputs("\n", stderr);
}

/// "log file 4 on disk fast: 12 records lost before the start".
void print_lost_file(const Json &lost) {
    const bool cut = is_true(lost, "cut");
    const bool known = number(lost, "records") > 0;
    std::string line = "log file " + text(lost, "file") + " on disk " + text(lost, "disk") + ": ";
    if (!known && !cut) line += "header damaged, its records are lost";
    if (known) line += counted_text(lost, "records", "record") + " lost before the start";
    if (cut) {
        line += (known ? ", cut short: " : "cut short before the start: ") + text(lost, "bytes");
        if (lost.contains("expectedBytes")) line += " of " + text(lost, "expectedBytes");
        line += " bytes left, further records may be lost";
    }
    std::puts(line.c_str());
}

void print_verification(const Json &task) {
    const std::string state = text(task, "state");
    if (state == "never") return (void)std::puts("no verification since the node started");
    std::vector<Row> rows{{"damaged bundle", "disk", "record", "bytes", "why"}};
    for (const Json &damage : task.at("damages"))
        rows.push_back({text(damage, "bundle"), text(damage, "disk"), text(damage, "record"),
                        text(damage, "bytes"),
                        text(damage, "why") == "ioError" ? "read error" : "wrong checksum"});
    if (rows.size() > 1) print_rows(rows);
    for (const Json &lost : lost_files_of(task)) print_lost_file(lost);
    std::printf("%s: %s of %s read (%s of %s), %s damaged\n", state.c_str(),
                text(task, "bundles").c_str(), counted_text(task, "bundlesInAll", "bundle").c_str(),
                task_octets(task, "bytes").c_str(), task_octets(task, "bytesInAll").c_str(),
                counted_text(task, "damaged", "record").c_str());
}

void print_compaction(const Json &task) {
    const std::string state = text(task, "state");
    if (state == "never") return (void)std::puts("no compaction by command since the node started");
    std::printf("%s: %s moved (%s), %s removed, %s freed\n", state.c_str(),
                counted_text(task, "movedRecords", "record").c_str(),
                task_octets(task, "movedBytes").c_str(),
                counted_text(task, "files", "file").c_str(),
                task_octets(task, "freedBytes").c_str());
}

int print_task(const StorageOptions &options, const Json &reply) {
    const bool good = reply.at("ok") == true;
    const bool verifies = options.verb == StorageVerb::kVerify;
    const Json task = reply.value(verifies ? "verification" : "compaction", Json::object());
    if (options.json)
        print_line(reply);
    else if (!good)
        print_refusal(reply);
    else if (verifies)
        print_verification(task);
    else
        print_compaction(task);
    const bool sound = number(task, "damaged") == 0 && lost_files_of(task).empty();
    return good && sound ? kExitClean : kExitFailed;
}

}  // namespace

int run_task(const StorageOptions &options) {
    const auto socket = socket_of(options.node);
    if (!socket) return failed(socket.error());
    const bool verifies = options.verb == StorageVerb::kVerify;
    const std::string command = verifies ? "storage verify" : "storage compact";
    Json request{{"command", options.status   ? command + " show"
                             : options.cancel ? command + " cancel"
                                              : command}};
    if (options.rate_bytes_per_s) request["rateBytesPerSec"] = *options.rate_bytes_per_s;
    auto reply = ask_node(*socket, request);
    if (!reply) return failed(reply.error());
    const bool waits = !options.status && !options.cancel && !options.no_wait;
    request = {{"command", command + " show"}};
    while (waits && reply->at("ok") == true) {
        const Json task = reply->value(verifies ? "verification" : "compaction", Json::object());
        print_progress(task);
        if (!is_running(task)) break;
        if (!wait_for_reader(kAskedEach)) return kExitFailed;
        reply = ask_node(*socket, request);
        if (!reply) return failed(reply.error());
    }
    return print_task(options, *reply);
}

}  // namespace farlink::ctl
